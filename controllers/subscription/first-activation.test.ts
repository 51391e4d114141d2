/**
 * A Revision that was made and waits: by which rules it is judged when the wait is over. The reconciler runs against a
 * cluster in memory, with one version that works and the image of the next.
 */
import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Catalog } from '../../api/catalog.ts';
import { findCondition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import { FINALIZER } from '../../api/names.ts';
import { refOf } from '../../api/object.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { UpgradePolicy } from '../../api/upgrade-policy.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { publicPem } from '../../signatures/testing/instance.ts';
import { planInputs } from '../plan-inputs.ts';
import type { CheckSignatures } from '../signature-checks.ts';
import { demandsHash, demandsOn } from '../signature-demands.ts';
import { policiesOf, type Written } from '../testing/policies.ts';
import type { SubscriptionDeps } from './deps.ts';
import { revision, subscription } from './testing/facts.ts';
import { IMAGE, MAIN, offering, reconcileOf, revisionsOf } from './testing/one-image.ts';

const [FROM, TO] = ['0.9.0', '1.0.0'];
/** In another registry than the image of its Pods, which is named by tag. */
const BUNDLE = IMAGE.replace('registry.example', 'bundles.example');
/** Closed at the time of the tests. */
const windows = [{ cron: '0 3 * * *', duration: '1h' }];
const installed = { bundle: `gadget.v${FROM}`, version: FROM, catalog: 'main', image: 'i', revision: 'gadget-1' };
const works = revision({ ready: true, version: FROM, image: `registry.example/gadget@sha256:${'c'.repeat(64)}` });

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const verify = { keys: [{ name: 'release', pem: publicPem(privateKey) }] };

let cluster: FakeCluster;
let written: Written;
let main: Catalog | undefined;
let asked: string[];
let refused: Reason | undefined;
let events: string[];

beforeEach(() => {
  cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(sampleCrd('Revision', { group: 'slipway.dev' }));
  cluster.put(subscription({ status: { installed }, metadata: { finalizers: [FINALIZER] }, spec: { windows } }));
  cluster.put(works);
  [written, main, asked, refused, events] = [{}, MAIN, [], undefined, []];
});

/** As the real one decides about demands; the registry's answer is `refused`. */
const check: CheckSignatures = async (from, toCheck) => {
  const policy = demandsHash(demandsOn(from?.spec, toCheck, policiesOf(written)));
  if (policy === undefined) return undefined;
  asked.push(toCheck.content);
  if (refused !== undefined) throw new ReasonedError({ reason: refused, retry: 'never', message: 'no' });
  return { policy, by: 'key release' };
};

async function reconcile(given: Partial<SubscriptionDeps> = {}): Promise<unknown> {
  const policies = policiesOf(written);
  const caches = offering(cluster, { versions: [FROM, TO], image: BUNDLE });
  const catalogOf = (name: string): Catalog | undefined => (name === 'main' ? main : undefined);
  const record: SubscriptionDeps['record'] = (_regarding, { reason }) => void events.push(reason);
  return reconcileOf(cluster, { caches, policies, catalogOf, checkSignatures: check, record, ...given })();
}

const next = (): string => {
  const found = revisionsOf(cluster).find(({ metadata }) => metadata.name === 'gadget-2');
  return found === undefined ? 'none' : `${found.spec.state}${found.spec.approved ? ', approved' : ''}`;
};

function change(spec: object): void {
  const ref = refOf(subscription());
  cluster.change(ref, (one) => {
    const { windows: _over, ...before } = one['spec'] as Subscription['spec'];
    return { ...one, spec: { ...before, ...spec } };
  });
}

function approve(): void {
  const [, waiting] = revisionsOf(cluster);
  cluster.change(refOf(waiting!), (one) => ({ ...one, spec: { ...(one['spec'] as object), approved: true } }));
}

/** The plan that the controller of plans would make of the waiting Revision under the policy. */
function plan(): void {
  const [active, waiting] = revisionsOf(cluster) as [Revision, Revision];
  const wanted = cluster.objects().find(({ kind }) => kind === 'Subscription') as Subscription;
  const upgradePolicy = { automatic: 'All' } as UpgradePolicy;
  const asked = { ...wanted, spec: { ...wanted.spec, upgradePolicy } };
  const inputs = planInputs({ subscription: asked, active, next: waiting, policy: { policy: upgradePolicy } });
  const made = { inputs, hash: `sha256:${'1'.repeat(64)}`, heldBy: [] };
  cluster.change(refOf(waiting), (one) => ({ ...one, status: { ...waiting.status, plan: made } }));
}

const approver = (): string | undefined => revisionsOf(cluster)[1]?.status?.approvedBy?.place;

const reasonOf = (): string | undefined =>
  (cluster.objects().find(({ kind }) => kind === 'Subscription') as Subscription).status?.pending?.reason;

describe('a Revision that waits for its window', () => {
  beforeEach(async () => {
    await reconcile();
    await reconcile();
    expect([next(), reasonOf()]).toEqual(['Archived', 'OutsideWindow']);
  });

  test.each<{ because: string; spec: object; act?: () => void; state: string; reason: string }>([
    { because: 'nothing else holds it', spec: {}, state: 'Active, approved', reason: 'Progressing' },
    {
      because: 'approval by hand was asked for meanwhile',
      spec: { approval: 'Manual' },
      state: 'Archived',
      reason: 'ApprovalRequired',
    },
    {
      because: 'an upgrade policy was set meanwhile',
      spec: { upgradePolicy: { automatic: 'Patch' } },
      state: 'Archived',
      reason: 'Planning',
    },
    {
      because: 'a person approved it, and approval by hand was asked for',
      spec: { approval: 'Manual' },
      act: approve,
      state: 'Active, approved',
      reason: 'Progressing',
    },
    {
      because: 'a person approved it, and an upgrade policy was set',
      spec: { upgradePolicy: { automatic: 'Patch' } },
      act: approve,
      state: 'Active, approved',
      reason: 'Progressing',
    },
    {
      because: 'an upgrade policy was set, whose plan is inside of it',
      spec: { upgradePolicy: { automatic: 'All' } },
      act: plan,
      state: 'Active, approved',
      reason: 'Progressing',
    },
  ])(
    'is judged when the window opens: $reason, as $because',
    async ({ spec, act = () => undefined, state, reason }) => {
      act();
      change(spec);
      await reconcile();
      expect([next(), reasonOf()]).toEqual([state, reason]);
    },
  );

  test.each([
    { because: 'the policy has judged it', spec: { upgradePolicy: { automatic: 'All' } }, by: 'Policy' },
    { because: 'no policy is there', spec: {}, by: undefined },
  ])('records that the policy approved it only if it did: $because', async ({ spec, by }) => {
    plan();
    change(spec);
    await reconcile();
    expect([next(), approver()]).toEqual(['Active, approved', by]);
  });
});

describe('signatures that are demanded when a Revision becomes active for the first time', () => {
  const onBundle: Written = { a: { prefix: 'bundles.example/gadget', verify } };
  const onPods: Written = { a: { prefix: 'registry.example', verify } };
  const key = { ...verify.keys[0]!, transparencyLog: 'Require' } as const;
  const demanding: Catalog = { ...MAIN, spec: { ...MAIN.spec, verify: { enforcement: 'Enforce', keys: [key] } } };

  async function waited(): Promise<void> {
    await reconcile();
    await reconcile();
    expect(next()).toBe('Archived');
    asked = [];
    change({});
  }

  test.each<{ because: string; demand: () => void }>([
    { because: 'a RegistryPolicy over the bundle demands them since', demand: () => void (written = onBundle) },
    { because: 'the Catalog demands them since', demand: () => void (main = demanding) },
  ])('are checked by the demands of that moment: $because', async ({ demand }) => {
    await waited();
    demand();
    refused = 'Unsigned';
    await expect(reconcile()).rejects.toMatchObject({ reason: 'Unsigned', retry: { afterSeconds: 300 } });
    expect([next(), asked]).toEqual(['Archived', ['Bundles']]);
    refused = undefined;
    await reconcile();
    expect([next(), asked]).toEqual(['Active, approved', ['Bundles', 'Bundles']]);
  });

  test('are reported once if they are still missing at the next attempt, and the version before stays ready', async () => {
    const told = (): Subscription => cluster.objects().find(({ kind }) => kind === 'Subscription') as Subscription;
    const warnings = (): readonly string[] => events.filter((reason) => reason === 'Unsigned');
    await waited();
    [written, refused] = [onBundle, 'Unsigned'];
    await expect(reconcile()).rejects.toMatchObject({ reason: 'Unsigned' });
    const before = told();
    expect([findCondition(before.status?.conditions, 'Ready')?.status, warnings()]).toEqual(['True', ['Unsigned']]);
    await expect(reconcile()).rejects.toMatchObject({ reason: 'Unsigned' });
    // Each status in between would have made another version of the object.
    expect([told().metadata.resourceVersion, warnings()]).toEqual([before.metadata.resourceVersion, ['Unsigned']]);
  });

  test('are checked although a person has approved the Revision', async () => {
    await waited();
    approve();
    written = onBundle;
    refused = 'Unsigned';
    await expect(reconcile()).rejects.toMatchObject({ reason: 'Unsigned' });
    expect(next()).toBe('Archived, approved');
  });

  test('are checked of the images of its Pods too', async () => {
    await waited();
    written = onPods;
    await expect(reconcile()).rejects.toMatchObject({ reason: 'ImageNotPinned' });
    expect(next()).toBe('Archived');
  });

  test('are checked by the policies alone if the Catalog is gone', async () => {
    await waited();
    [main, written, refused] = [undefined, onBundle, 'Unsigned'];
    await expect(reconcile()).rejects.toMatchObject({ reason: 'Unsigned' });
    expect(next()).toBe('Archived');
  });

  test('are reported and not required if the demand only warns', async () => {
    await waited();
    written = { a: { prefix: 'bundles.example/gadget', verify: { ...verify, enforcement: 'Warn' } } };
    await reconcile({ checkSignatures: async () => ({ policy: 'p', problem: 'Unsigned: no' }) });
    expect([next(), events.filter((reason) => reason === 'Unsigned')]).toEqual(['Active, approved', ['Unsigned']]);
  });

  test('cost no request if nothing demands them', async () => {
    await waited();
    const before = cluster.requests.length;
    await reconcile();
    expect(next()).toBe('Active, approved');
    expect(cluster.requests.slice(before).filter(({ ref }) => ref.kind === 'Secret')).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('are not asked for again if they were checked under the same demand', async () => {
    written = onBundle;
    await waited();
    await reconcile();
    expect([next(), asked]).toEqual(['Active, approved', []]);
  });

  test('keep a Revision from becoming active whose manifests cannot be read, and say how to go on', async () => {
    await waited();
    for (const secret of cluster.objects().filter(({ kind }) => kind === 'Secret')) await cluster.delete(refOf(secret));
    written = onPods;
    await expect(reconcile()).rejects.toMatchObject({
      reason: 'ManifestsMissing',
      hint: expect.stringContaining('Delete the Revision') as string,
    });
    expect(next()).toBe('Archived');
  });

  test('do not keep the version that worked from becoming active again', async () => {
    cluster.change(refOf(works), (one) => ({ ...one, spec: { ...(one['spec'] as object), state: 'Archived' } }));
    cluster.put(
      revision({ number: 2, version: TO, image: BUNDLE, ready: false, reason: 'ApplyFailed', stalled: true }),
    );
    written = { a: { prefix: 'registry.example', verify }, b: { prefix: 'bundles.example', verify } };
    refused = 'Unsigned';
    await reconcile().catch(() => undefined);
    expect(revisionsOf(cluster).map(({ metadata, spec }) => `${metadata.name} ${spec.state}`)).toEqual([
      'gadget-1 Active',
      'gadget-2 Archived',
    ]);
    expect(asked).toEqual([]);
  });
});
