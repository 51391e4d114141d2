import { itemsOf } from '../../api/untyped.ts';
import type { Bundle, Manifest } from '../bundle.ts';
import { at, inCsv, isAtLeast, asText, tolerantVersion, type Check, type FoundBy } from './check.ts';

/** APIs that Kubernetes has removed, by the minor version that removed them: `<apiVersion> <kind>`. */
const REMOVED: readonly { readonly minor: number; readonly kinds: ReadonlySet<string> }[] = [
  {
    minor: 22,
    kinds: new Set([
      'apiextensions.k8s.io/v1beta1 CustomResourceDefinition',
      'scheduling.k8s.io/v1beta1 PriorityClass',
      ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map(
        (k) => `rbac.authorization.k8s.io/v1beta1 ${k}`,
      ),
      'apiregistration.k8s.io/v1beta1 APIService',
      'authentication.k8s.io/v1beta1 TokenReview',
      ...['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SubjectAccessReview'].map(
        (kind) => `authorization.k8s.io/v1beta1 ${kind}`,
      ),
      ...['Mutating', 'Validating'].map((k) => `admissionregistration.k8s.io/v1beta1 ${k}WebhookConfiguration`),
      'coordination.k8s.io/v1beta1 Lease',
      'extensions/v1beta1 Ingress',
      ...['Ingress', 'IngressClass'].map((kind) => `networking.k8s.io/v1beta1 ${kind}`),
      ...['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'].map((k) => `storage.k8s.io/v1beta1 ${k}`),
      'certificates.k8s.io/v1beta1 CertificateSigningRequest',
    ]),
  },
  {
    minor: 25,
    kinds: new Set([
      'batch/v1beta1 CronJob',
      'discovery.k8s.io/v1beta1 EndpointSlice',
      'events.k8s.io/v1beta1 Event',
      'autoscaling/v2beta1 HorizontalPodAutoscaler',
      'policy/v1beta1 PodDisruptionBudget',
      'policy/v1beta1 PodSecurityPolicy',
      'node.k8s.io/v1beta1 RuntimeClass',
    ]),
  },
  { minor: 26, kinds: new Set(['autoscaling/v2beta2 HorizontalPodAutoscaler']) },
];

/** Resources of which Kubernetes 1.25 removed one version: an operator with rights to them may use that version. */
const DOUBTFUL: ReadonlyMap<string, readonly string[]> = new Map([
  ['batch', ['cronjobs']],
  ['discovery.k8s.io', ['endpointslices']],
  ['events.k8s.io', ['events']],
  ['autoscaling', ['horizontalpodautoscalers']],
  ['policy', ['poddisruptionbudgets', 'podsecuritypolicies']],
  ['node.k8s.io', ['runtimeclasses']],
]);

/** Kubernetes versions that the bundle is for serve every API that it uses. */
export const removedApis: Check = {
  name: 'removed-apis',
  suite: 'removed-apis',
  *run(bundle, { kubernetesVersion }) {
    const { minKubeVersion = '' } = bundle.csv.spec;
    yield* checkVersions(bundle, kubernetesVersion, minKubeVersion);
    const versions = [tolerantVersion(kubernetesVersion ?? ''), tolerantVersion(minKubeVersion)];
    for (const { minor, kinds } of REMOVED) {
      const level = versions.some((version) => isAtLeast(version, 1, minor)) ? 'error' : 'warning';
      yield* usedObjects(bundle, { minor, kinds, level });
    }
    yield* doubtfulRights(bundle);
  },
};

/** Objects of the bundle whose API Kubernetes 1.22 removed. */
export function removedIn22({ crds, objects }: Bundle): readonly Manifest[] {
  const kinds = REMOVED[0]?.kinds;
  return [...crds, ...objects].filter(({ object }) => kinds?.has(`${object.apiVersion} ${object.kind}`));
}

function* checkVersions(bundle: Bundle, wanted: string | undefined, minimum: string): Iterable<FoundBy> {
  const advice = 'Write it as MAJOR.MINOR: 1.34';
  if (wanted !== undefined && wanted !== '' && tolerantVersion(wanted) === undefined) {
    yield { level: 'error', message: `"${wanted}" is not a version of Kubernetes`, advice };
  }
  if (minimum === '' || tolerantVersion(minimum) !== undefined) return;
  const message = `removed APIs cannot be determined from spec.minKubeVersion, because "${minimum}" is not a version`;
  yield { level: 'error', ...inCsv(bundle, 'spec.minKubeVersion'), message, advice };
}

function* usedObjects(
  bundle: Bundle,
  {
    minor,
    kinds,
    level,
  }: { readonly minor: number; readonly kinds: ReadonlySet<string>; readonly level: FoundBy['level'] },
): Iterable<FoundBy> {
  const advice = `Move to the version that is served: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-${minor}`;
  for (const manifest of [...bundle.crds, ...bundle.objects]) {
    const { apiVersion, kind } = manifest.object;
    if (!kinds.has(`${apiVersion} ${kind}`)) continue;
    const message = `${apiVersion} of ${kind} is not served since Kubernetes 1.${minor}`;
    yield { level, ...at(manifest), path: 'apiVersion', message, advice };
  }
  for (const { path, version, kind } of displayedResources(bundle)) {
    if (!kinds.has(`${version} ${kind}`)) continue;
    const message = `${version} of ${kind} is not served since Kubernetes 1.${minor}`;
    yield { level, ...inCsv(bundle, path), message, advice };
  }
}

interface Displayed {
  readonly path: string;
  readonly version: string;
  readonly kind: string;
}

/** The resources that the CSV says a custom resource consists of. */
function displayedResources({ csv }: Bundle): readonly Displayed[] {
  const spec = (csv.manifest.object['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  const definitions = (spec['customresourcedefinitions'] ?? {}) as Readonly<Record<string, unknown>>;
  return ['owned', 'required'].flatMap((list) =>
    itemsOf(definitions[list]).flatMap((crd, index) =>
      itemsOf((crd as Readonly<Record<string, unknown>> | null)?.['resources']).map((resource, at) => {
        const { version, kind } = (resource ?? {}) as Readonly<Record<string, unknown>>;
        const path = `spec.customresourcedefinitions.${list}[${index}].resources[${at}]`;
        return { path, version: asText(version), kind: asText(kind) };
      }),
    ),
  );
}

function* doubtfulRights(bundle: Bundle): Iterable<FoundBy> {
  const displayed = new Set(displayedResources(bundle).map(({ kind }) => `${kind.toLowerCase()}s`));
  const { permissions = [], clusterPermissions = [] } = bundle.csv.spec.install.spec ?? {};
  for (const [list, found] of Object.entries({ clusterPermissions, permissions })) {
    for (const [index, { rules }] of found.entries()) {
      for (const [at, { apiGroups = [], resources = [] }] of (rules ?? []).entries()) {
        const named = new Set(resources);
        const doubtful = [...new Set(apiGroups)].flatMap((group) =>
          (DOUBTFUL.get(group) ?? []).filter((resource) => named.has(resource)),
        );
        for (const resource of doubtful.filter((name) => !displayed.has(name))) {
          const path = `spec.install.spec.${list}[${index}].rules[${at}]`;
          const message = `the operator has rights to ${resource}, of which Kubernetes 1.25 removed a version`;
          const advice = 'Make sure that the operator uses the version that is served';
          yield { level: 'warning', ...inCsv(bundle, path), message, advice };
        }
      }
    }
  }
}
