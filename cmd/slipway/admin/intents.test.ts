import { describe, expect, test } from 'vitest';
import type { ReasonedError } from '../../../api/errors.ts';
import type { Revision } from '../../../api/revision.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { documentOf, type Intent } from '../../../report/acts.ts';
import { intendApproval, intendReconcile, intendRollback, intendSuspension, intendUpgrade } from './intents.ts';
import { intendInstall } from './install.ts';
import { intendUninstall } from './uninstall.ts';
import { condition, INSTALLED, NOW, READY, revision, subscription } from '../../../report/testing/objects.ts';

const OBJECT = {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'gadget', namespace: 'ops' },
};
const WORKED = { firstReadyTime: '2026-01-01T00:00:00Z' };
const WAITING = subscription({
  status: {
    installed: INSTALLED,
    pending: { revision: 'gadget-2', bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'ApprovalRequired' },
    conditions: [READY],
  },
});
const REVISIONS = [
  revision(1, '1.0.0', { status: WORKED }),
  revision(2, '2.0.0', { spec: { approved: false, state: 'Archived' } }),
];
const UPGRADE_FAILED = subscription({
  status: { installed: INSTALLED, conditions: [READY, condition('UpgradeFailed', 'True', 'WebhookSilent', 'x')] },
});
const CURRENT = subscription({
  status: {
    installed: INSTALLED,
    conditions: [READY, condition('UpgradeAvailable', 'False', 'UpToDate', 'it is the newest')],
  },
});
const ROLLED_BACK = subscription({ spec: { version: '1.0.0', edges: 'Ignore' } });
const approval = {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Revision',
  metadata: { name: 'gadget-2', namespace: 'ops', uid: 'r2' },
  spec: { approved: true },
};
const request = { ...OBJECT, metadata: { ...OBJECT.metadata, annotations: { 'slipway.dev/reconcile-requested-at': '2026-01-02T00:00:00.000Z' } } }; // prettier-ignore

const CASES: readonly { readonly because: string; readonly intent: Intent; readonly sent: readonly object[] }[] = [
  { because: 'suspend', intent: intendSuspension(CURRENT, true), sent: [{ ...OBJECT, spec: { suspend: true } }] },
  { because: 'resume of one that is not suspended', intent: intendSuspension(CURRENT, false), sent: [] },
  {
    because: 'resume',
    intent: intendSuspension(subscription({ spec: { suspend: true } }), false),
    sent: [{ ...OBJECT, spec: { suspend: false } }],
  },
  { because: 'reconcile', intent: intendReconcile(CURRENT, NOW), sent: [request] },
  {
    because: 'approve names the uid, so that no other Revision of that name is approved',
    intent: intendApproval(WAITING, REVISIONS, undefined, NOW),
    sent: [approval],
  },
  {
    because: 'approve the version that waits',
    intent: intendApproval(WAITING, REVISIONS, '2.0.0', NOW),
    sent: [approval],
  },
  {
    because: 'approve the bundle that waits',
    intent: intendApproval(WAITING, REVISIONS, 'gadget.v2.0.0', NOW),
    sent: [approval],
  },
  { because: 'approve if none waits', intent: intendApproval(CURRENT, REVISIONS, undefined, NOW), sent: [] },
  {
    because: 'approve a version that is active already',
    intent: intendApproval(CURRENT, REVISIONS, '1.0.0', NOW),
    sent: [],
  },
  { because: 'upgrade approves what waits', intent: intendUpgrade(WAITING, REVISIONS, {}, NOW), sent: [approval] },
  {
    because: 'upgrade tries again after a failure',
    intent: intendUpgrade(UPGRADE_FAILED, [], {}, NOW),
    sent: [request],
  },
  { because: 'upgrade without a newer version', intent: intendUpgrade(CURRENT, [], {}, NOW), sent: [] },
  {
    because: 'upgrade to a version',
    intent: intendUpgrade(WAITING, REVISIONS, { version: '3.0.0', channel: 'fast' }, NOW),
    sent: [{ ...OBJECT, spec: { version: '3.0.0', channel: 'fast' } }],
  },
  {
    because: 'upgrade to the requested version',
    intent: intendUpgrade(subscription({ spec: { version: '3.0.0' } }), [], { version: '3.0.0' }, NOW),
    sent: [],
  },
  {
    because: 'unpin',
    intent: intendUpgrade(subscription({ spec: { version: '1.0.0', edges: 'Ignore' } }), [], { unpin: true }, NOW),
    sent: [{ ...OBJECT, spec: { version: null, edges: 'Follow' } }],
  },
  {
    because: 'upgrade to another version after a rollback follows the edges again',
    intent: intendUpgrade(ROLLED_BACK, [], { version: '!=2.0.0' }, NOW),
    sent: [{ ...OBJECT, spec: { version: '!=2.0.0', edges: 'Follow' } }],
  },
  {
    because: 'upgrade to another version in spite of the edges',
    intent: intendUpgrade(ROLLED_BACK, [], { version: '3.0.0', edges: 'Ignore' }, NOW),
    sent: [{ ...OBJECT, spec: { version: '3.0.0', edges: 'Ignore' } }],
  },
  {
    because: 'upgrade to the version to which it goes back does not end the rollback',
    intent: intendUpgrade(ROLLED_BACK, [], { version: '1.0.0' }, NOW),
    sent: [],
  },
  {
    because: 'another channel alone leaves the edges as they are',
    intent: intendUpgrade(ROLLED_BACK, [], { channel: 'fast' }, NOW),
    sent: [{ ...OBJECT, spec: { channel: 'fast' } }],
  },
  {
    because: 'the edges alone',
    intent: intendUpgrade(ROLLED_BACK, [], { edges: 'Follow' }, NOW),
    sent: [{ ...OBJECT, spec: { edges: 'Follow' } }],
  },
  { because: 'unpin of one without a pin', intent: intendUpgrade(CURRENT, [], { unpin: true }, NOW), sent: [] },
  {
    because: 'install with all options',
    intent: intendInstall('gadget', 'ops', {
      output: 'text',
      catalog: 'team',
      channel: 'fast',
      version: '~1.0',
      approval: 'Manual',
      serviceAccount: 'installer',
      watchNamespace: ['ops', 'dev'],
    }),
    sent: [{ ...OBJECT, spec: { package: 'gadget', catalog: 'team', channel: 'fast', version: '~1.0', approval: 'Manual', serviceAccountName: 'installer', watchNamespaces: ['ops', 'dev'] } }], // prettier-ignore
  },
  {
    because: 'uninstall deletes the very object',
    intent: intendUninstall(CURRENT, { output: 'text' }),
    sent: [{ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions: { uid: 'u1' } }],
  },
  {
    because: 'uninstall with the policy of the spec sends no patch',
    intent: intendUninstall(CURRENT, { output: 'text', customResources: 'Retain' }),
    sent: [{ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions: { uid: 'u1' } }],
  },
  {
    because: 'uninstall with another policy sets it first',
    intent: intendUninstall(CURRENT, { output: 'text', customResources: 'Delete' }),
    sent: [
      { ...OBJECT, metadata: { ...OBJECT.metadata, uid: 'u1' }, spec: { uninstall: { customResources: 'Delete' } } },
      { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions: { uid: 'u1' } },
    ],
  },
  {
    because: 'uninstall that leaves the objects says so in the spec first',
    intent: intendUninstall(CURRENT, { output: 'text', orphan: true }),
    sent: [
      { ...OBJECT, metadata: { ...OBJECT.metadata, uid: 'u1' }, spec: { uninstall: { objects: 'Orphan' } } },
      { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions: { uid: 'u1' } },
    ],
  },
];

describe('a command sends the smallest request', () => {
  test.each(CASES)('$because', ({ intent, sent }) => {
    expect(intent.acts.map(documentOf)).toEqual(sent);
    expect(intent.message).toMatch(/^[A-Z]/);
  });
});

interface Rollback {
  readonly because: string;
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
  readonly to?: string;
  readonly spec: object;
}

const SECOND = subscription({
  spec: { channel: 'stable' },
  status: { installed: { ...INSTALLED, bundle: 'gadget.v3.0.0', version: '3.0.0', revision: 'gadget-3' } },
});
const HISTORY = [
  revision(1, '1.0.0', { status: WORKED, spec: { state: 'Archived', channel: 'stable' } }),
  revision(2, '2.0.0', { status: WORKED, spec: { state: 'Archived', channel: 'old' } }),
  revision(3, '3.0.0', { status: WORKED, spec: { previous: 'gadget-1' } }),
];

const ROLLBACKS: readonly Rollback[] = [
  {
    because: 'the Revision that was active before the installed one',
    subscription: SECOND,
    revisions: HISTORY,
    spec: { version: '1.0.0', edges: 'Ignore' },
  },
  {
    because: 'the newest that worked, if the one before is forgotten',
    subscription: SECOND,
    revisions: [HISTORY[1]!, HISTORY[2]!],
    spec: { version: '2.0.0', edges: 'Ignore', channel: 'old' },
  },
  {
    because: 'a version that is named, in its channel',
    subscription: SECOND,
    revisions: HISTORY,
    to: '2.0.0',
    spec: { version: '2.0.0', edges: 'Ignore', channel: 'old' },
  },
  {
    because: 'a Revision that is named',
    subscription: SECOND,
    revisions: HISTORY,
    to: 'gadget-1',
    spec: { version: '1.0.0', edges: 'Ignore' },
  },
];

describe('a rollback goes to', () => {
  test.each(ROLLBACKS)('$because', ({ subscription: one, revisions, to, spec }) => {
    expect(intendRollback(one, revisions, to, NOW).acts.map(documentOf)).toEqual([{ ...OBJECT, spec }]);
  });

  test('no version that failed or never worked', () => {
    const quarantined = [{ bundle: 'gadget.v1.0.0', version: '1.0.0', reason: 'X', message: 'x', since: 'x' }];
    const failed = subscription({ status: { ...SECOND.status, quarantined } });
    const never = revision(2, '2.0.0', { spec: { state: 'Archived' } });
    expect(reasonOf(() => intendRollback(failed, [HISTORY[0]!, never, HISTORY[2]!], undefined, NOW))).toBe(
      'InputInvalid',
    );
  });

  test('the installed version without a request', () => {
    expect(intendRollback(SECOND, HISTORY, '3.0.0', NOW).acts).toEqual([]);
  });
});

describe('on a suspended Subscription the answer says that nothing is done before it is resumed', () => {
  const suspended = (one: Subscription): Subscription => ({ ...one, spec: { ...one.spec, suspend: true } });

  test.each([
    { command: 'reconcile', intent: intendReconcile(suspended(CURRENT), NOW) },
    { command: 'approve', intent: intendApproval(suspended(WAITING), REVISIONS, undefined, NOW) },
    { command: 'upgrade', intent: intendUpgrade(suspended(CURRENT), [], { version: '3.0.0' }, NOW) },
    { command: 'rollback', intent: intendRollback(suspended(SECOND), HISTORY, undefined, NOW) },
  ])('$command', ({ intent }) => {
    expect(intent.acts).toHaveLength(1);
    expect(intent.message).toContain('until it is resumed by `slipway resume ops/gadget`');
  });

  test('upgrade without options and without a newer version', () => {
    const conditions = [condition('Ready', 'True', 'Suspended', 'Suspended: nothing is done')];
    const intent = intendUpgrade(suspended(subscription({ status: { conditions } })), [], {}, NOW);
    expect(intent).toEqual({ acts: [], message: 'Nothing to change on Subscription ops/gadget: Suspended: nothing is done' }); // prettier-ignore
  });
});

test('a rollback names the installed version, the range of before, and the command that passes over both edges and version', () => {
  const ranged = { ...SECOND, spec: { ...SECOND.spec, version: '<4' } };
  expect(intendRollback(ranged, HISTORY, undefined, NOW).message).toMatch(
    /Its spec\.version was <4\. .* past 3\.0\.0: slipway upgrade ops\/gadget --version '<4 !=3\.0\.0'$/,
  );
});

describe('a command that cannot mean what it says is refused', () => {
  test.each([
    { because: 'another version waits for approval', intend: () => intendApproval(WAITING, REVISIONS, '1.5.0', NOW) },
    {
      because: 'no Revision of the named version waits',
      intend: () => intendApproval(CURRENT, REVISIONS, '9.0.0', NOW),
    },
    {
      because: 'a version and any version',
      intend: () => intendUpgrade(CURRENT, [], { version: '1', unpin: true }, NOW),
    },
    { because: 'a version that was never installed', intend: () => intendRollback(SECOND, HISTORY, '9.0.0', NOW) },
    { because: 'the name of a package is no name of an object', intend: () => intendInstall('My_Package', 'ops', { output: 'text' }) }, // prettier-ignore
  ])('$because', ({ intend }) => {
    expect(reasonOf(intend)).toBe('InputInvalid');
  });
});

function reasonOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as ReasonedError).reason;
  }
  return 'none';
}
