/** A Subscription that is deleted with `uninstall.objects: Orphan` in the middle of an upgrade with webhooks. */
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../../../api/names.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { findCondition } from '../../../api/conditions.ts';
import { holdBack } from '../../../apply/held-back.ts';
import { intendedEntries } from '../../../apply/inventory.ts';
import { prepareObjects } from '../../../apply/prepare.ts';
import { sample, sampleDeployment } from '../../../apply/testing/sample-objects.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { prepareFor } from '../../prepare-for.ts';
import { createHarness, NAMESPACE, type Harness, type HarnessOptions } from '../testing/harness.ts';
import { narrow, type ChosenPods } from './narrow.ts';
import { probeConfiguration, rehearsalService } from './probe-objects.ts';

const SUBSCRIPTION = {
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Subscription',
  namespace: NAMESPACE,
  name: 'widgets',
};
const PORTS = [{ port: 443, targetPort: 9443 }];
const service = sample('v1', 'Service', 'widget-service', {
  namespace: NAMESPACE,
  spec: { selector: { app: 'widget' }, ports: PORTS },
});
const deployments = {
  'sets no times': sampleDeployment('widget', {}),
  'sets times of its own': withTimes(sampleDeployment('widget', {})),
} as const;

function withTimes(object: KubeObject): KubeObject {
  const spec = { ...fieldsOf(object['spec']), minReadySeconds: 7, progressDeadlineSeconds: 90 };
  return { ...object, spec };
}

const find = (harness: Harness, { kind, metadata: { name } }: KubeObject): KubeObject =>
  harness.cluster.objects().find((object) => object.kind === kind && object.metadata.name === name) as KubeObject;

/** An operator whose Revision 1 is in the state of a rehearsal, with the traces of the check. */
async function rehearse(
  deployment: KubeObject,
  chosen: ChosenPods,
  options: HarnessOptions = {},
): Promise<{ readonly harness: Harness; readonly traces: readonly KubeObject[] }> {
  const harness = createHarness(options);
  harness.setSubscription({ uninstall: { objects: 'Orphan' } });
  await harness.addRevision(1, [deployment, service]);
  const { status } = await harness.settle(1);
  const traces = [probeConfiguration(harness.revision(1).metadata.uid ?? '', []), rehearsalService(service, 'new')];
  for (const trace of prepareObjects(traces, prepareFor(harness.revision(1)))) await harness.cluster.apply(trace);
  const inventory = [...(status?.inventory ?? []), ...intendedEntries(traces)];
  harness.cluster.change(refOf(harness.revision(1)), (object) => ({ ...object, status: { ...status, inventory } }));
  harness.cluster.change(refOf(deployment), (object) => holdBack(object, 'old'));
  const ports = [{ port: 443, targetPort: 8443 }];
  harness.cluster.change(refOf(service), (object) => narrow(object, { chosen, hash: 'old', ports }));
  return { harness, traces };
}

async function remove(harness: Harness): Promise<void> {
  harness.cluster.change(SUBSCRIPTION, (object) => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['slipway.dev/cleanup'] },
  }));
  await harness.cluster.delete(refOf(harness.revision(1)));
  await harness.reconcile(1);
}

describe('objects that stay are not left in the state of a rehearsal', () => {
  const cases = (['rehearsal', 'letIn'] as const).flatMap((chosen) =>
    (['sets no times', 'sets times of its own'] as const).map((bundle) => ({ chosen, bundle })),
  );

  test.each(cases)('in the stage $chosen, if the bundle $bundle', async ({ chosen, bundle }) => {
    const deployment = deployments[bundle];
    const { harness, traces } = await rehearse(deployment, chosen);
    const template = fieldsOf(find(harness, deployment)['spec'])['template'];
    await remove(harness);
    expect(harness.revision(1)).toBeUndefined();
    for (const object of [deployment, service]) {
      const annotations = Object.keys(find(harness, object).metadata.annotations ?? {});
      expect(annotations).not.toContain(ANNOTATION.rehearsal);
      expect(annotations).not.toContain(ANNOTATION.letIn);
      expect(annotations).toContain(ANNOTATION.owner);
    }
    const spec = fieldsOf(find(harness, deployment)['spec']);
    const { minReadySeconds, progressDeadlineSeconds } = fieldsOf(deployment['spec']);
    expect(spec['minReadySeconds']).toBe(minReadySeconds);
    expect(spec['progressDeadlineSeconds']).toBe(progressDeadlineSeconds);
    expect(spec['template']).toEqual(template);
    expect(find(harness, service)['spec']).toMatchObject({ ports: PORTS });
    expect(fieldsOf(find(harness, service)['spec'])['selector']).toEqual({ app: 'widget' });
    expect(traces.map((trace) => find(harness, trace))).toEqual([undefined, undefined]);
    expect(harness.events).toEqual([
      expect.objectContaining({ reason: 'Orphaned', note: expect.stringContaining('The 2 objects') as string }),
    ]);
  });

  test.each([
    { kind: 'Deployment', verb: 'patch', because: 'the hold-back stays' },
    { kind: 'Service', verb: 'patch', because: 'the narrowing stays' },
  ] as const)('a Revision waits if the account may not $verb a $kind: $because', async ({ kind, verb }) => {
    let mayAll = true;
    const accountMay: HarnessOptions['accountMay'] = (request) =>
      mayAll || request.ref.kind !== kind || request.verb !== verb;
    const { harness } = await rehearse(deployments['sets no times'], 'rehearsal', { accountMay });
    harness.cluster.put(sample('v1', 'ServiceAccount', 'installer', { namespace: NAMESPACE }));
    harness.setSubscription({ uninstall: { objects: 'Orphan' }, serviceAccountName: 'installer' });
    mayAll = false;
    await remove(harness);
    const ready = findCondition(harness.revision(1)?.status?.conditions, 'Ready');
    expect(ready).toMatchObject({ reason: 'Forbidden', message: expect.stringContaining(kind) as string });
    expect(harness.events).toEqual([]);
    mayAll = true;
    await harness.reconcile(1);
    expect(harness.revision(1)).toBeUndefined();
  });

  test('a Revision waits if a trace is held by a finalizer, and names it', async () => {
    const { harness, traces } = await rehearse(deployments['sets no times'], 'rehearsal');
    const [trace] = traces as readonly [KubeObject];
    await harness.cluster.patch(refOf(trace), { metadata: { finalizers: ['example.com/hold'] } });
    await remove(harness);
    const ready = findCondition(harness.revision(1)?.status?.conditions, 'Ready');
    expect(ready).toMatchObject({
      reason: 'Uninstalling',
      message: expect.stringContaining(trace.metadata.name) as string,
    });
  });

  test('lost manifests do not keep a Revision, since nothing stores them again during a removal', async () => {
    const { harness } = await rehearse(deployments['sets no times'], 'letIn');
    for (const secret of harness.cluster.objects().filter(({ kind }) => kind === 'Secret'))
      await harness.cluster.delete(refOf(secret));
    await remove(harness);
    expect(harness.revision(1)).toBeUndefined();
    const spec = fieldsOf(find(harness, deployments['sets no times'])['spec']);
    expect([spec['minReadySeconds'], spec['progressDeadlineSeconds']]).toEqual([undefined, undefined]);
    expect(fieldsOf(find(harness, service)['spec'])['selector']).toEqual({ app: 'widget' });
  });

  test('an object that another owner has adopted is not written', async () => {
    const { harness } = await rehearse(deployments['sets no times'], 'rehearsal');
    harness.cluster.change(refOf(service), (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...object.metadata.annotations, [ANNOTATION.owner]: 'other/one' },
      },
    }));
    const before = find(harness, service);
    await remove(harness);
    expect(find(harness, service)).toEqual(before);
    expect(harness.revision(1)).toBeUndefined();
  });
});
