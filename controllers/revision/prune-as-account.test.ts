/** Pruning for a Subscription with an account: the manager reads and counts, and only the account writes. */
import { beforeEach, describe, expect, test } from 'vitest';
import { sample, sampleCrd } from '../../apply/testing/sample-objects.ts';
import { findCondition } from '../../api/conditions.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { createHarness, NAMESPACE, type Harness, type HarnessOptions } from './testing/harness.ts';

type May = NonNullable<HarnessOptions['accountMay']>;

const NAMED = { serviceAccountName: 'installer' };
const OTHER = 'other';
const config = (name: string, namespace = NAMESPACE): KubeObject => sample('v1', 'ConfigMap', name, { namespace });
const widget = (name: string, namespace: string): KubeObject =>
  sample('example.com/v1', 'Widget', name, { namespace, spec: { size: 1 } });

let harness: Harness;
let may: May;

/** Revision 2 lacks objects of Revision 1. */
async function upgrade(dropped: readonly KubeObject[]): Promise<void> {
  await harness.addRevision(1, [config('kept'), ...dropped], NAMED);
  await harness.settle(1);
  harness.setState(1, 'Archived');
  await harness.addRevision(2, [config('kept')], { ...NAMED, previous: 'widgets-1' });
}

/** Goes on until the patience of the pruning is over. */
async function prune(): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    await harness.reconcile(2).catch(() => undefined);
    harness.pass(60);
  }
}

const isThere = async (object: KubeObject): Promise<boolean> =>
  (await harness.cluster.get(refOf(object))) !== undefined;
const reconciling = (): string | undefined =>
  findCondition(harness.revision(2).status?.conditions, 'Reconciling')?.reason;
const listed = (): readonly string[] => (harness.revision(2).status?.inventory ?? []).map(({ name }) => name);

beforeEach(() => {
  may = () => true;
  harness = createHarness({ accountMay: (request) => may(request) });
  harness.cluster.put(sample('v1', 'Namespace', OTHER));
  harness.cluster.put(sample('v1', 'ServiceAccount', 'installer', { namespace: NAMESPACE }));
  harness.setSubscription(NAMED);
});

describe('a CRD that the new version lacks', () => {
  const crd = sampleCrd('Widget');

  test('is pruned although the account may not list its custom resources', async () => {
    await upgrade([crd]);
    may = ({ ref }) => ref.kind !== 'Widget';
    await prune();
    expect([await isThere(crd), reconciling(), listed()]).toEqual([false, undefined, ['kept']]);
  });

  test('stays with custom resources that the account may not list, and those of other namespaces are not named', async () => {
    await upgrade([crd]);
    harness.cluster.put(widget('mine', NAMESPACE));
    harness.cluster.put(widget('precious', OTHER));
    may = ({ ref }) => ref.kind !== 'Widget';
    await prune();
    expect(await isThere(crd)).toBe(true);
    const notes = harness.events.map(({ note }) => note);
    expect(notes.join('\n')).toContain('ops/mine');
    expect(notes.join('\n')).not.toContain('precious');
  });

  test('keeps its conversion if the account may not change it, although the manager may', async () => {
    const service = sample('v1', 'Service', 'converter', { namespace: NAMESPACE, spec: { ports: [{ port: 443 }] } });
    const webhook = { clientConfig: { service: { namespace: NAMESPACE, name: 'converter' } } };
    const converted = { ...crd, spec: { ...fieldsOf(crd['spec']), conversion: { strategy: 'Webhook', webhook } } };
    await upgrade([converted, service]);
    harness.cluster.put(widget('mine', NAMESPACE));
    may = ({ verb, ref }) => ref.kind !== 'CustomResourceDefinition' || verb !== 'patch';
    await prune();
    const live = await harness.cluster.get(refOf(crd));
    expect(fieldsOf(fieldsOf(live?.['spec'])['conversion'])['strategy']).toBe('Webhook');
  });
});

describe('a leftover', () => {
  test('that is gone with its namespace leaves the inventory, although the account may not read there any more', async () => {
    const gone = config('gone', OTHER);
    await upgrade([gone]);
    await harness.cluster.delete(refOf(gone));
    may = ({ ref }) => ref.namespace !== OTHER;
    await prune();
    expect([reconciling(), listed()]).toEqual([undefined, ['kept']]);
  });

  test('that the account may not delete stays, although the manager may, and is reported', async () => {
    const held = config('held', OTHER);
    await upgrade([held]);
    may = ({ ref }) => ref.namespace !== OTHER;
    await prune();
    expect([await isThere(held), reconciling()]).toEqual([true, 'Forbidden']);
    expect(listed()).toContain('held');
  });

  test('that another owner made in its place is not reported, nor its owner', async () => {
    const lost = config('lost', OTHER);
    await upgrade([lost]);
    await harness.cluster.delete(refOf(lost));
    harness.cluster.put({
      ...lost,
      metadata: { ...lost.metadata, uid: 'new', labels: { 'olm.owner': 'secret.v1', 'olm.owner.namespace': OTHER } },
    });
    may = ({ ref }) => ref.namespace !== OTHER;
    await prune();
    expect([await isThere(lost), reconciling(), harness.events]).toEqual([true, undefined, []]);
  });
});
