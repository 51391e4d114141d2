/**
 * Bounds the comparison of two CRDs. It runs in one go, and its cost grows with the square of the number of versions:
 * every two served versions are compared with each other, before and after the change. The API server limits neither
 * versions nor nodes nor levels, only an object to 1.5 MB, in which hundreds of small versions fit. Pure.
 */
import { ReasonedError } from '../../api/errors.ts';
import { servedPairs, type Comparison } from './comparisons.ts';
import type { Crd, CrdVersion } from './schema.ts';

/** Published CRDs have 14 at most (percona-server-mongodb-operator 1.12.0), which is also the costliest one below. */
const MOST_VERSIONS = 32;

/** Levels of a schema as JSON: functions that recurse for each level are safe far beyond this. */
const MOST_LEVELS = 1024;

/** Values that all comparisons of a change read, a text counting as one for each 16 characters; published: 370,066. */
const MOST_READ = 16_000_000;
const CHARACTERS = 16;

/**
 * Steps of the rules on nodes that differ, with a path and a message counting by their length too; published: 501,543.
 * They take one to two seconds of a processor, and up to 150 MB.
 */
const MOST_STEPS = 2_000_000;

/** Counts the steps of one change. */
export interface StepBudget {
  /** Throws ObjectInvalid, never retried, if the change takes too many steps. */
  take(steps: number, texts: Iterable<string>): void;
}

export function startSteps(crd: string): StepBudget {
  let left = MOST_STEPS;
  return {
    take(steps, texts) {
      left -= steps;
      for (const text of texts) left -= text.length / CHARACTERS;
      if (left < 0) throw tooLarge(crd, `differs in too many places between its versions (${MOST_STEPS} steps)`);
    },
  };
}

/** Refuses a CRD with too many versions. Throws ObjectInvalid, never retried. */
export function checkVersions({ name, versions }: Crd): void {
  if (versions.length > MOST_VERSIONS) throw tooLarge(name, `has more than ${MOST_VERSIONS} versions`);
}

/** Refuses a change whose comparisons read too many values, before they do. Throws ObjectInvalid, never retried. */
export function checkReading(old: Crd, comparisons: readonly Comparison[]): void {
  const sizes = new Map<CrdVersion, number>();
  const sizeOf = (version: CrdVersion): number => {
    const known = sizes.get(version) ?? measure(old.name, version.schema);
    sizes.set(version, known);
    return known;
  };
  const before = servedPairs(old).map(([one, other]) => sizeOf(one) + sizeOf(other));
  const all = [...comparisons.map(({ old: from, next }) => sizeOf(from) + sizeOf(next)), ...before];
  const read = all.reduce((sum, size) => sum + size, 0);
  if (read > MOST_READ) throw tooLarge(old.name, `has too large schemas in too many versions (${MOST_READ} values)`);
}

/** The number of lists, maps, keys and scalars, and of the characters in them. */
function measure(name: string, schema: unknown): number {
  let size = 0;
  const open: { readonly value: unknown; readonly level: number }[] = [{ value: schema, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    size += 1 + (typeof next.value === 'string' ? next.value.length / CHARACTERS : 0);
    if (size > MOST_READ) throw tooLarge(name, `has more than ${MOST_READ} values in a schema`);
    if (next.level > MOST_LEVELS) throw tooLarge(name, `has more than ${MOST_LEVELS} levels in a schema`);
    if (next.value === null || typeof next.value !== 'object') continue;
    for (const [key, value] of Object.entries(next.value)) {
      size += key.length / CHARACTERS;
      open.push({ value, level: next.level + 1 });
    }
  }
  return size;
}

function tooLarge(name: string, what: string): ReasonedError {
  return new ReasonedError({
    reason: 'ObjectInvalid',
    retry: 'never',
    message: `the CRD ${name} ${what}, so its change cannot be checked`,
    hint: 'Publish fewer versions or smaller schemas; to change the CRD without this check, set spec.crdUpgradeSafety.enforcement to None',
  });
}
