/** The operators of the corpus that OLM v1 installs and Slipway takes over, each for traits that the others lack. Pure. */
import type { Refusal } from '../../../adoption/olm-v1/verdict.ts';
import type { Source } from '../../compatibility/packages.ts';
import type { Leaver } from '../leave-olm-corpus/operators.ts';

interface Listed {
  readonly source: Source;
  readonly package: string;
  /** Taken with SLIPWAY_OLM_SAMPLE=yes. */
  readonly isSampled?: true;
  readonly because: string;
}

/** An operator that goes over to Slipway and back. */
export interface Traveller extends Listed {
  /** The next version does not go back to OLM. */
  readonly staysOnceUpgraded?: true;
}

/** An operator that is not handed over. */
export interface Refused extends Listed {
  readonly reason: Refusal;
}

export const TRAVELLERS: readonly Traveller[] = [
  {
    source: 'dev-set',
    package: 'verticadb-operator',
    isSampled: true,
    because: 'it converts, has eight webhooks and then ten, and brings a ClusterRole and its binding',
  },
  {
    source: 'dev-set',
    package: 'cloudnative-pg',
    because: 'it has mutating and validating webhooks',
  },
  {
    source: 'found-2026-11',
    package: 'self-node-remediation',
    because: 'its next version mutates too, and it brings ClusterRoles and Services',
  },
  {
    source: 'dev-set',
    package: 'leaksignal-operator',
    because: 'it brings a PriorityClass',
  },
  {
    source: 'dev-set',
    package: 'k8gb',
    because: 'it has two Deployments, and a ClusterServiceVersion of an odd apiVersion',
  },
  {
    source: 'dev-set',
    package: 'function-mesh',
    because: 'it brings Secrets, and has six webhooks',
  },
  {
    source: 'found-2026-11',
    package: 'grafana-operator',
    because: 'its next version has one CRD more, and it has no webhook',
  },
  {
    source: 'found-2026-11',
    package: 'rabbitmq-cluster-operator',
    staysOnceUpgraded: true,
    isSampled: true,
    because: 'its upgrade by Slipway brings the first webhooks, and Slipway issues their certificates',
  },
  {
    source: 'dev-set',
    package: 'argocd-operator',
    because: 'it converts, and has no other webhook',
  },
  {
    source: 'dev-set',
    package: 'dns-operator',
    because: 'its next version has one CRD less',
  },
  {
    source: 'dev-set',
    package: 'limitador-operator',
    because: 'it has one CRD, and its versions have the same objects',
  },
  {
    source: 'dev-set',
    package: 'authorino-operator',
    because: 'it converts by a second Deployment',
  },
];

export const REFUSED: readonly Refused[] = [
  {
    source: 'dev-set',
    package: 'netobserv-operator',
    reason: 'CertificatesOfOpenShift',
    because: 'OpenShift issues the certificate of its Service for metrics',
  },
  {
    source: 'found-2026-11',
    package: 'slurm-operator',
    reason: 'CertificatesOfOpenShift',
    because: 'OpenShift issues the certificate of its webhooks',
  },
];

/** As the corpus is read: in a namespace of the name of the package, with the version before the last one. */
export function leaverOf({ source, package: name, because }: Listed): Leaver {
  return { source, package: name, namespace: name, mode: 'AllNamespaces', isUpgraded: true, because };
}
