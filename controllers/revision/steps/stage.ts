/**
 * Picks the stage of a rehearsal, with the objects as they are in that stage, and notes in the inventory everything that
 * is about to be written: if the manager dies, no object is forgotten.
 */
import { identityOf } from '../../../apply/identity.ts';
import { intendedEntries, listsTheSame, markLeftovers, type InventoryEntry } from '../../../apply/inventory.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import { writeStatus } from '../../status.ts';
import { followServed } from '../follow-served.ts';
import { knownInventory, type RevisionFacts } from '../observe.ts';
import { resultOf, type Run } from '../run.ts';

/** Adds `stage` and `intent`; the write of the inventory goes on meanwhile. */
export async function stage(run: Run): Promise<undefined> {
  const { facts, clients, watched, rehearsal, results, signal } = run;
  const { cluster } = clients;
  const chosen = await rehearsal.stageOf(resultOf(run, 'objects'), signal);
  const traces = rehearsal.tracesOf(chosen);
  await followServed({ cluster, watched }, traces, signal);
  const inventory = intendedInventory(facts, [...chosen.objects, ...traces]);
  const noted = noteIntent(run, inventory);
  // Awaited by the next step: a rejection before that must not count as unhandled.
  noted.catch(() => undefined);
  results.stage = chosen;
  results.intent = { inventory, noted };
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
