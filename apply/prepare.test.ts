import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANNOTATION, LABEL } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { hashObject, labelValue, ownerLabel, prepareObjects } from './prepare.ts';
import { OWNER, prepared, sample } from './testing/sample-objects.ts';

const options = { owner: OWNER, package: 'widgets', revision: 'widgets-1', installNamespace: 'ops' };
const prepareOne = (object: unknown): KubeObject => prepareObjects([object as KubeObject], options)[0] as KubeObject;

describe('what is added', () => {
  test('every object names its owner, in full and as a label for selectors', () => {
    const { labels, annotations } = prepareOne(sample('v1', 'ConfigMap', 'a')).metadata;
    expect(labels).toMatchObject({
      [LABEL.owner]: 'ops.widgets',
      [LABEL.package]: 'widgets',
      [LABEL.revision]: 'widgets-1',
    });
    expect(annotations).toEqual({ [ANNOTATION.owner]: 'ops/widgets', [ANNOTATION.ownerUid]: 'subscription-uid' });
  });

  test('labels and annotations of the bundle are kept, even managed-by, since selectors may use it', () => {
    const metadata = { name: 'a', labels: { app: 'x', [LABEL.managedBy]: 'kustomize' }, annotations: { note: 'y' } };
    const { labels, annotations } = prepareOne({ apiVersion: 'v1', kind: 'Service', metadata }).metadata;
    expect(labels).toMatchObject({ app: 'x', [LABEL.managedBy]: 'kustomize' });
    expect(annotations).toMatchObject({ note: 'y' });
  });

  test('a bundle cannot claim another owner for its objects', () => {
    const metadata = { name: 'a', labels: { [LABEL.owner]: 'x.y' }, annotations: { [ANNOTATION.owner]: 'x/y' } };
    expect(prepareOne({ apiVersion: 'v1', kind: 'Service', metadata }).metadata).toMatchObject({
      labels: { [LABEL.owner]: 'ops.widgets' },
      annotations: { [ANNOTATION.owner]: 'ops/widgets' },
    });
  });

  test.each([
    { owner: OWNER, uid: OWNER.uid, because: 'the Subscription has a uid' },
    {
      owner: { namespace: 'ops', name: 'widgets' },
      uid: undefined,
      because: 'there is no Subscription, only an owner name',
    },
  ])('the uid of the owner is $uid whatever the bundle says, because $because', ({ owner, uid }) => {
    const metadata = { name: 'a', annotations: { [ANNOTATION.ownerUid]: 'stolen' } };
    const [object] = prepareObjects([{ apiVersion: 'v1', kind: 'Service', metadata }], { ...options, owner });
    expect(object?.metadata.annotations?.[ANNOTATION.ownerUid]).toBe(uid);
  });
});

describe('what is removed', () => {
  test.each([
    { field: 'uid', value: 'u', because: 'only the API server sets it' },
    { field: 'resourceVersion', value: '7', because: 'it would make the write conditional' },
    { field: 'generation', value: 3, because: 'only the API server counts generations' },
    { field: 'creationTimestamp', value: null, because: 'generators leave it behind by mistake' },
    { field: 'deletionTimestamp', value: '2000-01-01T00:00:00Z', because: 'no object may be created as deleted' },
    { field: 'managedFields', value: [{ manager: 'x' }], because: 'it would forge ownership of fields' },
    {
      field: 'ownerReferences',
      value: [{ kind: 'Pod', name: 'x', uid: 'u' }],
      because: 'the garbage collector would delete the object',
    },
    { field: 'finalizers', value: ['example.com/hold'], because: 'the object would never be deleted' },
    { field: 'generateName', value: 'a-', because: 'the name is fixed' },
    { field: 'selfLink', value: '/x', because: 'it is obsolete' },
  ])('metadata.$field is removed, because $because', ({ field, value }) => {
    const object = prepareOne({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', [field]: value } });
    expect(object.metadata).not.toHaveProperty(field);
  });

  test('status is removed, because controllers write it', () => {
    expect(prepareOne(sample('v1', 'Service', 'a', { status: { loadBalancer: {} } }))).not.toHaveProperty('status');
  });

  test('the namespace of a cluster-scoped object is removed, as renderers leave one on webhook configurations', () => {
    const webhook = sample('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'a', {
      namespace: 'ops',
    });
    expect(prepareOne(webhook).metadata).not.toHaveProperty('namespace');
  });

  test('the ServiceAccount "default" is left out, because every namespace has it already', () => {
    expect(prepareObjects([sample('v1', 'ServiceAccount', 'default')], options)).toEqual([]);
  });
});

describe('fields that a controller of the cluster fills', () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] };
  const clientConfig = { caBundle: 'Cg==', service: { namespace: 'ops', name: 'webhook' } };
  const conversion = (config: object): object => ({
    group: 'x.y',
    conversion: { strategy: 'Webhook', webhook: { clientConfig: config } },
  });
  const rbac = 'rbac.authorization.k8s.io/v1';
  const crd = (annotations: Record<string, string>, config: object = clientConfig): KubeObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'w.x.y', annotations },
    spec: conversion(config),
  });
  const { caBundle: _, ...unfilled } = clientConfig;

  test.each([
    { what: 'the rules of an aggregated ClusterRole', object: sample(rbac, 'ClusterRole', 'a', { aggregationRule, rules: [] }), kept: { aggregationRule } },
    { what: 'the authority of a CRD that cert-manager injects', object: crd({ 'cert-manager.io/inject-ca-from': 'a/b' }), kept: { spec: conversion(unfilled) } },
    { what: 'the authority of a CRD that OpenShift injects', object: crd({ 'service.beta.openshift.io/inject-cabundle': 'true' }), kept: { spec: conversion(unfilled) } },
  ])('$what is left to that controller', ({ object, kept }) => {
    const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content } = prepareOne(object);
    expect(content).toEqual(kept);
  }); // prettier-ignore

  test.each([
    {
      what: 'the rules of another ClusterRole',
      object: sample(rbac, 'ClusterRole', 'a', { rules: [], aggregationRule: null }),
    },
    { what: 'the authority of a CRD that no other program injects', object: crd({ note: 'x' }) },
    { what: 'a conversion without an authority', object: crd({ 'cert-manager.io/inject-ca-from': 'a/b' }, unfilled) },
    {
      what: 'a CRD without a conversion',
      object: { ...crd({ 'cert-manager.io/inject-ca-from': 'a/b' }), spec: 'none' },
    },
  ])('$what stays', ({ object }) => {
    const { metadata: _metadata, ...content } = object;
    expect(prepareOne(object)).toMatchObject(content);
  });
});

describe('namespaces', () => {
  test.each([
    { object: sample('v1', 'ConfigMap', 'a'), namespace: 'ops', because: 'it is namespaced and names no namespace' },
    {
      object: sample('v1', 'ConfigMap', 'a', { namespace: 'other' }),
      namespace: 'other',
      because: 'it names a namespace',
    },
    { object: sample('v1', 'Namespace', 'a'), namespace: undefined, because: 'it is cluster-scoped' },
    {
      object: sample('example.com/v1', 'Widget', 'a'),
      namespace: undefined,
      because: 'only the cluster knows its scope',
    },
  ])('$object.kind of $object.apiVersion goes to $namespace, because $because', ({ object, namespace }) => {
    expect(prepareOne(object).metadata.namespace).toBe(namespace);
  });
});

describe('two objects of one identity', () => {
  test('of two objects with one identity the later wins, as if both were applied in turn', () => {
    const twins = [
      sample('v1', 'ConfigMap', 'a', { data: { x: '1', y: '1' } }),
      sample('v1', 'ConfigMap', 'a', { namespace: 'ops', data: { x: '2' } }),
    ];
    expect(prepareObjects(twins, options)).toEqual([prepareOne(twins[1])]);
  });

  test('two ServiceAccounts of one name are merged: the generated one and the one with pull secrets', () => {
    const own = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'a', labels: { app: 'x' } },
      imagePullSecrets: [{ name: 's' }],
    };
    const generated = sample('v1', 'ServiceAccount', 'a', { namespace: 'ops' });
    for (const twins of [
      [own, generated],
      [generated, own],
    ] as KubeObject[][]) {
      const [merged, ...others] = prepareObjects(twins, options);
      expect(others).toEqual([]);
      expect(merged).toMatchObject({ imagePullSecrets: [{ name: 's' }], metadata: { labels: { app: 'x' } } });
    }
  });

  test('another version of the same group and kind has the same identity', () => {
    const twins = [
      sample('policy/v1beta1', 'PodDisruptionBudget', 'a'),
      sample('policy/v1', 'PodDisruptionBudget', 'a'),
    ];
    expect(prepareObjects(twins, options).map(({ apiVersion }) => apiVersion)).toEqual(['policy/v1']);
  });
});

test.each([
  { metadata: { name: 'a' }, kind: 'Service', because: 'no apiVersion' },
  { apiVersion: 'v1', metadata: { name: 'a' }, because: 'no kind' },
  { apiVersion: 'v1', kind: 'Service', metadata: { generateName: 'a-' }, because: 'no name' },
  { apiVersion: 'v1', kind: 'Service', because: 'no metadata' },
])('an object with $because is refused as BundleInvalid', ({ because: _because, ...object }) => {
  expect(() => prepareOne(object)).toThrow(expect.objectContaining({ reason: 'BundleInvalid', retry: 'never' }));
});

/** Hash of the ConfigMap below, as the earlier release without owner uid computed it. */
const HASH_OF_BEFORE = 'b85b40934312c71ead5574a32340a8c71f1c6c3bb46797dc34f135d17c37eb12';

describe('hashes', () => {
  test('hashes do not depend on the order of keys or on the revision, so that only real changes are sent', () => {
    const [one] = prepared([sample('v1', 'ConfigMap', 'a', { data: { x: '1', y: '2' } })], { revision: 'widgets-1' });
    const [two] = prepared([sample('v1', 'ConfigMap', 'a', { data: { y: '2', x: '1' } })], { revision: 'widgets-2' });
    expect(hashObject(one as KubeObject)).toBe(hashObject(two as KubeObject));
  });

  test('hashes equal those of the release before, which wrote no uid of the owner: an upgrade of Slipway re-applies nothing', () => {
    const [object] = prepared([sample('v1', 'ConfigMap', 'a', { data: { x: '1' } })]);
    expect(hashObject(object as KubeObject)).toBe(HASH_OF_BEFORE);
    const another = { ...OWNER, uid: 'another' };
    const [same] = prepared([sample('v1', 'ConfigMap', 'a', { data: { x: '1' } })], { owner: another });
    expect(hashObject(same as KubeObject)).toBe(HASH_OF_BEFORE);
  });

  test('hashes differ if any other content differs', () => {
    const hashes = [
      sample('v1', 'ConfigMap', 'a', { data: { x: '1' } }),
      sample('v1', 'ConfigMap', 'a', { data: { x: '2' } }),
      sample('v1', 'ConfigMap', 'a', { data: { x: 9007199254740993n } }),
      sample('v1', 'ConfigMap', 'a', { data: { x: 9007199254740992n } }),
    ].map((object) => hashObject(prepareOne(object)));
    expect(new Set(hashes).size).toBe(4);
  });
});

describe('label values', () => {
  test('label values are valid for every text, and equal to the text if that is valid', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: fc.constantFrom('a', '.', '-', '_', 'é') })),
        (text) => {
          expect(labelValue(text)).toMatch(/^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/);
          if (/^[a-z0-9]{1,63}$/.test(text)) expect(labelValue(text)).toBe(text);
        },
      ),
    );
  });

  test('label values stay distinct when cut', () => {
    const long = 'n'.repeat(70);
    expect(ownerLabel({ namespace: long, name: 'a' })).not.toBe(ownerLabel({ namespace: long, name: 'b' }));
  });
});

test('preparing is deterministic and idempotent', () => {
  const objects = [sample('v1', 'Service', 'b'), sample('v1', 'ConfigMap', 'a')];
  const once = prepareObjects(objects, options);
  expect(prepareObjects(objects.toReversed(), options)).toEqual(once);
  expect(prepareObjects(once, options)).toEqual(once);
});
