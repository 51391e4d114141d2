/**
 * The hash of a plan: equal if, and only if, the same change is made. It covers everything that decides the outcome, and
 * nothing that changes without an effect on it, such as the number of custom resources or the order of keys. Facts of the
 * cluster count only if they differ from the manifests of the installed version: so the hash that a person approves
 * offline is valid in the cluster, and void if the cluster is in another state than the plan assumed. Pure.
 */
import { createHash } from 'node:crypto';
import { identityOf } from '../apply/identity.ts';
import { hashObject } from '../apply/prepare.ts';
import { readCrd } from '../apply/crd-safety/schema.ts';
import { isCrdV1 } from '../api/crd-kind.ts';
import { canonicalJson } from '../api/json.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import { requirementsOf } from './dependencies.ts';
import type { PlanClusterFacts, PlanInput, PlannedSide } from './input.ts';

/** Of the content below: another content needs another number, so that no old hash is mistaken for a new one. */
const FORMAT = 1;

/** `sha256:…` */
export function hashPlan({
  package: packageName,
  subscription,
  from,
  to,
  waivers = [],
  crdEnforcement,
  customResources,
  facts = {},
}: PlanInput): string {
  const content = {
    format: FORMAT,
    package: packageName,
    subscription,
    from: sideOf(from),
    to: sideOf(to),
    waivers: [...new Set(waivers.map(({ crd, rule }) => `${crd} ${rule}`))].sort(),
    ...(crdEnforcement === 'None' && { crdEnforcement }),
    ...(to === undefined && { customResources: customResources ?? 'Retain' }),
    differences: differencesOf(from, to, facts),
  };
  return `sha256:${createHash('sha256').update(canonicalJson(content)).digest('hex')}`;
}

function sideOf(side: PlannedSide | undefined): unknown {
  if (side === undefined) return null;
  const { bundle, version, objects, properties } = side;
  const hashes = objects
    .map((object) => `${identityOf(refOf(object))} ${object.apiVersion} ${hashObject(object)}`)
    .sort();
  return { bundle, version, objects: hashes, requires: requirementsOf(properties) };
}

/** The states of the cluster that a plan from manifests alone does not expect. */
function differencesOf(
  from: PlannedSide | undefined,
  to: PlannedSide | undefined,
  facts: PlanClusterFacts,
): readonly string[] {
  const installed = new Set((from?.objects ?? []).map((object) => identityOf(refOf(object))));
  const taken = (to?.objects ?? []).flatMap((object) => {
    const identity = identityOf(refOf(object));
    const state = installed.has(identity) ? undefined : facts.existing?.get(identity);
    return typeof state === 'object' ? [`${identity} belongs to ${state.owner}`] : [];
  });
  const unserved = [...(facts.unserved ?? [])].map((identity) => `${identity} is of a kind that is not served`);
  return [
    ...taken,
    ...unserved,
    ...(from?.objects ?? []).filter(isCrdV1).flatMap((crd) => storedElsewhere(crd, facts)),
  ].sort();
}

function storedElsewhere(crd: KubeObject, { storedVersions }: PlanClusterFacts): readonly string[] {
  const stored = storedVersions?.get(crd.metadata.name) ?? [];
  const expected = new Set(readCrd(crd).storedVersions);
  return stored
    .filter((version) => !expected.has(version))
    .map((version) => `${crd.metadata.name} has objects stored as ${version}`);
}
