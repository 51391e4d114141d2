/**
 * Decides what goes, in which order, and what stays and why, when a Subscription is deleted. Pure; uninstall.ts
 * carries it out, the preview prints it.
 */
import { describeRef, type DefinedKind, type ObjectRef } from '../api/object.ts';
import type { Reason } from '../api/reasons.ts';
import type { Failure } from './api-failure.ts';
import {
  describeSamples,
  doubtAbout,
  isCrdEntry,
  type CustomResourceCount,
  type CustomResourceCounts,
} from './custom-resources.ts';
import { refOfEntry, type InventoryEntry } from './inventory.ts';
import { phaseOf, type PhaseName } from './phases.ts';

/** What happens to custom resources: kept with their CRD, deleted first, or nothing at all while there are any. */
export type CustomResourcePolicy = 'Retain' | 'Delete' | 'Block';

/** The closed list of steps, in order. Custom resources go while the operator that finalizes them still runs. */
export const UNINSTALL_STEPS = [
  'customResources',
  'webhooks',
  'workloads',
  'configuration',
  'rbac',
  'crds',
  'namespaces',
] as const;

export type UninstallStepName = (typeof UNINSTALL_STEPS)[number];

export interface UninstallStep {
  readonly name: UninstallStepName;
  /** Objects of the inventory that this step deletes. */
  readonly entries: readonly InventoryEntry[];
  /** Kinds of which every object is deleted, users' objects too; only in the step `customResources`. */
  readonly resources: readonly DefinedKind[];
}

/** Something that is not deleted, and why. */
export interface Stay {
  readonly ref: ObjectRef;
  readonly reason: Reason;
  readonly message: string;
  /** The inventory does not name it by its uid, so nothing is done about it. */
  readonly unproven?: true;
}

export interface UninstallPlan {
  /** `Blocked`: nothing is to be deleted until what `stays` names is gone; `Unknown`: before what `doubts` names is known. */
  readonly state: 'Ready' | 'Blocked' | 'Unknown';
  readonly policy: CustomResourcePolicy;
  /** Only steps that have something to do. */
  readonly steps: readonly UninstallStep[];
  readonly stays: readonly Stay[];
  readonly doubts?: readonly Failure[];
}

const STEP_OF: Readonly<Record<PhaseName, UninstallStepName>> = {
  customResources: 'customResources',
  admission: 'webhooks',
  publish: 'workloads',
  workloads: 'workloads',
  infrastructure: 'configuration',
  storage: 'configuration',
  configuration: 'configuration',
  policies: 'configuration',
  bindings: 'rbac',
  roles: 'rbac',
  identity: 'rbac',
  crds: 'crds',
  namespaces: 'namespaces',
};

/**
 * The steps that remove an inventory. Under `Retain` a CRD that has objects stays with them, an empty one goes;
 * under `Delete` all objects go first; under `Block` nothing goes while there is one. What the inventory itself lists goes
 * in any case, and does not count. While it is not known whether a CRD
 * has objects nothing is planned: that is asked again. A CRD that has objects and that the inventory does not name by its uid stays in any case.
 *
 * @param because Why a CRD with objects stays, if the policy alone does not say it.
 */
export function planUninstall(
  inventory: readonly InventoryEntry[],
  counts: CustomResourceCounts,
  policy: CustomResourcePolicy,
  because?: string,
): UninstallPlan {
  const doubts = inventory.filter(isCrdEntry).flatMap((entry) => doubtOf(entry, counts) ?? []);
  if (doubts.length > 0) return { state: 'Unknown', policy, steps: [], stays: [], doubts };
  const used = inventory.filter((entry) => isCrdEntry(entry) && isUsed(counts.get(entry.name)));
  const isOurs = ({ name }: InventoryEntry): boolean => counts.get(name)?.unproven !== true;
  const emptied = policy === 'Delete' ? used.filter(isOurs) : [];
  const kept = used.filter((entry) => !emptied.includes(entry));
  const stays = kept.map((entry) => stayOf(entry, counts, { policy, because }));
  if (policy === 'Block' && kept.some(isOurs)) return { state: 'Blocked', policy, steps: [], stays };
  const going = inventory.filter((entry) => !kept.includes(entry));
  const resources = emptied.flatMap(({ name }) => counts.get(name)?.resource ?? []);
  return { state: 'Ready', policy, steps: stepsFor(going, resources), stays };
}

function doubtOf(entry: InventoryEntry, counts: CustomResourceCounts): Failure | undefined {
  const found = counts.get(entry.name);
  return found && doubtAbout(refOfEntry(entry), found);
}

function isUsed(count: CustomResourceCount | undefined): boolean {
  return count !== undefined && count.count !== 0;
}

function stepsFor(entries: readonly InventoryEntry[], resources: UninstallStep['resources']): UninstallStep[] {
  const grouped = Map.groupBy(entries, (entry) => STEP_OF[phaseOf(entry)]);
  return UNINSTALL_STEPS.map((name) => ({
    name,
    entries: grouped.get(name) ?? [],
    resources: name === 'customResources' ? resources : [],
  })).filter((step) => step.entries.length > 0 || step.resources.length > 0);
}

interface Why {
  readonly policy: CustomResourcePolicy;
  readonly because: string | undefined;
}

function stayOf(entry: InventoryEntry, counts: CustomResourceCounts, why: Why): Stay {
  const ref = refOfEntry(entry);
  const found = counts.get(entry.name) as CustomResourceCount;
  const what =
    found.count === 'unknown'
      ? `may have objects, which cannot be listed: ${found.message ?? ''}`
      : `has ${describeCount(found)}`;
  const unproven = found.unproven === true;
  const message = `${describeRef(ref)} ${what}, and ${describeStay(unproven, why)}`;
  return { ref, reason: 'CustomResourcesExist', message, ...(unproven && { unproven }) };
}

function describeStay(unproven: boolean, { policy, because }: Why): string {
  if (unproven) return 'stays with them: the inventory does not name it by its uid';
  if (policy === 'Block') return 'the policy is to remove nothing before they are gone';
  return because === undefined ? 'stays with them' : `stays with them: ${because}`;
}

function describeCount(found: CustomResourceCount): string {
  return `${found.count} ${found.count === 1 ? 'object' : 'objects'} (${describeSamples(found)})`;
}
