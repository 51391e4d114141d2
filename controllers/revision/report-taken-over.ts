/**
 * The event about objects that a Subscription has taken over: it names whatever their makers have set and the bundle does not
 * set, since that stays in force. Pure but for the event.
 */
import type { ApplyResult, ObjectResult } from '../../apply/apply.ts';
import type { TakenOver } from '../../apply/taken-over.ts';
import { describeRef, type KubeObject } from '../../api/object.ts';
import type { RecordEvent } from '../events.ts';
import { nameSome } from '../name-some.ts';

/** A sentence has room for so many. */
const [MOST_OBJECTS, MOST_KEPT, MOST_CHARACTERS] = [5, 6, 100];

/** One event for all objects of an apply; none if it took over nothing. */
export function reportTakenOver(record: RecordEvent, regarding: KubeObject, result: Pick<ApplyResult, 'phases'>): void {
  const note = describeTakenOver(result.phases.flatMap(({ objects }) => objects));
  if (note !== undefined) record(regarding, { type: 'Normal', reason: 'Adopted', action: 'Apply', note });
}

/** Those that keep something come first. */
export function describeTakenOver(results: readonly ObjectResult[]): string | undefined {
  const taken = results.flatMap(({ ref, takenOver }) => (takenOver === undefined ? [] : [{ ref, takenOver }]));
  if (taken.length === 0) return undefined;
  const told = taken.map(({ ref, takenOver }) => ({ object: describeRef(ref), kept: describeKept(takenOver) }));
  const first = told.toSorted((a, b) => Number(a.kept === '') - Number(b.kept === ''));
  return `objects that existed are taken over: ${nameSome(
    first.map(({ object, kept }) => `${object}${kept}`),
    MOST_OBJECTS,
  )}`;
}

function describeKept({ finalizers, fields }: TakenOver): string {
  const parts = [
    ...(finalizers.length > 0 ? [`finalizers that hold its deletion: ${listed(finalizers)}`] : []),
    ...(fields.length > 0 ? [`fields that the bundle does not set: ${listed(fields)}`] : []),
  ];
  return parts.length === 0 ? '' : ` (keeps ${parts.join('; ')})`;
}

function listed(names: readonly string[]): string {
  return nameSome(
    names.map((name) => name.slice(0, MOST_CHARACTERS)),
    MOST_KEPT,
  );
}
