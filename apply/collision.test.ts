import { describe, expect, test } from 'vitest';
import { ANNOTATION, LABEL } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { collisionError, judgeOwnership } from './collision.ts';
import { OWNER } from './testing/sample-objects.ts';

type Meta = Omit<Partial<KubeObject['metadata']>, 'name'>;
const live = (metadata: Meta): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'ops', uid: 'u1', ...metadata },
});
const ours = { [ANNOTATION.owner]: 'ops/widgets', [ANNOTATION.ownerUid]: 'subscription-uid' };
const reference = { apiVersion: 'v1', uid: 'r', name: 'boss' };

describe('an existing object', () => {
  test.each<{ metadata: Meta; knownUid?: string; kind: string; because: string }>([
    { metadata: { annotations: ours }, kind: 'ours', because: 'it names our Subscription, which created it' },
    {
      metadata: { annotations: { ...ours, [ANNOTATION.ownerUid]: 'another' } },
      kind: 'left',
      because: 'another Subscription had our name when it created the object',
    },
    {
      metadata: { annotations: { ...ours, [ANNOTATION.ownerUid]: 'another' } },
      knownUid: 'u1',
      kind: 'left',
      because: 'another Subscription with our name has adopted it since',
    },
    {
      metadata: { annotations: { [ANNOTATION.owner]: 'ops/widgets' } },
      kind: 'left',
      because: 'a name can be reused, and anyone can write it',
    },
    {
      metadata: { annotations: { [ANNOTATION.owner]: 'ops/widgets' } },
      knownUid: 'u1',
      kind: 'ours',
      because: 'an earlier release, which wrote no uid, created it for us',
    },
    {
      metadata: { annotations: { [ANNOTATION.owner]: 'ops/widgets' } },
      knownUid: 'u0',
      kind: 'left',
      because: 'it is not the object that an earlier release created for us',
    },
    {
      metadata: { annotations: { [ANNOTATION.owner]: 'ops/other', [ANNOTATION.ownerUid]: 'subscription-uid' } },
      kind: 'foreign',
      because: 'it names another Subscription, regardless of the uid',
    },
    {
      metadata: { annotations: { ...ours, [ANNOTATION.ownerUid]: 'another', [ANNOTATION.adoptBy]: 'ops/widgets' } },
      kind: 'adopted',
      because: 'a person hands over an object that an earlier Subscription of our name left',
    },
    {
      metadata: { labels: { [LABEL.owner]: 'ops.widgets' } },
      kind: 'foreign',
      because: 'a label alone is no claim',
    },
    {
      metadata: { labels: { [LABEL.owner]: 'ops.widgets' }, annotations: { [ANNOTATION.owner]: 'ops/wid.gets' } },
      kind: 'foreign',
      because: 'the annotation is exact, while two labels may be equal',
    },
    {
      metadata: {},
      knownUid: 'u1',
      kind: 'ours',
      because: 'it is the object that we created, though its labels were removed',
    },
    { metadata: {}, knownUid: 'u0', kind: 'foreign', because: 'another program deleted and re-created it' },
    { metadata: {}, knownUid: '', kind: 'foreign', because: 'no uid is known' },
    {
      metadata: { annotations: { [ANNOTATION.owner]: 'ops/other' } },
      knownUid: 'u1',
      kind: 'foreign',
      because: 'it was handed over to another Subscription since',
    },
    { metadata: {}, kind: 'foreign', because: 'objects are never adopted silently, even if no owner claims them' },
    {
      metadata: { annotations: { [ANNOTATION.adoptBy]: 'ops/widgets' } },
      kind: 'adopted',
      because: 'a person hands it over',
    },
    {
      metadata: { annotations: { [ANNOTATION.owner]: 'ops/other', [ANNOTATION.adoptBy]: 'ops/widgets' } },
      kind: 'adopted',
      because: 'a person hands it over from another Subscription',
    },
    {
      metadata: { annotations: { [ANNOTATION.adoptBy]: 'ops/other' } },
      kind: 'foreign',
      because: 'it is handed over to another Subscription',
    },
    {
      metadata: {
        annotations: { [ANNOTATION.adoptBy]: 'ops/widgets' },
        ownerReferences: [{ ...reference, kind: 'Boss', controller: true }],
      },
      kind: 'adopted',
      because: 'the person was asked to name us and did',
    },
  ])('is $kind, because $because', ({ metadata, knownUid, kind }) => {
    expect(judgeOwnership(live(metadata), OWNER, knownUid).kind).toBe(kind);
  });
});

test.each([
  { knownUid: 'u1', proven: true, because: 'the inventory names this uid' },
  { knownUid: 'u0', proven: false, because: 'it was re-created since' },
  { knownUid: '', proven: false, because: 'it was only intended' },
  { knownUid: undefined, proven: false, because: 'the inventory does not know it' },
])('that it is ours is proven: $proven, because $because', ({ knownUid, proven }) => {
  expect(judgeOwnership(live({ annotations: ours }), OWNER, knownUid)).toEqual({ kind: 'ours', proven });
});

test('for an owner without uid, only objects in its inventory are ours', () => {
  const owner = { namespace: 'ops', name: 'widgets' };
  const made = live({ annotations: { [ANNOTATION.owner]: 'ops/widgets' } });
  expect([undefined, 'u0', 'u1'].map((uid) => judgeOwnership(made, owner, uid).kind)).toEqual(['left', 'left', 'ours']);
});

test('the error for an object that an earlier Subscription left names that Subscription, and how to hand it over', () => {
  const left = live({ annotations: { ...ours, [ANNOTATION.ownerUid]: 'another' } });
  const { owner = '' } = judgeOwnership(left, OWNER) as { readonly owner?: string };
  const error = collisionError(left, OWNER, owner);
  expect(error.reason).toBe('Collision');
  expect(error.describe()).toMatch(/an earlier Subscription ops\/widgets.*slipway\.dev\/adopt-by=ops\/widgets/);
});

describe('the owner that a collision reports', () => {
  test.each<{ metadata: Meta; owner: string }>([
    { metadata: { annotations: { [ANNOTATION.owner]: 'b/other' } }, owner: 'Subscription b/other' },
    { metadata: { labels: { [LABEL.owner]: 'b.other' } }, owner: 'Subscription b.other' },
    { metadata: { ownerReferences: [{ ...reference, kind: 'Boss' }] }, owner: 'Boss boss' },
    {
      metadata: {
        ownerReferences: [
          { ...reference, kind: 'A' },
          { ...reference, kind: 'B', controller: true },
        ],
      },
      owner: 'B boss',
    },
    {
      metadata: { annotations: { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 'n' } },
      owner: 'the Helm release n/r',
    },
    { metadata: { labels: { [LABEL.managedBy]: 'Helm' } }, owner: 'a Helm release' },
    {
      metadata: {
        labels: {
          'olm.operatorframework.io/owner-kind': 'ClusterExtension',
          'olm.operatorframework.io/owner-name': 'x',
        },
      },
      owner: 'the OLM v1 ClusterExtension x',
    },
    {
      metadata: {
        labels: { 'olm.owner': 'x.v1', 'olm.owner.namespace': 'n', 'olm.owner.kind': 'ClusterServiceVersion' },
      },
      owner: 'the OLM v0 ClusterServiceVersion n/x.v1',
    },
    { metadata: { labels: { 'operators.coreos.com/x.n': '' } }, owner: 'OLM v0' },
    { metadata: { labels: { 'kapp.k14s.io/app': '1' } }, owner: 'the kapp app 1' },
    {
      metadata: { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:v1/ConfigMap:ops/a' } },
      owner: 'the Argo CD application shop',
    },
    {
      metadata: { labels: { 'kustomize.toolkit.fluxcd.io/name': 'x', 'kustomize.toolkit.fluxcd.io/namespace': 'n' } },
      owner: 'the Flux Kustomization n/x',
    },
    { metadata: { labels: { 'helm.toolkit.fluxcd.io/name': 'x' } }, owner: 'the Flux HelmRelease x' },
    { metadata: { labels: { [LABEL.managedBy]: 'pulumi' } }, owner: 'the manager pulumi' },
    { metadata: {}, owner: 'no owner that Slipway knows' },
  ])('$owner', ({ metadata, owner }) => {
    expect(judgeOwnership(live(metadata), OWNER)).toEqual({ kind: 'foreign', owner });
  });

  test('the collision error says how to hand the object over', () => {
    const error = collisionError(live({}), OWNER, 'the Helm release n/r');
    expect(error).toMatchObject({ reason: 'Collision', retry: 'backoff' });
    expect(error.describe()).toContain('ConfigMap ops/a exists already and belongs to the Helm release n/r');
    expect(error.hint).toContain('slipway.dev/adopt-by=ops/widgets');
  });
});
