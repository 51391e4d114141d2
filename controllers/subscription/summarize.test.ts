import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Loss } from '../../api/repair.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription, SubscriptionStatus } from '../../api/subscription.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { outcomeHash } from '../config-hash.ts';
import { decideSubscription } from './decide.ts';
import type { SubscriptionFacts } from './observe.ts';
import { summarizePlan, summarizeRemoval, summarizeSuspension } from './summarize.ts';
import { catalog, facts, NOW, revision, subscription } from './testdata/facts.ts';

type ConditionType = Parameters<typeof findCondition>[1];

function statusOf(given: Partial<SubscriptionFacts>, error?: ReasonedError): SubscriptionStatus {
  const all = facts(given);
  const plan = decideSubscription(all);
  if (plan.kind !== 'resolved') throw new Error(`nothing is resolved: ${plan.kind}`);
  return summarizePlan(all.subscription, plan, { now: NOW, ...(error !== undefined && { error }) });
}

/** `True Succeeded`, or nothing where the condition is absent. */
function inWords({ conditions }: SubscriptionStatus, type: ConditionType): string {
  const condition = findCondition(conditions, type);
  return condition === undefined ? '' : `${condition.status} ${condition.reason}`;
}

const two = [catalog({ versions: ['1.0.0', '1.1.0'] })];
const works = revision({ ready: true });

/** The same catalog, which advises against one of the versions. */
function deprecating(version: string): CatalogSource {
  const [source] = two;
  if (source === undefined) throw new Error('there is no catalog');
  const deprecations = [{ schema: 'olm.bundle' as const, name: `gadget.v${version}`, message: 'it leaks' }];
  return {
    ...source,
    content: (name) => {
      const content = source.content(name);
      return content === undefined ? undefined : { ...content, deprecations };
    },
  };
}
const next = revision({ number: 2, version: '1.1.0', previous: 'gadget-1' });
const before = { ...works, spec: { ...works.spec, state: 'Archived' as const } };

/** 1.0.0 in one channel and 1.1.0, which follows it, in another. */
function inChannels(): CatalogSource {
  const [source] = two;
  const content = source?.content('gadget');
  if (source === undefined || content === undefined) throw new Error('there is no catalog');
  const channels = ['1.0.0', '1.1.0'].map((version, at) => ({
    name: ['stable', 'fast'][at] ?? '',
    entries: [{ name: `gadget.v${version}`, skips: [], ...(at === 1 && { replaces: 'gadget.v1.0.0' }) }],
  }));
  return { ...source, content: () => ({ ...content, channels }) };
}

const failedOne = revision({ number: 2, version: '1.1.0', state: 'Archived', reason: 'WorkloadUnhealthy' });

/** Its spec has changed since its conditions were written. */
function sinceActivated(one: Revision): Revision {
  return { ...one, metadata: { ...one.metadata, generation: 2 } };
}

/** What the status remembers of a version that failed, and of a rollback that has ended or not. */
function gaveUp(version: string, more: object = {}): NonNullable<SubscriptionStatus['quarantined']>[number] {
  const since = '2026-05-01T11:58:00Z';
  const specHash = outcomeHash(subscription({ spec: more }));
  return { bundle: `gadget.v${version}`, version, reason: 'WorkloadUnhealthy', message: 'it crashes', since, specHash };
}

/** A Subscription that remembers versions that failed. */
function remembering(versions: readonly string[], spec: object = {}): Subscription {
  const rolledBackTime = '2026-05-01T11:59:00Z';
  const quarantined = versions.map((version) => ({ ...gaveUp(version, spec), rolledBackTime }));
  return subscription({ spec, status: { quarantined } });
}

interface Case {
  readonly because: string;
  readonly given: Partial<SubscriptionFacts>;
  readonly ready: string;
  readonly also?: Readonly<Partial<Record<ConditionType, string>>>;
}

describe('conditions', () => {
  test.each<Case>([
    {
      because: 'the first Revision is being made',
      given: {},
      ready: 'False Installing',
      also: { Reconciling: 'True Installing' },
    },
    {
      because: 'all is as the spec asks',
      given: { revisions: [works] },
      ready: 'True Succeeded',
      also: { Reconciling: '', Stalled: '', UpgradeAvailable: 'False UpToDate', Deprecated: 'False NotDeprecated' },
    },
    {
      because: 'what is installed is deprecated, though what is to follow it is not',
      given: {
        revisions: [works],
        catalogs: [deprecating('1.0.0')],
        subscription: subscription({ spec: { approval: 'Manual' } }),
      },
      ready: 'False Upgrading',
      also: { Deprecated: 'True BundleDeprecated' },
    },
    {
      because: 'only the successor is deprecated, and is not in use',
      given: { revisions: [works], catalogs: [deprecating('1.1.0')] },
      ready: 'True Succeeded',
      also: { Deprecated: 'False NotDeprecated' },
    },
    {
      because: 'no catalog tells what it thinks of what is installed',
      given: { revisions: [works], catalogs: [] },
      ready: 'True Succeeded',
      also: { Deprecated: 'Unknown CatalogUnavailable' },
    },
    {
      because: 'an upgrade is under way',
      given: { revisions: [before, next], catalogs: two },
      ready: 'False Progressing',
      also: { Reconciling: 'True Upgrading', UpgradeAvailable: 'True UpgradeAvailable' },
    },
    {
      because: 'what was installed is unhealthy later on',
      given: {
        revisions: [
          {
            ...works,
            status:
              revision({ ready: false, reason: 'WorkloadUnhealthy', firstReadyTime: '2026-04-01T00:00:00Z' }).status ??
              {},
          },
        ],
      },
      ready: 'False WorkloadUnhealthy',
    },
    {
      because: 'an upgrade waits for a person, and what is installed works on',
      given: {
        revisions: [works, revision({ number: 2, version: '1.1.0', state: 'Archived', approved: false })],
        catalogs: two,
        subscription: subscription({ spec: { approval: 'Manual' } }),
      },
      ready: 'True Succeeded',
      also: { Reconciling: '', Stalled: '', UpgradeAvailable: 'True ApprovalRequired' },
    },
    {
      because: 'the first Revision waits for a person',
      given: {
        revisions: [revision({ state: 'Archived', approved: false })],
        subscription: subscription({ spec: { approval: 'Manual' } }),
      },
      ready: 'False ApprovalRequired',
      also: { Reconciling: '', Stalled: '' },
    },
    {
      because: 'no catalog has the package',
      given: { catalogs: [] },
      ready: 'False PackageNotFound',
      also: { Stalled: 'True PackageNotFound', UpgradeAvailable: 'Unknown PackageNotFound' },
    },
    {
      because: 'what is installed does not need the catalog',
      given: { catalogs: [], revisions: [works] },
      ready: 'True Succeeded',
      also: { Stalled: '', UpgradeAvailable: 'Unknown CatalogNotFound' },
    },
    {
      because: 'a pin that nothing meets is a mistake, whatever is installed',
      given: { revisions: [works], subscription: subscription({ spec: { version: '7.0.0' } }) },
      ready: 'False VersionNotFound',
      also: { Stalled: 'True VersionNotFound' },
    },
    {
      because: 'the catalog has dropped what is installed, which goes on to work',
      given: { revisions: [works], catalogs: [catalog({ versions: ['2.0.0'] })] },
      ready: 'True Succeeded',
      also: { Stalled: '', UpgradeAvailable: 'Unknown NoUpgradePath' },
    },
    {
      because: 'the catalog has dropped what is installed, and something else is asked for',
      given: {
        revisions: [works],
        catalogs: [catalog({ versions: ['2.0.0'] })],
        subscription: subscription({ spec: { version: '2.0.0' } }),
      },
      ready: 'False NoUpgradePath',
      also: { Stalled: 'True NoUpgradePath' },
    },
    {
      because: 'a version failed and nothing can take its place',
      given: { revisions: [revision({ reason: 'ObjectInvalid', stalled: true })] },
      ready: 'False ObjectInvalid',
      also: { Stalled: 'True ObjectInvalid' },
    },
    {
      because: 'an upgrade failed and what worked before runs again, as the spec allows',
      given: { revisions: [works], catalogs: two, subscription: remembering(['1.1.0']) },
      ready: 'True Succeeded',
      also: {
        UpgradeFailed: 'True WorkloadUnhealthy',
        UpgradeAvailable: 'True Quarantined',
        Stalled: '',
        Reconciling: '',
      },
    },
    {
      because: 'an upgrade failed to the only version that the spec allows: it is not as asked, whatever works',
      given: { revisions: [works], catalogs: two, subscription: remembering(['1.1.0'], { version: '1.1.0' }) },
      ready: 'False Quarantined',
      also: { UpgradeFailed: 'True WorkloadUnhealthy', Stalled: 'True Quarantined' },
    },
    {
      because: 'an upgrade failed in the only channel that the spec allows',
      given: {
        revisions: [works],
        catalogs: [inChannels()],
        subscription: remembering(['1.1.0'], { channel: 'fast' }),
      },
      ready: 'False Quarantined',
      also: { UpgradeFailed: 'True WorkloadUnhealthy', Stalled: 'True Quarantined' },
    },
    {
      because: 'the active Revision has failed this moment, and what worked before is about to be applied',
      given: {
        revisions: [
          before,
          revision({ number: 2, version: '1.1.0', previous: 'gadget-1', reason: 'ObjectInvalid', stalled: true }),
        ],
        catalogs: two,
      },
      ready: 'False ObjectInvalid',
      also: { UpgradeFailed: 'True ObjectInvalid', Reconciling: 'True RollingBack', Stalled: '' },
    },
    {
      because: 'the same where only the version that failed is allowed',
      given: {
        revisions: [
          before,
          revision({ number: 2, version: '1.1.0', previous: 'gadget-1', reason: 'ObjectInvalid', stalled: true }),
        ],
        catalogs: two,
        subscription: subscription({ spec: { version: '1.1.0' } }),
      },
      ready: 'False ObjectInvalid',
      also: { UpgradeFailed: 'True ObjectInvalid', Reconciling: 'True RollingBack', Stalled: '' },
    },
    {
      because: 'what worked before is being applied again',
      given: {
        revisions: [{ ...works, status: { ...works.status, conditions: [] } }, failedOne],
        catalogs: two,
        subscription: subscription({ status: { quarantined: [gaveUp('1.1.0')] } }),
      },
      ready: 'False RollingBack',
      also: { UpgradeFailed: 'True WorkloadUnhealthy', Reconciling: 'True RollingBack', Stalled: '' },
    },
    {
      because: 'what failed is kept as the spec asks',
      given: {
        revisions: [
          before,
          revision({ number: 2, version: '1.1.0', previous: 'gadget-1', reason: 'ObjectInvalid', stalled: true }),
        ],
        catalogs: two,
        subscription: subscription({ spec: { onFailure: { strategy: 'Hold' } } }),
      },
      ready: 'False ObjectInvalid',
      also: { UpgradeFailed: 'True ObjectInvalid', Stalled: 'True ObjectInvalid', Reconciling: '' },
    },
    {
      because: 'the upgrade failed and a newer version supersedes it',
      given: {
        revisions: [revision({ number: 3, version: '1.2.0', ready: true, firstReadyTime: '2026-05-01T11:59:30Z' })],
        catalogs: [catalog({ versions: ['1.0.0', '1.1.0', '1.2.0'] })],
        subscription: remembering(['1.1.0']),
      },
      ready: 'True Succeeded',
      also: { UpgradeFailed: '', UpgradeAvailable: 'False UpToDate' },
    },
    {
      because: 'a newer version is being tried: what is said now is about that one',
      given: {
        revisions: [works],
        catalogs: [catalog({ versions: ['1.0.0', '1.2.0'] })],
        subscription: remembering(['1.1.0']),
      },
      ready: 'False Upgrading',
      also: { UpgradeFailed: '', UpgradeAvailable: 'True UpgradeAvailable' },
    },
    {
      because: 'a version between is being tried, which does not supersede what failed',
      given: {
        revisions: [works],
        catalogs: [catalog({ versions: ['1.0.0', '1.0.5', '1.1.0'] })],
        subscription: remembering(['1.1.0']),
      },
      ready: 'False Upgrading',
      also: { UpgradeFailed: 'True WorkloadUnhealthy', UpgradeAvailable: 'True UpgradeAvailable' },
    },
    {
      because: 'what is installed was made again since: the failure is as it was',
      given: {
        revisions: [revision({ number: 3, ready: true, firstReadyTime: '2026-05-01T11:59:30Z' })],
        catalogs: two,
        subscription: remembering(['1.1.0']),
      },
      ready: 'True Succeeded',
      also: { UpgradeFailed: 'True WorkloadUnhealthy' },
    },
    {
      because: 'the only version that the spec allows waits for its window',
      given: {
        revisions: [works, revision({ number: 2, version: '1.1.0', state: 'Archived' })],
        catalogs: two,
        subscription: subscription({
          spec: { version: '1.1.0', windows: [{ cron: '0 2 * * *', duration: '1h' }] },
        }),
      },
      ready: 'False OutsideWindow',
      also: { Reconciling: '', Stalled: '', UpgradeAvailable: 'True OutsideWindow' },
    },
    {
      because: 'no catalog answers, and what the spec asks for is not installed',
      given: { revisions: [works], catalogs: [], subscription: subscription({ spec: { version: '1.1.0' } }) },
      ready: 'False CatalogNotFound',
      also: { Stalled: 'True CatalogNotFound' },
    },
    {
      because: 'a Revision is made active, and what it says is about the time before',
      given: {
        revisions: [before, sinceActivated(revision({ number: 2, version: '1.1.0', reason: 'OutsideWindow' }))],
        catalogs: two,
      },
      ready: 'False Progressing',
      also: { Reconciling: 'True Upgrading' },
    },
  ])('$ready: $because', ({ given, ready, also = {} }) => {
    const status = statusOf(given);
    const told = Object.fromEntries(
      (Object.keys(also) as ConditionType[]).map((type) => [type, inWords(status, type)]),
    );
    expect({ ready: inWords(status, 'Ready'), ...told }).toEqual({ ready, ...also });
  });

  test.each<{ readonly because: string; readonly retry: 'never' | 'backoff'; readonly type: ConditionType }>([
    { because: 'no retry helps', retry: 'never', type: 'Stalled' },
    { because: 'a retry may help', retry: 'backoff', type: 'Reconciling' },
  ])('what failed is told as $type where $because', ({ retry, type }) => {
    const status = statusOf({}, failure('ImageNotFound', retry));
    expect([inWords(status, 'Ready'), inWords(status, type)]).toEqual(['False ImageNotFound', 'True ImageNotFound']);
  });

  test.each([
    { because: 'its Catalog was deleted', catalogs: [], says: true },
    { because: 'its Catalog is there', catalogs: two, says: false },
    {
      because: 'its Catalog is read again',
      catalogs: [{ name: 'main', priority: 0, state: 'Unavailable', content: () => undefined } as const],
      says: false,
    },
  ])('that no upgrade can be found stands beside what works only if $because', ({ catalogs, says }) => {
    const status = statusOf({ revisions: [works], catalogs });
    const message = findCondition(status.conditions, 'Ready')?.message ?? '';
    expect(
      message.includes('no upgrade can be found. Package "gadget": its catalog of origin main does not exist'),
    ).toBe(says);
  });

  test('what failed on the way to an upgrade does not speak against what works', () => {
    expect(inWords(statusOf({ revisions: [works], catalogs: two }, failure('ImageNotFound', 'backoff')), 'Ready')).toBe(
      'False Upgrading',
    );
  });
});

describe('what else the status tells', () => {
  test('what is installed, available and pending, and the way', () => {
    const path = [catalog({ versions: ['1.0.0', '1.1.0', '2.0.0'] })];
    const status = statusOf({ revisions: [works], catalogs: path });
    expect(status).toMatchObject({
      installed: { version: '1.0.0', revision: 'gadget-1', catalog: 'main' },
      available: { version: '2.0.0' },
      pending: { version: '1.1.0' },
      path: ['1.1.0', '2.0.0'],
    });
  });

  describe('after an upgrade that failed', () => {
    const given = { revisions: [works], catalogs: two, subscription: remembering(['1.1.0']) };
    const told = (type: ConditionType, more: Partial<SubscriptionFacts> = {}): string =>
      findCondition(statusOf({ ...given, ...more }).conditions, type)?.message ?? '';

    test('what there is, although it failed', () => {
      expect(statusOf(given)).toMatchObject({ installed: { version: '1.0.0' }, available: { version: '1.1.0' } });
    });

    test.each(['1.0.0 is installed and healthy', 'the upgrade to gadget.v1.1.0 failed: it crashes'])(
      'in the column STATUS: %s',
      (text) => expect(told('Ready')).toContain(text),
    );

    test.each([
      'The upgrade to gadget.v1.1.0 failed: it crashes',
      'gadget.v1.0.0 runs again',
      'kubectl -n ops annotate subscriptions.slipway.dev gadget --overwrite slipway.dev/reconcile-requested-at=',
    ])('what failed, what runs, and how to try again: %s', (text) => expect(told('UpgradeFailed')).toContain(text));

    test('also if only the version that failed is allowed', () => {
      const pinned = { subscription: remembering(['1.1.0'], { version: '1.1.0' }) };
      expect(told('Ready', pinned)).toContain('The upgrade to gadget.v1.1.0 failed: it crashes');
      expect(statusOf({ ...given, ...pinned }).available).toMatchObject({ version: '1.1.0' });
    });

    test('in a column that stays short, however long the reason is', () => {
      const long = { ...gaveUp('1.1.0'), message: 'x'.repeat(4096), rolledBackTime: 't' };
      const remembers = { subscription: subscription({ status: { quarantined: [long] } }) };
      expect(told('Ready', remembers).length).toBeLessThan(400);
      expect(told('UpgradeFailed', remembers)).toContain('kubectl -n ops annotate');
    });

    test('when what worked before was healthy again, and not before it was', () => {
      const quarantined = [gaveUp('1.1.0')];
      const going = { ...given, subscription: subscription({ status: { quarantined } }) };
      expect(statusOf(going).quarantined).toMatchObject([{ rolledBackTime: '2026-05-01T12:00:00Z' }]);
      const unhealthy = { ...going, revisions: [{ ...works, status: { ...works.status, conditions: [] } }] };
      expect(statusOf(unhealthy).quarantined?.[0]).not.toHaveProperty('rolledBackTime');
    });
  });

  test('what is being done where nothing is active, as after a crash between two writes', () => {
    const { conditions } = statusOf({
      revisions: [before, { ...failedOne, spec: { ...failedOne.spec, approved: false } }],
      catalogs: [],
    });
    expect(findCondition(conditions, 'Ready')?.message).toBe('gadget.v1.0.0 is being applied');
  });

  describe('while an upgrade waits', () => {
    const windows = [{ cron: '0 2 * * *', duration: '1h' }];
    test.each([
      {
        spec: { windows },
        approved: true,
        says: 'gadget.v1.1.0 waits for the next maintenance window at 2026-05-02T02:00:00Z',
      },
      { spec: { approval: 'Manual' }, approved: false, says: 'gadget.v1.1.0 waits for approval: kubectl' },
    ])('for what, in the column STATUS: $says', ({ spec, approved, says }) => {
      const waiting = revision({ number: 2, version: '1.1.0', state: 'Archived', approved });
      const status = statusOf({ revisions: [works, waiting], catalogs: two, subscription: subscription({ spec }) });
      const { message } = findCondition(status.conditions, 'Ready') ?? {};
      expect(message).toMatch(/^gadget\.v1\.0\.0 is installed and healthy; /);
      expect(message).toContain(says);
    });
  });

  describe('on a way of several steps', () => {
    const versions = ['1.0.0', '1.1.0', '1.2.0', '2.0.0'];
    const at = (pending: SubscriptionStatus['pending'], revisions: readonly Revision[]): SubscriptionStatus =>
      statusOf({
        revisions,
        catalogs: [catalog({ versions })],
        subscription: subscription({ status: { ...(pending !== undefined && { pending }) } }),
      });
    const step = { bundle: 'gadget.v1.1.0', version: '1.1.0', reason: 'Progressing', step: 1, steps: 3 };
    const second = revision({ number: 2, version: '1.1.0', previous: 'gadget-1', ready: true });

    test.each([
      { because: 'it begins', pending: undefined, revisions: [works], says: { step: 1, steps: 3 } },
      { because: 'it goes on', pending: step, revisions: [before, next], says: { step: 1, steps: 3 } },
      { because: 'the first is done', pending: step, revisions: [before, second], says: { step: 2, steps: 3 } },
      {
        because: 'another way was begun and left',
        pending: { ...step, bundle: 'gadget.v1.0.5', version: '1.0.5', step: 2 },
        revisions: [works],
        says: { step: 2, steps: 4 },
      },
    ])('which one it is: $because', ({ pending, revisions, says }) => {
      expect(at(pending, revisions).pending).toMatchObject(says);
    });

    test('in the column STATUS', () => {
      expect(findCondition(at(step, [before, second]).conditions, 'Ready')?.message).toContain(
        '(step 2 of 3 to gadget.v2.0.0)',
      );
      expect(findCondition(at(step, [before, next]).conditions, 'Ready')?.message).toContain(
        '(step 1 of 3 to gadget.v2.0.0)',
      );
    });

    test('and not where there is only one', () => {
      expect(statusOf({ revisions: [works], catalogs: two }).pending).not.toHaveProperty('step');
    });
  });

  describe('of what others did to its objects', () => {
    const since = '2026-05-01T11:00:00Z';
    const loss = (crd: string, at = since): Loss => ({ crd, uid: `${crd} ${at}`, since: at, message: '2 were there' });
    const lost = (...losses: readonly Loss[]): Revision => ({ ...works, status: { ...works.status, losses } });
    const toldOf = (given: Partial<SubscriptionFacts>): readonly string[] =>
      (statusOf({ revisions: [works], ...given }).losses ?? []).map(({ crd, since: at }) => `${crd} ${at}`);
    const acknowledged = (time: string, known: readonly Loss[] = []): Subscription =>
      subscription({
        metadata: { annotations: { 'slipway.dev/losses-acknowledged-at': time } },
        status: { losses: known },
      });

    test('what was put right last', () => {
      const lastRepair = { time: since, objects: 1, message: 'Deployment ops/gadget: spec.replicas was changed' };
      const repaired = { ...works, status: { ...works.status, lastRepair } };
      expect(statusOf({ revisions: [repaired] }).lastRepair).toEqual(lastRepair);
    });

    test.each<{
      readonly because: string;
      readonly given: Partial<SubscriptionFacts>;
      readonly told: readonly string[];
    }>([
      { because: 'nothing was', given: {}, told: [] },
      { because: 'the active Revision has noticed it', given: { revisions: [lost(loss('a'))] }, told: [`a ${since}`] },
      {
        because: 'another Revision is active by now',
        given: {
          revisions: [
            { ...before, status: { ...before.status, losses: [loss('a')] } },
            revision({ number: 2, version: '1.0.0', ready: true }),
          ],
        },
        told: [`a ${since}`],
      },
      {
        because: 'that Revision is forgotten by now',
        given: { subscription: subscription({ status: { losses: [loss('a')] } }) },
        told: [`a ${since}`],
      },
      {
        because: 'it is known twice',
        given: { revisions: [lost(loss('a'))], subscription: subscription({ status: { losses: [loss('a')] } }) },
        told: [`a ${since}`],
      },
      {
        because: 'a person has acknowledged it',
        given: { revisions: [lost(loss('a'))], subscription: acknowledged(since, [loss('a')]) },
        told: [],
      },
      {
        because: 'it was lost once more since',
        given: { revisions: [lost(loss('a'), loss('a', '2026-05-01T11:00:01Z'))], subscription: acknowledged(since) },
        told: ['a 2026-05-01T11:00:01Z'],
      },
      {
        because: 'the acknowledgement is no time, which acknowledges nothing',
        given: { revisions: [lost(loss('a'))], subscription: acknowledged('yes') },
        told: [`a ${since}`],
      },
    ])('what was lost: $because', ({ given, told }) => {
      expect(toldOf(given)).toEqual(told);
      const condition = inWords(statusOf({ revisions: [works], ...given }), 'CustomResourcesLost');
      expect(condition).toBe(told.length === 0 ? '' : 'True CustomResourcesLost');
    });

    test('how to acknowledge all of what was lost, and that in the column STATUS', () => {
      const { conditions } = statusOf({ revisions: [lost(loss('b', '2026-05-01T11:30:00Z'), loss('a'))] });
      const message = findCondition(conditions, 'CustomResourcesLost')?.message ?? '';
      for (const text of ['CustomResourceDefinition a was deleted', 'CustomResourceDefinition b was', 'backup'])
        expect(message).toContain(text);
      expect(message).toMatch(/slipway\.dev\/losses-acknowledged-at=2026-05-01T11:30:00Z$/);
      expect(findCondition(conditions, 'Ready')).toMatchObject({
        status: 'True',
        message:
          'gadget.v1.0.0 is installed and healthy; the custom resources of b and a were lost, see the condition CustomResourcesLost',
      });
    });

    test('that another program does not leave an object alone', () => {
      const contested = {
        ...works,
        status: {
          ...works.status,
          conditions: [
            ...(works.status?.conditions ?? []),
            {
              type: 'Contested',
              status: 'True' as const,
              reason: 'Contested',
              message: 'it fights',
              lastTransitionTime: since,
            },
          ],
        },
      };
      const { conditions } = statusOf({ revisions: [contested] });
      expect(findCondition(conditions, 'Contested')).toMatchObject({ status: 'True', message: 'it fights' });
      expect(findCondition(conditions, 'Ready')?.message).toBe('gadget.v1.0.0 is installed and healthy; it fights');
    });
  });

  test('when a window opens, while it is waited for', () => {
    const windows = [{ cron: '0 2 * * *', duration: '1h' }];
    const held = { catalogs: two, subscription: subscription({ spec: { windows } }) };
    const waiting = revision({ number: 2, version: '1.1.0', state: 'Archived' });
    expect(statusOf({ ...held, revisions: [works, waiting] }).nextEligibleTime).toBe('2026-05-02T02:00:00Z');
    expect(statusOf({ revisions: [works] }).nextEligibleTime).toBeUndefined();
  });

  test('why versions are not chosen, with a reason of the list', () => {
    const pinned = subscription({ spec: { version: '1.0.0' } });
    expect(statusOf({ revisions: [works], catalogs: two, subscription: pinned }).refused).toMatchObject([
      { version: '1.1.0', reason: 'VersionNotFound' },
    ]);
  });

  test('that a version is lower, or comes from another catalog', () => {
    const lower = { subscription: subscription({ spec: { version: '1.0.0', edges: 'Ignore' } }), catalogs: two };
    const newest = revision({ version: '1.1.0', ready: true });
    const told = (given: Partial<SubscriptionFacts>): string | undefined =>
      findCondition(statusOf(given).conditions, 'UpgradeAvailable')?.message;
    expect(told({ ...lower, revisions: [newest] })).toBe('gadget.v1.0.0 follows gadget.v1.1.0, although it is lower');
    const moved = [catalog({ catalog: 'other', versions: ['1.0.0', '1.1.0'] })];
    expect(told({ revisions: [works], catalogs: moved })).toMatch(/follows gadget\.v1\.0\.0, from catalog other/);
    expect(told({ revisions: [works], catalogs: two })).toBe('gadget.v1.1.0 follows gadget.v1.0.0');
  });

  test('what the cluster lacks, and not that a catalog offers the same', () => {
    const needs = { type: 'olm.package.required', value: { packageName: 'base', versionRange: '>=1.0.0' } };
    const needy = [catalog({ versions: ['1.0.0', '1.1.0'], properties: [needs] })];
    expect(statusOf({ revisions: [works], catalogs: needy }).refused).toMatchObject([
      { version: '1.1.0', reason: 'DependencyNotReady' },
    ]);
    const twice = [...two, catalog({ catalog: 'mirror', versions: ['1.0.0', '1.1.0'] })];
    expect(statusOf({ revisions: [works], catalogs: twice }).refused ?? []).toEqual([]);
  });

  test('a request to reconcile is handled once it was carried out', () => {
    const asks = subscription({ metadata: { annotations: { 'slipway.dev/reconcile-requested-at': 't1' } } });
    expect(statusOf({ subscription: asks }).lastHandledReconcileAt).toBe('t1');
    expect(
      statusOf({ subscription: asks }, failure('ImageNotFound', 'backoff')).lastHandledReconcileAt,
    ).toBeUndefined();
  });
});

describe('a Subscription that is being removed', () => {
  const leaving = subscription({ metadata: { deletionTimestamp: 'x' } });
  /** A Revision that is being deleted; its condition is of the generation 1. */
  const going = (reason: Reason, generation = 1): Revision => {
    const one = revision({ ready: false, reason, deleted: true });
    return { ...one, metadata: { ...one.metadata, generation } };
  };

  test('says in full what the removal of the Revision lacks', () => {
    const status = summarizeRemoval(leaving, { revisions: [going('Forbidden')], waitsFor: [], now: NOW });
    expect(findCondition(status.conditions, 'Ready')?.message).toBe('as it says');
  });

  test.each([
    { because: 'its objects are being removed', waitsFor: [], revisions: [works], ready: 'False Uninstalling' },
    {
      because: 'something of it cannot be removed',
      waitsFor: [],
      revisions: [going('DeleteBlocked')],
      ready: 'False DeleteBlocked',
    },
    {
      because: 'the account lacks a right, which the Revision says',
      waitsFor: [],
      revisions: [going('Forbidden')],
      ready: 'False Forbidden',
    },
    {
      because: 'what was wrong before the removal says nothing about it',
      waitsFor: [],
      revisions: [going('WorkloadUnhealthy', 2)],
      ready: 'False Uninstalling',
    },
    {
      because: 'a Revision that is not being deleted yet says nothing about the removal',
      waitsFor: [],
      revisions: [revision({ ready: false, reason: 'Forbidden' })],
      ready: 'False Uninstalling',
    },
    {
      because: 'what needs it goes first',
      waitsFor: [{ key: 'ops/shop', isLeaving: true }],
      revisions: [works],
      ready: 'False Uninstalling',
    },
    {
      because: 'what needs it stays',
      waitsFor: [{ key: 'ops/shop', isLeaving: false }],
      revisions: [works],
      ready: 'False DeleteBlocked',
    },
  ])('$ready: $because', ({ waitsFor, revisions, ready }) => {
    expect(inWords(summarizeRemoval(leaving, { revisions, waitsFor, now: NOW }), 'Ready')).toBe(ready);
  });
});

test('a suspended Subscription goes on to say which upgrade failed, and what was lost', () => {
  const told = (['UpgradeFailed', 'CustomResourcesLost', 'Contested'] as const).map((type) => ({
    type,
    status: 'True' as const,
    reason: 'ApplyFailed',
    message: '',
    lastTransitionTime: 'x',
  }));
  const { conditions } = summarizeSuspension(subscription({ status: { conditions: told } }), NOW);
  expect(conditions?.map(({ type }) => type)).toEqual(['Ready', 'UpgradeFailed', 'CustomResourcesLost']);
});

test('a suspended Subscription stays as ready as it was', () => {
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Succeeded',
    message: '',
    lastTransitionTime: 'x',
    observedGeneration: 1,
  } as const;
  const conditions = [ready];
  expect(inWords(summarizeSuspension(subscription({ status: { conditions } }), NOW), 'Ready')).toBe('True Suspended');
  expect(inWords(summarizeSuspension(subscription(), NOW), 'Ready')).toBe('Unknown Suspended');
});

function failure(reason: Reason, retry: 'never' | 'backoff'): ReasonedError {
  return new ReasonedError({ reason, retry, message: 'it went wrong' });
}
