/** The stage of a roll-out and its objects, as a table over states of the cluster. */
import { describe, expect, test } from 'vitest';
import { sample, sampleCrd, sampleDeployment } from '../../../apply/testing/sample-objects.ts';
import { labelValue } from '../../../apply/prepare.ts';
import { fieldsOf, listOf } from '../../../api/untyped.ts';
import { ANNOTATION, LABEL } from '../../../api/names.ts';
import type { KubeObject, ObjectRef } from '../../../api/object.ts';
import { calledWebhooks } from './called-webhooks.ts';
import { decideStage, rehearsable, type Proved, type Stage, type StageFacts } from './decide-stage.ts';

const LONG = `${'w'.repeat(100)}-2`;
const service = { namespace: 'ops', name: 'widget-service' };
const conversion = { strategy: 'Webhook', webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] } };
const version = (name: string, storage: boolean): object => ({ name, served: true, storage });
const crd = (versions: readonly object[], converts: object = conversion): KubeObject => {
  const plain = sampleCrd('Widget');
  return { ...plain, spec: { ...(plain['spec'] as object), versions, conversion: converts } };
};
const deployment: KubeObject = { ...sampleDeployment('widget'), metadata: { name: 'widget', namespace: 'ops' } };
const desired: readonly KubeObject[] = [
  crd([version('v1', false), version('v2', true)]),
  deployment,
  sample('v1', 'Service', 'widget-service', { namespace: 'ops', spec: { selector: { app: 'widget' }, ports: [] } }),
];

/** A live object that another Revision made, unless the case says otherwise. */
const running = (
  object: KubeObject,
  fields: { annotation?: string; letIn?: string; revision?: string; status?: object } = {},
): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { [LABEL.revision]: fields.revision ?? 'widgets-1' },
    ...(fields.annotation !== undefined && { annotations: { [ANNOTATION.rehearsal]: fields.annotation } }),
    ...(fields.letIn !== undefined && { annotations: { [ANNOTATION.letIn]: fields.letIn } }),
  },
  status: fields.status ?? {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
  },
});

function factsOf(live: readonly KubeObject[], given: Partial<StageFacts> = {}): StageFacts {
  const { objects = desired } = given;
  return {
    revision: 'widgets-2',
    hasWorked: false,
    objects,
    webhooks: calledWebhooks(objects),
    live: (ref: ObjectRef) => live.find((object) => object.kind === ref.kind && object.metadata.name === ref.name),
    trials: new Map(),
    proved: 'nothing',
    ...given,
  };
}

const storedAs = (stage: Stage): unknown => {
  const versions = listOf(fieldsOf(stage.objects[0]?.['spec'])['versions']);
  return versions.find(({ storage }) => storage === true)?.['name'];
};
const selectorIn = (stage: Stage): unknown => fieldsOf(stage.objects[2]?.['spec'])['selector'];
const specOf = (stage: Stage): Readonly<Record<string, unknown>> => fieldsOf(stage.objects[1]?.['spec']);

const OLD_CRD = crd([version('v1', true)], { strategy: 'None' });
const HELD = new Map([[deployment, { old: 'old', fresh: undefined }]]);
const TRIALS = new Map([[deployment, { old: 'old', fresh: 'new' }]]);

describe('an upgrade', () => {
  const live = [running(OLD_CRD), running(deployment)];

  test('an upgrade is rehearsed: the new Pods come, and the old ones stay and are the only ones that serve', () => {
    const stage = decideStage(factsOf(live, { trials: HELD }));
    expect(stage.name).toBe('rehearsal');
    expect(specOf(stage)).toMatchObject({ minReadySeconds: 1e9, progressDeadlineSeconds: 2 ** 31 - 1 });
    expect(selectorIn(stage)).toEqual({ app: 'widget', 'pod-template-hash': 'old' });
    expect(storedAs(stage)).toBe('v1');
  });

  test('holding back a Deployment and releasing it restarts no Pod: the template is the same', () => {
    expect(specOf(decideStage(factsOf(live, { trials: HELD })))['template']).toBe(
      fieldsOf(deployment['spec'])['template'],
    );
  });

  test('an upgrade lets the new Pods in once they answer, and the old ones stay', () => {
    const stage = decideStage(factsOf(live, { proved: 'pods', trials: TRIALS }));
    expect(stage.name).toBe('letIn');
    expect(specOf(stage)).toMatchObject({ minReadySeconds: 1e9 });
    expect(selectorIn(stage)).toEqual({ app: 'widget', 'pod-template-hash': 'new' });
    expect(storedAs(stage)).toBe('v1');
  });

  test('an upgrade is handed over once all nodes route to the new Pods, and the storage version waits', () => {
    const narrowed = running(desired[2] as KubeObject, { letIn: 'new', revision: 'widgets-2' });
    const held = running(deployment, { annotation: 'old' });
    const stage = decideStage(factsOf([running(OLD_CRD), held, narrowed], { proved: 'in', trials: TRIALS }));
    expect(stage.name).toBe('handOver');
    expect(stage.objects[1]).toBe(deployment);
    expect(selectorIn(stage)).toEqual({ app: 'widget', 'pod-template-hash': 'new' });
    expect(storedAs(stage)).toBe('v1');
  });

  test('an upgrade is rehearsed again if the new Pods are gone before they were let in', () => {
    const { name } = decideStage(factsOf(live, { proved: 'pods', trials: HELD }));
    expect(name).toBe('rehearsal');
  });

  test('the old Pods are called by their old ports', () => {
    const ports = [{ port: 9443 }];
    const trials = new Map([[deployment, { old: 'old', fresh: 'new', ports }]]);
    const portsIn = (proved: Proved): unknown =>
      fieldsOf(decideStage(factsOf(live, { proved, trials })).objects[2]?.['spec'])['ports'];
    expect(portsIn('nothing')).toEqual(ports);
    expect(portsIn('pods')).toEqual([]);
  });

  test.each<{ before: object; versions: readonly object[]; because: string }>([
    {
      before: { strategy: 'Webhook', webhook: { clientConfig: { service: { ...service, path: '/old' } } } },
      versions: [version('v1', true)],
      because: 'had another path',
    },
    {
      before: { strategy: 'None' },
      versions: [version('v1', true), version('v2', false)],
      because: 'needed no webhook',
    },
  ])('the old conversion stays while the old Pods are called, if it $because', ({ before, versions }) => {
    const found = [running(crd(versions, before)), running(deployment)];
    const conversionIn = (proved: Proved): unknown =>
      fieldsOf(decideStage(factsOf(found, { proved, trials: TRIALS })).objects[0]?.['spec'])['conversion'];
    expect(conversionIn('nothing')).toEqual(before);
    expect(conversionIn('pods')).toEqual(conversion);
  });

  test('an upgrade is whole if no Deployment could answer', () => {
    const objects = [desired[0], desired[2]] as readonly KubeObject[];
    expect(decideStage(factsOf([running(OLD_CRD)], { objects }))).toMatchObject({ name: 'whole', objects });
  });

  test('an upgrade does not select the Pods that another Revision let in', () => {
    const letIn = running(desired[2] as KubeObject, { letIn: 'new', revision: 'widgets-1' });
    expect(selectorIn(decideStage(factsOf([letIn])))).toEqual({ app: 'widget' });
  });

  test('an upgrade is whole once all webhooks answer', () => {
    const stage = decideStage(factsOf(live, { proved: 'all' }));
    expect(stage).toMatchObject({ name: 'whole', objects: desired });
    expect(storedAs(stage)).toBe('v2');
  });

  test.each<{ live: readonly KubeObject[]; objects?: readonly KubeObject[]; because: string }>([
    { live: [], because: 'nothing exists yet' },
    { live: [running(desired[0] as KubeObject), running(deployment)], because: 'the storage version stays the same' },
    { live: [running(crd([version('v0', true)]))], because: 'the stored version is not in the new CRD' },
    {
      live,
      objects: [crd([version('v1', false), version('v2', true)], { strategy: 'None' }), ...desired.slice(1)],
      because: 'no webhook converts',
    },
  ])('an upgrade is whole from the beginning if $because', ({ live: found, objects = desired }) => {
    expect(decideStage(factsOf(found, { objects }))).toMatchObject({ name: 'whole', objects });
  });

  test('an upgrade to another Deployment keeps the old conversion until the new one is proved', () => {
    const before = { strategy: 'Webhook', webhook: { clientConfig: { service: { ...service, name: 'old-service' } } } };
    const stage = decideStage(factsOf([running(crd([version('v1', false), version('v2', true)], before))]));
    expect(stage.name).toBe('handOver');
    expect(stage.objects[0]?.['spec']).toMatchObject({ conversion: before });
  });
});

describe('a CRD that a stranger made', () => {
  const versions = [version('v1', true), version('v2', false)];
  test.each<{ clientConfig: object; because: string }>([
    { clientConfig: { service: { ...service, namespace: 'strangers' } }, because: 'a Service of another namespace' },
    { clientConfig: { url: 'https://stranger.example/' }, because: 'a URL' },
  ])('its conversion by $because does not stay until ours is proved', ({ clientConfig }) => {
    const before = { strategy: 'Webhook', webhook: { clientConfig } };
    for (const trials of [HELD, new Map()]) {
      const stage = decideStage(factsOf([running(crd(versions, before)), running(deployment)], { trials }));
      expect(stage.objects[0]?.['spec']).toMatchObject({ conversion });
    }
  });
});

describe('the Deployments of a rehearsal', () => {
  const names = (live: readonly KubeObject[], given: Partial<StageFacts> = {}): readonly string[] =>
    rehearsable(factsOf(live, given)).map(({ metadata }) => metadata.name);
  const withStrategy = (strategy: object): readonly KubeObject[] => [
    desired[0] as KubeObject,
    { ...deployment, spec: { ...(deployment['spec'] as object), strategy } },
  ];

  test('a Deployment behind a webhook that works for the Revision before is rehearsed', () => {
    expect(names([running(deployment)])).toEqual(['widget']);
  });

  test('a Deployment that is held back already is rehearsed, whatever its state', () => {
    expect(names([running(deployment, { annotation: 'old', revision: 'widgets-2', status: {} })])).toEqual(['widget']);
  });

  test.each<{ live?: readonly KubeObject[]; given?: Partial<StageFacts>; because: string }>([
    { live: [], because: 'it does not exist' },
    { live: [running(deployment, { status: { replicas: 1 } })], because: 'none of its Pods works' },
    { live: [running(deployment, { revision: 'widgets-2' })], because: 'it is rolled out already' },
    {
      live: [running(deployment, { revision: labelValue(LONG) })],
      given: { revision: LONG },
      because: 'it is rolled out already, for a Revision whose name is no valid label',
    },
    { given: { hasWorked: true }, because: 'the Revision has worked before' },
    { given: { objects: desired.slice(1) }, because: 'no webhook leads to it' },
    { given: { objects: withStrategy({ type: 'Recreate' }) }, because: 'its author wants the old Pods to end first' },
    {
      given: { objects: withStrategy({ rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }) },
      because: 'no additional Pod is allowed',
    },
    { given: { objects: withStrategy({ rollingUpdate: { maxUnavailable: 1 } }) }, because: 'an old Pod may end first' },
  ])('no Deployment is rehearsed if $because', ({ live = [running(deployment)], given = {} }) => {
    expect(names(live, given)).toEqual([]);
  });
});

describe('a rollback', () => {
  const narrowed = running(desired[2] as KubeObject, { annotation: 'old' });

  test.each<{ live: KubeObject; because: string }>([
    { live: running(deployment, { annotation: 'old', revision: 'widgets-3' }), because: 'are held back' },
    {
      live: running(deployment, {
        revision: 'widgets-2',
        status: { observedGeneration: 1, replicas: 2, updatedReplicas: 1, availableReplicas: 1 },
      }),
      because: 'are not gone yet',
    },
  ])('a rollback selects the Pods that worked while the new ones $because', ({ live }) => {
    const stage = decideStage(factsOf([narrowed, live], { hasWorked: true }));
    expect(stage.name).toBe('return');
    expect(selectorIn(stage)).toMatchObject({ 'pod-template-hash': 'old' });
    expect(stage.objects[1]).toBe(deployment);
  });

  test('a rollback ends with the Service as it was', () => {
    const stage = decideStage(factsOf([narrowed, running(deployment, { revision: 'widgets-2' })], { hasWorked: true }));
    expect(stage).toMatchObject({ name: 'whole', objects: desired });
  });

  test('a rollback has no stage of its own if nothing was rehearsed', () => {
    const live = desired.map((object) => running(object));
    expect(decideStage(factsOf(live, { hasWorked: true }))).toMatchObject({ name: 'whole', objects: desired });
  });

  test('a rollback never selects Pods that were let in and have failed since', () => {
    const failed = running(deployment, { revision: 'widgets-3', status: { observedGeneration: 1, replicas: 1 } });
    const letIn = running(desired[2] as KubeObject, { letIn: 'new' });
    expect(decideStage(factsOf([letIn, failed], { hasWorked: true }))).toMatchObject({
      name: 'whole',
      objects: desired,
    });
  });
});
