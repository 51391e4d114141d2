/** A rollback that leaves the CRD of the newer version, whose conversion webhook only that version has. */
import { beforeEach, describe, expect, test } from 'vitest';
import { sample, sampleCrd, sampleDeployment } from '../../apply/testing/sample-objects.ts';
import { findCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/object.ts';
import { refusal } from '../../api/testing/refusal.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import { settle } from '../../kube/testing/fake-cluster.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

const SERVICE = sample('v1', 'Service', 'widget-manager-service', {
  namespace: NAMESPACE,
  spec: { selector: { app: 'widget-manager' }, ports: [{ port: 443 }] },
});
const CONVERSION = {
  strategy: 'Webhook',
  webhook: {
    conversionReviewVersions: ['v1'],
    clientConfig: { service: { namespace: NAMESPACE, name: SERVICE.metadata.name, path: '/convert' } },
  },
};
const ADVICE = /names a conversion webhook that this version does not have \(Service ops\/widget-manager-service\)/;

const one = { ...versionOf('v1', 'count'), storage: true };
const first = [crdWith({ versions: [one] }), sampleDeployment('widget-manager')];
const second = [
  crdWith({
    versions: [versionOf('v1', 'count'), { ...versionOf('v2', 'size'), storage: true }],
    conversion: CONVERSION,
  }),
  SERVICE,
  sampleDeployment('widget-manager', { image: 'registry.example/operator:2' }),
];
let harness: Harness;
let isDown = false;

function versionOf(name: string, field: string): object {
  const spec = { type: 'object', properties: { [field]: { type: 'integer' } } };
  return { name, served: true, storage: false, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } };
}

function crdWith(fields: object): KubeObject {
  const crd = sampleCrd('Widget');
  return { ...crd, spec: { ...(crd['spec'] as object), ...fields } };
}

/** Also notes the versions in which objects are stored. */
function react(object: KubeObject): KubeObject {
  const settled = settle(object);
  if (object.kind !== 'CustomResourceDefinition') return settled;
  const versions = listOf(fieldsOf(object['spec'])['versions']).filter(({ storage }) => storage === true);
  const stored = listOf(fieldsOf(object['status'])['storedVersions']);
  const names = new Set([...stored.map(String), ...versions.map(({ name }) => textOf(name))]);
  return { ...settled, status: { ...(settled['status'] as object), storedVersions: [...names] } };
}

const told = (): string => findCondition(harness.revision(1).status?.conditions, 'Ready')?.message ?? '';
const isThere = (): boolean => harness.cluster.objects().some(({ kind }) => kind === 'Service');

beforeEach(async () => {
  isDown = false;
  harness = createHarness({
    react,
    before: ({ verb, ref }) => {
      if (isDown && verb === 'get' && ref.kind === 'Service') throw refusal(503, 'Down', 'no');
    },
  });
  await harness.addRevision(1, first);
  await harness.settle(1);
  harness.cluster.put(sample('example.com/v1', 'Widget', 'one', { namespace: NAMESPACE, spec: { count: 1 } }));
  harness.setState(1, 'Archived');
  await harness.addRevision(2, second, { previous: 'widgets-1' });
  for (let round = 0; round < 4; round += 1) {
    await harness.settle(2);
    harness.pass(3);
  }
  await harness.settle(1);
  harness.setState(2, 'Archived');
  harness.setState(1, 'Active');
  await harness.settle(1);
});

describe('a rollback that leaves a CRD without its conversion webhook', () => {
  test('the event and the Ready message name the Service that goes, before it is pruned', () => {
    expect(isThere()).toBe(true);
    const event = harness.events.find(({ reason }) => reason === 'CRDUnsafe');
    expect(event?.note).toMatch(/stays as it is: .*storedVersionRemoval/);
    expect(event?.note).toMatch(ADVICE);
    expect(told()).toMatch(ADVICE);
  });

  test('the Ready message names the harm and the remedies for as long as it lasts', async () => {
    await prune();
    for (let round = 0; round < 2; round += 1) {
      expect(told()).toMatch(ADVICE);
      await harness.reconcile(1);
    }
    expect(told()).toMatch(
      /Upgrade to a version that converts them, or set the conversion strategy of the CRD to None/,
    );
    harness.cluster.change(crd(), (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), conversion: { strategy: 'None' } },
    }));
    await harness.settle(1);
    expect(told()).toBe('2 objects are applied and healthy');
  });

  test('the Ready message says nothing if another program serves the webhook', async () => {
    await prune();
    harness.cluster.put(SERVICE);
    await harness.settle(1);
    expect(told()).toBe('2 objects are applied and healthy');
  });

  test('the Ready message does not show whether a Service of another namespace exists', async () => {
    const service = { namespace: 'other', name: 'payments' };
    const conversion = { ...CONVERSION, webhook: { ...CONVERSION.webhook, clientConfig: { service } } };
    harness.cluster.change(crd(), (object) => ({ ...object, spec: { ...(object['spec'] as object), conversion } }));
    await harness.settle(1);
    expect(told()).not.toContain('payments');
  });

  test('the Ready message says nothing while it is not known whether the Service exists', async () => {
    await prune();
    isDown = true;
    await harness.settle(1);
    expect(told()).toBe('2 objects are applied and healthy');
  });

  async function prune(): Promise<void> {
    await harness.settle(2);
    harness.pass(11);
    await harness.settle(1);
    expect(isThere()).toBe(false);
  }
});

function crd() {
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'widgets.example.com' };
}
