import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Loss } from '../../api/repair.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { configHash, outcomeHash } from '../config-hash.ts';
import { decideSubscription } from './decide.ts';
import { eventsOf } from './events.ts';
import { moveOf } from './move.ts';
import type { SubscriptionFacts } from './observe.ts';
import { summarizePlan, summarizeSuspension } from './summarize.ts';
import { catalog, facts, NOW, revision, subscription } from './testing/facts.ts';

type ConditionType = Parameters<typeof findCondition>[1];

function statusOf(given: Partial<SubscriptionFacts>, error?: ReasonedError): SubscriptionStatus {
  const all = facts(given);
  const plan = decideSubscription(all);
  if (plan.kind !== 'resolved') throw new Error(`nothing is resolved: ${plan.kind}`);
  return summarizePlan(all.subscription, plan, { now: NOW, ...(error !== undefined && { error }) });
}

/** `True Succeeded`, or nothing if the condition is absent. */
function inWords({ conditions }: SubscriptionStatus, type: ConditionType): string {
  const condition = findCondition(conditions, type);
  return condition === undefined ? '' : `${condition.status} ${condition.reason}`;
}

const two = [catalog({ versions: ['1.0.0', '1.1.0'] })];
const works = revision({ ready: true });

/** The same catalog, with a deprecation of one of the versions. */
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

/** 1.0.0 alone, in one channel. */
function inOne(name: string): CatalogSource {
  const source = catalog({ versions: ['1.0.0'] });
  const content = source.content('gadget');
  if (content === undefined) throw new Error('there is no catalog');
  return {
    ...source,
    content: () => ({ ...content, channels: [{ name, entries: [{ name: 'gadget.v1.0.0', skips: [] }] }] }),
  };
}

const failedOne = revision({ number: 2, version: '1.1.0', state: 'Archived', reason: 'WorkloadUnhealthy' });

/** Its spec has changed since its conditions were written. */
function sinceActivated(one: Revision): Revision {
  return { ...one, metadata: { ...one.metadata, generation: 2 } };
}

const OTHER_IMAGE = `registry.example/gadget@sha256:${'b'.repeat(64)}`;

/** The entry of a version that failed, with a rollback that has ended or not. */
function gaveUp(version: string, more: object = {}): NonNullable<SubscriptionStatus['quarantined']>[number] {
  const since = '2026-05-01T11:58:00Z';
  const specHash = outcomeHash(subscription({ spec: more }));
  return { bundle: `gadget.v${version}`, version, reason: 'WorkloadUnhealthy', message: 'it crashes', since, specHash };
}

/** A Subscription with entries of versions that failed. */
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
      because: 'all is as the spec requests',
      given: { revisions: [works] },
      ready: 'True Succeeded',
      also: { Reconciling: '', Stalled: '', UpgradeAvailable: 'False UpToDate', Deprecated: 'False NotDeprecated' },
    },
    {
      because: 'the installed bundle is deprecated, its successor is not',
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
      because: 'no catalog lists the installed bundle, so deprecations are unknown',
      given: { revisions: [works], catalogs: [] },
      ready: 'True Succeeded',
      also: { Deprecated: 'Unknown CatalogUnavailable' },
    },
    {
      because: 'an upgrade is in progress',
      given: { revisions: [before, next], catalogs: two },
      ready: 'False Progressing',
      also: { Reconciling: 'True Upgrading', UpgradeAvailable: 'True UpgradeAvailable' },
    },
    {
      because: 'the installed version becomes unhealthy later',
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
      because: 'an upgrade waits for approval, and the installed version works on',
      given: {
        revisions: [works, revision({ number: 2, version: '1.1.0', state: 'Archived', approved: false })],
        catalogs: two,
        subscription: subscription({ spec: { approval: 'Manual' } }),
      },
      ready: 'True Succeeded',
      also: { Reconciling: '', Stalled: '', UpgradeAvailable: 'True ApprovalRequired' },
    },
    {
      because: 'the first Revision waits for approval',
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
      because: 'the installed bundle does not need the catalog',
      given: { catalogs: [], revisions: [works] },
      ready: 'True Succeeded',
      also: { Stalled: '', UpgradeAvailable: 'Unknown CatalogNotFound' },
    },
    {
      because: 'a pin without a matching version is a mistake, whatever is installed',
      given: { revisions: [works], subscription: subscription({ spec: { version: '7.0.0' } }) },
      ready: 'False VersionNotFound',
      also: { Stalled: 'True VersionNotFound' },
    },
    {
      because: 'the catalog has dropped the installed bundle, which works on',
      given: { revisions: [works], catalogs: [catalog({ versions: ['2.0.0'] })] },
      ready: 'True Succeeded',
      also: { Stalled: '', UpgradeAvailable: 'Unknown NoUpgradePath' },
    },
    {
      because: 'the catalog has dropped the installed bundle, and the spec requests another',
      given: {
        revisions: [works],
        catalogs: [catalog({ versions: ['2.0.0'] })],
        subscription: subscription({ spec: { version: '2.0.0' } }),
      },
      ready: 'False NoUpgradePath',
      also: { Stalled: 'True NoUpgradePath' },
    },
    {
      because: 'a version failed and no other can replace it',
      given: { revisions: [revision({ reason: 'ObjectInvalid', stalled: true })] },
      ready: 'False ObjectInvalid',
      also: { Stalled: 'True ObjectInvalid' },
    },
    {
      because: 'an upgrade failed and the version before runs again, as the spec allows',
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
      because: 'the upgrade to the only version that the spec allows failed: it is not as requested',
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
      because: 'the active Revision has just failed, and the version before is about to be applied',
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
      because: 'the same, and only the version that failed is allowed',
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
      because: 'the version before is being applied again',
      given: {
        revisions: [{ ...works, status: { ...works.status, conditions: [] } }, failedOne],
        catalogs: two,
        subscription: subscription({ status: { quarantined: [gaveUp('1.1.0')] } }),
      },
      ready: 'False RollingBack',
      also: { UpgradeFailed: 'True WorkloadUnhealthy', Reconciling: 'True RollingBack', Stalled: '' },
    },
    ...(['Forbidden', 'ProgressDeadlineExceeded'] as const).map((reason) => ({
      because: `the version before was applied again, and does not work either: ${reason}`,
      given: {
        revisions: [revision({ reason, stalled: true, firstReadyTime: '2026-05-01T10:00:00Z' }), failedOne],
        catalogs: two,
        subscription: subscription({ status: { quarantined: [gaveUp('1.1.0')] } }),
      },
      ready: `False ${reason}`,
      also: { UpgradeFailed: 'True WorkloadUnhealthy', Reconciling: '', Stalled: `True ${reason}` },
    })),
    ...(['Forbidden', 'WorkloadUnhealthy'] as const).map((reason) => ({
      because: `the installed version has not worked for long, and nothing more is tried: ${reason}`,
      given: { revisions: [revision({ reason, stalled: true, firstReadyTime: '2026-04-01T00:00:00Z' })] },
      ready: `False ${reason}`,
      also: { UpgradeFailed: '', Reconciling: '', Stalled: `True ${reason}` },
    })),
    ...(['OutsideWindow', 'ApprovalRequired'] as const).map((reason) => ({
      because: `the installed version has not worked for long, and the next one waits: ${reason}`,
      given: {
        revisions: [
          revision({ reason: 'WorkloadUnhealthy', stalled: true, firstReadyTime: '2026-04-01T00:00:00Z' }),
          revision({ number: 2, version: '1.1.0', state: 'Archived', approved: reason === 'OutsideWindow' }),
        ],
        catalogs: two,
        subscription: subscription({
          spec:
            reason === 'OutsideWindow' ? { windows: [{ cron: '0 2 * * *', duration: '1h' }] } : { approval: 'Manual' },
        }),
      },
      ready: 'False WorkloadUnhealthy',
      also: {
        UpgradeAvailable: `True ${reason}`,
        Stalled: reason === 'OutsideWindow' ? '' : 'True WorkloadUnhealthy',
        Reconciling: '',
      },
    })),
    {
      because: 'a version that is given up is healthy for a moment, as a crash came before the rollback',
      given: {
        revisions: [
          before,
          revision({ number: 2, version: '1.1.0', previous: 'gadget-1', ready: true, image: OTHER_IMAGE }),
        ],
        catalogs: two,
        subscription: subscription({ status: { quarantined: [{ ...gaveUp('1.1.0'), image: OTHER_IMAGE }] } }),
      },
      ready: 'False RollingBack',
      also: { UpgradeFailed: 'True WorkloadUnhealthy', Reconciling: 'True RollingBack', Stalled: '' },
    },
    {
      because: 'the failed version is kept, as the spec requests',
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
      because: 'a newer version is being tried: the conditions are about that one',
      given: {
        revisions: [works],
        catalogs: [catalog({ versions: ['1.0.0', '1.2.0'] })],
        subscription: remembering(['1.1.0']),
      },
      ready: 'False Upgrading',
      also: { UpgradeFailed: '', UpgradeAvailable: 'True UpgradeAvailable' },
    },
    {
      because: 'a version in between is being tried, which does not supersede the failed one',
      given: {
        revisions: [works],
        catalogs: [catalog({ versions: ['1.0.0', '1.0.5', '1.1.0'] })],
        subscription: remembering(['1.1.0']),
      },
      ready: 'False Upgrading',
      also: { UpgradeFailed: 'True WorkloadUnhealthy', UpgradeAvailable: 'True UpgradeAvailable' },
    },
    {
      because: 'the installed version was installed again since: the failure still counts',
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
      because: 'no catalog answers, and the requested version is not installed',
      given: { revisions: [works], catalogs: [], subscription: subscription({ spec: { version: '1.1.0' } }) },
      ready: 'False CatalogNotFound',
      also: { Stalled: 'True CatalogNotFound' },
    },
    {
      because: 'a Revision is made active, and its conditions are about the time before',
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
    for (const error of [undefined, failure('ImageNotFound', 'never'), failure('ImageNotFound', 'backoff')]) {
      const outcome = statusOf(given, error);
      expect(inWords(outcome, 'Ready').startsWith('True') && inWords(outcome, 'Stalled') !== '').toBe(false);
    }
  });

  test('a shortened reason of Ready is in full in the condition beside it', () => {
    const failed = revision({ reason: 'Forbidden', stalled: true });
    const conditions = (failed.status?.conditions ?? []).map((one) =>
      one.type === 'Stalled' ? { ...one, message: 'every right, in full' } : { ...one, message: 'every…' },
    );
    const status = statusOf({ revisions: [{ ...failed, status: { ...failed.status, conditions } }] });
    const messageOf = (type: ConditionType) => findCondition(status.conditions, type)?.message;
    expect([messageOf('Ready'), messageOf('Stalled')]).toEqual([
      'gadget.v1.0.0 failed: every…',
      'every right, in full',
    ]);
  });

  test.each<{ readonly because: string; readonly retry: 'never' | 'backoff'; readonly type: ConditionType }>([
    { because: 'no retry helps', retry: 'never', type: 'Stalled' },
    { because: 'a retry may help', retry: 'backoff', type: 'Reconciling' },
  ])('a failure is reported as $type if $because', ({ retry, type }) => {
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
  ])('the Ready message adds that no upgrade can be found only if $because', ({ catalogs, says }) => {
    const status = statusOf({ revisions: [works], catalogs });
    const message = findCondition(status.conditions, 'Ready')?.message ?? '';
    expect(
      message.includes('no upgrade can be found. Package "gadget": its catalog of origin main does not exist'),
    ).toBe(says);
  });

  describe('an upgrade that an error keeps from being begun', () => {
    const upgrade = { revisions: [works], catalogs: two };
    const never = failure('Unsigned', 'never');
    const retried = failure('RegistryDenied', 'backoff');
    const configured = { config: { replicas: 2 } };

    interface Hindered extends Omit<Case, 'also'> {
      readonly error: ReasonedError;
      readonly also: NonNullable<Case['also']>;
    }

    test.each<Hindered>([
      {
        because: 'no retry helps, and the installed version is as requested',
        given: upgrade,
        error: never,
        ready: 'True Succeeded',
        also: { Stalled: '', Reconciling: '', UpgradeFailed: 'True Unsigned', UpgradeAvailable: 'True Unsigned' },
      },
      {
        because: 'it is tried again, and the installed version is as requested',
        given: upgrade,
        error: retried,
        ready: 'True Succeeded',
        also: {
          Stalled: '',
          Reconciling: 'True RegistryDenied',
          UpgradeFailed: '',
          UpgradeAvailable: 'True RegistryDenied',
        },
      },
      {
        because: 'the Revision is to wait for approval, and cannot be made',
        given: { ...upgrade, subscription: subscription({ spec: { approval: 'Manual' } }) },
        error: never,
        ready: 'True Succeeded',
        also: { Stalled: '', UpgradeFailed: 'True Unsigned' },
      },
      {
        because: 'the dependency that the Revision waits for cannot be requested',
        given: {
          ...upgrade,
          revisions: [works, revision({ number: 2, version: '1.1.0', state: 'Archived', approved: false })],
          subscription: subscription({ spec: { approval: 'Manual' } }),
        },
        error: failure('ObjectInvalid', 'never'),
        ready: 'True Succeeded',
        also: { Stalled: '', UpgradeFailed: 'True ObjectInvalid', UpgradeAvailable: 'True ObjectInvalid' },
      },
      {
        because: 'the spec excludes the installed version',
        given: { ...upgrade, subscription: subscription({ spec: { version: '1.1.0' } }) },
        error: never,
        ready: 'False Unsigned',
        also: { Stalled: 'True Unsigned', UpgradeFailed: 'True Unsigned', UpgradeAvailable: 'True Unsigned' },
      },
      {
        because: 'the spec excludes the installed version, and a retry may help',
        given: { ...upgrade, subscription: subscription({ spec: { version: '1.1.0' } }) },
        error: retried,
        ready: 'False RegistryDenied',
        also: { Reconciling: 'True RegistryDenied', UpgradeAvailable: 'True RegistryDenied' },
      },
      {
        because: 'the spec requests another channel',
        given: { ...upgrade, catalogs: [inChannels()], subscription: subscription({ spec: { channel: 'fast' } }) },
        error: never,
        ready: 'False Unsigned',
        also: { Stalled: 'True Unsigned', UpgradeFailed: 'True Unsigned' },
      },
      {
        because: 'the installed version lacks the configuration that was to come with the next one',
        given: { ...upgrade, subscription: subscription({ spec: configured }) },
        error: never,
        ready: 'False Unsigned',
        also: { Stalled: 'True Unsigned' },
      },
      {
        because: 'no upgrade is to be made: the configuration of the installed version does not fit',
        given: { revisions: [works], subscription: subscription({ spec: configured }) },
        error: failure('InvalidConfiguration', 'never'),
        ready: 'False InvalidConfiguration',
        also: { Stalled: 'True InvalidConfiguration', UpgradeFailed: '', UpgradeAvailable: 'False UpToDate' },
      },
      {
        because: 'nothing is to be done, and a Revision of the history cannot be deleted yet',
        given: { revisions: [works] },
        error: failure('Forbidden', 'backoff'),
        ready: 'True Succeeded',
        also: { Reconciling: 'True Forbidden', Stalled: '', UpgradeFailed: '', UpgradeAvailable: 'False UpToDate' },
      },
      {
        because: 'nothing is to be done, and a Revision of the history can never be deleted',
        given: { revisions: [works] },
        error: failure('ObjectInvalid', 'never'),
        ready: 'True Succeeded',
        also: { Reconciling: 'True ObjectInvalid', Stalled: '', UpgradeFailed: '' },
      },
      {
        because: 'nothing is to be done, as the installed version is the head of another channel by now',
        given: {
          revisions: [works],
          subscription: subscription({ spec: { channel: 'fast' } }),
          catalogs: [inOne('fast')],
        },
        error: failure('Forbidden', 'backoff'),
        ready: 'True Succeeded',
        also: { Reconciling: 'True Forbidden', Stalled: '', UpgradeAvailable: 'False UpToDate' },
      },
      {
        because: 'nothing is installed',
        given: {},
        error: never,
        ready: 'False Unsigned',
        also: { Stalled: 'True Unsigned', UpgradeFailed: '', UpgradeAvailable: 'False UpToDate' },
      },
    ])('$ready: $because', ({ given, error, ready, also }) => {
      const status = statusOf(given, error);
      const told = Object.fromEntries(
        (Object.keys(also) as ConditionType[]).map((type) => [type, inWords(status, type)]),
      );
      expect({ ready: inWords(status, 'Ready'), ...told }).toEqual({ ready, ...also });
    });

    test('is in the column STATUS, with its cause', () => {
      const { conditions } = statusOf(upgrade, retried);
      expect(findCondition(conditions, 'Ready')?.message).toBe(
        'gadget.v1.0.0 is installed and healthy; gadget.v1.1.0 cannot be installed: RegistryDenied: it went wrong',
      );
      expect(findCondition(conditions, 'UpgradeAvailable')?.message).toBe(
        'gadget.v1.1.0 cannot be installed: it went wrong',
      );
    });

    test('is reported by one Warning event, whether it is tried again or not, and not again at the next attempt', () => {
      for (const error of [never, retried]) {
        const [begun, failed] = [statusOf(upgrade), statusOf(upgrade, error)];
        expect(eventsOf(begun, failed).map(({ type, reason }) => `${type} ${reason}`)).toEqual([
          `Warning ${error.reason}`,
        ]);
        expect(eventsOf(failed, failed)).toEqual([]);
      }
    });
  });

  describe('windows that cannot be read', () => {
    const windows = [{ cron: '0 2 * * *', duration: '1h', timeZone: 'Europe/Berln' }];
    const invalid = subscription({ spec: { windows } });
    test.each([
      { because: 'no upgrade is due', given: { revisions: [works], subscription: invalid } },
      {
        because: 'an upgrade is due',
        given: {
          revisions: [works, revision({ number: 2, version: '1.1.0', state: 'Archived' })],
          catalogs: two,
          subscription: invalid,
        },
      },
    ])('are a mistake that is reported at once: $because', ({ given }) => {
      const status = statusOf(given);
      expect([inWords(status, 'Ready'), inWords(status, 'Stalled')]).toEqual(['False InvalidSpec', 'True InvalidSpec']);
      expect(findCondition(status.conditions, 'Ready')?.message).toContain('Europe/Berln');
    });

    test('do not hide the outcome of a roll-out', () => {
      const status = statusOf({ revisions: [before, next], catalogs: two, subscription: invalid });
      expect(inWords(status, 'Reconciling')).toBe('True Upgrading');
    });
  });

  describe('a leftover of an earlier version', () => {
    const withLeftover = (reason: Reason): Revision => {
      const left = { type: 'Reconciling', status: 'True', reason, message: 'ConfigMap ops/old: no' } as const;
      const conditions = [...(works.status?.conditions ?? []), { ...left, lastTransitionTime: 'x' }];
      return { ...works, status: { ...works.status, conditions } };
    };
    test.each([
      { because: 'it is deleted after the bake time', reason: 'Progressing', says: '', told: [] },
      {
        because: 'the account may not delete it',
        reason: 'Forbidden',
        says: '; ConfigMap ops/old: no',
        told: ['Forbidden'],
      },
    ] as const)('is in the column STATUS, with one event, if it stays: $because', ({ reason, says, told }) => {
      const status = statusOf({ revisions: [withLeftover(reason)] });
      expect(inWords(status, 'Ready')).toBe('True Succeeded');
      expect(inWords(status, 'Reconciling')).toBe(`True ${reason}`);
      expect(findCondition(status.conditions, 'Ready')?.message).toBe(`gadget.v1.0.0 is installed and healthy${says}`);
      const events = eventsOf(statusOf({ revisions: [works] }), status);
      expect(events.map((event) => event.reason)).toEqual(told);
    });
  });
});

describe('a failure under the name of the installed version', () => {
  const before = revision({ ready: true, state: 'Archived' });
  const failure = { number: 2, reason: 'WorkloadUnhealthy', stalled: true, previous: 'gadget-1' } as const;
  const message = (given: Partial<SubscriptionFacts>): string =>
    findCondition(statusOf(given).conditions, 'UpgradeFailed')?.message ?? '';

  test('a configuration that failed is not said to be rolled back, since it is not', () => {
    const asked = subscription({ spec: { config: { replicas: 2 } } });
    const failed = revision({ ...failure, configHash: configHash(asked) });
    const given = { subscription: asked, revisions: [before, failed], catalogs: [catalog({ versions: ['1.0.0'] })] };
    expect(message(given)).toMatch(/^The new configuration of gadget.v1.0.0 failed.*change the spec/);
    expect(inWords(statusOf(given), 'Reconciling')).toBe('');
    expect(statusOf(given).quarantined).toBeUndefined();
  });

  test('content that was published again is rolled back', () => {
    const image = `registry.example/gadget@sha256:${'b'.repeat(64)}`;
    const failed = revision(failure);
    const again = { ...failed, spec: { ...failed.spec, image } };
    const source = catalog({ versions: ['1.0.0'] });
    const content = source.content('gadget')!;
    const bundles = content.bundles.map((one) => ({ ...one, image }));
    const given = { revisions: [before, again], catalogs: [{ ...source, content: () => ({ ...content, bundles }) }] };
    expect(message(given)).toMatch(/^The gadget.v1.0.0 that was published again failed.*is being applied again/);
    expect(inWords(statusOf(given), 'Reconciling')).toBe('True RollingBack');
  });
});

describe('the other fields of the status', () => {
  test('the status shows the installed, available and pending bundles, and the path', () => {
    const path = [catalog({ versions: ['1.0.0', '1.1.0', '2.0.0'] })];
    const status = statusOf({ revisions: [works], catalogs: path });
    expect(status).toMatchObject({
      installed: { version: '1.0.0', revision: 'gadget-1', catalog: 'main' },
      available: { version: '2.0.0' },
      pending: { version: '1.1.0' },
      path: ['1.1.0', '2.0.0'],
    });
  });

  test.each<{ readonly because: string; readonly given: Partial<SubscriptionFacts>; readonly pending: object }>([
    {
      because: 'it waits for approval',
      given: {
        revisions: [works, revision({ number: 2, version: '1.1.0', state: 'Archived', approved: false })],
        subscription: subscription({ spec: { approval: 'Manual' } }),
      },
      pending: { version: '1.1.0', reason: 'ApprovalRequired', revision: 'gadget-2' },
    },
    {
      because: 'it was approved, and is made active',
      given: {
        revisions: [works, revision({ number: 2, version: '1.1.0', state: 'Archived', approved: true })],
        subscription: subscription({ spec: { approval: 'Manual' } }),
      },
      pending: { version: '1.1.0', reason: 'Progressing', revision: 'gadget-2' },
    },
    {
      because: 'it is active, and not Ready yet',
      given: { revisions: [before, next], subscription: subscription({ spec: { approval: 'Manual' } }) },
      pending: { version: '1.1.0', reason: 'Progressing', revision: 'gadget-2' },
    },
  ])('the next Revision stays pending until it works: $because', ({ given, pending }) => {
    const status = statusOf({ catalogs: two, ...given });
    expect(status.pending).toMatchObject(pending);
  });

  const silent = { name: 'main', priority: 0, state: 'Unavailable', content: () => undefined } as const;
  const knew = { available: { bundle: 'gadget.v1.1.0', version: '1.1.0' } };
  test.each<{ readonly because: string; readonly given: Partial<SubscriptionFacts>; readonly available?: string }>([
    {
      because: 'the Catalog in use is gone, and the installed version is all that is known to exist',
      given: { catalogs: [], subscription: subscription({ status: knew }) },
      available: '1.0.0',
    },
    {
      because: 'the Catalog has dropped the installed version, and no edge leads on',
      given: { catalogs: [catalog({ versions: ['2.0.0'] })] },
      available: '1.0.0',
    },
    {
      because: 'the Catalog is read again: its last answer still counts',
      given: { catalogs: [silent], subscription: subscription({ status: knew }) },
      available: '1.1.0',
    },
    {
      because: 'the Catalog is read again, and has never answered',
      given: { catalogs: [silent] },
      available: '1.0.0',
    },
    {
      because: 'the Catalog is read again, and its last answer was about another spec',
      given: { catalogs: [silent], subscription: subscription({ metadata: { generation: 2 }, status: knew }) },
      available: '1.0.0',
    },
    {
      because: 'the Catalog is gone, and the spec requests another version than the installed one',
      given: { catalogs: [], subscription: subscription({ spec: { version: '1.1.0' } }) },
    },
    {
      because: 'no version is as the spec requests',
      given: { catalogs: two, subscription: subscription({ spec: { version: '7.0.0' } }) },
    },
  ])('without an answer of the resolver $available is available: $because', ({ given, available }) => {
    expect(statusOf({ revisions: [works], ...given }).available?.version).toBe(available);
  });

  test('before anything is installed, no version is available without an answer of the resolver', () => {
    expect(statusOf({ catalogs: [silent] }).available).toBeUndefined();
  });

  describe('the status after an upgrade that failed', () => {
    const given = { revisions: [works], catalogs: two, subscription: remembering(['1.1.0']) };
    const told = (type: ConditionType, more: Partial<SubscriptionFacts> = {}): string =>
      findCondition(statusOf({ ...given, ...more }).conditions, type)?.message ?? '';

    test('the failed version is still shown as available', () => {
      expect(statusOf(given)).toMatchObject({ installed: { version: '1.0.0' }, available: { version: '1.1.0' } });
    });

    test.each(['1.0.0 is installed and healthy', 'the upgrade to gadget.v1.1.0 failed: it crashes'])(
      'the column STATUS after a failed upgrade contains: %s',
      (text) => expect(told('Ready')).toContain(text),
    );

    test.each([
      'The upgrade to gadget.v1.1.0 failed: it crashes',
      'gadget.v1.0.0 runs again',
      'kubectl -n ops annotate subscriptions.slipway.dev gadget --overwrite slipway.dev/reconcile-requested-at=',
    ])('the condition UpgradeFailed contains the failure, the running version and the way to try again: %s', (text) =>
      expect(told('UpgradeFailed')).toContain(text),
    );

    test('UpgradeFailed is true also if only the version that failed is allowed', () => {
      const pinned = { subscription: remembering(['1.1.0'], { version: '1.1.0' }) };
      expect(told('Ready', pinned)).toContain('The upgrade to gadget.v1.1.0 failed: it crashes');
      expect(statusOf({ ...given, ...pinned }).available).toMatchObject({ version: '1.1.0' });
    });

    test('the column STATUS stays short, however long the reason is', () => {
      const long = { ...gaveUp('1.1.0'), message: 'x'.repeat(4096), rolledBackTime: 't' };
      const remembers = { subscription: subscription({ status: { quarantined: [long] } }) };
      expect(told('Ready', remembers).length).toBeLessThan(400);
      expect(told('UpgradeFailed', remembers)).toContain('kubectl -n ops annotate');
    });

    test('the time of the rollback is noted when the version before is healthy again, and not earlier', () => {
      const quarantined = [gaveUp('1.1.0')];
      const going = { ...given, subscription: subscription({ status: { quarantined } }) };
      expect(statusOf(going).quarantined).toMatchObject([{ rolledBackTime: '2026-05-01T12:00:00Z' }]);
      const unhealthy = { ...going, revisions: [{ ...works, status: { ...works.status, conditions: [] } }] };
      expect(statusOf(unhealthy).quarantined?.[0]).not.toHaveProperty('rolledBackTime');
    });
  });

  test('a version that was healthy and fails is neither pending nor followed by events of an installation', () => {
    const failed = revision({ number: 2, version: '1.1.0', stalled: true, reason: 'WorkloadUnhealthy', firstReadyTime: '2026-05-01T11:59:50Z' }); // prettier-ignore
    const { image, catalog: source } = failed.spec;
    const installed = { bundle: 'gadget.v1.1.0', version: '1.1.0', revision: 'gadget-2', image, catalog: source };
    const all = facts({
      revisions: [before, failed],
      catalogs: two,
      subscription: subscription({ status: { installed } }),
    });
    const plan = decideSubscription(all);
    if (plan.kind !== 'resolved') throw new Error(plan.kind);
    const status = summarizePlan(all.subscription, plan, { now: NOW });
    expect(status).toMatchObject({ installed: { version: '1.0.0' }, quarantined: [{ version: '1.1.0' }] });
    expect(status.pending).toBeUndefined();
    const events = eventsOf(all.subscription.status, status, moveOf(plan));
    expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(['Warning RollingBack']);
  });

  test('the work in progress is shown if no Revision is active, as after a crash between two writes', () => {
    const { conditions } = statusOf({
      revisions: [before, { ...failedOne, spec: { ...failedOne.spec, approved: false } }],
      catalogs: [],
    });
    expect(findCondition(conditions, 'Ready')?.message).toBe('gadget.v1.0.0 is being applied');
  });

  describe('the status while an upgrade waits', () => {
    const windows = [{ cron: '0 2 * * *', duration: '1h' }];
    test.each([
      {
        spec: { windows },
        approved: true,
        says: 'gadget.v1.1.0 waits for the next maintenance window at 2026-05-02T02:00:00Z',
      },
      { spec: { approval: 'Manual' }, approved: false, says: 'gadget.v1.1.0 waits for approval: kubectl' },
    ])('the column STATUS shows the wait: $says', ({ spec, approved, says }) => {
      const waiting = revision({ number: 2, version: '1.1.0', state: 'Archived', approved });
      const status = statusOf({ revisions: [works, waiting], catalogs: two, subscription: subscription({ spec }) });
      const { message } = findCondition(status.conditions, 'Ready') ?? {};
      expect(message).toMatch(/^gadget\.v1\.0\.0 is installed and healthy; /);
      expect(message).toContain(says);
    });
  });

  describe('the status on a path of several steps', () => {
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
    ])('the status shows the step of the path: $because', ({ pending, revisions, says }) => {
      expect(at(pending, revisions).pending).toMatchObject(says);
    });

    test('the column STATUS shows the step of the path', () => {
      expect(findCondition(at(step, [before, second]).conditions, 'Ready')?.message).toContain(
        '(step 2 of 3 to gadget.v2.0.0)',
      );
      expect(findCondition(at(step, [before, next]).conditions, 'Ready')?.message).toContain(
        '(step 1 of 3 to gadget.v2.0.0)',
      );
    });

    test('the status shows no step if there is only one', () => {
      expect(statusOf({ revisions: [works], catalogs: two }).pending).not.toHaveProperty('step');
    });
  });

  describe('repairs, losses and contests in the status', () => {
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

    test('the status shows the last repair', () => {
      const lastRepair = { time: since, objects: 1, message: 'Deployment ops/gadget: spec.replicas was changed' };
      const repaired = { ...works, status: { ...works.status, lastRepair } };
      expect(statusOf({ revisions: [repaired] }).lastRepair).toEqual(lastRepair);
    });

    test.each<{
      readonly because: string;
      readonly given: Partial<SubscriptionFacts>;
      readonly told: readonly string[];
    }>([
      { because: 'nothing was lost', given: {}, told: [] },
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
        because: 'that Revision was deleted since',
        given: { subscription: subscription({ status: { losses: [loss('a')] } }) },
        told: [`a ${since}`],
      },
      {
        because: 'two Revisions report the same loss',
        given: { revisions: [lost(loss('a'))], subscription: subscription({ status: { losses: [loss('a')] } }) },
        told: [`a ${since}`],
      },
      {
        because: 'a person has acknowledged it',
        given: { revisions: [lost(loss('a'))], subscription: acknowledged(since, [loss('a')]) },
        told: [],
      },
      {
        because: 'the CRD was lost again since',
        given: { revisions: [lost(loss('a'), loss('a', '2026-05-01T11:00:01Z'))], subscription: acknowledged(since) },
        told: ['a 2026-05-01T11:00:01Z'],
      },
      {
        because: 'the acknowledgement is no time, so it acknowledges nothing',
        given: { revisions: [lost(loss('a'))], subscription: acknowledged('yes') },
        told: [`a ${since}`],
      },
    ])('the status shows the losses: $because', ({ given, told }) => {
      expect(toldOf(given)).toEqual(told);
      const condition = inWords(statusOf({ revisions: [works], ...given }), 'CustomResourcesLost');
      expect(condition).toBe(told.length === 0 ? '' : 'True CustomResourcesLost');
    });

    test('the condition says how to acknowledge all losses, and the column STATUS shows them', () => {
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

    test('the status shows a contest with another program', () => {
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

  test('the status shows when the next window opens', () => {
    const windows = [{ cron: '0 2 * * *', duration: '1h' }];
    const held = { catalogs: two, subscription: subscription({ spec: { windows } }) };
    const waiting = revision({ number: 2, version: '1.1.0', state: 'Archived' });
    expect(statusOf({ ...held, revisions: [works, waiting] }).nextEligibleTime).toBe('2026-05-02T02:00:00Z');
    expect(statusOf({ revisions: [works] }).nextEligibleTime).toBeUndefined();
  });

  test('the status shows why versions are not chosen, with a reason of the closed list', () => {
    const pinned = subscription({ spec: { version: '1.0.0' } });
    expect(statusOf({ revisions: [works], catalogs: two, subscription: pinned }).refused).toMatchObject([
      { version: '1.1.0', reason: 'VersionNotFound' },
    ]);
  });

  test('the status shows that a version is lower, comes from another catalog, or needs no edge', () => {
    const lower = { subscription: subscription({ spec: { version: '1.0.0', edges: 'Ignore' } }), catalogs: two };
    const newest = revision({ version: '1.1.0', ready: true });
    const told = (given: Partial<SubscriptionFacts>): string | undefined =>
      findCondition(statusOf(given).conditions, 'UpgradeAvailable')?.message;
    expect(told({ ...lower, revisions: [newest] })).toBe('gadget.v1.0.0 follows gadget.v1.1.0, although it is lower');
    const ignoring = { subscription: subscription({ spec: { edges: 'Ignore' } }), catalogs: two };
    expect(told({ ...ignoring, revisions: [works] })).toBe(
      'gadget.v1.1.0 follows gadget.v1.0.0, whether or not an edge of the catalog leads to it, as spec.edges is Ignore',
    );
    const moved = [catalog({ catalog: 'other', versions: ['1.0.0', '1.1.0'] })];
    expect(told({ revisions: [works], catalogs: moved })).toMatch(/follows gadget\.v1\.0\.0, from catalog other/);
    expect(told({ revisions: [works], catalogs: two })).toBe('gadget.v1.1.0 follows gadget.v1.0.0');
  });

  const limited = [{ type: 'olm.maxOpenShiftVersion', value: '4.18' }];
  test.each<{ readonly newer: string; readonly spec?: object; readonly error?: ReasonedError; readonly says: string }>([
    { newer: 'the newest is installed', spec: { version: '1.0.0' }, says: 'it supports OpenShift up to 4.18' },
    { newer: 'one is available', says: 'gadget.v1.1.0 follows gadget.v1.0.0; gadget.v1.0.0, which is installed, ' },
    { newer: 'one waits', spec: { approval: 'Manual' }, says: '; gadget.v1.0.0, which is installed, supports' },
    { newer: 'none is as requested', spec: { version: '9.0.0' }, says: '; gadget.v1.0.0, which is installed, ' },
    {
      newer: 'one cannot be made active',
      error: new ReasonedError({ reason: 'Unsigned', retry: 'never', message: 'no' }),
      says: 'gadget.v1.1.0 cannot be installed: no; gadget.v1.0.0, which is installed, ',
    },
  ])(
    'a limit of OpenShift that the installed bundle has reached is reported once if $newer',
    ({ spec, error, says }) => {
      const cluster = { providedKinds: [], packages: [], coming: [], openShiftVersion: '4.18.3' };
      const catalogs = [catalog({ versions: ['1.0.0', '1.1.0'], properties: limited })];
      const waiting = revision({ number: 2, version: '1.1.0', state: 'Archived' });
      const given = {
        revisions: [works, waiting],
        catalogs,
        cluster,
        ...(spec && { subscription: subscription({ spec }) }),
      };
      const told = findCondition(statusOf(given, error).conditions, 'UpgradeAvailable')?.message ?? '';
      expect(told).toContain(says);
      expect(told.split('supports OpenShift up to 4.18, and the cluster has 4.18.3')).toHaveLength(2);
    },
  );

  test('refused versions are those with unmet needs, and not the same version of a second catalog', () => {
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

  test('a request that was handled stays so when its annotation is removed', () => {
    const asked = subscription({ status: { lastHandledReconcileAt: 't1' } });
    expect(statusOf({ subscription: asked }).lastHandledReconcileAt).toBe('t1');
  });

  test('the highest number of a Revision is noted before the Revision may be deleted', () => {
    expect(statusOf({ revisions: [works], nextNumber: 5 }).lastNumber).toBe(4);
    expect(statusOf({}).lastNumber).toBeUndefined();
  });
});

test('a suspended Subscription still shows which upgrade failed, and which custom resources were lost', () => {
  const told = (['UpgradeFailed', 'CustomResourcesLost', 'Contested'] as const).map((type) => ({
    type,
    status: 'True' as const,
    reason: 'ApplyFailed',
    message: '',
    lastTransitionTime: 'x',
  }));
  const { conditions } = summarizeSuspension(subscription({ status: { conditions: told } }), {
    revisions: [],
    now: NOW,
  });
  expect(conditions?.map(({ type }) => type)).toEqual(['Ready', 'UpgradeFailed', 'CustomResourcesLost']);
});

describe('a suspended Subscription', () => {
  const running = { bundle: 'gadget.v1.0.0', version: '1.0.0', image: 'i', catalog: 'main', revision: 'gadget-1' };
  const told = (status: 'True' | 'False', spec: object, metadata: object = {}): Subscription => {
    const ready = { type: 'Ready', status, reason: 'Succeeded', message: '', lastTransitionTime: 'x' } as const;
    const conditions = [{ ...ready, observedGeneration: 1 }];
    return subscription({ spec, metadata, status: { installed: running, conditions } });
  };

  test.each([
    { because: 'it was suspended, and nothing else', given: told('True', {}, { generation: 2 }), ready: 'True' },
    { because: 'it was not ready', given: told('False', {}), ready: 'False' },
    {
      because: 'the spec names the installed version by now',
      given: told('True', { version: '1.0.0' }),
      ready: 'True',
    },
    { because: 'the spec excludes the installed version', given: told('True', { version: '2.0.0' }), ready: 'Unknown' },
    { because: 'the spec permits every channel', given: told('True', { channel: '*' }), ready: 'True' },
    { because: 'the spec requests another channel', given: told('True', { channel: 'fast' }), ready: 'Unknown' },
    {
      because: 'the spec requests another configuration',
      given: told('True', { config: { replicas: 2 } }),
      ready: 'Unknown',
    },
    { because: 'it was suspended before anything was done', given: subscription(), ready: 'Unknown' },
  ])('is $ready: $because', ({ given, ready }) => {
    expect(inWords(summarizeSuspension(given, { revisions: [works], now: NOW }), 'Ready')).toBe(`${ready} Suspended`);
  });

  test('says the same at the next reconcile', () => {
    const given = told('True', { version: '2.0.0' });
    const status = summarizeSuspension(given, { revisions: [works], now: NOW });
    expect(findCondition(status.conditions, 'Ready')?.message).toContain('the present spec was not acted on');
    expect(summarizeSuspension({ ...given, status }, { revisions: [works], now: NOW })).toEqual(status);
  });

  test('keeps the Revision that a person may approve, and no time of a window', () => {
    const pending = { revision: 'gadget-2', bundle: 'gadget.v1.1.0', version: '1.1.0', reason: 'ApprovalRequired' };
    const given = subscription({ status: { pending, nextEligibleTime: '2026-05-02T02:00:00Z' } });
    const status = summarizeSuspension(given, { revisions: [], now: NOW });
    expect([status.pending, status.nextEligibleTime]).toEqual([pending, undefined]);
  });

  test('is not ready if the Revision that was installed is gone', () => {
    const status = summarizeSuspension(told('True', {}), { revisions: [], now: NOW });
    expect(inWords(status, 'Ready')).toBe('Unknown Suspended');
  });
});

function failure(reason: Reason, retry: 'never' | 'backoff'): ReasonedError {
  return new ReasonedError({ reason, retry, message: 'it went wrong' });
}
