/** Which rights are dangerous, and the harm that each permits. Pure data and its look-up. */
import { GROUP } from '../../api/names.ts';
import { EVERYWHERE } from './atom.ts';
import { DANGERS, type Danger } from './right.ts';

interface DangerousRight {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** In every namespace, or for a kind without namespaces. */
  readonly everywhere: Danger;
  readonly inNamespace: Danger;
  /** Continues the words of the right. */
  readonly because: string;
}

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const MAKE = ['create', 'update', 'patch'];
const RBAC = ['rbac.authorization.k8s.io'];
const WORKLOADS = ['deployments', 'daemonsets', 'statefulsets', 'replicasets'];

const DANGEROUS: readonly DangerousRight[] = [
  {
    groups: ['*'],
    resources: ['*'],
    verbs: MAKE,
    everywhere: 'critical',
    inNamespace: 'high',
    because: 'so it can change everything there',
  },
  {
    groups: RBAC,
    resources: ['clusterroles', 'roles'],
    verbs: ['escalate'],
    everywhere: 'critical',
    inNamespace: 'high',
    because: 'so it can give itself every right',
  },
  {
    groups: RBAC,
    resources: ['clusterroles', 'roles'],
    verbs: ['bind'],
    everywhere: 'critical',
    inNamespace: 'high',
    because: 'so it can give itself the rights of these roles',
  },
  {
    groups: ['', 'authentication.k8s.io'],
    resources: ['users', 'groups', 'serviceaccounts', 'uids', 'userextras', 'nodes'],
    verbs: ['impersonate'],
    everywhere: 'critical',
    inNamespace: 'high',
    because: 'so it can act as others',
  },
  {
    groups: [''],
    resources: ['serviceaccounts/token'],
    verbs: ['create'],
    everywhere: 'critical',
    inNamespace: 'high',
    because: 'so it can act as ServiceAccounts',
  },
  {
    groups: [GROUP],
    resources: ['catalogs', 'registrypolicies'],
    verbs: MAKE,
    everywhere: 'critical',
    inNamespace: 'low',
    because: 'so it can choose what operators of the whole cluster are upgraded to',
  },
  {
    groups: RBAC,
    resources: ['clusterrolebindings', 'clusterroles'],
    verbs: MAKE,
    everywhere: 'critical',
    inNamespace: 'low',
    because: 'so it can pass its rights on in the whole cluster',
  },
  {
    groups: RBAC,
    resources: ['rolebindings', 'roles'],
    verbs: MAKE,
    everywhere: 'high',
    inNamespace: 'moderate',
    because: 'so it can pass its rights on',
  },
  {
    groups: [''],
    resources: ['secrets'],
    verbs: READ,
    everywhere: 'critical',
    inNamespace: 'high',
    because: 'so it can read passwords and tokens',
  },
  {
    groups: [''],
    resources: ['secrets'],
    verbs: MAKE,
    everywhere: 'high',
    inNamespace: 'moderate',
    because: 'so it can replace passwords and certificates, and request tokens',
  },
  {
    groups: [''],
    resources: ['pods/exec', 'pods/attach', 'pods/ephemeralcontainers', 'pods/portforward', 'pods/proxy'],
    verbs: ['get', ...MAKE],
    everywhere: 'critical',
    inNamespace: 'high',
    because: 'so it can act inside of running containers',
  },
  {
    groups: [''],
    resources: ['nodes/proxy'],
    verbs: ['get', ...MAKE],
    everywhere: 'critical',
    inNamespace: 'low',
    because: 'so it can run commands in every Pod',
  },
  {
    groups: ['', 'apps', 'batch'],
    resources: ['pods', 'replicationcontrollers', ...WORKLOADS, 'jobs', 'cronjobs'],
    verbs: MAKE,
    everywhere: 'high',
    inNamespace: 'moderate',
    because: 'so it can run programs as the ServiceAccounts there',
  },
  {
    groups: ['admissionregistration.k8s.io'],
    resources: [
      'mutatingwebhookconfigurations',
      'validatingwebhookconfigurations',
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
    ],
    verbs: WRITE,
    everywhere: 'high',
    inNamespace: 'low',
    because: 'so it can read, change and reject writes of other users',
  },
  {
    groups: ['certificates.k8s.io'],
    resources: ['certificatesigningrequests/approval', 'signers'],
    verbs: ['approve', 'sign', ...MAKE],
    everywhere: 'critical',
    inNamespace: 'low',
    because: 'so it can issue identities',
  },
  {
    groups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: WRITE,
    everywhere: 'high',
    inNamespace: 'low',
    because: 'so it can delete kinds with all of their objects',
  },
  {
    groups: ['apiregistration.k8s.io'],
    resources: ['apiservices'],
    verbs: WRITE,
    everywhere: 'high',
    inNamespace: 'low',
    because: 'so it can answer requests of other users',
  },
  {
    groups: [''],
    resources: ['nodes', 'persistentvolumes'],
    verbs: WRITE,
    everywhere: 'high',
    inNamespace: 'low',
    because: 'so it can reach nodes and their disks',
  },
  {
    groups: [''],
    resources: ['namespaces', 'persistentvolumeclaims'],
    verbs: ['delete', 'deletecollection'],
    everywhere: 'high',
    inNamespace: 'moderate',
    because: 'so it can delete data',
  },
  {
    groups: ['policy', 'security.openshift.io'],
    resources: ['podsecuritypolicies', 'securitycontextconstraints'],
    verbs: ['use', ...WRITE],
    everywhere: 'high',
    inNamespace: 'high',
    because: 'so its Pods may leave the limits of containers',
  },
];

/** A resource with the verbs that a holder has on it. */
export interface HeldResource {
  readonly scope: string;
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Limited to objects of certain names. */
  readonly isNamed: boolean;
}

export interface DangerJudgement {
  readonly danger: Danger;
  readonly because?: string;
}

/** The worst harm that a right permits. A right on certain names is one level less dangerous. */
export function judgeResource(held: HeldResource): DangerJudgement {
  const found = DANGEROUS.filter((row) => meets(held, row)).map(({ everywhere, inNamespace, because }) => ({
    danger: soften(held.scope === EVERYWHERE ? everywhere : inNamespace, held.isNamed),
    because,
  }));
  const worst = found.toSorted((a, b) => compareDangers(b.danger, a.danger))[0];
  if (worst !== undefined && worst.danger !== 'low') return worst;
  const writes = held.verbs.some((verb) => verb === '*' || WRITE.includes(verb));
  return { danger: writes && held.scope === EVERYWHERE && !held.isNamed ? 'moderate' : 'low' };
}

function soften(danger: Danger, isNamed: boolean): Danger {
  return isNamed ? (DANGERS[Math.max(0, DANGERS.indexOf(danger) - 1)] as Danger) : danger;
}

/** A wildcard includes every dangerous value; the row for everything is met by wildcards alone. */
function meets({ group, resource, verbs }: HeldResource, row: DangerousRight): boolean {
  const inGroup = group === '*' || row.groups.includes(group);
  const isResource =
    resource === '*' ||
    row.resources.includes(resource) ||
    (resource.startsWith('*/') && row.resources.some((one) => one.endsWith(resource.slice(1))));
  return inGroup && isResource && verbs.some((verb) => verb === '*' || row.verbs.includes(plainVerb(verb)));
}

/** Since Kubernetes 1.36 an impersonation may be limited: `impersonate:user-info`. */
function plainVerb(verb: string): string {
  return verb.split(':', 1)[0] ?? '';
}

export function compareDangers(a: Danger, b: Danger): number {
  return DANGERS.indexOf(a) - DANGERS.indexOf(b);
}
