/** The installed version while another one waits: its configuration, its manifests, and the number of Revisions. */
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import { FINALIZER } from '../../api/names.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import { createFakeCluster } from '../../kube/testing/fake-cluster.ts';
import { configHash } from '../config-hash.ts';
import { conditionToRead } from './condition-to-read.ts';
import type { Action } from './action.ts';
import { decideSubscription, type ResolvedPlan } from './decide.ts';
import type { EventFacts } from '../events.ts';
import type { SubscriptionFacts } from './observe.ts';
import { summarizePlan } from './summarize.ts';
import { catalog, facts, NOW, revision, subscription } from './testing/facts.ts';
import { IMAGE, offering, reconcileOf, revisionsOf } from './testing/one-image.ts';

const DEBUG = { config: { env: [{ name: 'LEVEL', value: 'debug' }] } };
const CLOSED = [{ cron: '0 2 * * *', duration: '1h' }];
const two = [catalog({ versions: ['1.0.0', '1.1.0'] })];
const works = revision({ ready: true });
const archived = revision({ ready: true, state: 'Archived', lastActiveTime: '2026-05-01T11:30:00Z' });
const lost = revision({ firstReadyTime: '2026-05-01T11:00:00Z', reason: 'ManifestsMissing' });
const waiting = revision({ number: 2, version: '1.1.0', state: 'Archived', approved: false });
const PUBLISHED_AGAIN = `registry.example/gadget@sha256:${'b'.repeat(64)}`;

const asked = (spec: object = { approval: 'Manual' }, more: object = {}): Subscription =>
  subscription({ spec: { ...DEBUG, ...spec }, ...more });

/** A Revision of the new configuration. */
const configured = (parts: Parameters<typeof revision>[0]): Revision =>
  revision({ configHash: configHash(asked()), ...parts });

function decided(given: Partial<SubscriptionFacts>): ResolvedPlan {
  const plan = decideSubscription(facts({ catalogs: two, ...given }));
  if (plan.kind !== 'resolved') throw new Error(plan.kind);
  return plan;
}

function inWords(action: Action): string {
  if (action.do === 'create')
    return `create ${action.target.bundle.name}${action.hold === undefined ? '' : `: ${action.hold.reason}`}`;
  return 'revision' in action ? `${action.do} ${action.revision.metadata.name}` : action.do;
}

interface Case {
  readonly because: string;
  readonly given: Partial<SubscriptionFacts>;
  readonly expected: string;
}

describe('while an upgrade waits, a new configuration', () => {
  const operatorCondition = {
    apiVersion: 'operators.coreos.com/v2',
    kind: 'OperatorCondition',
    metadata: { name: 'gadget.v1.0.0', namespace: 'ops', generation: 1 },
    spec: { conditions: [{ type: 'Upgradeable', status: 'False', reason: 'Busy', message: 'm' }] },
  };
  const again: typeof two = two.map((source) => ({
    ...source,
    content: (name) => {
      const content = source.content(name);
      return content && { ...content, bundles: content.bundles.map((one) => ({ ...one, image: PUBLISHED_AGAIN })) };
    },
  }));

  test.each<Case>([
    {
      because: 'the upgrade waits for approval, and the waiting Revision has the earlier one',
      given: { subscription: asked(), revisions: [works, waiting] },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'the waiting Revision is not made yet',
      given: { subscription: asked(), revisions: [works] },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'the upgrade waits for a window',
      given: { subscription: asked({ windows: CLOSED }), revisions: [works, waiting] },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'the upgrade waits for its plan',
      given: {
        subscription: asked({ upgradePolicy: { automatic: 'Patch' } }),
        revisions: [works, waiting],
        policy: { policy: subscription({ spec: { upgradePolicy: { automatic: 'Patch' } } }).spec.upgradePolicy },
      } as Partial<SubscriptionFacts>,
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'the installed operator holds the upgrade',
      given: { subscription: asked({}), revisions: [works, waiting], operatorCondition },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'the installed version was published again, and the new content waits for approval',
      given: { subscription: asked(), revisions: [works], catalogs: again },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'the installed version has left the catalog, and nothing leads on from it',
      given: { subscription: asked({}), revisions: [works], catalogs: [catalog({ versions: ['1.1.0'] })] },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'its Revision exists',
      given: {
        subscription: asked(),
        revisions: [works, configured({ number: 2, state: 'Archived' })],
      },
      expected: 'activate gadget-2',
    },
    {
      because: 'it corrects another one that never worked',
      given: {
        subscription: asked(),
        revisions: [
          archived,
          revision({ number: 2, configHash: 'wrong', previous: 'gadget-1', reason: 'ObjectInvalid', stalled: true }),
        ],
      },
      expected: 'create gadget.v1.0.0',
    },
  ])('is applied to the installed version: $expected: $because', ({ given, expected }) => {
    expect(inWords(decided(given).action)).toBe(expected);
  });

  test.each<Case>([
    {
      because: 'it is applied, and the next version is made with it',
      given: { subscription: asked(), revisions: [archived, waiting, configured({ number: 3 })] },
      expected: 'create gadget.v1.1.0: ApprovalRequired',
    },
    {
      because: 'it is applied, and the next version waits with it',
      given: {
        subscription: asked(),
        revisions: [
          archived,
          configured({ number: 3 }),
          configured({ number: 4, version: '1.1.0', state: 'Archived', approved: false }),
        ],
      },
      expected: 'await gadget-4',
    },
    {
      because: 'it has failed, and the person who wrote it decides',
      given: {
        subscription: asked(),
        revisions: [
          archived,
          configured({ number: 3, reason: 'ObjectInvalid', stalled: true, previous: 'gadget-1' }),
          configured({ number: 4, version: '1.1.0', state: 'Archived', approved: false }),
        ],
      },
      expected: 'await gadget-4',
    },
    {
      because: 'the spec excludes the installed version, and the configuration may be meant for the next one',
      given: { subscription: asked({ approval: 'Manual', version: '1.1.0' }), revisions: [works] },
      expected: 'create gadget.v1.1.0: ApprovalRequired',
    },
    {
      because: 'nothing is installed yet',
      given: { subscription: asked() },
      expected: 'create gadget.v1.1.0: ApprovalRequired',
    },
    {
      because: 'a person has approved the upgrade with it',
      given: {
        subscription: asked(),
        revisions: [works, configured({ number: 2, version: '1.1.0', state: 'Archived' })],
      },
      expected: 'activate gadget-2',
    },
    {
      because: 'the installed bundle is noted as failed',
      given: {
        subscription: asked(
          { approval: 'Manual' },
          { status: { quarantined: [{ ...works.spec, reason: 'ApplyFailed', message: '', since: 't' }] } },
        ),
        revisions: [works],
      },
      expected: 'create gadget.v1.1.0: ApprovalRequired',
    },
  ])('is not applied to the installed version: $expected: $because', ({ given, expected }) => {
    expect(inWords(decided(given).action)).toBe(expected);
  });

  test('is not applied to a suspended Subscription', () => {
    const given = facts({ subscription: asked({ suspend: true }), revisions: [works, waiting], catalogs: two });
    expect(decideSubscription(given).kind).toBe('suspended');
  });

  test('does not free an upgrade that the installed operator holds, while it is rolled out', () => {
    const entry = {
      ...operatorCondition.metadata,
      apiVersion: operatorCondition.apiVersion,
      kind: 'OperatorCondition',
    };
    const inventory = [{ ...entry, uid: 'c', hash: 'h' }];
    const rollingOut = configured({ number: 2, previous: 'gadget-1' });
    const revisions = [archived, { ...rollingOut, status: { ...rollingOut.status, inventory } }] as const;
    const upgrading = decided({ subscription: asked({}), revisions });
    expect(inWords(upgrading.action)).toBe('create gadget.v1.1.0');
    expect(conditionToRead(upgrading, revisions)).toMatchObject({ kind: 'OperatorCondition', name: 'gadget.v1.0.0' });
    const { action } = decided({ subscription: asked({}), revisions, operatorCondition });
    expect(inWords(action)).toBe('create gadget.v1.1.0: OperatorNotUpgradeable');
  });
});

describe('lost manifests of the installed version are restored', () => {
  test.each<Omit<Case, 'expected'>>([
    {
      because: 'an upgrade waits for approval',
      given: { subscription: subscription({ spec: { approval: 'Manual' } }), revisions: [lost, waiting] },
    },
    {
      because: 'the version has left the catalog',
      given: { revisions: [lost], catalogs: [catalog({ versions: ['1.1.0'] })] },
    },
    {
      because: 'the channel of the spec does not exist',
      given: { revisions: [lost], subscription: subscription({ spec: { channel: 'none' } }) },
    },
    {
      because: 'the spec excludes the version, and the next one waits for approval',
      given: {
        revisions: [lost, waiting],
        subscription: subscription({ spec: { approval: 'Manual', version: '1.1.0' } }),
      },
    },
  ])('although $because', ({ given }) => {
    expect(inWords(decided(given).action)).toBe('restore gadget-1');
  });
});

describe('the status while an upgrade waits and the installed version gets a configuration', () => {
  const held = configured({ number: 4, version: '1.1.0', state: 'Archived', approved: false });
  const read = (revisions: readonly Revision[], more: object = {}) => {
    const given = { subscription: asked({ approval: 'Manual' }, more), revisions };
    const status = summarizePlan(given.subscription, decided(given), { now: NOW });
    return { status, ready: findCondition(status.conditions, 'Ready') };
  };

  test('is not Ready before it is applied, and names the installed version', () => {
    const { status, ready } = read([works, waiting]);
    expect(ready).toMatchObject({ status: 'False', reason: 'Progressing' });
    expect(ready?.message).toContain('gadget.v1.0.0');
    expect(status.pending).toMatchObject({ bundle: 'gadget.v1.0.0', reason: 'Progressing' });
  });

  test('is not Ready while it is rolled out', () => {
    const { status, ready } = read([archived, configured({ number: 3 }), held]);
    expect(ready).toMatchObject({ status: 'False', reason: 'Progressing' });
    expect(ready?.message).toContain('gadget.v1.0.0');
    expect(status.pending).toMatchObject({ revision: 'gadget-4', reason: 'ApprovalRequired' });
  });

  test('is Ready once it works, and shows the wait of the next version', () => {
    const { ready } = read([archived, configured({ number: 3, ready: true }), held]);
    expect(ready?.status).toBe('True');
    expect(ready?.message).toContain('gadget.v1.1.0 waits for approval');
  });

  test('is not said to be a step of the path while it is rolled out', () => {
    const given = { subscription: asked(), revisions: [archived, configured({ number: 3 })] };
    const plan = decided({ ...given, catalogs: [catalog({ versions: ['1.0.0', '1.1.0', '2.0.0'] })] });
    const waits = { ...plan, action: { do: 'nothing' } } as const;
    const { conditions } = summarizePlan(given.subscription, waits, { now: NOW });
    expect(findCondition(conditions, 'Ready')?.message).toContain('gadget.v1.0.0');
    expect(findCondition(conditions, 'Ready')?.message).not.toContain('step');
  });

  test('a configuration is no step of the path', () => {
    const versions = ['1.0.0', '1.1.0', '1.2.0', '2.0.0'];
    const given = { catalogs: [catalog({ versions })], subscription: asked() };
    const next = { bundle: 'gadget.v1.1.0', version: '1.1.0', reason: 'ApprovalRequired', step: 1, steps: 3 };
    const installed = { ...works.spec, catalog: 'main', revision: 'gadget-1' };
    const after = (pending: object, revisions: readonly Revision[], by: object = installed) => {
      const status = { pending, installed: by } as NonNullable<Subscription['status']>;
      const one = { ...given.subscription, status };
      return summarizePlan(one, decided({ ...given, subscription: one, revisions }), { now: NOW }).pending;
    };
    const configuring = after(next, [works]);
    expect(configuring).not.toHaveProperty('step');
    expect(after(configuring ?? {}, [archived, configured({ number: 3 })])).toMatchObject({ step: 1, steps: 3 });
    const second = revision({ number: 2, version: '1.1.0', ready: true });
    const secondBy = { ...second.spec, revision: 'gadget-2' };
    const further = after(
      { ...next, bundle: 'gadget.v1.2.0', version: '1.2.0', step: 2 },
      [archived, second],
      secondBy,
    );
    expect(further).toMatchObject({ bundle: 'gadget.v1.1.0', step: 1, steps: 3 });
    const after2 = [
      { ...second, spec: { ...second.spec, state: 'Archived' as const } },
      configured({ number: 3, version: '1.1.0' }),
    ];
    expect(after(further ?? {}, after2, secondBy)).toMatchObject({ bundle: 'gadget.v1.2.0', step: 2, steps: 3 });
  });
});

test('a waiting Revision is replaced once by one with the new configuration, under a new name and with an event', async () => {
  const installed = { bundle: 'gadget.v1.0.0', version: '1.0.0', image: IMAGE, catalog: 'main', revision: 'gadget-1' };
  const spec = { approval: 'Manual', config: { nodeSelector: { disk: 'ssd' } } };
  const cluster = createFakeCluster({});
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(sampleCrd('Revision', { group: 'slipway.dev' }));
  cluster.put(subscription({ spec, status: { installed }, metadata: { finalizers: [FINALIZER] } }));
  cluster.put(revision({ ready: true, image: IMAGE }));
  cluster.put({ ...waiting, spec: { ...waiting.spec, image: IMAGE } });
  const events: EventFacts[] = [];
  const caches = offering(cluster, { versions: ['1.0.0', '1.1.0'], image: IMAGE });
  const reconcile = reconcileOf(cluster, { caches, record: (_one, event) => void events.push(event) });
  for (let round = 0; round < 6; round += 1) await reconcile();
  const states = revisionsOf(cluster).map(({ metadata, spec: one }) => `${metadata.name} ${one.version} ${one.state}`);
  expect(states).toEqual(['gadget-1 1.0.0 Archived', 'gadget-3 1.0.0 Active', 'gadget-4 1.1.0 Archived']);
  expect(events.map(({ reason }) => reason)).toEqual(['Upgrading', 'ApprovalRequired', 'Superseded']);
});
