import { beforeEach, describe, expect, test } from 'vitest';
import { sampleDeployment, sample } from '../../../apply/testing/sample-objects.ts';
import { findCondition } from '../../../api/conditions.ts';
import type { KubeObject } from '../../../api/object.ts';
import { refusal } from '../../../api/testing/refusal.ts';
import { createHarness, NAMESPACE, type Harness } from '../testing/harness.ts';
import { LIFETIME_MS } from './plan.ts';

const LIFETIME = LIFETIME_MS / 1000;
const configuration = sample('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'widgets', {
  webhooks: [
    {
      name: 'widgets.example.com',
      clientConfig: { service: { namespace: NAMESPACE, name: 'widget-manager-service', path: '/validate' } },
    },
  ],
});
const objects = [sampleDeployment('widget-manager'), configuration];
const SECRET = 'widget-manager-service-cert';

let harness: Harness;
const find = (kind: string, name: string): KubeObject | undefined =>
  harness.cluster.objects().find((object) => object.kind === kind && object.metadata.name === name);
const authorities = (): number => {
  const { webhooks } = find('ValidatingWebhookConfiguration', 'widgets') as KubeObject & {
    readonly webhooks: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
  };
  const [webhook] = webhooks;
  return (
    Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64')
      .toString()
      .match(/BEGIN/g)?.length ?? 0
  );
};
const writes = (): string[] =>
  harness.cluster.requests.filter(({ verb, dryRun }) => verb === 'apply' && !dryRun).map(({ ref }) => ref.kind);

beforeEach(() => {
  harness = createHarness();
});

describe('certificates that the manager issues', () => {
  beforeEach(async () => {
    await harness.addRevision(1, objects);
    await harness.settle(1);
  });

  test('certificates are in a Secret of the inventory before the configuration trusts them', async () => {
    expect(harness.revision(1).status?.inventory).toContainEqual(
      expect.objectContaining({ kind: 'Secret', name: SECRET, namespace: NAMESPACE }),
    );
    expect(authorities()).toBe(1);
    expect(writes().indexOf('Secret')).toBeLessThan(writes().indexOf('Deployment'));
  });

  test('young certificates cost no request, and are checked when they are due, within a day at most', async () => {
    const before = harness.cluster.requests.length;
    expect(await harness.reconcile(1)).toEqual({ requeueAfterSeconds: 24 * 3600 });
    expect(harness.cluster.requests.length).toBe(before);
  });

  test('certificates are rotated by the clock alone: both trusted, then switched, then one dropped', async () => {
    const first = find('Secret', SECRET)?.['data'];
    harness.pass((LIFETIME * 2) / 3);
    await harness.settle(1);
    expect(authorities()).toBe(2);
    expect(find('Secret', SECRET)?.['data']).toMatchObject({ 'tls.crt': (first as { 'tls.crt': string })['tls.crt'] });
    expect(await harness.reconcile(1)).toEqual({ requeueAfterSeconds: 600 });
    harness.pass(600);
    await harness.settle(1);
    expect(find('Secret', SECRET)?.['data']).not.toMatchObject({
      'tls.crt': (first as { 'tls.crt': string })['tls.crt'],
    });
    expect(authorities()).toBe(2);
    harness.pass(24 * 3600);
    await harness.settle(1);
    expect(authorities()).toBe(1);
    expect(harness.events.filter(({ reason }) => reason === 'CertificateRotated')).toHaveLength(1);
    expect(findCondition(harness.revision(1).status?.conditions, 'Ready')?.status).toBe('True');
  });

  test('certificates do not switch before the last step is in place: a configuration may lack the new one', async () => {
    harness.pass((LIFETIME * 2) / 3);
    await harness.settle(1);
    const before = find('Secret', SECRET)?.['data'];
    const ref = { apiVersion: configuration.apiVersion, kind: configuration.kind, name: 'widgets' };
    harness.cluster.change(ref, (object) => ({
      ...object,
      metadata: { ...object.metadata, generation: 9 },
      webhooks: [],
    }));
    harness.pass(3600);
    await harness.reconcile(1);
    expect(find('Secret', SECRET)?.['data']).toEqual(before);
    expect(authorities()).toBe(2);
  });

  test('certificates stay the same over an upgrade', async () => {
    const before = find('Secret', SECRET)?.['data'];
    harness.setState(1, 'Archived');
    await harness.addRevision(2, [
      sampleDeployment('widget-manager', { image: 'registry.example/operator:2' }),
      configuration,
    ]);
    await harness.settle(2);
    expect(find('Secret', SECRET)?.['data']).toEqual(before);
    expect(writes().filter((kind) => kind === 'ValidatingWebhookConfiguration')).toHaveLength(1);
  });

  test('certificates are issued again when the Secret is deleted', async () => {
    await harness.cluster.delete({ apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE, name: SECRET });
    await harness.settle(1);
    expect(find('Secret', SECRET)).toBeDefined();
  });

  test('a Secret that cannot be made again changes no Pod and no trusted authority, however often it is tried', async () => {
    let isRefusing = false;
    harness = createHarness({
      before: ({ verb, ref }) => {
        if (isRefusing && verb !== 'get' && ref.kind === 'Secret')
          throw refusal(403, 'Forbidden', 'secrets "x" is forbidden: a policy denies it');
      },
    });
    await harness.addRevision(1, objects);
    await harness.settle(1);
    await harness.cluster.delete({ apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE, name: SECRET });
    const specOf = (): unknown => find('Deployment', 'widget-manager')?.['spec'];
    const before = [specOf(), find('ValidatingWebhookConfiguration', 'widgets')?.['webhooks']];
    isRefusing = true;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await harness.reconcile(1).catch(() => undefined);
      harness.pass(600);
    }
    expect([specOf(), find('ValidatingWebhookConfiguration', 'widgets')?.['webhooks']]).toEqual(before);
    expect(findCondition(harness.revision(1).status?.conditions, 'Ready')?.status).toBe('False');
  });

  test('certificates are deleted with the operator', async () => {
    harness.cluster.change(
      { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', namespace: NAMESPACE, name: 'widgets' },
      (object) => ({
        ...object,
        metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] },
      }),
    );
    await harness.cluster.delete({
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Revision',
      namespace: NAMESPACE,
      name: 'widgets-1',
    });
    await harness.reconcile(1);
    expect(find('Secret', SECRET)).toBeUndefined();
    expect(harness.revision(1)).toBeUndefined();
  });
});

test('the manager leaves certificates to cert-manager if the Subscription chooses it', async () => {
  await harness.addRevision(1, objects, { certificates: 'CertManager' });
  await harness.settle(1);
  expect(find('Secret', SECRET)).toBeUndefined();
  expect(authorities()).toBe(0);
});
