/**
 * Picks the stage of a rehearsal, with the objects as they are in that stage, and notes in the inventory everything that
 * is about to be written: if the manager dies, no object is forgotten.
 */
import { awaitedLater } from '../../../api/awaited-later.ts';
import { identityOf } from '../../../apply/identity.ts';
import { intendedEntries, listsTheSame, markLeftovers, type InventoryEntry } from '../../../apply/inventory.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import { writeStatus } from '../../status.ts';
import { followServed } from '../follow-served.ts';
import { knownInventory, type RevisionFacts } from '../observe.ts';
import type { Stage } from '../rehearsal/decide-stage.ts';
import type { Run } from '../run.ts';
import type { Equipped } from './equip.ts';

export interface Staged extends Equipped {
  /** The objects as they are now to be applied. */
  readonly stage: Stage;
  /** The inventory with the objects that are about to be applied. */
  readonly intended: readonly InventoryEntry[];
  /** The Revision with this inventory, once it is written. */
  readonly noted: Promise<Revision>;
}

/** The write of the inventory goes on meanwhile. */
export async function stage(run: Run, equipped: Equipped): Promise<Staged> {
  const { facts, clients, watched, rehearsal, signal } = run;
  const { cluster } = clients;
  const chosen = await rehearsal.stageOf(equipped.own.objects, signal);
  const traces = rehearsal.tracesOf(chosen);
  await followServed({ cluster, watched }, traces, signal);
  const intended = intendedInventory(facts, [...chosen.objects, ...traces]);
  const noted = awaitedLater(noteIntent(run, intended));
  return { ...equipped, stage: chosen, intended, noted };
}

/** The existing objects, the leftovers of earlier Revisions, and the objects that are about to be applied. */
function intendedInventory(facts: RevisionFacts, objects: readonly KubeObject[]): readonly InventoryEntry[] {
  const known = knownInventory(facts);
  const listed = new Set(known.map(identityOf));
  const intended = intendedEntries(objects).filter((entry) => !listed.has(identityOf(entry)));
  return markLeftovers([...known, ...intended], objects);
}

async function noteIntent({ clients, facts }: Run, inventory: readonly InventoryEntry[]): Promise<Revision> {
  const { revision } = facts;
  if (listsTheSame(inventory, revision.status?.inventory ?? [])) return revision;
  return writeStatus(clients.cluster, revision, { ...revision.status, inventory });
}
