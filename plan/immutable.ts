/** Knows the fields that the API server does not let change on an existing object. Pure. */
import { canonicalJson } from '../api/json.ts';
import { groupKind, type KubeObject } from '../api/object.ts';
import { fieldsOf, type Fields } from '../api/untyped.ts';

/** The immutable fields of a kind, as the API server's validation has them. */
type ImmutableField = (object: KubeObject) => Fields;

const specFields =
  (...names: readonly string[]): ImmutableField =>
  (object) => {
    const spec = fieldsOf(object['spec']);
    return Object.fromEntries(names.map((name) => [`spec.${name}`, spec[name]]));
  };

const topFields =
  (...names: readonly string[]): ImmutableField =>
  (object) =>
    Object.fromEntries(names.map((name) => [name, object[name]]));

/** All fields of the spec but these. */
const specExcept =
  (...names: readonly string[]): ImmutableField =>
  (object) =>
    Object.fromEntries(
      Object.entries(fieldsOf(object['spec']))
        .filter(([name]) => !names.includes(name))
        .map(([name, value]) => [`spec.${name}`, value]),
    );

const IMMUTABLE: ReadonlyMap<string, ImmutableField> = new Map<string, ImmutableField>([
  ['ClusterRoleBinding.rbac.authorization.k8s.io', topFields('roleRef')],
  ['DaemonSet.apps', specFields('selector')],
  ['Deployment.apps', specFields('selector')],
  ['Job.batch', specFields('selector', 'template', 'completionMode')],
  ['PersistentVolumeClaim', specFields('accessModes', 'selector', 'storageClassName', 'volumeMode', 'dataSource')],
  ['PriorityClass.scheduling.k8s.io', topFields('value', 'preemptionPolicy')],
  ['ReplicaSet.apps', specFields('selector')],
  ['RoleBinding.rbac.authorization.k8s.io', topFields('roleRef')],
  ['Secret', topFields('type')],
  [
    'StatefulSet.apps',
    specExcept(
      'replicas',
      'ordinals',
      'template',
      'updateStrategy',
      'revisionHistoryLimit',
      'persistentVolumeClaimRetentionPolicy',
      'minReadySeconds',
    ),
  ],
  ['StorageClass.storage.k8s.io', topFields('provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode')],
]);

/** Paths of the immutable fields that differ; a field that only one side sets counts if both sides have the object. */
export function immutableChanges(before: KubeObject, after: KubeObject): readonly string[] {
  const read = IMMUTABLE.get(groupKind(before));
  return [
    ...differing(read?.(before) ?? {}, read?.(after) ?? {}),
    ...(before['immutable'] === true ? differing(frozen(before), frozen(after)) : []),
  ];
}

/** The content of a ConfigMap or Secret that is marked immutable. */
function frozen(object: KubeObject): Fields {
  return { data: object['data'], binaryData: object['binaryData'], immutable: object['immutable'] };
}

function differing(before: Fields, after: Fields): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => canonicalJson(before[path] ?? null) !== canonicalJson(after[path] ?? null))
    .sort();
}
