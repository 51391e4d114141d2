/** The inventory of a Revision as groups of its phases: objects with their health, their writers and their drift. Pure. */
import { describeRef, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { isIntact, refOfEntry, type InventoryEntry } from '../../apply/inventory.ts';
import { PHASE_NAMES, phaseOf } from '../../apply/phases.ts';
import { objectNode, type TreeNode } from '../../report/tree-nodes.ts';
import type { Answer, ReadObject } from './ask.ts';
import { healthBadge } from './badges.ts';
import { fieldOwners } from './field-owners.ts';
import { quote } from './kubectl.ts';
import type { Cut, PhaseGroup, Tone, TreeItem } from './models.ts';
import { line, nameOf } from './text.ts';

/** Each object is one request; the first ones of the inventory are read. */
const MOST_READ = 200;

/** The entries whose objects are read. */
export function entriesToRead({ status }: Revision): readonly InventoryEntry[] {
  return (status?.inventory ?? []).slice(0, MOST_READ);
}

export interface Groups {
  readonly groups: readonly PhaseGroup[];
  readonly cut?: Cut;
}

/** @param answers In the order of the entries; absent ones are not read yet */
export function groupsOf(revision: Revision, answers: readonly Answer<ReadObject>[] | undefined): Groups {
  const items = entriesToRead(revision).map((entry, at) => ({
    phase: phaseOf(entry),
    item: itemOf(entry, answers?.[at], revision.spec.state === 'Active'),
  }));
  const byPhase = Map.groupBy(items, ({ phase }) => phase);
  const omitted = (revision.status?.inventory?.length ?? 0) - items.length;
  return {
    groups: PHASE_NAMES.flatMap((phase) => {
      const own = byPhase.get(phase)?.map(({ item }) => item) ?? [];
      return own.length === 0 ? [] : [groupOf(phase, own)];
    }),
    ...(omitted > 0 && { cut: { omitted, message: `${omitted} further objects are not read` } }),
  };
}

/** From good to bad: a group is as bad as its worst object. */
const TONES: readonly Tone[] = ['good', 'off', 'unknown', 'working', 'waiting', 'bad'];

function groupOf(phase: string, items: readonly TreeItem[]): PhaseGroup {
  const worst = items.reduce((a, b) => (TONES.indexOf(b.state.tone) > TONES.indexOf(a.state.tone) ? b : a));
  const ready = items.filter(({ state }) => state.tone === 'good').length;
  return {
    phase,
    summary: `${ready} of ${items.length} ready`,
    state: worst.state,
    items,
  };
}

function itemOf(entry: InventoryEntry, answer: Answer<ReadObject> | undefined, isActive: boolean): TreeItem {
  const ref = refOfEntry(entry);
  if (answer === undefined)
    return { ...bare(ref), state: { word: 'Not read', tone: 'unknown' }, owners: [], children: [] };
  const found =
    'failure' in answer
      ? { ref, failure: answer.failure.message }
      : {
          ref,
          object: answer.value.object,
          replicaSets: answer.value.replicaSets ?? [],
          pods: answer.value.pods ?? [],
        };
  const node = objectNode(found);
  const live = 'value' in answer ? answer.value.object : undefined;
  const drift = live === undefined || !isActive ? undefined : describeDrift(entry, live);
  return {
    ...bare(ref),
    ...stated(node),
    owners: live === undefined ? [] : fieldOwners(live),
    ...(drift !== undefined && { drift }),
    children: node.children.map(childItem),
  };
}

function bare(ref: ObjectRef): Pick<TreeItem, 'key' | 'name' | 'command'> {
  const name = nameOf(describeRef(ref));
  return { key: name, name, command: commandFor(ref) };
}

function stated({ state, message }: TreeNode): Pick<TreeItem, 'state' | 'message'> {
  return { state: healthBadge(state), ...(message !== undefined && { message: line(message) }) };
}

function childItem(node: TreeNode): TreeItem {
  return { key: nameOf(node.name), name: nameOf(node.name), ...stated(node), owners: [], children: node.children.map(childItem) }; // prettier-ignore
}

/** The manager compares the same fields before it repairs an object. */
function describeDrift(entry: InventoryEntry, live: KubeObject): string | undefined {
  if (entry.seen === undefined || isIntact(entry, live)) return undefined;
  if (live.metadata.uid !== entry.uid) return 'Another object has this name: it was deleted and made again';
  if (live.metadata.deletionTimestamp !== undefined) return 'It is being deleted';
  return 'Another program or a person has changed it since it was applied';
}

function commandFor({ apiVersion, kind, namespace, name }: ObjectRef): string {
  const [version = '', group] = apiVersion.split('/').toReversed();
  const resource = group === undefined ? kind : `${kind}.${version}.${group}`;
  const within = namespace === undefined ? '' : ` -n ${quote(namespace)}`;
  return line(`kubectl${within} get ${quote(resource)} ${quote(name)} -o yaml --show-managed-fields`);
}
