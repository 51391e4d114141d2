/**
 * Pull secrets for the Pods of operators: which are copied where, how copies follow their source, and that no namespace
 * gets one that was not offered to it. The Revision controller runs against a cluster in memory.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { sample, sampleDeployment } from '../../../apply/testing/sample-objects.ts';
import type { KubeObject } from '../../../api/object.ts';
import { createHarness, NAMESPACE, type Harness } from '../testing/harness.ts';
import { policiesOf, type Written } from '../../testing/policies.ts';
import { withPods } from '../../../plan/pods.ts';
import { createPullSecretOffers } from './offers.ts';

const SYSTEM = 'slipway-system';
const COPY = /^slipway-pull-widgets-[0-9a-f]{10}$/;
const offered = { name: 'login', copyTo: { matchLabels: { team: 'a' } } };

let written: Written;
let secrets: Map<string, KubeObject>;
let labels: Record<string, string>;
let harness: Harness;

beforeEach(async () => {
  written = { team: { prefix: 'quay.io/team', pullSecret: offered } };
  labels = { team: 'a' };
  secrets = new Map();
  store('login', 'first');
  harness = createHarness({
    pullSecrets: createPullSecretOffers({
      policies: {
        over: (name) => policiesOf(written).over(name),
        pullSecrets: () => policiesOf(written).pullSecrets(),
        demandSignatures: () => policiesOf(written).demandSignatures(),
      },
      secrets,
      namespaces: { get: (name) => sample('v1', 'Namespace', name, { metadata: { name, labels } }) },
      namespace: SYSTEM,
    }),
  });
  harness.setSubscription({});
});

function store(name: string, password: string): void {
  const metadata = { name, namespace: SYSTEM, uid: `uid-${name}`, resourceVersion: password };
  const data = { '.dockerconfigjson': Buffer.from(password).toString('base64') };
  secrets.set(`${SYSTEM}/${name}`, { apiVersion: 'v1', kind: 'Secret', metadata, data });
}

async function install(image = 'quay.io/team/widgets:v1'): Promise<void> {
  await harness.addRevision(1, [sampleDeployment('widget', { image })]);
  await harness.settle(1);
}

function copies(): readonly KubeObject[] {
  return harness.cluster.objects().filter(({ kind, metadata }) => kind === 'Secret' && COPY.test(metadata.name));
}

function passwords(): readonly string[] {
  return copies().map((one) => {
    const { '.dockerconfigjson': text = '' } = one['data'] as Readonly<Record<string, string>>;
    return Buffer.from(text, 'base64').toString();
  });
}

function namesInPods(): readonly string[] {
  const deployment = harness.cluster.objects().find(({ kind }) => kind === 'Deployment');
  if (deployment === undefined) throw new Error('the Deployment is gone');
  const { template } = deployment['spec'] as {
    readonly template: { readonly spec: { imagePullSecrets?: { name: string }[] } };
  };
  return (template.spec.imagePullSecrets ?? []).map(({ name }) => name);
}

/** The reconcile that a change of a policy, a namespace or a Secret causes. */
async function wake(): Promise<void> {
  await harness.settle(1);
}

describe('a pull secret of a policy', () => {
  test('is copied into the namespace that it is offered to, and named in the Pods', async () => {
    await install();
    expect(passwords()).toEqual(['first']);
    expect(copies()[0]).toMatchObject({ type: 'kubernetes.io/dockerconfigjson', metadata: { namespace: NAMESPACE } });
    expect(namesInPods()).toEqual([copies()[0]?.metadata.name]);
  });

  test('is copied for an image that is only mounted', async () => {
    const deployment = sampleDeployment('widget', { image: 'ghcr.io/team/widgets:v1' });
    const volumes = [{ name: 'models', image: { reference: 'quay.io/team/models:v1' } }];
    await harness.addRevision(1, [withPods(deployment, (spec) => ({ ...spec, volumes }))]);
    await harness.settle(1);
    expect([passwords(), namesInPods()]).toEqual([['first'], [copies()[0]?.metadata.name]]);
  });

  test.each<{ because: string; change: () => void; image?: string }>([
    { because: 'the namespace lacks the label', change: () => void (labels = {}) },
    { because: 'the label has another value', change: () => void (labels = { team: 'b' }) },
    {
      because: 'no namespace is named',
      change: () => void (written = { team: { prefix: 'quay.io/team', pullSecret: { name: 'login' } } }),
    },
    { because: 'the image is of another registry', change: () => undefined, image: 'ghcr.io/team/widgets:v1' },
    { because: 'the image has no readable name', change: () => undefined, image: '!' },
    {
      because: 'the policy with the longest prefix offers none',
      change: () =>
        void (written = { ...written, near: { prefix: 'quay.io/team/widgets', pullSecret: { name: 'other' } } }),
    },
    { because: 'the Secret does not exist', change: () => secrets.clear() },
    {
      because: 'the selector cannot be read',
      change: () =>
        void (written = {
          team: { prefix: 'quay.io/team', pullSecret: { name: 'login', copyTo: { matchLabels: { '!': 'a' } } } },
        }),
    },
  ])('is not copied if $because', async ({ change, image }) => {
    change();
    await install(image);
    expect([copies(), namesInPods()]).toEqual([[], []]);
  });

  test('that is replaced is replaced in its copy, and the Pods are left alone', async () => {
    await install();
    const before = harness.cluster.objects().find(({ kind }) => kind === 'Deployment');
    store('login', 'second');
    await wake();
    expect(passwords()).toEqual(['second']);
    const after = harness.cluster.objects().find(({ kind }) => kind === 'Deployment');
    expect(after?.metadata.generation).toBe(before?.metadata.generation);
  });

  test('that is offered later reaches an installed operator', async () => {
    labels = {};
    await install();
    labels = { team: 'a' };
    await wake();
    expect(passwords()).toEqual(['first']);
    expect(namesInPods()).toHaveLength(1);
  });

  test('that is no longer offered is removed from the namespace and the Pods', async () => {
    await install();
    labels = {};
    await wake();
    harness.pass(3600);
    await wake();
    expect([copies(), namesInPods()]).toEqual([[], []]);
  });

  test('is not taken away by a second policy with the same prefix: installed operators still need it', async () => {
    await install();
    written = { ...written, twin: { prefix: 'quay.io/team' } };
    await wake();
    expect(passwords()).toEqual(['first']);
  });

  test('costs no request while nothing changes', async () => {
    await install();
    const before = harness.cluster.requests.length;
    await harness.reconcile(1);
    expect(harness.cluster.requests.length).toBe(before);
  });

  test('that a person deleted is copied again', async () => {
    await install();
    const { name } = copies()[0]!.metadata;
    await harness.cluster.delete({ apiVersion: 'v1', kind: 'Secret', name, namespace: NAMESPACE });
    await wake();
    expect(passwords()).toEqual(['first']);
  });

  test('does not overwrite a Secret of that name that belongs to another owner', async () => {
    await install();
    const { name } = copies()[0]!.metadata;
    const foreign = sample('v1', 'Secret', name, { namespace: NAMESPACE });
    const other = createHarness({
      pullSecrets: createPullSecretOffers({
        policies: policiesOf(written),
        secrets,
        namespaces: { get: () => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } }) },
        namespace: SYSTEM,
      }),
    });
    other.setSubscription({});
    other.cluster.put({ ...foreign, data: { own: 'eA==' } });
    await other.addRevision(1, [sampleDeployment('widget', { image: 'quay.io/team/widgets:v1' })]);
    await expect(other.settle(1)).rejects.toMatchObject({ reason: 'Collision' });
    const kept = other.cluster.objects().find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
    expect(kept?.['data']).toEqual({ own: 'eA==' });
  });
});
