/** When a Subscription is reconciled again although no watch reports a change. */
import { describe, expect, test } from 'vitest';
import { ReasonedError, type Retry } from '../../api/errors.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import type { HeldTarget } from './action.ts';
import { decideSubscription, type ResolvedPlan } from './decide.ts';
import type { Hold } from './held.ts';
import { lookAgain, retriedInTime } from './look-again.ts';
import { catalog, facts, NOW, revision, subscription } from './testing/facts.ts';

/** The new configuration of 1.0.0 is to be applied while 1.1.0 waits. */
function planWith(hold: Partial<Hold>, more: Partial<ResolvedPlan> = {}): ResolvedPlan {
  const one = subscription({ spec: { approval: 'Manual', config: { nodeSelector: { disk: 'ssd' } } } });
  const catalogs = [byDigest(catalog({ versions: ['1.0.0', '1.1.0'] }))];
  const plan = decideSubscription(facts({ subscription: one, catalogs, revisions: [revision({ ready: true })] }));
  if (plan.kind !== 'resolved' || plan.action.do !== 'create') throw new Error(plan.kind);
  const { meanwhile } = plan.action;
  if (meanwhile === undefined) throw new Error('nothing waits');
  const held: HeldTarget = { ...meanwhile, hold: { ...meanwhile.hold, ...hold } };
  return { ...plan, action: { ...plan.action, meanwhile: held }, ...more };
}

/** The catalog with the images by digest, the first one by that of the installed Revision. */
function byDigest(source: CatalogSource): CatalogSource {
  const content = source.content('gadget')!;
  const [first, ...others] = content.bundles;
  const bundles = [
    { ...first!, image: revision({}).spec.image },
    ...others.map((one) => ({ ...one, image: `registry.example/gadget@sha256:${'c'.repeat(64)}` })),
  ];
  return { ...source, content: () => ({ ...content, bundles }) };
}

const inSeconds = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);

test('a Subscription is reconciled when its unhealthy version will have failed', () => {
  const plan = planWith({}, { action: { do: 'nothing' }, failsAt: inSeconds(12) });
  expect(lookAgain(plan, NOW)).toEqual({ requeueAfterSeconds: 12 });
  expect(lookAgain({ ...plan, failsAt: inSeconds(12) }, inSeconds(20))?.requeueAfterSeconds).toBeGreaterThan(0);
});

describe('another content of the installed bundle that may not be taken', () => {
  const source = catalog({ versions: ['1.0.0'] });
  const content = source.content('gadget')!;
  const image = `registry.example/gadget@sha256:${'b'.repeat(64)}`;
  const unmet = { type: 'olm.package.required', value: { packageName: 'missing', versionRange: '>=1.0.0' } };

  test.each([
    { because: 'there was no time to judge it', properties: [], expired: () => true },
    { because: 'its dependency may be there later', properties: [unmet], expired: undefined },
  ])('is decided again, as $because', ({ properties, expired }) => {
    const bundles = content.bundles.map((one) => ({ ...one, image, properties }));
    const catalogs = [{ ...source, content: () => ({ ...content, bundles }) }];
    const plan = decideSubscription(facts({ catalogs, revisions: [revision({ ready: true })] }), expired);
    expect(plan).toMatchObject({ kind: 'resolved', decision: { keepsContent: true } });
    if (plan.kind === 'resolved') expect(lookAgain(plan, NOW)).toEqual({ requeueAfterSeconds: 300 });
  });
});

interface Case {
  readonly because: string;
  readonly retry: Retry;
  readonly plan: ResolvedPlan;
  readonly expected: Retry;
}

describe('a configuration that the installed version cannot have', () => {
  const window = { reason: 'OutsideWindow', until: inSeconds(7200) } as const;
  test.each<Case>([
    { because: 'the window opens', retry: 'never', plan: planWith(window), expected: { afterSeconds: 7200 } },
    { because: 'a registry is asked before the window', retry: 'backoff', plan: planWith(window), expected: 'backoff' },
    {
      because: 'the window opens soon',
      retry: 'backoff',
      plan: planWith({ ...window, until: inSeconds(90) }),
      expected: { afterSeconds: 90 },
    },
    {
      because: 'the error is retried before',
      retry: { afterSeconds: 30 },
      plan: planWith({ ...window, until: inSeconds(90) }),
      expected: { afterSeconds: 30 },
    },
    {
      because: 'a dependency is not watched',
      retry: 'never',
      plan: planWith({ reason: 'DependencyNotReady' }),
      expected: { afterSeconds: 60 },
    },
    { because: 'a person approves, and a watch reports it', retry: 'never', plan: planWith({}), expected: 'never' },
    {
      because: 'the active version will have failed',
      retry: 'never',
      plan: planWith({}, { failsAt: inSeconds(20) }),
      expected: { afterSeconds: 20 },
    },
    {
      because: 'nothing waits beside it: the next version itself cannot be made',
      retry: 'never',
      plan: planOf(targetOf(planWith({}))),
      expected: 'never',
    },
    {
      because: 'the publisher may move the tag that names its bundle',
      retry: 'never',
      plan: planOf(byTag(targetOf(planWith({})))),
      expected: { afterSeconds: 300 },
    },
    {
      because: 'a registry is asked for a tag before the tag moves',
      retry: 'backoff',
      plan: planOf(byTag(targetOf(planWith({})))),
      expected: 'backoff',
    },
  ])('the configuration is retried $expected: $because', ({ retry, plan, expected }) => {
    const error = new ReasonedError({ reason: 'ImageNotFound', retry, message: 'm', hint: 'h' });
    expect(retriedInTime(error, plan, NOW)).toMatchObject({
      reason: 'ImageNotFound',
      message: 'm',
      hint: 'h',
      retry: expected,
    });
  });
});

function planOf(target: HeldTarget['target']): ResolvedPlan {
  return planWith({}, { action: { do: 'create', target, hold: undefined } });
}

function byTag(target: HeldTarget['target']): HeldTarget['target'] {
  return { ...target, bundle: { ...target.bundle, image: 'registry.example/gadget:v1.0.0' } };
}

function targetOf({ action }: ResolvedPlan): HeldTarget['target'] {
  if (action.do !== 'create') throw new Error(action.do);
  return action.target;
}
