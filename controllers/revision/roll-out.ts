/**
 * Brings the cluster to what an active Revision says, and keeps it there. Each call does what can be done now and
 * returns; the watches call it again. What is in place and untouched costs no request.
 */
import { applyRevision, type ApplyResult, type Unready } from '../../apply/apply.ts';
import type { Cluster } from '../../apply/cluster.ts';
import { assessHealth, hasHealth } from '../../apply/health.ts';
import {
  diffInventory,
  intendedEntries,
  isIntact,
  mergeInventories,
  refOfEntry,
  type InventoryEntry,
} from '../../apply/inventory.ts';
import { identityOf } from '../../apply/identity.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import { pruneObjects, type PruneResult } from '../../apply/prune.ts';
import type { ListPage } from '../../apply/crd-safety/guard.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { isSettled } from './decide.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { RecordEvent } from '../events.ts';
import { writeStatus } from '../status.ts';
import { certificatesDue, certify } from './certificates/roll-out.ts';
import { permitCrds } from './crd-safety.ts';
import { loadManifests } from '../manifests.ts';
import type { RevisionFacts } from './observe.ts';

export interface RollOutDeps {
  /** As the manager: for our own kinds. */
  readonly cluster: Cluster;
  /** As the account that the Subscription names, for the objects of the bundle. */
  readonly acting: Cluster;
  readonly managed: ManagedObjects;
  /** As the manager, for the objects that a changed CRD could hurt. */
  readonly listPage: ListPage;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** What a roll-out came to. */
export type RollOut =
  /** Everything is in place and nobody touched it. */
  | { readonly kind: 'intact'; readonly unready: readonly Unready[]; readonly revision: Revision }
  | {
      readonly kind: 'applied';
      readonly result: ApplyResult;
      /** What only earlier Revisions had and is still there. */
      readonly leftovers: readonly InventoryEntry[];
      readonly revision: Revision;
    };

/** @param facts Those that were decided on; the Revision in the result is the newest version of it. */
export async function rollOut(deps: RollOutDeps, facts: RevisionFacts, signal: AbortSignal): Promise<RollOut> {
  const { revision } = facts;
  const inventory = revision.status?.inventory ?? [];
  await deps.managed.follow(appliedKinds(inventory), signal);
  const intact = isSettled(revision) || isUnhealthyOnly(revision);
  const inPlace = intact && inventory.every((entry) => isIntact(entry, deps.managed.get(refOfEntry(entry))));
  const due = certificatesDue(inventory, deps.managed);
  if (inPlace && (due === undefined || deps.now() < due)) {
    return { kind: 'intact', unready: unreadyOf(deps, inventory), revision };
  }
  return applyAgain(deps, facts, { settled: inPlace && isSettled(revision), signal });
}

async function applyAgain(
  deps: RollOutDeps,
  facts: RevisionFacts,
  { settled, signal }: { readonly settled: boolean; readonly signal: AbortSignal },
): Promise<RollOut> {
  const bare = await desiredObjects(deps, facts);
  const objects = await certify(deps, facts, { objects: bare, settled, signal });
  const revision = await noteIntent(deps, facts, objects);
  const previousInventory = revision.status?.inventory ?? [];
  const result = await applyRevision(deps.acting, {
    objects,
    previousInventory,
    signal,
    unchanged: (entry) => isIntact(entry, deps.managed.get(refOfEntry(entry))),
    observed: (ref) => deps.managed.get(ref),
    permit: permitCrds(facts, { listPage: deps.listPage, signal, onLeft: (note) => tellLeft(deps, facts, note) }),
  });
  await deps.managed.follow(appliedKinds(result.inventory), signal);
  return { kind: 'applied', result, leftovers: diffInventory(result.inventory, objects).pruned, revision };
}

function tellLeft({ record }: RollOutDeps, { revision, subscription }: RevisionFacts, note: string): void {
  record(subscription ?? revision, { type: 'Warning', reason: 'CRDUnsafe', action: 'Apply', note });
}

/** The objects of the Revision as they belong in the cluster. */
async function desiredObjects(deps: RollOutDeps, { revision }: RevisionFacts): Promise<readonly KubeObject[]> {
  const { metadata, spec } = revision;
  const namespace = metadata.namespace ?? '';
  return prepareObjects(await loadManifests(deps.cluster, revision), {
    owner: { namespace, name: spec.subscription },
    package: spec.package,
    revision: metadata.name,
    installNamespace: namespace,
  });
}

/** Writes down what is about to be applied, and what earlier Revisions left: whatever dies now, nothing is forgotten. */
async function noteIntent(
  { cluster }: RollOutDeps,
  { revision, siblings }: RevisionFacts,
  objects: readonly KubeObject[],
): Promise<Revision> {
  const inherited = siblings.flatMap(({ status }) => status?.inventory ?? []);
  const known = mergeInventories(inherited, revision.status?.inventory ?? []);
  const listed = new Set(known.map(identityOf));
  const fresh = intendedEntries(objects).filter((entry) => !listed.has(identityOf(entry)));
  const inventory = [...known, ...fresh];
  if (inventory.length === (revision.status?.inventory ?? []).length) return revision;
  return writeStatus(cluster, revision, { ...revision.status, inventory });
}

/** Deletes what only earlier Revisions had. */
export function pruneLeftovers(
  { acting }: RollOutDeps,
  { revision }: RevisionFacts,
  options: { readonly leftovers: readonly InventoryEntry[]; readonly signal: AbortSignal },
): Promise<PruneResult> {
  const owner = { namespace: revision.metadata.namespace ?? '', name: revision.spec.subscription };
  return pruneObjects(acting, options.leftovers, { owner, signal: options.signal });
}

function appliedKinds(inventory: readonly InventoryEntry[]): readonly InventoryEntry[] {
  return inventory.filter(({ uid }) => uid !== '');
}

/** Whether all was applied and pruned before, and only the health of something is wanting. */
function isUnhealthyOnly({ status }: Revision): boolean {
  return (
    status?.firstReadyTime !== undefined &&
    status.conditions?.some(({ reason }) => reason === 'WorkloadUnhealthy') === true
  );
}

function unreadyOf({ managed }: RollOutDeps, inventory: readonly InventoryEntry[]): readonly Unready[] {
  return inventory.filter(hasHealth).flatMap((entry) => {
    const ref = refOfEntry(entry);
    const live = managed.get(ref);
    const health = live === undefined ? undefined : assessHealth(live);
    return health === undefined || health.state === 'Ready' ? [] : [{ ref, health }];
  });
}
