/** `slipway uninstall`: deletes a Subscription, or counts beforehand which objects are deleted and which stay. */
import type { Revision } from '../../../api/revision.ts';
import { leavesObjects, type Subscription } from '../../../api/subscription.ts';
import { describeRef, groupKind } from '../../../api/object.ts';
import { countCustomResources, describeSamples, type CustomResourceCounts } from '../../../apply/custom-resources.ts';
import { mergeInventories, type InventoryEntry } from '../../../apply/inventory.ts';
import { planUninstall, type CustomResourcePolicy, type UninstallPlan } from '../../../apply/plan-uninstall.ts';
import type { Environment } from '../environment.ts';
import { withCluster } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../output/clean.ts';
import { count, formatTable } from '../output/table.ts';
import { patchOf, type Intent } from './acts.ts';
import { carryOut, type ActFlags } from './carry-out.ts';
import { needSubscription, revisionsOf } from './objects.ts';
import { outcomeOf } from './print.ts';

export interface UninstallFlags extends ActFlags {
  readonly preview?: boolean;
  readonly customResources?: CustomResourcePolicy;
  readonly orphan?: boolean;
}

export async function uninstall(environment: Environment, text: string, flags: UninstallFlags): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async (connection) => {
    const { client } = connection;
    const subscription = await needSubscription(connection, text, signal);
    if (flags.preview !== true) return carryOut(client, intendUninstall(subscription, flags), flags, signal);
    const inventory = inventoryOf(await revisionsOf(client, subscription, signal));
    if (isOrphaned(subscription, flags)) {
      const stay = { state: 'Ready', orphaned: inventory.length } as const;
      return outcomeOf(stay, `Every object stays (${count(inventory.length, 'object')}), and is not managed any more\n`, flags.output); // prettier-ignore
    }
    const { namespace = '', name, uid = '' } = subscription.metadata;
    const counts = await countCustomResources(client, inventory, { owner: { namespace, name, uid }, signal });
    const preview = previewOf(subscription, { inventory, counts, policy: flags.customResources });
    return outcomeOf(preview, printPreview(preview, columns), flags.output);
  });
}

/** Deletes the Subscription, after the policies for its objects if some are named. */
export function intendUninstall(subscription: Subscription, flags: UninstallFlags): Intent {
  const { namespace, name, uid = '' } = subscription.metadata;
  const ref = { apiVersion: subscription.apiVersion, kind: subscription.kind, name, ...(namespace !== undefined && { namespace }) }; // prettier-ignore
  const changed = changedPolicies(subscription, flags);
  const isPatched = Object.keys(changed).length > 0;
  const effect = isOrphaned(subscription, flags) ? 'leaves its objects as they are' : 'uninstalls its operator';
  return {
    acts: [
      ...(isPatched ? [patchOf(subscription, { spec: { uninstall: changed }, sameObject: true })] : []),
      { do: 'delete', ref, uid },
    ],
    message: `Subscription ${namespace}/${name} is marked for deletion: the manager ${effect}. To wait for the end: slipway wait ${namespace}/${name} --for deleted`,
  };
}

function changedPolicies(subscription: Subscription, { customResources, orphan }: UninstallFlags): object {
  const { spec } = subscription;
  const isOther = customResources !== undefined && customResources !== spec.uninstall.customResources;
  return {
    ...(orphan === true && !leavesObjects(subscription) && { objects: 'Orphan' }),
    ...(isOther && { customResources }),
  };
}

function isOrphaned(subscription: Subscription, { orphan }: UninstallFlags): boolean {
  return orphan === true || leavesObjects(subscription);
}

/** The objects of all Revisions: archived ones have handed theirs over, except in the middle of a roll-out. */
function inventoryOf(revisions: readonly Revision[]): readonly InventoryEntry[] {
  return revisions.reduce<readonly InventoryEntry[]>(
    (all, { status }) => mergeInventories(all, status?.inventory ?? []),
    [],
  );
}

export interface Preview {
  readonly state: UninstallPlan['state'];
  readonly policy: CustomResourcePolicy;
  /** In the order of the deletions. */
  readonly steps: readonly { readonly name: string; readonly objects: number; readonly kinds: readonly string[] }[];
  /** Custom resources that are deleted with their CRDs. */
  readonly customResources: readonly { readonly crd: string; readonly objects: string }[];
  readonly stays: readonly string[];
  /** Facts that are not known, so that the manager would delete nothing yet. */
  readonly doubts: readonly string[];
}

export interface PreviewFacts {
  readonly inventory: readonly InventoryEntry[];
  readonly counts: CustomResourceCounts;
  /** Instead of that of the spec. */
  readonly policy?: CustomResourcePolicy | undefined;
}

/** The plan by which the manager uninstalls, in counts. */
export function previewOf({ spec }: Subscription, facts: PreviewFacts): Preview {
  const { inventory, counts, policy = spec.uninstall.customResources } = facts;
  const { state, steps, stays, doubts = [] } = planUninstall(inventory, counts, policy);
  const emptied = new Set(
    steps.flatMap(({ resources }) => resources.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)),
  );
  return {
    state,
    policy,
    steps: steps
      .filter(({ entries }) => entries.length > 0)
      .map(({ name, entries }) => ({ name, objects: entries.length, kinds: kindsOf(entries) })),
    customResources: [...counts].flatMap(([crd, found]) =>
      emptied.has(`${found.resource.apiVersion} ${found.resource.kind}`)
        ? [{ crd, objects: `${String(found.count)} (${describeSamples(found)})` }]
        : [],
    ),
    stays: stays.map(({ message }) => message),
    doubts: doubts.map(({ message }) => message),
  };
}

/** `2 ConfigMap`, in the order of their names. */
function kindsOf(entries: readonly InventoryEntry[]): readonly string[] {
  const grouped = Map.groupBy(entries, (entry) => groupKind(entry));
  return [...grouped].map(([kind, all]) => (all.length === 1 ? describeRef(all[0] as InventoryEntry) : `${all.length} ${kind}`)).sort(); // prettier-ignore
}

/** The preview for people. */
export function printPreview(
  { state, policy, steps, customResources, stays, doubts }: Preview,
  columns?: number,
): string {
  const total = steps.reduce((sum, { objects }) => sum + objects, 0);
  const rows = steps.map(({ name, objects, kinds }) => [name, String(objects), kinds.join(', ')]);
  const deleted = customResources.map(({ crd, objects }) => `Every object of ${crd} is deleted first: ${objects}`);
  const parts = [
    state === 'Ready' ? `An uninstall deletes ${count(total, 'object')}; custom resources: ${policy}` : HELD[state],
    ...doubts,
    ...deleted,
    ...(state === 'Ready' && stays.length === 0 ? ['No object stays'] : stays.map((message) => `Stays: ${message}`)),
  ];
  const table = rows.length === 0 ? '' : `\n${formatTable(['STEP', 'OBJECTS', 'DELETED'], rows, columns)}`;
  return `${parts.map((line) => `${cleanLine(line)}\n`).join('')}${table}`;
}

const HELD = {
  Blocked: 'An uninstall deletes nothing until the custom resources are gone, by the policy Block',
  Unknown: 'An uninstall deletes nothing until it is known whether custom resources exist',
} as const;
