/**
 * The event about objects that a Subscription has taken over: it names whatever their makers have set and the bundle does not
 * set, since that stays in force. Pure but for the event.
 */
import type { ApplyResult, ObjectResult } from '../../apply/apply.ts';
import type { TakenOver } from '../../apply/taken-over.ts';
import { describeRef, type KubeObject } from '../../api/object.ts';
import type { RecordEvent } from '../events.ts';
import { nameSome } from '../../apply/name-some.ts';

/** A sentence has room for so many. */
const [MOST_OBJECTS, MOST_CHARACTERS] = [5, 100];

/**
 * The parts that an object keeps, first those that a reader has to act on. Each has room of its own, so that a maker hides none
 * behind many others.
 */
const PARTS: readonly {
  readonly what: string;
  readonly most: number;
  readonly of: (kept: TakenOver) => readonly string[];
}[] = [
  { what: 'finalizers that hold its deletion', most: 6, of: ({ finalizers }) => finalizers },
  {
    what: 'fields that the bundle does not set',
    most: 6,
    of: ({ fields }) => fields.filter((path) => !path.startsWith(LABELS) && !path.startsWith(ANNOTATIONS)),
  },
  { what: 'labels', most: 6, of: ({ fields }) => fields.filter((path) => path.startsWith(LABELS)) },
  { what: 'annotations', most: 3, of: ({ fields }) => fields.filter((path) => path.startsWith(ANNOTATIONS)) },
];
const [LABELS, ANNOTATIONS] = ['metadata.labels', 'metadata.annotations'];

/** One event for all objects of an apply; none if it took over nothing. */
export function reportTakenOver(record: RecordEvent, regarding: KubeObject, result: Pick<ApplyResult, 'phases'>): void {
  const note = describeTakenOver(result.phases.flatMap(({ objects }) => objects));
  if (note !== undefined) record(regarding, { type: 'Normal', reason: 'Adopted', action: 'Apply', note });
}

/** An object that keeps a finalizer comes first, one that keeps nothing last. */
export function describeTakenOver(results: readonly ObjectResult[]): string | undefined {
  const taken = results.flatMap(({ ref, takenOver }) => (takenOver === undefined ? [] : [{ ref, takenOver }]));
  if (taken.length === 0) return undefined;
  const first = taken.toSorted((a, b) => rankOf(a.takenOver) - rankOf(b.takenOver));
  return `objects that existed are taken over: ${nameSome(
    first.map(({ ref, takenOver }) => `${describeRef(ref)}${describeKept(takenOver)}`),
    MOST_OBJECTS,
  )}`;
}

function rankOf(kept: TakenOver): number {
  const first = PARTS.findIndex(({ of }) => of(kept).length > 0);
  return first < 0 ? PARTS.length : first;
}

function describeKept(kept: TakenOver): string {
  const parts = PARTS.flatMap(({ what, most, of }) => {
    const names = of(kept).map((name) => name.slice(0, MOST_CHARACTERS));
    return names.length > 0 ? [`${what}: ${nameSome(names, most)}`] : [];
  });
  return parts.length === 0 ? '' : ` (keeps ${parts.join('; ')})`;
}
