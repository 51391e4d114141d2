/**
 * Finds the harm that a change of a CRD does to one existing object, by simulating the API server: reads it under the
 * new schema, and validates it as if it were created, or written back unchanged. Pure; guard.ts calls it for every
 * object. In doubt an object counts as hurt, and the message says why.
 */
import type { KubeObject } from '../../api/object.ts';
import type { Comparison } from './comparisons.ts';
import { scaleProblems } from './scale.ts';
import type { CrdVersion } from './schema.ts';
import { checkEmbedded } from './server/check-embedded.ts';
import { checkLists } from './server/check-lists.ts';
import { checkValue } from './server/check-value.ts';
import { checkExpressions } from './server/expressions.ts';
import { findLosses } from './server/losses.ts';
import type { Problem } from './server/problem.ts';
import { keyOfProblem, Problems } from './server/problems.ts';
import { fillIn, readUnder } from './server/read.ts';
import { withinSteps } from './server/steps.ts';
import { withoutDefaults } from './server/without-defaults.ts';

/** A value that an object loses, or that makes the API server reject it. */
export interface Harm extends Problem {
  readonly effect: 'loses' | 'rejects';
}

/** Changes that the API server rejects, or that break clients, even if no object exists. */
const REGARDLESS: ReadonlySet<string> = new Set(['scope', 'kind', 'storedVersionRemoval']);

/** Whether a finding counts regardless of the existing objects. */
export function isRegardless({ rule }: { readonly rule: string }): boolean {
  return REGARDLESS.has(rule);
}

/** The harm to an object between two versions, without problems that existed before the change. */
export function harmsOf(comparison: Comparison, object: KubeObject): readonly Harm[] {
  return withinSteps(() => judge(comparison, object)) ?? [TOO_MUCH];
}

/** The harm to an object that cannot be judged within the steps that it has. */
export const TOO_MUCH: Harm = {
  rule: 'otherKeywords',
  path: '^',
  message: 'the object and its schema are too large to be judged here',
  effect: 'rejects',
};

function judge({ baseline, next }: Comparison, object: KubeObject): readonly Harm[] {
  const before = readIn(baseline, object);
  const known = new Set(problemsOf(baseline, before).map(keyOfProblem));
  const lost = new Problems();
  findLosses(baseline.schema, withoutStatus(next, before), withoutStatus(next, readIn(next, object)), (problem) =>
    lost.add(problem),
  );
  const refused = new Problems();
  if (next.served) {
    const problems = viewsOf(baseline, object).flatMap((view) => problemsOf(next, readIn(next, view)));
    for (const problem of problems) if (!known.has(keyOfProblem(problem))) refused.add(problem);
  }
  return [
    ...lost.all().map((problem): Harm => ({ ...problem, effect: problem.rule === 'nullable' ? 'rejects' : 'loses' })),
    ...refused.all().map((problem): Harm => ({ ...problem, effect: 'rejects' })),
  ];
}

/** Far less than for an object of a cluster: a bundle may have many samples, and the API server judges them anyway. */
const STEPS_OF_A_SAMPLE = 200_000;

/**
 * Why an object cannot be created in a version, as far as the shape of its schema shows, without expressions; undefined
 * if it is too large to be judged.
 */
export function refusalsOf(version: CrdVersion, object: KubeObject): readonly Problem[] | undefined {
  return withinSteps(
    () => shapeProblemsOf(version, withoutStatus(version, readIn(version, object))),
    STEPS_OF_A_SAMPLE,
  );
}

/** The object as it is read in a version. */
function readIn({ schema, prunes }: CrdVersion, object: unknown): unknown {
  return prunes ? readUnder(schema, object) : fillIn(schema, object);
}

/** The object as it is read, and as it may be stored: without values that defaults fill in. */
function viewsOf({ schema }: CrdVersion, object: KubeObject): readonly unknown[] {
  const stored = withoutDefaults(schema, object);
  return stored === object ? [object] : [object, stored];
}

/** The problems of creating the object, or of writing it back unchanged. */
function problemsOf(version: CrdVersion, object: unknown): readonly Problem[] {
  const { schema } = version;
  const made = withoutStatus(version, object);
  const ofShape = shapeProblemsOf(version, made);
  // Like the API server, evaluate no expressions on a value of the wrong shape.
  if (ofShape.length > 0) return ofShape;
  const found = new Problems();
  checkExpressions(schema, made, (problem) => found.add(problem));
  if (made !== object) {
    checkExpressions(schema, object, (problem) => {
      if (!isInStatus(problem)) found.add(problem);
    });
  }
  return found.all();
}

function shapeProblemsOf(version: CrdVersion, made: unknown): readonly Problem[] {
  const { schema } = version;
  const found = new Problems();
  const report = (problem: Problem): void => found.add(problem);
  checkValue(schema, made, '^', report);
  checkEmbedded(schema, made, '^', report);
  checkLists(schema, made, '^', report);
  for (const problem of scaleProblems(version, made)) report(problem);
  return found.all();
}

function isInStatus({ path }: Problem): boolean {
  return path === '^.status' || path.startsWith('^.status.');
}

/** The status subresource belongs to the operator, and is ignored on creation. */
function withoutStatus({ hasStatus }: CrdVersion, object: unknown): unknown {
  if (!hasStatus || typeof object !== 'object' || object === null || !Object.hasOwn(object, 'status')) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== 'status'));
}
