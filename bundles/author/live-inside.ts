/** Judges the objects of the namespace of an operator: which of them its author has not written. Pure. */
import { groupKind, groupOf, type KubeObject } from '../../api/object.ts';
import { GROUP } from '../../api/names.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';

/** Why an object is no part of the operator; undefined if it is one. */
export function reasonToLeave(object: KubeObject): string | undefined {
  const { kind, metadata } = object;
  const [owner] = metadata.ownerReferences ?? [];
  if (owner !== undefined) return `${owner.kind} ${owner.name} makes it`;
  const because = BY_KIND.get(groupKind(object)) ?? BY_GROUP.get(groupOf(object.apiVersion));
  if (because !== undefined) return because;
  return BY_CLUSTER.has(`${kind} ${metadata.name}`) ? 'every namespace has it' : undefined;
}

const BY_KIND: ReadonlyMap<string, string> = new Map([
  ['Secret', 'a Secret is copied only if --include names it'],
  ['Endpoints', 'the cluster makes it for a Service'],
  ['EndpointSlice.discovery.k8s.io', 'the cluster makes it for a Service'],
  ['Event', 'it is a record of the cluster'],
  ['Event.events.k8s.io', 'it is a record of the cluster'],
  ['Lease.coordination.k8s.io', 'programs make Leases to choose their leaders'],
  ['PodMetrics.metrics.k8s.io', 'it is a measurement'],
]);

const BY_GROUP: ReadonlyMap<string, string> = new Map([
  [GROUP, 'it belongs to an installation by Slipway'],
  ['operators.coreos.com', 'it belongs to an installation by OLM'],
]);

const BY_CLUSTER: ReadonlySet<string> = new Set([
  'ServiceAccount default',
  'ConfigMap kube-root-ca.crt',
  'ConfigMap openshift-service-ca.crt',
]);

/** Names of Secrets that Pods need, with the Deployment of each. */
export function secretsNeededBy(deployments: readonly KubeObject[]): ReadonlyMap<string, string> {
  return new Map(
    deployments.flatMap(({ metadata, spec }) => {
      const pod = fieldsOf(fieldsOf(fieldsOf(spec)['template'])['spec']);
      return secretsIn(pod).map((name) => [name, metadata.name] as const);
    }),
  );
}

function secretsIn(pod: Readonly<Record<string, unknown>>): readonly string[] {
  const containers = ['initContainers', 'containers'].flatMap((field) => listOf(pod[field]));
  const names = [
    ...listOf(pod['imagePullSecrets']).map(({ name }) => name),
    ...listOf(pod['volumes']).flatMap((volume) => [
      fieldsOf(volume['secret'])['secretName'],
      ...listOf(fieldsOf(volume['projected'])['sources']).map((one) => fieldsOf(one['secret'])['name']),
    ]),
    ...containers.flatMap((container) => [
      ...listOf(container['envFrom']).map((one) => fieldsOf(one['secretRef'])['name']),
      ...listOf(container['env']).map((one) => fieldsOf(fieldsOf(one['valueFrom'])['secretKeyRef'])['name']),
    ]),
  ];
  return names.map(textOf).filter((name) => name !== '');
}
