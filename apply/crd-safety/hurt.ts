/**
 * Tells what a change of a CRD does to one object that exists, by doing to it what the API server would: read it under
 * the new schema, and check it as if it were made, or written again, as it is. Pure; guard.ts asks about every object.
 * In doubt an object counts as hurt: what cannot be judged here is a harm whose message says so.
 */
import type { KubeObject } from '../../api/object.ts';
import type { Comparison } from './comparisons.ts';
import { scaleProblems } from './scale.ts';
import type { CrdVersion } from './schema.ts';
import { checkEmbedded } from './server/check-embedded.ts';
import { checkLists } from './server/check-lists.ts';
import { checkValue } from './server/check-value.ts';
import { checkExpressions } from './server/expressions.ts';
import { lossesOf } from './server/losses.ts';
import type { Problem } from './server/problem.ts';
import { fillIn, readUnder } from './server/read.ts';
import { withinSteps } from './server/steps.ts';
import { withoutDefaults } from './server/without-defaults.ts';

/** What an object loses, or is refused for. */
export interface Harm extends Problem {
  readonly effect: 'loses' | 'rejects';
}

/** What the API server refuses or breaks whether objects exist or not. */
const REGARDLESS: ReadonlySet<string> = new Set(['scope', 'kind', 'storedVersionRemoval']);

/** Whether a finding stands whatever objects there are. */
export function isRegardless({ rule }: { readonly rule: string }): boolean {
  return REGARDLESS.has(rule);
}

/** What is done to an object between two versions. What was so before the change is no harm of it. */
export function harmsOf(comparison: Comparison, object: KubeObject): readonly Harm[] {
  return withinSteps(() => judge(comparison, object)) ?? [TOO_MUCH];
}

const TOO_MUCH: Harm = {
  rule: 'otherKeywords',
  path: '^',
  message: 'the object and its schema are too large to be judged here',
  effect: 'rejects',
};

function judge({ baseline, next }: Comparison, object: KubeObject): readonly Harm[] {
  const before = readIn(baseline, object);
  const known = new Set(problemsOf(baseline, before).map(keyOf));
  const lost = lossesOf(baseline.schema, withoutStatus(next, before), withoutStatus(next, readIn(next, object)));
  const refused = next.served ? viewsOf(baseline, object).flatMap((view) => problemsOf(next, readIn(next, view))) : [];
  return [
    ...lost.map((problem): Harm => ({ ...problem, effect: problem.rule === 'nullable' ? 'rejects' : 'loses' })),
    ...distinct(refused.filter((problem) => !known.has(keyOf(problem)))).map((problem): Harm => ({
      ...problem,
      effect: 'rejects',
    })),
  ];
}

/** Why an object cannot be made in a version, as far as the schema says; nothing if it is too large to be judged. */
export function refusalsOf(version: CrdVersion, object: KubeObject): readonly Problem[] {
  return withinSteps(() => problemsOf(version, readIn(version, object))) ?? [];
}

/** The object as it is read in a version. */
function readIn({ schema, prunes }: CrdVersion, object: unknown): unknown {
  return prunes ? readUnder(schema, object) : fillIn(schema, object);
}

/** As the object is read; and as it may be stored, without the values that a default stands for. */
function viewsOf({ schema }: CrdVersion, object: KubeObject): readonly unknown[] {
  const stored = withoutDefaults(schema, object);
  return stored === object ? [object] : [object, stored];
}

/** What would refuse an object that is made as it is, or written again as it is. */
function problemsOf(version: CrdVersion, object: unknown): readonly Problem[] {
  const { schema } = version;
  const found: Problem[] = [];
  const report = (problem: Problem): void => void found.push(problem);
  const made = withoutStatus(version, object);
  checkValue(schema, made, '^', report);
  checkEmbedded(schema, made, '^', report);
  checkLists(schema, made, '^', report);
  found.push(...scaleProblems(version, made));
  // The API server does not ask expressions about a value of the wrong shape either.
  if (found.length > 0) return distinct(found);
  checkExpressions(schema, made, report);
  if (made !== object) {
    checkExpressions(schema, object, (problem) => {
      if (!isInStatus(problem)) report(problem);
    });
  }
  return distinct(found);
}

function isInStatus({ path }: Problem): boolean {
  return path === '^.status' || path.startsWith('^.status.');
}

/** A status that is a subresource is the operator's own, and no part of an object that is made. */
function withoutStatus({ hasStatus }: CrdVersion, object: unknown): unknown {
  if (!hasStatus || typeof object !== 'object' || object === null || !Object.hasOwn(object, 'status')) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== 'status'));
}

/** A node may have several expressions, and each has a message. */
function keyOf({ rule, path, message }: Problem): string {
  return JSON.stringify(rule === 'validations' ? [rule, path, message] : [rule, path]);
}

function distinct(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [keyOf(problem), problem])).values()];
}
