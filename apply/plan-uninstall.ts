/**
 * Decides which objects an uninstall deletes, in which order, and which stay and why. Pure; uninstall.ts carries out
 * the plan.
 */
import { isCrd } from '../api/crd-kind.ts';
import { describeRef, type DefinedKind, type Kind, type ObjectRef } from '../api/object.ts';
import type { Reason } from '../api/reasons.ts';
import type { Failure } from './api-failure.ts';
import {
  describeSamples,
  doubtAbout,
  type CustomResourceCount,
  type CustomResourceCounts,
} from './custom-resources.ts';
import { refOfEntry, type InventoryEntry } from './inventory.ts';
import { phaseOf, type PhaseName } from './phases.ts';

/** Custom resources are kept with their CRD, deleted first, or block the uninstall while there are any. */
export type CustomResourcePolicy = 'Retain' | 'Delete' | 'Block';

/**
 * The closed list of steps, in order. Custom resources are deleted while the operator that finalizes them still runs.
 */
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

/**
 * The wave of each step; a wave begins when all objects of the one before are gone. Once no workload runs, nothing uses
 * its configuration, its rights or its kinds, so these go together.
 */
const WAVE_OF: Readonly<Record<UninstallStepName, number>> = {
  customResources: 0,
  webhooks: 1,
  workloads: 2,
  configuration: 3,
  rbac: 3,
  crds: 3,
  namespaces: 4,
};

export interface UninstallStep {
  readonly name: UninstallStepName;
  /** Objects of the inventory that this step deletes. */
  readonly entries: readonly InventoryEntry[];
  /** Kinds of which every object is deleted, including users' objects; only in the step `customResources`. */
  readonly resources: readonly DefinedKind[];
}

/** An object that is not deleted, and why. */
export interface Stay {
  readonly ref: ObjectRef;
  readonly reason: Reason;
  readonly message: string;
  /** The inventory does not have its uid, so the object is left alone. */
  readonly unproven?: true;
}

export interface UninstallPlan {
  /**
   * `Blocked`: nothing is deleted until the objects in `stays` are gone. `Unknown`: nothing is deleted until `doubts`
   * are resolved.
   */
  readonly state: 'Ready' | 'Blocked' | 'Unknown';
  readonly policy: CustomResourcePolicy;
  /** Only steps with something to do. */
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
 * The steps that remove an inventory. Under `Retain` a CRD that has objects stays with them, and an empty one is
 * deleted; under `Delete` all objects are deleted first; under `Block` nothing is deleted while an object exists.
 * Objects that the inventory itself lists are always deleted and do not count. While it is unknown whether a CRD has
 * objects, nothing is planned, and the caller retries. A CRD with objects whose uid is not in the inventory always
 * stays.
 *
 * @param because Why a CRD with objects stays, if the policy alone does not say it.
 */
export function planUninstall(
  inventory: readonly InventoryEntry[],
  counts: CustomResourceCounts,
  policy: CustomResourcePolicy,
  because?: string,
): UninstallPlan {
  const doubts = inventory.filter(isCrd).flatMap((entry) => doubtOf(entry, counts) ?? []);
  if (doubts.length > 0) return { state: 'Unknown', policy, steps: [], stays: [], doubts };
  const used = inventory.filter((entry) => isCrd(entry) && isUsed(counts.get(entry.name)));
  const isOurs = ({ name }: InventoryEntry): boolean => counts.get(name)?.unproven !== true;
  const emptied = policy === 'Delete' ? used.filter(isOurs) : [];
  const kept = used.filter((entry) => !emptied.includes(entry));
  const stays = kept.map((entry) => stayOf(entry, counts, { policy, because }));
  if (policy === 'Block' && kept.some(isOurs)) return { state: 'Blocked', policy, steps: [], stays };
  const going = inventory.filter((entry) => !kept.includes(entry));
  const resources = emptied.flatMap(({ name }) => counts.get(name)?.resource ?? []);
  return { state: 'Ready', policy, steps: stepsFor(going, resources), stays };
}

/** The objects that are deleted together, wave by wave. */
export function inWaves<Entry extends Kind>(entries: readonly Entry[]): Entry[][] {
  return grouped(entries, (entry) => STEP_OF[phaseOf(entry)]);
}

/** The steps that run together, wave by wave. */
export function wavesOf(steps: readonly UninstallStep[]): UninstallStep[][] {
  return grouped(steps, ({ name }) => name);
}

function grouped<Item>(items: readonly Item[], stepOf: (item: Item) => UninstallStepName): Item[][] {
  const waves = Map.groupBy(items, (item) => WAVE_OF[stepOf(item)]);
  return [...waves].sort(([a], [b]) => a - b).map(([, wave]) => wave);
}

function doubtOf(entry: InventoryEntry, counts: CustomResourceCounts): Failure | undefined {
  const found = counts.get(entry.name);
  return found && doubtAbout(refOfEntry(entry), found);
}

function isUsed(count: CustomResourceCount | undefined): boolean {
  return count !== undefined && count.count !== 0;
}

function stepsFor(entries: readonly InventoryEntry[], resources: UninstallStep['resources']): UninstallStep[] {
  const byStep = Map.groupBy(entries, (entry) => STEP_OF[phaseOf(entry)]);
  return UNINSTALL_STEPS.map((name) => ({
    name,
    entries: byStep.get(name) ?? [],
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
  if (policy === 'Block')
    return 'nothing is deleted until these are gone, since the policy is Block: delete them, or set spec.uninstall.customResources to Retain or Delete';
  return because === undefined ? 'stays with them' : `stays with them: ${because}`;
}

function describeCount(found: CustomResourceCount): string {
  return `${found.count} ${found.count === 1 ? 'object' : 'objects'} (${describeSamples(found)})`;
}
