/** Which objects are taken for those of a ClusterExtension, and which requests that costs. */
import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '../../api/object.ts';
import { NEVER } from '../../api/testing/never.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { surveyExtension } from './gather.ts';
import { OWNER_LABEL } from './kinds.ts';
import { extensionOf, type Changes } from './testing/extension.ts';
import { putBasics } from './testing/handed-over.ts';

function clusterWith(changes: Changes = {}): { cluster: FakeCluster; put: (ref: object) => KubeObject } {
  const cluster = createFakeCluster();
  putBasics(cluster);
  for (const name of ['watched', 'tenant'])
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const { metadata, apiVersion, kind } = cluster.put(extensionOf(changes));
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
  const marks = { labels: { [OWNER_LABEL.name]: metadata.name }, ownerReferences: [owner] };
  return { cluster, put: (ref) => cluster.put({ ...marked(ref), metadata: { ...marked(ref).metadata, ...marks } }) };
}

function marked(ref: object): KubeObject {
  const { apiVersion, kind, ...metadata } = ref as { apiVersion: string; kind: string; name: string };
  return { apiVersion, kind, metadata };
}

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', name: 'forged' };

describe('an object with the label and the owner reference of OLM', () => {
  test.each([
    { because: 'it is in the namespace of the operator', ref: { ...CONFIG_MAP, namespace: 'ops' }, counts: true },
    { because: 'it is in the watched namespace', ref: { ...CONFIG_MAP, namespace: 'watched' }, counts: true },
    { because: 'a tenant has made it elsewhere', ref: { ...CONFIG_MAP, namespace: 'tenant' }, counts: false },
    {
      because: 'no tenant can make objects of the cluster',
      ref: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'gadget' },
      counts: true,
    },
  ])('counts as one of the operator: $counts, because $because', async ({ ref, counts }) => {
    const { cluster, put } = clusterWith({ spec: { config: { inline: { watchNamespace: 'watched' } } } });
    const object = put(ref);
    const { objects } = await surveyExtension(cluster, 'gadget', NEVER);
    expect(objects.map(refOf)).toEqual(counts ? [refOf(object)] : []);
  });
});
