/** The words about objects that were repaired. Pure. */
import type { TakenField } from '../../../apply/taken-fields.ts';
import { nameFirst, nameSome } from '../../../api/name-some.ts';
import { describeRef } from '../../../api/object.ts';
import type { Repair } from './drift.ts';

/** The most objects and fields that are named. */
const [MOST_OBJECTS, MOST_FIELDS] = [5, 5];

/** One sentence about all repairs of one roll-out. */
export function describeRepairs(repairs: readonly Repair[]): string {
  return nameFirst(repairs.slice(0, MOST_OBJECTS).map(describeRepair), repairs.length, '; ');
}

function describeRepair({ ref, cause, taken }: Repair): string {
  const subject = describeRef(ref);
  if (cause === 'Deleted') return `${subject} was deleted, and the manager has created it again`;
  if (cause === 'Replaced')
    return `${subject} was replaced by another object of its name, which the manager keeps from now on`;
  if (taken.length === 0) return `${subject} was changed and is as it should be again`;
  return `${subject} is as it should be again: ${describeTaken(taken)}`;
}

/** `spec.replicas was changed by kubectl`. */
function describeTaken(taken: readonly TakenField[]): string {
  const byManager = Map.groupBy(taken, ({ manager }) => manager);
  const clauses = [...byManager].map(([manager, fields]) => {
    const who = manager === undefined ? '' : ` by ${manager}`;
    return `${describeFields(fields)} changed${who}`;
  });
  return clauses.join(', and ');
}

function describeFields(fields: readonly TakenField[]): string {
  const paths = fields.map(({ path }) => path);
  return `${nameSome(paths, MOST_FIELDS)} ${fields.length === 1 ? 'was' : 'were'}`;
}

/** The sentence about a program that keeps changing an object, and how to stop it. */
export function describeContest({ ref, taken }: Repair, times: number, minutes: number): string {
  const who = [...new Set(taken.flatMap(({ manager }) => manager ?? []))].join(' and ');
  const what = taken.length === 0 ? 'it' : [...new Set(taken.map(({ path }) => path))].slice(0, MOST_FIELDS).join(', ');
  const program = who === '' ? 'another program' : who;
  return `${describeRef(ref)} was repaired ${times} times within ${minutes} minutes, and ${program} changed ${what} back each time. Configure ${program} not to change it, or set the same value in spec.config of the Subscription; spec.suspend: true stops the repairs`;
}
