/** The marks of OLM v1 and of its Helm on an object, and the patch that takes them off. */
import { describe, expect, test } from 'vitest';
import type { KubeObject, OwnerReference } from '../../api/object.ts';
import { handOver, isMarked, otherExtension } from './marks.ts';

const owner = (name: string, apiVersion = 'olm.operatorframework.io/v1'): OwnerReference => ({
  apiVersion,
  kind: 'ClusterExtension',
  name,
  uid: 'u',
});
const service = (metadata: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'gadget', namespace: 'ops', resourceVersion: '7', ...metadata },
});
const label = (name: string): object => ({ labels: { 'olm.operatorframework.io/owner-name': name } });

describe('an object', () => {
  test.each([
    { because: 'it has the label', metadata: label('gadget'), marked: true, other: undefined },
    {
      because: 'the garbage collector would delete it',
      metadata: { ownerReferences: [owner('gadget')] },
      marked: true,
      other: undefined,
    },
    { because: 'it has no mark', metadata: {}, marked: false, other: undefined },
    { because: 'it is of another one by its label', metadata: label('lamp'), marked: false, other: 'lamp' },
    {
      because: 'it is of another one by its owner',
      metadata: { ownerReferences: [owner('lamp')] },
      marked: false,
      other: 'lamp',
    },
    {
      because: 'its owner is of another group',
      metadata: { ownerReferences: [owner('gadget', 'example.com/v1')] },
      marked: false,
      other: 'gadget',
    },
    {
      because: 'two own it',
      metadata: { ...label('gadget'), ownerReferences: [owner('gadget'), owner('lamp')] },
      marked: true,
      other: 'lamp',
    },
  ])('is marked: $marked, of another one: $other, if $because', ({ metadata, marked, other }) => {
    expect(isMarked(service(metadata), 'gadget')).toBe(marked);
    expect(otherExtension(service(metadata), 'gadget')).toBe(other);
  });

  test('loses all marks in one write, and keeps those of others', () => {
    const live = service({
      labels: {
        app: 'gadget',
        'app.kubernetes.io/managed-by': 'Helm',
        'olm.operatorframework.io/owner-kind': 'ClusterExtension',
        'olm.operatorframework.io/owner-name': 'gadget',
      },
      annotations: { note: 'x', 'meta.helm.sh/release-name': 'gadget', 'meta.helm.sh/release-namespace': 'ops' },
      ownerReferences: [owner('gadget'), { apiVersion: 'v1', kind: 'ConfigMap', name: 'own', uid: 'c' }],
    });
    expect(handOver(live, { extension: 'gadget', adoptBy: 'ops/gadget' })).toEqual({
      metadata: {
        resourceVersion: '7',
        labels: {
          'app.kubernetes.io/managed-by': null,
          'olm.operatorframework.io/owner-kind': null,
          'olm.operatorframework.io/owner-name': null,
        },
        annotations: {
          'meta.helm.sh/release-name': null,
          'meta.helm.sh/release-namespace': null,
          'slipway.dev/adopt-by': 'ops/gadget',
        },
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'own', uid: 'c' }],
      },
    });
  });

  test('of another program than Helm keeps its label', () => {
    const live = service({ labels: { 'app.kubernetes.io/managed-by': 'slipway' } });
    expect(handOver(live, { extension: 'gadget', adoptBy: 'ops/gadget' })).toEqual({
      metadata: { resourceVersion: '7', labels: {}, annotations: { 'slipway.dev/adopt-by': 'ops/gadget' } },
    });
  });
});
