/** The marks by which OLM finds the objects of an operator again. */
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { makeBackup } from './backup.ts';
import { componentLabel } from './kinds.ts';
import { isMarked } from './marks.ts';
import { csvOf, subscriptionOf, surveyOf } from './testing/survey.ts';
import { translateSubscription } from './translate.ts';
import { handBack, hasMarks, isOfOperator, marksFor } from './undo-marks.ts';

const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };
const component = componentLabel('gadget-operator', 'ops');
const owner = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  name: 'gadget.v1',
  uid: 'old',
};
const RBAC = 'rbac.authorization.k8s.io/v1';
const objects: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'one',
      namespace: 'ops',
      labels: { app: 'gadget', 'olm.managed': 'true', [component]: '' },
      ownerReferences: [owner],
    },
  },
  {
    apiVersion: RBAC,
    kind: 'ClusterRole',
    metadata: { name: 'bundled', labels: { 'olm.managed': 'true', 'olm.owner': 'gadget.v1' } },
  },
];
const csv = csvOf('gadget.v1', { spec: { webhookdefinitions: [{ generateName: 'check.example' }] } });
const survey = { ...surveyOf(), subscription: subscriptionOf(), csv };
const { manifest: wanted } = translateSubscription(survey, { name: 'gadget', version: '1.0.0' });
const backup = makeBackup(survey, operator, { wanted, objects });
const refOf = (kind: string, name: string, namespace?: string, apiVersion = RBAC): Parameters<typeof marksFor>[0] => ({
  apiVersion,
  kind,
  name,
  ...(namespace !== undefined && { namespace }),
});

describe('the marks of an object', () => {
  test.each([
    {
      because: 'OLM had made it: those of the backup, with the new ClusterServiceVersion as owner',
      ref: refOf('Service', 'one', 'ops', 'v1'),
      labels: { 'olm.managed': 'true', [component]: '' },
      owners: ['new'],
    },
    {
      because: 'OLM had made it without an owner',
      ref: refOf('ClusterRole', 'bundled'),
      labels: { 'olm.managed': 'true', 'olm.owner': 'gadget.v1' },
      owners: [],
    },
    {
      because: 'Slipway made it in the namespace of the operator',
      ref: refOf('Role', 'own', 'ops'),
      labels: {
        'olm.managed': 'true',
        [component]: '',
        'olm.owner': 'gadget.v1',
        'olm.owner.kind': 'ClusterServiceVersion',
        'olm.owner.namespace': 'ops',
      },
      owners: ['new'],
    },
    {
      because: 'Slipway made it in a namespace that the operator watches, where OLM keeps copies',
      ref: refOf('Role', 'own', 'target'),
      labels: {
        'olm.managed': 'true',
        'olm.copiedFrom': 'ops',
        'olm.owner': 'gadget.v1',
        'olm.owner.kind': 'ClusterServiceVersion',
        'olm.owner.namespace': 'target',
      },
      owners: [],
    },
    {
      because: 'OLM finds a webhook configuration by its name in the bundle',
      ref: refOf('ValidatingWebhookConfiguration', 'check.example', undefined, 'admissionregistration.k8s.io/v1'),
      labels: {
        'olm.managed': 'true',
        'olm.owner': 'gadget.v1',
        'olm.owner.kind': 'ClusterServiceVersion',
        'olm.owner.namespace': 'ops',
        'olm.webhook-description-generate-name': 'check.example',
      },
      owners: [],
    },
  ])('$because', ({ ref, labels, owners }) => {
    const marks = marksFor(ref, backup, 'new');
    expect(marks.labels).toEqual(labels);
    expect(marks.ownerReferences.map(({ uid }) => uid)).toEqual(owners);
  });
});

describe('an object is given back', () => {
  const marks = marksFor(refOf('Service', 'one', 'ops', 'v1'), backup, 'new');
  const one = (annotations: Record<string, string>, labels: Record<string, string> = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'one', namespace: 'ops', annotations, labels },
  });

  test.each([
    { because: "it is of Slipway's Subscription", object: one({ [ANNOTATION.owner]: 'ops/gadget' }), is: true },
    { because: 'the hand-over has marked it', object: one({ [ANNOTATION.adoptBy]: 'ops/gadget' }), is: true },
    { because: 'it has the labels of OLM already, and another owner', object: one({}, marks.labels), is: true },
    {
      because: 'another Subscription has taken it over',
      object: one({ [ANNOTATION.owner]: 'ops/other', [ANNOTATION.adoptBy]: 'ops/gadget' }),
      is: false,
    },
    {
      because: 'another Subscription is to take it over',
      object: one({ [ANNOTATION.adoptBy]: 'ops/other' }),
      is: false,
    },
    { because: 'another program has made it again', object: one({}), is: false },
  ])('$is: $because', ({ object, is }) => {
    expect(isOfOperator(object, backup, marks)).toBe(is);
  });
});

describe('the patch of an object', () => {
  const live: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'one',
      namespace: 'ops',
      resourceVersion: '7',
      labels: { app: 'gadget', 'app.kubernetes.io/managed-by': 'slipway', 'slipway.dev/owner': 'ops.gadget' },
      annotations: { 'slipway.dev/owner-uid': 'u', note: 'kept' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other' }],
    },
  };
  const marks = marksFor(refOf('Service', 'one', 'ops', 'v1'), backup, 'new');
  const patch = handBack(live, marks)['metadata'] as KubeObject['metadata'];

  test('is bound to the version that was read, takes the marks of Slipway off, and keeps all others', () => {
    expect(patch).toMatchObject({
      resourceVersion: '7',
      labels: { 'app.kubernetes.io/managed-by': null, 'slipway.dev/owner': null, 'olm.managed': 'true' },
      annotations: { 'slipway.dev/owner-uid': null },
    });
    expect(patch.labels).not.toHaveProperty('app');
    expect(patch.annotations).not.toHaveProperty('note');
    expect(patch.ownerReferences?.map(({ uid }) => uid)).toEqual(['other', 'new']);
  });

  test('leads to an object that OLM recognizes, and is not made again', () => {
    const present = (entries: object | undefined): Record<string, string> =>
      Object.fromEntries(Object.entries(entries ?? {}).filter(([, value]) => value !== null));
    const labels = present({ ...live.metadata.labels, ...patch.labels });
    const annotations = present({ ...live.metadata.annotations, ...patch.annotations });
    const after = { ...live, metadata: { ...live.metadata, ...patch, labels, annotations } };
    expect(hasMarks(live, marks)).toBe(false);
    expect(hasMarks(after, marks)).toBe(true);
    expect(isMarked(after)).toBe(true);
  });

  test('is made for an object that had no marks of OLM, as long as it has those of Slipway', () => {
    expect(hasMarks(live, { labels: {}, annotations: {}, ownerReferences: [] })).toBe(false);
    const bare = { ...live, metadata: { name: 'one', namespace: 'ops' } };
    expect(hasMarks(bare, { labels: {}, annotations: {}, ownerReferences: [] })).toBe(true);
  });

  test('leaves the label of another program that manages the object', () => {
    const helm = { ...live, metadata: { ...live.metadata, labels: { 'app.kubernetes.io/managed-by': 'Helm' } } };
    expect((handBack(helm, marks)['metadata'] as KubeObject['metadata']).labels).not.toHaveProperty('app.kubernetes.io/managed-by'); // prettier-ignore
  });
});
