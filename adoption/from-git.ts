/**
 * Objects of OLM that another program declares: it would create them again after the hand-over, and OLM would install the
 * operator again. Whether they are still in Git is not known, as a mark outlives the file; so it is a note, and no refusal. Pure.
 */
import { groupKind, type KubeObject } from '../api/object.ts';
import { EXTENSION } from './olm-v1/kinds.ts';

interface Declaration {
  /** `Flux Kustomization flux-system/apps` */
  readonly by: string;
  /** By which the program leaves the object when it is removed from the declaration. */
  readonly keeps: string;
}

/** The sentence for a plan; undefined if no program is known to declare the object. */
export function noteOfDeclaration(object: KubeObject): string | undefined {
  const declaration = declarationOf(object);
  if (declaration === undefined) return undefined;
  const { by, keeps } = declaration;
  const harm = groupKind(object) === groupKind(EXTENSION) ? HARM_OF_PRUNING : '';
  return `it has marks of ${by}, which would create it again after the hand-over. Remove it from there first, with pruning disabled by the annotation ${keeps}${harm}`;
}

const HARM_OF_PRUNING = ': pruned, OLM would delete the operator, its CRDs and all custom resources';

const FLUX = 'kustomize.toolkit.fluxcd.io';
const FLUX_HELM = 'helm.toolkit.fluxcd.io';
const ARGO = 'argocd.argoproj.io';
const OF_HELM = 'meta.helm.sh/release';
const KEEP = 'helm.sh/resource-policy: keep';

function declarationOf({ metadata: { labels = {}, annotations = {} } }: KubeObject): Declaration | undefined {
  const of = (kind: string, prefix: string): string | undefined =>
    named(kind, labels[`${prefix}/namespace`], labels[`${prefix}/name`]);
  const kustomization = of('Flux Kustomization', FLUX);
  if (kustomization !== undefined) return { by: kustomization, keeps: `${FLUX}/prune: disabled` };
  // Helm marks what Flux installs by it: Flux is the one that goes on.
  const isOfHelm = labels['app.kubernetes.io/managed-by'] === 'Helm';
  const release = named('Helm release', annotations[`${OF_HELM}-namespace`], annotations[`${OF_HELM}-name`]);
  const helm = of('Flux HelmRelease', FLUX_HELM) ?? (isOfHelm ? release : undefined);
  if (helm !== undefined) return { by: helm, keeps: KEEP };
  const tracked = annotations[`${ARGO}/tracking-id`]?.split(':', 1)[0] ?? labels[`${ARGO}/instance`];
  const application = named('Argo CD Application', undefined, tracked);
  return application === undefined ? undefined : { by: application, keeps: `${ARGO}/sync-options: Prune=false` };
}

function named(kind: string, namespace: string | undefined, name: string | undefined): string | undefined {
  if (!isName(name) || (namespace !== undefined && !isName(namespace))) return undefined;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** An annotation may be any text, and a terminal obeys some. */
function isName(text: string | undefined): text is string {
  return text !== undefined && /^[\w.-]{1,253}$/.test(text);
}
