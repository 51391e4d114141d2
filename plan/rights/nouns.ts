/** The words for resources and verbs: `Secrets`, `Pods/exec`, `gadgets.example.com`; `read`, `create`. Pure. */

/** Well-known kinds by group and resource. */
const NOUNS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '': 'Pods Secrets ConfigMaps Services Endpoints Events Namespaces Nodes PersistentVolumes PersistentVolumeClaims ServiceAccounts ResourceQuotas LimitRanges ReplicationControllers Users Groups',
    apps: 'Deployments DaemonSets StatefulSets ReplicaSets ControllerRevisions',
    batch: 'Jobs CronJobs',
    policy: 'PodDisruptionBudgets PodSecurityPolicies',
    autoscaling: 'HorizontalPodAutoscalers',
    'networking.k8s.io': 'NetworkPolicies Ingresses IngressClasses',
    'coordination.k8s.io': 'Leases',
    'rbac.authorization.k8s.io': 'Roles RoleBindings ClusterRoles ClusterRoleBindings',
    'admissionregistration.k8s.io':
      'MutatingWebhookConfigurations ValidatingWebhookConfigurations ValidatingAdmissionPolicies MutatingAdmissionPolicies',
    'apiextensions.k8s.io': 'CustomResourceDefinitions',
    'apiregistration.k8s.io': 'APIServices',
    'storage.k8s.io': 'StorageClasses VolumeAttachments CSIDrivers CSINodes',
    'scheduling.k8s.io': 'PriorityClasses',
    'authentication.k8s.io': 'TokenReviews UserExtras',
    'authorization.k8s.io': 'SubjectAccessReviews SelfSubjectAccessReviews LocalSubjectAccessReviews',
    'certificates.k8s.io': 'CertificateSigningRequests Signers',
    'discovery.k8s.io': 'EndpointSlices',
  }).flatMap(([group, kinds]) => kinds.split(' ').map((kind) => [`${group}/${kind.toLowerCase()}`, kind] as const)),
);

/** Resources without namespaces, by group. */
const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  '/namespaces',
  '/nodes',
  '/persistentvolumes',
  '/users',
  '/groups',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingwebhookconfigurations',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'scheduling.k8s.io/priorityclasses',
  'networking.k8s.io/ingressclasses',
  'policy/podsecuritypolicies',
  'authentication.k8s.io/tokenreviews',
  'authentication.k8s.io/userextras',
  'authorization.k8s.io/subjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'certificates.k8s.io/certificatesigningrequests',
  'certificates.k8s.io/signers',
]);

/** Whether objects of a resource are known to have no namespace. */
export function isClusterScoped(group: string, resource: string): boolean {
  return CLUSTER_SCOPED.has(`${group}/${resource.split('/', 1)[0] ?? ''}`);
}

/** `Secrets`, `Pods/exec`, `gadgets.example.com`, `all objects of apps`. */
export function nounOf(group: string, resource: string): string {
  const [name = '', ...rest] = resource.split('/');
  const subresource = rest.length === 0 ? '' : `/${rest.join('/')}`;
  if (name === '*') return `${subresource === '' ? '' : `the subresource ${subresource.slice(1)} of `}${allOf(group)}`;
  const known = NOUNS.get(`${group}/${name}`);
  if (known !== undefined) return `${known}${subresource}`;
  if (group === '*') return `${resource} of every API group`;
  return group === '' ? resource : `${name}.${group}${subresource}`;
}

function allOf(group: string): string {
  if (group === '*') return 'all objects';
  return group === '' ? 'all objects of the core group' : `all objects of ${group}`;
}

const VERBS: readonly { readonly word: string; readonly verbs: readonly string[] }[] = [
  { word: 'read', verbs: ['get', 'list', 'watch'] },
  { word: 'create', verbs: ['create'] },
  { word: 'change', verbs: ['update', 'patch'] },
  { word: 'delete', verbs: ['delete', 'deletecollection'] },
];

/** `read, create and delete`; verbs that are no common ones are words of their own. */
export function verbWords(verbs: readonly string[]): string {
  if (verbs.includes('*')) return 'do everything with';
  const common = VERBS.filter((row) => row.verbs.some((verb) => verbs.includes(verb))).map(({ word }) => word);
  const others = verbs.filter((verb) => !VERBS.some((row) => row.verbs.includes(verb)));
  return listOf([...common, ...others.toSorted()]);
}

/** `a, b and c`. */
export function listOf(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** The same, of at most a number of words. */
export function shortList(words: readonly string[], most: number): string {
  return listWithMore(words.slice(0, most), words.length - most);
}

/** The same, of the first words and of a number of others, which may be none. */
export function listWithMore(first: readonly string[], more: number): string {
  return more > 0 ? `${first.join(', ')} and ${more} more` : listOf(first);
}
