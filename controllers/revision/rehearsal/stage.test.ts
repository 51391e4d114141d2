/** In which stage a roll-out is, and what its objects are in it, as a table of what the cluster shows. */
import { describe, expect, test } from 'vitest';
import { sample, sampleCrd, sampleDeployment } from '../../../apply/sample-objects.ts';
import { labelValue } from '../../../apply/prepare.ts';
import { fieldsOf, listOf } from '../../../apply/untyped.ts';
import { ANNOTATION, LABEL } from '../../../api/names.ts';
import type { KubeObject, ObjectRef } from '../../../api/object.ts';
import { calledWebhooks } from './called-webhooks.ts';
import { decideStage, rehearsable, type Proved, type Stage, type StageFacts } from './stage.ts';

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

/** What the cluster holds of an object that another Revision made, unless told. */
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
const TRIED = new Map([[deployment, { old: 'old', fresh: 'new' }]]);

describe('an upgrade', () => {
  const live = [running(OLD_CRD), running(deployment)];

  test('is rehearsed: the new Pods come, the old ones stay, serve and are the only ones that do', () => {
    const stage = decideStage(factsOf(live, { trials: HELD }));
    expect(stage.name).toBe('rehearsal');
    expect(specOf(stage)).toMatchObject({ minReadySeconds: 1e9, progressDeadlineSeconds: 2 ** 31 - 1 });
    expect(selectorIn(stage)).toEqual({ app: 'widget', 'pod-template-hash': 'old' });
    expect(storedAs(stage)).toBe('v1');
  });

  test('starts no Pod anew by being held back or let go: the template is the same', () => {
    expect(specOf(decideStage(factsOf(live, { trials: HELD })))['template']).toBe(
      fieldsOf(deployment['spec'])['template'],
    );
  });

  test('lets in the new Pods once they answer, and the old ones stay', () => {
    const stage = decideStage(factsOf(live, { proved: 'pods', trials: TRIED }));
    expect(stage.name).toBe('letIn');
    expect(specOf(stage)).toMatchObject({ minReadySeconds: 1e9 });
    expect(selectorIn(stage)).toEqual({ app: 'widget', 'pod-template-hash': 'new' });
    expect(storedAs(stage)).toBe('v1');
  });

  test('is handed over once all nodes know them, and what is stored waits', () => {
    const narrowed = running(desired[2] as KubeObject, { letIn: 'new', revision: 'widgets-2' });
    const held = running(deployment, { annotation: 'old' });
    const stage = decideStage(factsOf([running(OLD_CRD), held, narrowed], { proved: 'in', trials: TRIED }));
    expect(stage.name).toBe('handOver');
    expect(stage.objects[1]).toBe(deployment);
    expect(selectorIn(stage)).toEqual({ app: 'widget', 'pod-template-hash': 'new' });
    expect(storedAs(stage)).toBe('v1');
  });

  test('is rehearsed again where the new Pods are gone before they were let in', () => {
    const { name } = decideStage(factsOf(live, { proved: 'pods', trials: HELD }));
    expect(name).toBe('rehearsal');
  });

  test('is called by the ports of before while the Pods of before are called', () => {
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
      because: 'are asked by another path',
    },
    { before: { strategy: 'None' }, versions: [version('v1', true), version('v2', false)], because: 'did without' },
  ])('is converted as before while the Pods of before are called, which $because', ({ before, versions }) => {
    const found = [running(crd(versions, before)), running(deployment)];
    const conversionIn = (proved: Proved): unknown =>
      fieldsOf(decideStage(factsOf(found, { proved, trials: TRIED })).objects[0]?.['spec'])['conversion'];
    expect(conversionIn('nothing')).toEqual(before);
    expect(conversionIn('pods')).toEqual(conversion);
  });

  test('is whole where there is nobody who could answer: no Deployment', () => {
    const objects = [desired[0], desired[2]] as readonly KubeObject[];
    expect(decideStage(factsOf([running(OLD_CRD)], { objects }))).toMatchObject({ name: 'whole', objects });
  });

  test('does not lead to what another Revision let in', () => {
    const letIn = running(desired[2] as KubeObject, { letIn: 'new', revision: 'widgets-1' });
    expect(selectorIn(decideStage(factsOf([letIn])))).toEqual({ app: 'widget' });
  });

  test('is whole once everybody answers', () => {
    const stage = decideStage(factsOf(live, { proved: 'all' }));
    expect(stage).toMatchObject({ name: 'whole', objects: desired });
    expect(storedAs(stage)).toBe('v2');
  });

  test.each<{ live: readonly KubeObject[]; objects?: readonly KubeObject[]; because: string }>([
    { live: [], because: 'nothing is there' },
    { live: [running(desired[0] as KubeObject), running(deployment)], because: 'it is stored as it was' },
    { live: [running(crd([version('v0', true)]))], because: 'what is stored so far is no version any more' },
    {
      live,
      objects: [crd([version('v1', false), version('v2', true)], { strategy: 'None' }), ...desired.slice(1)],
      because: 'nothing is converted by a webhook',
    },
  ])('is whole from the beginning where $because', ({ live: found, objects = desired }) => {
    expect(decideStage(factsOf(found, { objects }))).toMatchObject({ name: 'whole', objects });
  });

  test('to another Deployment is converted by the one before until the new one is proved', () => {
    const before = { strategy: 'Webhook', webhook: { clientConfig: { service: { ...service, name: 'old-service' } } } };
    const stage = decideStage(factsOf([running(crd([version('v1', false), version('v2', true)], before))]));
    expect(stage.name).toBe('handOver');
    expect(stage.objects[0]?.['spec']).toMatchObject({ conversion: before });
  });
});

describe('what is rehearsed', () => {
  const names = (live: readonly KubeObject[], given: Partial<StageFacts> = {}): readonly string[] =>
    rehearsable(factsOf(live, given)).map(({ metadata }) => metadata.name);
  const withStrategy = (strategy: object): readonly KubeObject[] => [
    desired[0] as KubeObject,
    { ...deployment, spec: { ...(deployment['spec'] as object), strategy } },
  ];

  test('is a Deployment behind a webhook that works for the Revision before', () => {
    expect(names([running(deployment)])).toEqual(['widget']);
  });

  test('is also one that is held back already, whatever became of it', () => {
    expect(names([running(deployment, { annotation: 'old', revision: 'widgets-2', status: {} })])).toEqual(['widget']);
  });

  test.each<{ live?: readonly KubeObject[]; given?: Partial<StageFacts>; because: string }>([
    { live: [], because: 'it is not there' },
    { live: [running(deployment, { status: { replicas: 1 } })], because: 'none of its Pods works' },
    { live: [running(deployment, { revision: 'widgets-2' })], because: 'it is rolled out already' },
    {
      live: [running(deployment, { revision: labelValue(LONG) })],
      given: { revision: LONG },
      because: 'it is rolled out already, for a Revision whose name is no label',
    },
    { given: { hasWorked: true }, because: 'the Revision has worked before' },
    { given: { objects: desired.slice(1) }, because: 'nobody calls it' },
    { given: { objects: withStrategy({ type: 'Recreate' }) }, because: 'its author wants old Pods gone first' },
    {
      given: { objects: withStrategy({ rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }) },
      because: 'there may be no Pod more',
    },
    { given: { objects: withStrategy({ rollingUpdate: { maxUnavailable: 1 } }) }, because: 'an old one may go first' },
  ])('is none where $because', ({ live = [running(deployment)], given = {} }) => {
    expect(names(live, given)).toEqual([]);
  });
});

describe('the way back', () => {
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
  ])('leads to the Pods that worked while those that were tried out $because', ({ live }) => {
    const stage = decideStage(factsOf([narrowed, live], { hasWorked: true }));
    expect(stage.name).toBe('return');
    expect(selectorIn(stage)).toMatchObject({ 'pod-template-hash': 'old' });
    expect(stage.objects[1]).toBe(deployment);
  });

  test('ends with the Service as it was', () => {
    const stage = decideStage(factsOf([narrowed, running(deployment, { revision: 'widgets-2' })], { hasWorked: true }));
    expect(stage).toMatchObject({ name: 'whole', objects: desired });
  });

  test('is none where nothing was rehearsed', () => {
    const live = desired.map((object) => running(object));
    expect(decideStage(factsOf(live, { hasWorked: true }))).toMatchObject({ name: 'whole', objects: desired });
  });

  test('never leads to Pods that were let in and have failed since', () => {
    const failed = running(deployment, { revision: 'widgets-3', status: { observedGeneration: 1, replicas: 1 } });
    const letIn = running(desired[2] as KubeObject, { letIn: 'new' });
    expect(decideStage(factsOf([letIn, failed], { hasWorked: true }))).toMatchObject({
      name: 'whole',
      objects: desired,
    });
  });
});
