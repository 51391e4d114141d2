/**
 * The parts of OLM's objects that a hand-over reads, for lists of them: a namespace may have many versions and plans, each with
 * all manifests of an operator. Pure.
 */
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, type Fields } from '../../api/untyped.ts';
import { nameOnly, ownedParts } from '../../apply/listed-parts.ts';
import { OLM_LABEL } from './kinds.ts';

/** Name and origin of a ClusterServiceVersion. */
export function csvNameParts(csv: KubeObject): KubeObject {
  return ownedParts(csv, { labels: (key) => key === OLM_LABEL.copiedFrom });
}

/** Annotations of a ClusterServiceVersion that people read. */
const EXAMPLES: ReadonlySet<string> = new Set(['alm-examples', 'kubectl.kubernetes.io/last-applied-configuration']);

/** A ClusterServiceVersion of another operator: the fields that decide who requires and replaces whom. */
export function neighbourParts(csv: KubeObject): KubeObject {
  const { metadata } = ownedParts(csv, { labels: () => true, annotations: (key) => !EXAMPLES.has(key) });
  const { icon: _icon, description: _description, install: _install, ...spec } = fieldsOf(csv['spec']);
  return { ...nameOnly(csv), metadata, spec };
}

/** The versions that a Subscription of OLM has. */
export function holderParts(subscription: KubeObject): KubeObject {
  const { installedCSV, currentCSV } = fieldsOf(subscription['status']);
  return { ...nameOnly(subscription), status: { installedCSV, currentCSV } };
}

/** An InstallPlan without the manifests of its steps. */
export function planParts(plan: KubeObject): KubeObject {
  const { approved, clusterServiceVersionNames } = fieldsOf(plan['spec']);
  const { phase, message, plan: steps } = fieldsOf(plan['status']);
  const { metadata } = ownedParts(plan, { labels: () => true });
  return {
    ...nameOnly(plan),
    metadata,
    spec: { approved, clusterServiceVersionNames },
    status: { phase, message, plan: listOf(steps).map(stepParts) },
  };
}

function stepParts({ resolving, resource }: Fields): Fields {
  const { group, version, kind, name } = fieldsOf(resource);
  return { resolving, resource: { group, version, kind, name } };
}
