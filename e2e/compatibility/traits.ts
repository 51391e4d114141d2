/** Reads from the bundles of trials the requirements on the cluster that the catalog does not list. */
import { groupKind, groupOf } from '../../api/object.ts';
import { parseBundle, type Bundle } from '../../bundles/parse.ts';
import { ownKinds } from '../../bundles/render/kinds.ts';
import { readTree } from '../lib/publish.ts';
import { bundleFolder } from '../stories/real-operators/publish-routes.ts';
import type { Trial } from './plan.ts';

export interface Traits {
  /**
   * A webhook is called for kinds of Kubernetes: if no program runs in its Pods, no webhook answers for the objects of
   * others.
   */
  readonly intercepts: boolean;
  /** `ServiceMonitor.monitoring.coreos.com`: kinds of its objects that neither the bundle nor Kubernetes defines. */
  readonly foreignKinds: ReadonlySet<string>;
}

/** Of the first and the last bundle of a trial. */
export function traitsOf({ of, from, head }: Trial): Traits {
  const folders = [...new Set([from, head])].flatMap((bundle) => bundleFolder(of.folder, bundle) ?? []);
  const bundles = folders.map((folder) => parseBundle(readTree(folder)));
  return {
    intercepts: bundles.some(hasGreedyWebhook),
    foreignKinds: new Set(bundles.flatMap(foreignKindsOf)),
  };
}

function hasGreedyWebhook({ csv }: Bundle): boolean {
  const rules = (csv.spec.webhookdefinitions ?? []).flatMap((webhook) => webhook.rules ?? []) as readonly Rule[];
  return rules.some(({ apiGroups = [] }) => apiGroups.some((group) => group === '*' || isOfKubernetes(group)));
}

interface Rule {
  readonly apiGroups?: readonly string[];
}

function foreignKindsOf({ objects, crds }: Bundle): readonly string[] {
  const own = ownKinds(crds);
  return objects
    .map(({ object }) => object)
    .filter((object) => !isOfKubernetes(groupOf(object.apiVersion)) && !own.has(groupKind(object)))
    .map(groupKind);
}

function isOfKubernetes(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}
