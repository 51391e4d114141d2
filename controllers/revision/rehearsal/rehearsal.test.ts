/** An upgrade of an operator with webhooks, with a cluster in memory and simulated answers of the API server. */
import { beforeEach, describe, expect, test } from 'vitest';
import { settle, type FakeRequest } from '../../../kube/testing/fake-cluster.ts';
import { refusal } from '../../../api/testing/refusal.ts';
import { heldFor } from '../../../apply/held-back.ts';
import { sample, sampleCrd, sampleDeployment } from '../../../apply/testing/sample-objects.ts';
import { fieldsOf, listOf, textOf } from '../../../api/untyped.ts';
import { findCondition } from '../../../api/conditions.ts';
import { groupKind, refOf, type KubeObject } from '../../../api/object.ts';
import { createHarness, NAMESPACE, type Harness } from '../testing/harness.ts';

const SERVICE = { namespace: NAMESPACE, name: 'widget-service' };
const OLD = 'registry.example/operator:1';

/** The API server's error when the new Pods are called; undefined: the webhook answers. */
let silence: string | undefined;
/** The Services of its calls, in order. */
let calledBy: string[];
let harness: Harness;

/** An operator whose Widgets are stored as `stored` and whose webhooks are behind one Service. */
function operator(image: string, stored: string): readonly KubeObject[] {
  const crd = sampleCrd('Widget');
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === stored, schema: {} }));
  const conversion = { strategy: 'Webhook', webhook: { clientConfig: { service: { ...SERVICE, path: '/convert' } } } };
  const spec = { ...(crd['spec'] as object), versions, conversion };
  return [
    { ...crd, spec },
    sampleDeployment('widget', { image }),
    sample('v1', 'Service', SERVICE.name, {
      namespace: NAMESPACE,
      spec: { selector: { app: 'widget' }, ports: [{ port: 443 }] },
    }),
    sample('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'widgets', {
      webhooks: [{ name: 'w.example.com', clientConfig: { service: { ...SERVICE, path: '/validate' } } }],
    }),
  ];
}

/** Simulates the API server's call of the webhook in question. */
function answerProbe({ verb, ref, dryRun }: FakeRequest): void {
  if (verb !== 'create' || !dryRun || ref.kind !== 'ConfigMap') return;
  const probe = find('MutatingWebhookConfiguration', (name) => name.startsWith('slipway-probe-'));
  const [first] = listOf(probe?.['webhooks']);
  const by = textOf(fieldsOf(fieldsOf(first?.['clientConfig'])['service'])['name']);
  calledBy.push(by);
  const isNew = by !== SERVICE.name || imageOf(find('Deployment')) !== OLD;
  const name = silence !== undefined && isNew ? 'webhook-0' : 'end';
  const why = silence ?? 'service "slipway-absent" not found';
  const text = `failed calling webhook "${name}.probe.slipway.dev": failed to call webhook: Post "https://x": ${why}`;
  throw refusal(500, 'InternalError', text);
}

/** Simulates the Deployment's controller: a Deployment that is held back has a Pod of each template. */
function play(object: KubeObject): KubeObject {
  if (groupKind(object) !== 'Deployment.apps' || heldFor(object) === undefined) return settle(object);
  const counts = { replicas: 2, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 1 };
  return { ...object, status: { observedGeneration: object.metadata.generation, ...counts } };
}

function find(kind: string, isNamed = (_name: string): boolean => true): KubeObject | undefined {
  return harness.cluster.objects().find((object) => object.kind === kind && isNamed(object.metadata.name));
}

function imageOf(deployment: KubeObject | undefined): unknown {
  const template = fieldsOf(fieldsOf(deployment?.['spec'])['template']);
  return listOf(fieldsOf(template['spec'])['containers'])[0]?.['image'];
}

function pod(hash: string): KubeObject {
  const labels = { app: 'widget', 'pod-template-hash': hash };
  const creationTimestamp = hash === 'old' ? '2026-01-01T00:00:00Z' : '2026-01-02T00:00:00Z';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `widget-${hash}`, namespace: NAMESPACE, labels, creationTimestamp },
    spec: { containers: [{ name: 'manager' }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** The ReplicaSet that the Deployment's controller makes for a template. */
function replicaSet(hash: string, revision: number): KubeObject {
  const { name, uid = '' } = find('Deployment')?.metadata ?? { name: '' };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `widget-${hash}`,
      namespace: NAMESPACE,
      labels: { app: 'widget', 'pod-template-hash': hash },
      annotations: { 'deployment.kubernetes.io/revision': `${revision}` },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }],
    },
  };
}

const storage = (): unknown => {
  const versions = listOf(fieldsOf(find('CustomResourceDefinition')?.['spec'])['versions']);
  return versions.find((version) => version['storage'] === true)?.['name'];
};
const selector = (): unknown => fieldsOf(find('Service', (name) => name === SERVICE.name)?.['spec'])['selector'];
const told = (number: number): ReturnType<typeof findCondition> =>
  findCondition(harness.revision(number).status?.conditions, 'Ready');
const traces = (): readonly string[] =>
  harness.cluster
    .objects()
    .map(({ metadata }) => metadata.name)
    .filter((name) => /slipway-probe|-rehearsal-/.test(name));

/** Deletes the Subscription, and its Revision as its controller does. */
async function uninstall(active = 2): Promise<void> {
  const owner = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', namespace: NAMESPACE, name: 'widgets' };
  harness.cluster.change(owner, (object) => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['slipway.dev/cleanup'] },
  }));
  await harness.cluster.delete(refOf(harness.revision(active)));
  await harness.reconcile(active);
}

beforeEach(async () => {
  silence = undefined;
  calledBy = [];
  harness = createHarness({ probeWebhooks: true, before: answerProbe, react: play });
  await harness.addRevision(1, operator(OLD, 'v1'), { certificates: 'CertManager' });
  await harness.settle(1);
  harness.cluster.put(pod('old'));
  harness.cluster.put(replicaSet('old', 1));
});

test('a first installation is probed before admission begins, and no object of the probe is left', () => {
  expect(told(1)?.status).toBe('True');
  expect(calledBy).toEqual([SERVICE.name, SERVICE.name]);
  const { requests } = harness.cluster;
  const at = (kind: string, dryRun: boolean): number =>
    requests.findIndex(
      ({ ref, verb, dryRun: dry }) => ref.kind === kind && ['create', 'apply'].includes(verb) && dry === dryRun,
    );
  expect(at('ConfigMap', true)).toBeGreaterThan(-1);
  expect(at('ConfigMap', true)).toBeLessThan(at('ValidatingWebhookConfiguration', false));
  expect(traces()).toEqual([]);
  expect(harness.revision(1).status?.inventory).toHaveLength(4);
});

describe('an upgrade', () => {
  beforeEach(async () => {
    calledBy = [];
    harness.setState(1, 'Archived');
    await harness.addRevision(2, operator('registry.example/operator:2', 'v2'), {
      previous: 'widgets-1',
      certificates: 'CertManager',
    });
    harness.cluster.put(replicaSet('new', 2));
    silence = 'no endpoints available';
    await harness.reconcile(2);
    harness.cluster.put(pod('new'));
    [silence, calledBy] = [undefined, []];
  });

  test('an upgrade keeps the working Pods, and selects only them, until the new ones have answered', () => {
    expect(heldFor(find('Deployment'))).toBe('old');
    expect(selector()).toEqual({ app: 'widget', 'pod-template-hash': 'old' });
    expect(storage()).toBe('v1');
  });

  test('an upgrade calls the new Pods first and all Services then, and is whole at the end', async () => {
    await harness.settle(2);
    expect(selector()).toEqual({ app: 'widget', 'pod-template-hash': 'new' });
    expect(heldFor(find('Deployment'))).toBe('old');
    for (let second = 0; second < 5; second += 1) {
      harness.pass(1);
      await harness.reconcile(2);
    }
    expect(calledBy.map((by) => by !== SERVICE.name)).toEqual([true, true, false, false]);
    expect(heldFor(find('Deployment'))).toBeUndefined();
    expect(selector()).toEqual({ app: 'widget' });
    expect(storage()).toBe('v2');
    expect(told(2)?.status).toBe('True');
    expect(traces()).toEqual([]);
    expect(harness.revision(2).status?.inventory).toHaveLength(4);
  });

  test('an upgrade whose new Pods are let in goes on in seconds although the clock is set back by an hour', async () => {
    await harness.settle(2);
    harness.pass(-3600);
    for (let second = 0; second < 5; second += 1) {
      await harness.reconcile(2);
      harness.pass(1);
    }
    expect(told(2)?.status).toBe('True');
    expect(selector()).toEqual({ app: 'widget' });
  });

  test('an upgrade to silent Pods reports them until its deadline is over, and removes no working Pod', async () => {
    silence = 'dial tcp 10.0.0.1:443: connect: connection refused';
    harness.pass(10);
    await harness.reconcile(2);
    expect(told(2)).toMatchObject({ reason: 'WebhookSilent', status: 'False' });
    expect(traces()).toHaveLength(2);
    expect(harness.revision(2).status?.inventory?.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...traces()]),
    );
    expect(told(2)?.message).toMatch(/Pod widget-new, which is ready, does not answer .*connection refused/);
    expect(told(2)?.message).toContain('spec.webhookSafety');
    harness.pass(700);
    await harness.reconcile(2);
    const stalled = findCondition(harness.revision(2).status?.conditions, 'Stalled');
    expect(stalled).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
    expect(stalled?.message).toContain('connection refused');
    expect(selector()).toMatchObject({ 'pod-template-hash': 'old' });
    expect(storage()).toBe('v1');
  });

  test('an upgrade to Pods that listen late goes on when they do, even after its deadline', async () => {
    silence = 'EOF';
    harness.pass(700);
    await harness.reconcile(2);
    silence = undefined;
    for (let second = 0; second < 8; second += 1) {
      harness.pass(1);
      await harness.reconcile(2);
    }
    expect(told(2)?.status).toBe('True');
  });

  test('an upgrade that cannot be rehearsed fails soon if no Pod answers: the old Pods are gone', async () => {
    const recreated = operator('registry.example/operator:3', 'v2').map((object) =>
      object.kind === 'Deployment'
        ? { ...object, spec: { ...fieldsOf(object['spec']), strategy: { type: 'Recreate' } } }
        : object,
    );
    harness.setState(2, 'Archived');
    await harness.addRevision(3, recreated, { previous: 'widgets-2', certificates: 'CertManager' });
    silence = 'EOF';
    await harness.reconcile(3);
    expect(told(3)?.reason).toBe('WebhookSilent');
    expect(findCondition(harness.revision(3).status?.conditions, 'Stalled')).toBeUndefined();
    harness.pass(61);
    await harness.reconcile(3);
    expect(findCondition(harness.revision(3).status?.conditions, 'Stalled')?.reason).toBe('WebhookSilent');
  });

  test('an upgrade is not rehearsed if its Subscription says so', async () => {
    harness.setSubscription({ webhookSafety: 'None' });
    await harness.settle(2);
    expect(calledBy).toEqual([]);
    expect(told(2)?.status).toBe('True');
  });

  test('an upgrade on top of a failed one calls the newest Pods, whatever else is ready', async () => {
    silence = 'EOF';
    await harness.reconcile(2);
    harness.setState(2, 'Archived');
    await harness.addRevision(3, operator('registry.example/operator:3', 'v2'), {
      previous: 'widgets-2',
      certificates: 'CertManager',
    });
    harness.cluster.put(replicaSet('newer', 3));
    await harness.reconcile(3);
    expect(told(3)?.message).toContain('no Pod answers');
    const trial = find('Service', (name) => name.includes('-rehearsal-'));
    expect(fieldsOf(trial?.['spec'])['selector']).toMatchObject({ 'pod-template-hash': 'newer' });
    expect(heldFor(find('Deployment'))).toBe('old');
  });

  test('after a failed upgrade the Service selects all Pods again once only the old ones are left', async () => {
    silence = 'EOF';
    await harness.reconcile(2);
    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    await harness.reconcile(1);
    expect(imageOf(find('Deployment'))).toBe(OLD);
    expect(heldFor(find('Deployment'))).toBeUndefined();
    expect(selector()).toMatchObject({ 'pod-template-hash': 'old' });
    await harness.settle(1);
    expect(selector()).toEqual({ app: 'widget' });
    expect(told(1)?.status).toBe('True');
    harness.pass(60);
    await harness.settle(1);
    expect(traces()).toEqual([]);
    expect(harness.revision(1).status?.inventory).toHaveLength(4);
  });

  test('an upgrade whose Subscription is deleted, while its objects stay, leaves no object as in a rehearsal', async () => {
    silence = 'EOF';
    await harness.reconcile(2);
    expect(traces()).toHaveLength(2);
    harness.setSubscription({ uninstall: { objects: 'Orphan' } });
    await uninstall();
    expect(harness.revision(2)).toBeUndefined();
    expect(heldFor(find('Deployment'))).toBeUndefined();
    expect(fieldsOf(find('Deployment')?.['spec'])).not.toHaveProperty('minReadySeconds');
    expect(selector()).toEqual({ app: 'widget' });
    expect(traces()).toEqual([]);
  });

  test('objects that stay do so without traces, also of a Revision that is gone', async () => {
    silence = 'EOF';
    await harness.reconcile(2);
    harness.setState(2, 'Archived');
    harness.setState(1, 'Active');
    await harness.reconcile(1);
    await harness.vanish(2);
    harness.setSubscription({ uninstall: { objects: 'Orphan' } });
    await uninstall(1);
    expect(harness.revision(1)).toBeUndefined();
    expect(traces()).toEqual([]);
  });

  describe('for an account, which has no right on the objects of the check,', () => {
    beforeEach(async () => {
      const named = { serviceAccountName: 'installer' };
      harness.cluster.put(sample('v1', 'ServiceAccount', 'installer', { namespace: NAMESPACE }));
      harness.cluster.restrict(({ ref: { name } }) => !/slipway-probe|-rehearsal-/.test(name));
      harness.setSubscription(named);
      silence = 'EOF';
      await harness.reconcile(2);
      expect(traces()).toHaveLength(2);
    });

    test('leaves none of them if it is uninstalled', async () => {
      await uninstall();
      expect(traces()).toEqual([]);
      expect(harness.events).toEqual([]);
    });

    test.each([
      { because: 'which comes to its end', meanwhile: async () => undefined },
      {
        because: 'although a person has deleted its Revision meanwhile',
        meanwhile: async () => {
          await harness.reconcile(1);
          await harness.vanish(2);
        },
      },
    ])('leaves none of them after its rollback, $because', async ({ meanwhile }) => {
      harness.setState(2, 'Archived');
      harness.setState(1, 'Active');
      await meanwhile();
      await harness.settle(1);
      harness.pass(60);
      await harness.settle(1);
      expect(traces()).toEqual([]);
      expect(findCondition(harness.revision(1).status?.conditions, 'Reconciling')).toBeUndefined();
    });
  });

  test('an upgrade that is tried a second time is rehearsed a second time', async () => {
    while (heldFor(find('Deployment')) !== undefined) {
      harness.pass(1);
      await harness.reconcile(2);
    }
    expect(told(2)?.status).toBe('False');
    harness.setState(2, 'Archived');
    await harness.reconcile(2);
    harness.setState(1, 'Active');
    await harness.settle(1);
    harness.setState(1, 'Archived');
    harness.setState(2, 'Active');
    await harness.reconcile(2);
    expect(heldFor(find('Deployment'))).toBeDefined();
  });
});
