/** The facts about a source that every step of composing a bundle needs. */
import { CRD } from '../../api/crd-kind.ts';
import type { ReasonedError } from '../../api/errors.ts';
import { describeRef, groupKind, refOf, type KubeObject } from '../../api/object.ts';
import type { InstallMode } from '../render/install-mode.ts';
import { invalidInput } from '../../api/invalid-input.ts';
import type { SourceObject } from './source.ts';

/** A source with its facts; computed once. */
export interface Scene {
  readonly sources: readonly SourceObject[];
  /** By group and kind: `Deployment.apps`. */
  readonly byKind: ReadonlyMap<string, readonly SourceObject[]>;
  /** Of the operator in the source; undefined if the objects name none. */
  readonly namespace: string | undefined;
  /** ServiceAccounts of the Deployments; `default` is not among them. */
  readonly deploymentAccounts: ReadonlySet<string>;
  /** Those, and every other ServiceAccount of the source in the namespace of the operator. */
  readonly accounts: ReadonlySet<string>;
  readonly modes: readonly InstallMode[];
}

/**
 * @throws ReasonedError InputInvalid if no bundle can be made of the objects: an object occurs twice, there is no
 * Deployment, or the Deployments are in several namespaces.
 */
export function surveySource(sources: readonly SourceObject[], modes: readonly InstallMode[] | undefined): Scene {
  refuseTwice(sources);
  const byKind = Map.groupBy(sources, ({ object }) => groupKind(object));
  const deployments = byKind.get('Deployment.apps') ?? [];
  if (deployments.length === 0) throw noDeployment(sources);
  const namespace = findNamespace(byKind);
  const deploymentAccounts = new Set(deployments.map(({ object }) => accountOf(object)));
  deploymentAccounts.delete(DEFAULT_ACCOUNT);
  const inNamespace = (byKind.get('ServiceAccount') ?? []).filter(({ object }) => isInside(object, namespace));
  const accounts = new Set([...deploymentAccounts, ...inNamespace.map(({ object }) => object.metadata.name)]);
  const scene = { sources, byKind, namespace, deploymentAccounts, accounts };
  return { ...scene, modes: modes ?? defaultModes(scene) };
}

const DEFAULT_ACCOUNT = 'default';

function refuseTwice(sources: readonly SourceObject[]): void {
  const seen = new Map<string, string>();
  for (const { object, place } of sources) {
    const name = describeRef(refOf(object));
    const before = seen.get(name);
    if (before !== undefined)
      throw invalidInput(`${name} is there twice: in ${before}, and in ${place}`, 'Remove one of them, or rename it');
    seen.set(name, place);
  }
}

function noDeployment(sources: readonly SourceObject[]): ReasonedError {
  const kinds = [...new Set(sources.map(({ object }) => groupKind(object)))].slice(0, 10);
  return invalidInput(
    sources.length === 0 ? 'the source has no objects' : `the source has no Deployment, only ${kinds.join(', ')}`,
    'A bundle runs an operator as Deployments: add the Deployment, or turn the StatefulSet or DaemonSet into one',
  );
}

/** That of the Deployments; if they name none, the only one that other objects of the operator name. */
function findNamespace(byKind: Scene['byKind']): string | undefined {
  const named = (kind: string): readonly string[] => [
    ...new Set((byKind.get(kind) ?? []).flatMap(({ object }) => object.metadata.namespace ?? [])),
  ];
  const [first, ...others] = named('Deployment.apps');
  if (others.length > 0) {
    throw invalidInput(
      `the Deployments are in ${others.length + 1} namespaces: ${[first, ...others].join(', ')}`,
      'A bundle is installed into one namespace: make a bundle of the Deployments of each',
    );
  }
  if (first !== undefined) return first;
  const namespaces = (byKind.get('Namespace') ?? []).map(({ object }) => object.metadata.name);
  return [namespaces, named('ServiceAccount'), namedBySubjects(byKind)].find((some) => some.length === 1)?.[0];
}

/** Bindings for the whole cluster have to name the namespace of an account. */
function namedBySubjects(byKind: Scene['byKind']): readonly string[] {
  const accounts = new Set((byKind.get('Deployment.apps') ?? []).map(({ object }) => accountOf(object)));
  const bindings = byKind.get('ClusterRoleBinding.rbac.authorization.k8s.io') ?? [];
  const subjects = bindings.flatMap(({ object }) => (object['subjects'] ?? []) as readonly Subject[]);
  const own = subjects.filter(({ kind, name }) => kind === 'ServiceAccount' && accounts.has(name));
  return [...new Set(own.flatMap(({ namespace }) => namespace ?? []))];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface WithPod {
  readonly spec?: { readonly template?: { readonly spec?: { readonly serviceAccountName?: string } } };
}

/** The ServiceAccount that a Deployment runs as. */
export function accountOf(deployment: KubeObject): string {
  const name = (deployment as KubeObject & WithPod).spec?.template?.spec?.serviceAccountName ?? '';
  return name === '' ? DEFAULT_ACCOUNT : name;
}

/** Whether an object is in the namespace of the operator; one that names none is. */
export function isInside({ metadata }: KubeObject, namespace: string | undefined): boolean {
  return metadata.namespace === undefined || namespace === undefined || metadata.namespace === namespace;
}

/** An operator with rights in the whole cluster watches all namespaces, any other its own. */
function defaultModes({ byKind, accounts }: Omit<Scene, 'modes'>): readonly InstallMode[] {
  const bindings = byKind.get('ClusterRoleBinding.rbac.authorization.k8s.io') ?? [];
  const isWide = bindings.some(({ object }) =>
    ((object['subjects'] ?? []) as readonly Subject[]).some(
      ({ kind, name }) => kind === 'ServiceAccount' && accounts.has(name),
    ),
  );
  return isWide || hasConversion(byKind) ? ['AllNamespaces'] : ['OwnNamespace'];
}

function hasConversion(byKind: Scene['byKind']): boolean {
  return (byKind.get(groupKind(CRD)) ?? []).some(
    ({ object }) =>
      (object['spec'] as { readonly conversion?: { readonly strategy?: string } } | undefined)?.conversion?.strategy ===
      'Webhook',
  );
}
