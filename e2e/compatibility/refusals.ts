/** Which packages of the corpus are refused, and why that is right. Every other one becomes Ready. */
import type { Reason } from '../../api/reasons.ts';
import type { Source } from './packages.ts';
import type { Trial } from './plan.ts';

export interface Refusal {
  readonly source: Source;
  /** Name of the package's folder. */
  readonly name: string;
  readonly trials: readonly Trial['kind'][];
  readonly reason: Reason;
  /** A part of the message: without it the refusal is another one. */
  readonly says: string;
  readonly because: string;
}

const BOTH = ['head', 'upgrade'] as const;
const OLD_CRDS = {
  reason: 'BundleUnsupported',
  says: 'apiextensions.k8s.io/v1beta1',
  because: 'Its CRDs are of v1beta1, which no API server takes since Kubernetes 1.22.',
} as const;
const OLD_START = {
  ...OLD_CRDS,
  because: 'Every version below the head has CRDs of v1beta1, which no API server takes since Kubernetes 1.22.',
} as const;
const INVALID_AUTHORITY = {
  reason: 'ProgressDeadlineExceeded',
  says: 'spec.conversion.webhook.clientConfig.caBundle',
  because:
    'Its CRDs name a conversion webhook whose caBundle is no certificate, its ClusterServiceVersion does not declare the webhook, and cert-manager, which its annotation asks to write one, is not there: no API server serves such CRDs.',
} as const;

export const REFUSALS: readonly Refusal[] = [
  { source: 'dev-set', name: 'ember-csi-operator', trials: BOTH, ...OLD_CRDS },
  { source: 'dev-set', name: 'enmasse', trials: BOTH, ...OLD_CRDS },
  { source: 'dev-set', name: 'ext-postgres-operator', trials: BOTH, ...OLD_CRDS },
  { source: 'dev-set', name: 'kong', trials: ['upgrade'], ...OLD_START },
  { source: 'dev-set', name: 'mariadb-operator-app', trials: BOTH, ...OLD_CRDS },
  {
    source: 'dev-set',
    name: 'noobaa-operator',
    trials: BOTH,
    reason: 'ResolutionFailed',
    says: 'ObjectBucket.v1alpha1.objectbucket.io',
    because: 'It requires the kind ObjectBucket, which no package of the corpus provides.',
  },
  {
    source: 'dev-set',
    name: 'prometheus',
    trials: ['upgrade'],
    reason: 'ObjectInvalid',
    says: 'spec.selector',
    because:
      'Version 0.65.1 changes the selector of its Deployment, which no API server changes. To delete the Deployment stops the operator, so a person decides on it.',
  },
  { source: 'dev-set', name: 'pystol', trials: ['head'], ...OLD_CRDS },
  {
    source: 'dev-set',
    name: 'special-resource-operator',
    trials: BOTH,
    reason: 'ResolutionFailed',
    says: 'NodeFeatureDiscovery.v1.nfd.openshift.io',
    because: 'It requires the kind NodeFeatureDiscovery, which no package of the corpus provides.',
  },
  { source: 'dev-set', name: 'yugabyte-operator', trials: ['head'], ...OLD_CRDS },
  { source: 'found-2026-11', name: 'aiven-operator', trials: BOTH, ...INVALID_AUTHORITY },
  {
    source: 'found-2026-11',
    name: 'kuadrant-operator',
    trials: ['upgrade'],
    reason: 'ResolutionFailed',
    says: 'authorino-operator in "0.10.0"',
    because:
      'The version to begin with requires authorino-operator 0.10.0, which the archive does not have. The upgrades after it are in the way of this package above.',
  },
  {
    source: 'found-2026-11',
    name: 'ndmspc-operator',
    trials: ['head'],
    reason: 'ResolutionFailed',
    says: 'knative-operator in ">=1.17.0"',
    because: 'It requires knative-operator, which the corpus does not have.',
  },
  {
    source: 'found-2026-11',
    name: 'ndmspc-operator',
    trials: ['upgrade'],
    reason: 'UpToDate',
    says: 'ndmspc-operator.v0.20250209.0 is not chosen',
    because:
      'The two versions before its head are reached; the head requires knative-operator, which the corpus does not have.',
  },
];

/** The refusal that is expected of a trial; undefined if it is to become Ready. */
export function refusalOf(source: Source, name: string, kind: Trial['kind']): Refusal | undefined {
  return REFUSALS.find((one) => one.source === source && one.name === name && one.trials.includes(kind));
}
