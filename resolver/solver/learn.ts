/**
 * Learns from a contradiction: the clause of its first unique implication point, which keeps the search from running
 * into the same contradiction again, and the assumptions behind it. It reads the assignment and changes nothing.
 */
import type { Assignment } from './assignment.ts';
import type { Clauses } from './clauses.ts';

/** The assignment, and the clauses that it follows from. */
export interface Derivation {
  readonly assignment: Assignment;
  readonly clauses: Clauses;
}

/**
 * The clause learnt from one that cannot hold: first the literal to force, then one of the level to return to. Calls
 * `bump` with each variable that takes part.
 */
export function learnFrom(conflict: number, situation: Derivation, bump: (variable: number) => void): number[] {
  const { assignment, clauses } = situation;
  const { level, trail, because } = assignment;
  const current = assignment.decisions;
  const learnt: number[] = [];
  const seen = new Set<number>();
  let open = 0;
  let at = assignment.length - 1;
  let forced = -1;
  for (let clause = conflict; ;) {
    for (let place = clauses.sizeOf(clause) - 1; place >= 0; place--) {
      const literal = clauses.literalOf(clause, place);
      const variable = literal >> 1;
      if (literal === forced || seen.has(variable) || level[variable] === 0) continue;
      seen.add(variable);
      bump(variable);
      if (level[variable] === current) open++;
      else learnt.push(literal);
    }
    while (!seen.has((trail[at] ?? 0) >> 1)) at--;
    forced = trail[at--] ?? 0;
    clause = because[forced >> 1] ?? 0;
    if (--open === 0) break;
  }
  const lean = learnt.filter((literal) => !isImplied(literal, situation, seen));
  lean.sort((a, b) => assignment.levelOf(b) - assignment.levelOf(a));
  return [forced ^ 1, ...lean];
}

/** Whether a literal of a learnt clause follows from the others of it. */
function isImplied(literal: number, { assignment, clauses }: Derivation, seen: ReadonlySet<number>): boolean {
  const clause = assignment.because[literal >> 1] ?? 0;
  if (clause === 0) return false;
  for (let place = clauses.sizeOf(clause) - 1; place >= 0; place--) {
    const other = clauses.literalOf(clause, place);
    if (other >> 1 !== literal >> 1 && !seen.has(other >> 1) && assignment.levelOf(other) > 0) return false;
  }
  return true;
}

/** The assumptions that make an assumption false, itself included. */
export function traceAssumptions(assumption: number, { assignment, clauses }: Derivation): readonly number[] {
  const { trail, because } = assignment;
  const failed = [assumption];
  const seen = new Set([assumption >> 1]);
  for (let at = assignment.length - 1; at >= assignment.lengthAt(0); at--) {
    const literal = trail[at] ?? 0;
    if (!seen.has(literal >> 1)) continue;
    const clause = because[literal >> 1] ?? 0;
    if (clause === 0) failed.push(literal);
    for (let place = clauses.sizeOf(clause) - 1; place >= 0; place--) {
      const other = clauses.literalOf(clause, place);
      if (assignment.levelOf(other) > 0) seen.add(other >> 1);
    }
  }
  return failed;
}
