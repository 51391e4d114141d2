import { describe, expect, test } from 'vitest';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { configHash, outcomeHash } from '../config-hash.ts';
import type { Action } from './action.ts';
import { decideSubscription, type SubscriptionPlan } from './decide.ts';
import type { SubscriptionFacts } from './observe.ts';
import { catalog, facts, revision, subscription } from './testing/facts.ts';
import { describeFailure, type Quarantined } from './quarantine.ts';

interface Case {
  readonly because: string;
  readonly given: Partial<SubscriptionFacts>;
  readonly expected: string;
}

const two = [catalog({ versions: ['1.0.0', '1.1.0'] })];
const works = revision({ ready: true });

/** With another configuration than that of the Revisions. */
function reconfigured(spec: object = {}, quarantined: readonly Quarantined[] = []): Subscription {
  return subscription({
    spec: { config: { env: [{ name: 'LEVEL', value: 'debug' }] }, ...spec },
    status: { quarantined },
  });
}

/** An action in words: `create gadget.v1.0.0`, `activate gadget-2`, `await gadget-1: ApprovalRequired`. */
function inWords(action: Action): string {
  switch (action.do) {
    case 'nothing':
      return 'nothing';
    case 'create':
      return `create ${action.target.bundle.name}${action.hold === undefined ? '' : `: ${action.hold.reason}`}`;
    case 'activate':
      return `activate ${action.revision.metadata.name}`;
    case 'restore':
      return `restore ${action.revision.metadata.name}`;
    case 'await':
      return `await ${action.revision.metadata.name}: ${action.hold.reason}`;
  }
}

function planInWords(plan: SubscriptionPlan): string {
  return plan.kind === 'resolved' ? inWords(plan.action) : plan.kind;
}

function check(cases: readonly Case[]): void {
  test.each(cases)('$expected: $because', ({ given, expected }) => {
    expect(planInWords(decideSubscription(facts(given)))).toBe(expected);
  });
}

describe('the action for a Subscription', () => {
  check([
    { because: 'nothing is installed', given: {}, expected: 'create gadget.v1.0.0' },
    { because: 'the wanted bundle is installed', given: { revisions: [works] }, expected: 'nothing' },
    { because: 'it is still being applied', given: { revisions: [revision()] }, expected: 'nothing' },
    {
      because: 'a newer version follows',
      given: { revisions: [works], catalogs: two },
      expected: 'create gadget.v1.1.0',
    },
    { because: 'no catalog has the package', given: { catalogs: [] }, expected: 'nothing' },
    {
      because: 'its configuration changed, which needs no catalog',
      given: { catalogs: [], revisions: [works], subscription: reconfigured() },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'the Revision of that configuration exists, and is to be applied',
      given: {
        catalogs: [],
        revisions: [works, revision({ number: 2, state: 'Archived', configHash: configHash(reconfigured()) })],
        subscription: reconfigured(),
      },
      expected: 'activate gadget-2',
    },
    {
      because: 'that configuration is for another version, which no catalog has',
      given: { catalogs: [], revisions: [works], subscription: reconfigured({ version: '2.0.0' }) },
      expected: 'nothing',
    },
    {
      because: 'that configuration has failed before',
      given: {
        catalogs: [],
        revisions: [works],
        subscription: reconfigured({}, [
          { bundle: 'gadget.v1.0.0', version: '1.0.0', image: 'i', reason: 'ApplyFailed', message: '', since: 't' },
        ]),
      },
      expected: 'nothing',
    },
    {
      because: 'the catalog selector is invalid, and would otherwise exclude no catalog',
      given: {
        subscription: subscription({
          spec: { catalogSelector: { matchExpressions: [{ key: 'a b', operator: 'NotIn', values: ['x'] }] } },
        }),
      },
      expected: 'nothing',
    },
    {
      because: 'it is being deleted',
      given: { subscription: subscription({ metadata: { deletionTimestamp: 'x' }, spec: { suspend: true } }) },
      expected: 'uninstall',
    },
    {
      because: 'it is suspended',
      given: { subscription: subscription({ spec: { suspend: true } }) },
      expected: 'suspended',
    },
    {
      because: 'another configuration is another Revision of the same bundle',
      given: { revisions: [works], subscription: subscription({ spec: { config: { replicas: 2 } } }) },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'the Revision of an earlier configuration exists',
      given: {
        revisions: [
          { ...works, spec: { ...works.spec, state: 'Archived' } },
          revision({ number: 2, ready: true, configHash: 'other', previous: 'gadget-1' }),
        ],
      },
      expected: 'activate gadget-1',
    },
    {
      because: 'its stored manifests are lost',
      given: { revisions: [revision({ reason: 'ManifestsMissing' })] },
      expected: 'restore gadget-1',
    },
    {
      because: 'its manifests were lost before it was archived, which another Revision may have put right',
      given: { revisions: [ofGeneration(2, revision({ reason: 'ManifestsMissing', state: 'Archived' }))] },
      expected: 'activate gadget-1',
    },
    {
      because: 'the image was published again under the same name',
      given: {
        revisions: [works],
        catalogs: [withImage(catalog({ versions: ['1.0.0'] }), PUBLISHED_AGAIN)],
      },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'a Revision that is being deleted does not count',
      given: { revisions: [revision({ ready: true, deleted: true, state: 'Archived' })] },
      expected: 'create gadget.v1.0.0',
    },
  ]);
});

describe('the hold of a Revision', () => {
  const manual = subscription({ spec: { approval: 'Manual' } });
  const closed = [{ cron: '0 2 * * *', duration: '1h' }];
  const open = [{ cron: '0 12 * * *', duration: '1h' }];
  const waiting = revision({ number: 2, version: '1.1.0', state: 'Archived' });
  const again = withImage(catalog({ versions: ['1.0.0'] }), PUBLISHED_AGAIN);
  const republished = ofImage(revision({ number: 2, approved: false, state: 'Archived' }), PUBLISHED_AGAIN);

  check([
    {
      because: 'approval is manual',
      given: { subscription: manual },
      expected: 'create gadget.v1.0.0: ApprovalRequired',
    },
    {
      because: 'a person has not approved it',
      given: { subscription: manual, revisions: [revision({ approved: false, state: 'Archived' })] },
      expected: 'await gadget-1: ApprovalRequired',
    },
    {
      because: 'a person has approved it',
      given: { subscription: manual, revisions: [revision({ state: 'Archived' })] },
      expected: 'activate gadget-1',
    },
    {
      because: 'the user made the new configuration of the same version',
      given: {
        subscription: subscription({ spec: { approval: 'Manual', config: { replicas: 2 } } }),
        revisions: [works],
      },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'the installed version was published again, and approval is manual',
      given: { subscription: manual, revisions: [works], catalogs: [again] },
      expected: 'create gadget.v1.0.0: ApprovalRequired',
    },
    {
      because: 'the installed version was published again, and a person has not approved it',
      given: { subscription: manual, revisions: [works, republished], catalogs: [again] },
      expected: 'await gadget-2: ApprovalRequired',
    },
    {
      because: 'the installed version was published again, and no window is open',
      given: { subscription: subscription({ spec: { windows: closed } }), revisions: [works], catalogs: [again] },
      expected: 'create gadget.v1.0.0: OutsideWindow',
    },
    {
      because: 'no window is open',
      given: { subscription: subscription({ spec: { windows: closed } }), revisions: [works], catalogs: two },
      expected: 'create gadget.v1.1.0: OutsideWindow',
    },
    {
      because: 'it is prepared, and no window is open',
      given: { subscription: subscription({ spec: { windows: closed } }), revisions: [works, waiting], catalogs: two },
      expected: 'await gadget-2: OutsideWindow',
    },
    {
      because: 'a window is open',
      given: { subscription: subscription({ spec: { windows: open } }), revisions: [works, waiting], catalogs: two },
      expected: 'activate gadget-2',
    },
    {
      because: 'the first installation does not wait for a window',
      given: { subscription: subscription({ spec: { windows: closed } }) },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'a window that never opens is invalid',
      given: {
        subscription: subscription({ spec: { windows: [{ cron: '0 0 30 2 *', duration: '1h' }] } }),
        revisions: [works],
        catalogs: two,
      },
      expected: 'create gadget.v1.1.0: InvalidSpec',
    },
  ]);
});

describe('after a failure', () => {
  const upgraded = {
    number: 2,
    version: '1.1.0',
    reason: 'WorkloadUnhealthy',
    stalled: true,
    previous: 'gadget-1',
  } as const;
  const failed = revision(upgraded);
  const before = revision({ ready: true, state: 'Archived' });
  const again = withImage(catalog({ versions: ['1.0.0'] }), PUBLISHED_AGAIN);
  const failure = { number: 2, reason: 'WorkloadUnhealthy', stalled: true, previous: 'gadget-1' } as const;
  const failedAgain = ofImage(revision(failure), PUBLISHED_AGAIN);
  const failedConfiguration = revision({ ...failure, configHash: configHash(reconfigured()) });
  const one = catalog({ versions: ['1.0.0'] });
  const failedThird = ofImage(revision({ ...failure, number: 3 }), THIRD);
  const lost = revision({ reason: 'ManifestsMissing' });

  check([
    {
      because: 'the version that worked before is made active again',
      given: { revisions: [before, failed], catalogs: two },
      expected: 'activate gadget-1',
    },
    {
      because: 'nothing worked before, so no rollback is possible',
      given: { revisions: [revision({ reason: 'WorkloadUnhealthy', stalled: true })] },
      expected: 'nothing',
    },
    {
      because: 'Hold leaves it for a person to inspect',
      given: {
        revisions: [before, failed],
        catalogs: two,
        subscription: subscription({ spec: { onFailure: { strategy: 'Hold' } } }),
      },
      expected: 'nothing',
    },
    ...['Rollback', 'Hold'].map((strategy) => ({
      because: `a version that was given up does not stay although no catalog answers, and the strategy is ${strategy} by now`,
      given: {
        revisions: [before, revision({ number: 2, version: '1.1.0', previous: 'gadget-1', ready: true })],
        catalogs: [],
        subscription: subscription({
          spec: { onFailure: { strategy } },
          status: { quarantined: [describeFailure(failed, new Date())] },
        }),
      },
      expected: 'activate gadget-1',
    })),
    {
      because: 'the installed version was published again, and that failed',
      given: { revisions: [before, failedAgain], catalogs: [again] },
      expected: 'activate gadget-1',
    },
    {
      because: 'the installed version was published again, that failed, and it is not tried again',
      given: {
        revisions: [works, { ...failedAgain, spec: { ...failedAgain.spec, state: 'Archived' } }],
        catalogs: [again],
        subscription: subscription({ status: { quarantined: [describeFailure(failedAgain, new Date())] } }),
      },
      expected: 'nothing',
    },
    {
      because: 'a second content of the installed version failed too',
      given: {
        revisions: [before, { ...failedAgain, spec: { ...failedAgain.spec, state: 'Archived' } }, failedThird],
        catalogs: [withImage(one, THIRD)],
        subscription: subscription({ status: { quarantined: [describeFailure(failedAgain, new Date())] } }),
      },
      expected: 'activate gadget-1',
    },
    {
      because: 'another content of the installed version failed, and the manifests of the installed one are lost',
      given: {
        revisions: [{ ...works, status: { ...works.status, conditions: lost.status?.conditions ?? [] } }],
        catalogs: [again],
        subscription: subscription({ status: { quarantined: [describeFailure(failedAgain, new Date())] } }),
      },
      expected: 'restore gadget-1',
    },
    {
      because: 'content behind a tag failed with a new configuration',
      given: {
        revisions: [before, { ...failedConfiguration, spec: { ...failedConfiguration.spec, image: PUBLISHED_AGAIN } }],
        catalogs: [withImage(one, 'registry.example/gadget:v1')],
        subscription: reconfigured(),
      },
      expected: 'activate gadget-1',
    },
    {
      because: 'a configuration that failed stays, as the person who wrote it decides',
      given: { revisions: [before, failedConfiguration], catalogs: [one], subscription: reconfigured() },
      expected: 'nothing',
    },
    {
      because: 'a configuration that failed stays also while no catalog answers',
      given: { revisions: [before, failedConfiguration], catalogs: [], subscription: reconfigured() },
      expected: 'nothing',
    },
    {
      because: 'a newer version than the one that failed is tried',
      given: { revisions: [before, failed], catalogs: [skipping(catalog({ versions: ['1.0.0', '1.1.0', '1.2.0'] }))] },
      expected: 'create gadget.v1.2.0',
    },
    {
      because: 'with a new configuration the version that worked is made active as it was, which needs no registry',
      given: {
        revisions: [before, revision({ ...upgraded, configHash: configHash(reconfigured()) })],
        catalogs: two,
        subscription: reconfigured(),
      },
      expected: 'activate gadget-1',
    },
    {
      because: 'the version that worked runs again, and gets the new configuration',
      given: {
        revisions: [works, revision({ ...upgraded, state: 'Archived', configHash: configHash(reconfigured()) })],
        catalogs: two,
        subscription: reconfigured({}, [
          { ...describeFailure(revision(upgraded), new Date()), specHash: outcomeHash(reconfigured()) },
        ]),
      },
      expected: 'create gadget.v1.0.0',
    },
    {
      because: 'a newer version that has to be made and to wait does not keep the failed one active',
      given: {
        revisions: [before, failed],
        catalogs: [skipping(catalog({ versions: ['1.0.0', '1.1.0', '1.2.0'] }))],
        subscription: subscription({ spec: { approval: 'Manual' } }),
      },
      expected: 'activate gadget-1',
    },
    {
      because: 'a newer version that has to wait does not keep the failed one active',
      given: {
        revisions: [before, failed, revision({ number: 3, version: '1.2.0', state: 'Archived', approved: false })],
        catalogs: [skipping(catalog({ versions: ['1.0.0', '1.1.0', '1.2.0'] }))],
        subscription: subscription({ spec: { approval: 'Manual' } }),
      },
      expected: 'activate gadget-1',
    },
    {
      because: 'a rollback needs no catalog',
      given: { revisions: [before, failed], catalogs: [] },
      expected: 'activate gadget-1',
    },
  ]);

  test('a version that failed is remembered, and a person can request another attempt', () => {
    const plan = decideSubscription(facts({ revisions: [before, failed], catalogs: two }));
    const quarantined = plan.kind === 'resolved' ? plan.quarantined : [];
    expect(quarantined.map(({ bundle }) => bundle)).toEqual(['gadget.v1.1.0']);
    const active = { ...before, spec: { ...before.spec, state: 'Active' as const } };
    const archived = { ...failed, spec: { ...failed.spec, state: 'Archived' as const } };
    const remembered = {
      revisions: [active, archived],
      catalogs: two,
      subscription: subscription({ status: { quarantined } }),
    };
    expect(planInWords(decideSubscription(facts(remembered)))).toBe('nothing');
    const asks = subscription({
      status: { quarantined },
      metadata: { annotations: { 'slipway.dev/reconcile-requested-at': 'now' } },
    });
    expect(planInWords(decideSubscription(facts({ ...remembered, subscription: asks })))).toBe('activate gadget-2');
  });
});

describe('a quarantine', () => {
  const failed = revision({ number: 2, version: '1.1.0', reason: 'WorkloadUnhealthy', stalled: true });
  const first = decideSubscription(
    facts({ revisions: [revision({ ready: true, state: 'Archived' }), failed], catalogs: two }),
  );
  const quarantined = first.kind === 'resolved' ? first.quarantined : [];
  const archived = { ...failed, spec: { ...failed.spec, state: 'Archived' as const } };
  const later = (
    spec: object,
    entries = quarantined,
    metadata: object = { generation: 2 },
    handled: object = {},
  ): readonly string[] => {
    const status = { quarantined: entries, observedGeneration: 1, ...handled };
    const asked = subscription({ spec, metadata, status });
    const plan = decideSubscription(facts({ subscription: asked, revisions: [works, archived], catalogs: two }));
    return plan.kind === 'resolved' ? plan.quarantined.map(({ bundle }) => bundle) : [];
  };

  test.each([
    { because: 'the limit of the history changes nothing for the version', spec: { historyLimit: 5 } },
    { because: 'approval changes only the time', spec: { approval: 'Manual' } },
    { because: 'windows change only the time', spec: { windows: [{ cron: '0 2 * * *', duration: '1h' }] } },
    { because: 'the settings of an uninstall do not count', spec: { uninstall: { customResources: 'Delete' } } },
    { because: 'the strategy decides only the reaction to a failure', spec: { onFailure: { strategy: 'Hold' } } },
  ])('a quarantine stays: $because', ({ spec }) => {
    expect(later(spec)).toEqual(['gadget.v1.1.0']);
  });

  test.each([
    { because: 'another range may mean exactly this version', spec: { version: '1.x' } },
    { because: 'a channel is chosen', spec: { channel: 'stable' } },
    { because: 'another catalog may have another image', spec: { catalog: 'main' } },
    { because: 'the graph is ignored', spec: { edges: 'Ignore' } },
    { because: 'the configuration may be the cure', spec: { config: { replicas: 2 } } },
    { because: 'a check is waived', spec: { crdUpgradeSafety: { enforcement: 'None' } } },
    { because: 'it gets more time', spec: { onFailure: { progressDeadline: '20m' } } },
  ])('a quarantine is lifted: $because', ({ spec }) => {
    expect(later(spec)).toEqual([]);
  });

  test('a quarantine stays when the annotation of a request that was handled is removed', () => {
    const handled = { lastHandledReconcileAt: 'now' };
    expect(later({}, quarantined, {}, handled)).toEqual(['gadget.v1.1.0']);
    const again = { annotations: { 'slipway.dev/reconcile-requested-at': 'later' } };
    expect(later({}, quarantined, again, handled)).toEqual([]);
  });

  test('a quarantine is lifted by a request, and in an entry of the release before by any change', () => {
    const asks = { annotations: { 'slipway.dev/reconcile-requested-at': 'now' } };
    expect(later({}, quarantined, asks)).toEqual([]);
    const old = quarantined.map(({ specHash: _specHash, ...entry }) => entry);
    expect(later({ historyLimit: 5 }, old)).toEqual([]);
    expect(later({}, old, { generation: 1 })).toEqual(['gadget.v1.1.0']);
  });
});

const THIRD = `registry.example/gadget@sha256:${'c'.repeat(64)}`;
const PUBLISHED_AGAIN = `registry.example/gadget@sha256:${'b'.repeat(64)}`;

function ofGeneration(generation: number, one: Revision): Revision {
  return { ...one, metadata: { ...one.metadata, generation } };
}

function ofImage(one: Revision, image: string): Revision {
  return { ...one, spec: { ...one.spec, image } };
}

function withImage(source: ReturnType<typeof catalog>, image: string): ReturnType<typeof catalog> {
  const content = source.content('gadget');
  if (content === undefined) throw new Error('the catalog lacks the package');
  return {
    ...source,
    content: () => ({ ...content, bundles: content.bundles.map((bundle) => ({ ...bundle, image })) }),
  };
}

/** The newest version also skips the one before it. */
function skipping(source: ReturnType<typeof catalog>): ReturnType<typeof catalog> {
  const content = source.content('gadget');
  const [channel] = content?.channels ?? [];
  if (content === undefined || channel === undefined) throw new Error('the catalog lacks the package');
  const entries = channel.entries.map((entry, at) =>
    at === channel.entries.length - 1
      ? { name: entry.name, replaces: channel.entries[0]?.name ?? '', skips: [channel.entries[at - 1]?.name ?? ''] }
      : entry,
  );
  return { ...source, content: () => ({ ...content, channels: [{ ...channel, entries }] }) };
}

test('a bundle that was published again and may not be used leaves the installed content, also with a new configuration', () => {
  const source = catalog({ versions: ['1.0.0'] });
  const content = source.content('gadget')!;
  const image = `registry.example/gadget@sha256:${'b'.repeat(64)}`;
  const bundles = content.bundles.map((one) => ({ ...one, version: '0.1.0', image }));
  const lower = { ...source, content: () => ({ ...content, bundles }) };
  const given = facts({ revisions: [works], catalogs: [lower], nextNumber: 2 });
  expect(planInWords(decideSubscription(given))).toBe('nothing');
  expect(decideSubscription({ ...given, subscription: reconfigured() })).toMatchObject({
    action: { do: 'create', target: { bundle: { version: '1.0.0', image: works.spec.image } } },
  });
});
