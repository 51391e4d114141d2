/**
 * Decides whether clauses can hold together: conflict-driven clause learning with two watched literals, first unique
 * implication points, restarts, and assumptions whose failing part is reported. dependencies/ translates packages
 * into clauses and asks; this file knows nothing of them.
 *
 * A literal is a variable's number from 1 on, negative for its opposite. Equal calls give equal answers: there is no
 * clock and no chance in it, and effort is counted in steps.
 *
 * @see https://doi.org/10.1007/978-3-540-24605-3_37 "An Extensible SAT-solver"
 */
import { ActivityHeap } from './heap.ts';

export type Answer = 'satisfiable' | 'unsatisfiable' | 'unknown';

/** How long to search: steps are literals looked at and decisions made; `expired` is asked now and then. */
export interface Budget {
  readonly steps: number;
  readonly expired?: () => boolean;
}

interface Clause {
  /** Internal literals; the first two are watched. */
  readonly literals: Int32Array;
  readonly learnt: boolean;
  /** Number of decision levels when it was learnt: the fewer, the more useful. */
  readonly spread: number;
  dropped: boolean;
}

/** Restarts come after this many conflicts times Luby's sequence. */
const RESTART_UNIT = 64;

/** Learnt clauses that are kept before the first cleaning; each cleaning lets a tenth more stay. */
const FIRST_CLEANING = 4000;

const TRUE = 1;
const FALSE = -1;
const OPEN = 0;

export class SatSolver {
  /** By internal literal: 2 × variable, plus 1 for the opposite. */
  readonly #value: number[] = [];
  readonly #watching: Clause[][] = [];
  /** By variable. */
  readonly #level: number[] = [];
  readonly #because: (Clause | undefined)[] = [];
  readonly #favours: boolean[] = [];
  readonly #seen: boolean[] = [];
  readonly #heap = new ActivityHeap();
  readonly #trail: number[] = [];
  readonly #levels: number[] = [];
  #propagated = 0;
  #learnt: Clause[] = [];
  #keep = FIRST_CLEANING;
  #impossible = false;
  #stepsLeft = 0;
  #model: readonly boolean[] = [];
  #failed: readonly number[] = [];
  #preferences: readonly number[] = [];
  /** By decision level: preferences before this place are settled there. */
  readonly #settled: number[] = [];
  #place = 0;

  /** A new variable; `favours` is what it is first tried as. Variables added earlier are decided earlier. */
  addVariable(favours = false): number {
    this.#value.push(OPEN, OPEN);
    this.#watching.push([], []);
    this.#level.push(0);
    this.#because.push(undefined);
    this.#favours.push(favours);
    this.#seen.push(false);
    this.#heap.add();
    return this.#level.length;
  }

  /** Demands that at least one of the literals holds. */
  addClause(literals: readonly number[]): void {
    this.#undoTo(0);
    const kept: number[] = [];
    for (const external of literals) {
      const literal = toInternal(external);
      const value = this.#value[literal];
      if (value === TRUE || kept.includes(literal ^ 1)) return;
      if (value === OPEN && !kept.includes(literal)) kept.push(literal);
    }
    const [first] = kept;
    if (first === undefined) this.#impossible = true;
    else if (kept.length > 1)
      this.#watch({ literals: Int32Array.from(kept), learnt: false, spread: 0, dropped: false });
    else {
      this.#assign(first, undefined);
      if (this.#propagate() !== undefined) this.#impossible = true;
    }
  }

  /**
   * Whether all clauses can hold together with the assumptions. After `unknown`, asking again goes on.
   * @param preferences Literals that are to hold, the earlier ones rather than the later: of all solutions the one is
   * found in which the first preferences, one after another, hold as far as they can.
   */
  solve(assumptions: readonly number[], budget: Budget, preferences: readonly number[] = []): Answer {
    this.#failed = [];
    this.#stepsLeft = budget.steps;
    this.#preferences = preferences.map(toInternal);
    const assumed = assumptions.map(toInternal);
    for (let round = 1; !this.#impossible; round++) {
      const answer = this.#search(assumed, RESTART_UNIT * luby(round));
      this.#undoTo(0);
      if (answer !== undefined) return answer;
      if (this.#stepsLeft <= 0 || budget.expired?.() === true) return 'unknown';
    }
    return 'unsatisfiable';
  }

  /** What a variable is in the last solution. */
  isTrue(variable: number): boolean {
    return this.#model[variable - 1] === true;
  }

  /** Whether a literal follows from the clauses alone, as far as is known without searching. */
  isForced(literal: number): boolean {
    const internal = toInternal(literal);
    return this.#value[internal] === TRUE && this.#level[internal >> 1] === 0;
  }

  /** After `unsatisfiable`: assumptions that cannot hold together; none where the clauses alone cannot. */
  failedAssumptions(): readonly number[] {
    return this.#failed;
  }

  /** Steps that the last search left over. */
  stepsLeft(): number {
    return Math.max(0, this.#stepsLeft);
  }

  /** Searches until an answer or a number of conflicts; undefined asks for a restart. */
  #search(assumed: readonly number[], conflicts: number): Answer | undefined {
    for (let left = conflicts; ;) {
      const conflict = this.#propagate();
      if (conflict !== undefined) {
        if (this.#levels.length === 0) {
          this.#impossible = true;
          return 'unsatisfiable';
        }
        this.#learn(conflict);
        this.#heap.decay();
        left--;
        continue;
      }
      if (left <= 0 || this.#stepsLeft <= 0) return undefined;
      if (this.#learnt.length > this.#keep) this.#clean();
      this.#stepsLeft--;
      const next = this.#decide(assumed);
      if (typeof next === 'string') return next;
      this.#levels.push(this.#trail.length);
      this.#settled.push(this.#place);
      if (next !== undefined) this.#assign(next, undefined);
    }
  }

  /** The next assumption, else the next preference, else the next open variable; an assumption that holds already takes an empty level. */
  #decide(assumed: readonly number[]): number | undefined | Answer {
    const assumption = assumed[this.#levels.length];
    if (assumption !== undefined) {
      const value = this.#value[assumption];
      if (value === TRUE) return undefined;
      if (value === OPEN) return assumption;
      this.#failed = this.#traceFailure(assumption);
      return 'unsatisfiable';
    }
    for (; this.#place < this.#preferences.length; this.#place++) {
      const preference = this.#preferences[this.#place] ?? 0;
      if (this.#value[preference] === OPEN) return preference;
    }
    for (let variable = this.#heap.take(); variable !== undefined; variable = this.#heap.take()) {
      if (this.#value[2 * variable] === OPEN) return 2 * variable + (this.#favours[variable] === true ? 0 : 1);
    }
    this.#model = this.#level.map((_, variable) => this.#value[2 * variable] === TRUE);
    return 'satisfiable';
  }

  #assign(literal: number, because: Clause | undefined): void {
    this.#value[literal] = TRUE;
    this.#value[literal ^ 1] = FALSE;
    this.#level[literal >> 1] = this.#levels.length;
    this.#because[literal >> 1] = because;
    this.#trail.push(literal);
  }

  #watch(clause: Clause): void {
    this.#watching[clause.literals[0] ?? 0]?.push(clause);
    this.#watching[clause.literals[1] ?? 0]?.push(clause);
  }

  /** Assigns all that follows; returns a clause that cannot hold, if there is one. */
  #propagate(): Clause | undefined {
    while (this.#propagated < this.#trail.length) {
      const literal = this.#trail[this.#propagated++] ?? 0;
      const conflict = this.#propagateFalse(literal ^ 1);
      if (conflict !== undefined) {
        this.#propagated = this.#trail.length;
        return conflict;
      }
    }
    return undefined;
  }

  /** Clauses that watch a literal that became false find another one to watch, or force their last one. */
  #propagateFalse(literal: number): Clause | undefined {
    const watching = this.#watching[literal] ?? [];
    const value = this.#value;
    let kept = 0;
    for (let at = 0; at < watching.length; at++) {
      const clause = watching[at];
      if (clause === undefined || clause.dropped) continue;
      this.#stepsLeft--;
      const { literals } = clause;
      const other = (literals[0] ?? 0) ^ (literals[1] ?? 0) ^ literal;
      if (value[other] !== TRUE) {
        const place = findWatchable(literals, value);
        if (place > 0) {
          const found = literals[place] ?? 0;
          literals[0] = other;
          literals[1] = found;
          literals[place] = literal;
          this.#watching[found]?.push(clause);
          continue;
        }
        literals[0] = other;
        literals[1] = literal;
        if (value[other] === FALSE) {
          while (at < watching.length) watching[kept++] = watching[at++] as Clause;
          watching.length = kept;
          return clause;
        }
        this.#assign(other, clause);
      }
      watching[kept++] = clause;
    }
    watching.length = kept;
    return undefined;
  }

  /** Learns the clause of the first unique implication point and goes back to where it forces a literal. */
  #learn(conflict: Clause): void {
    const literals = this.#resolve(conflict);
    const levels = new Set(literals.map((literal) => this.#level[literal >> 1] ?? 0));
    const [forced, second] = literals;
    if (forced === undefined) throw new Error('a learnt clause is empty');
    this.#undoTo(second === undefined ? 0 : (this.#level[second >> 1] ?? 0));
    if (second === undefined) {
      this.#assign(forced, undefined);
      return;
    }
    const clause = { literals: Int32Array.from(literals), learnt: true, spread: levels.size, dropped: false };
    this.#learnt.push(clause);
    this.#watch(clause);
    this.#assign(forced, clause);
  }

  /** The learnt clause: the literal to force first, then one of the level to go back to. */
  #resolve(conflict: Clause): number[] {
    const current = this.#levels.length;
    const learnt: number[] = [];
    const marked: number[] = [];
    let open = 0;
    let at = this.#trail.length - 1;
    let forced = -1;
    for (let clause: Clause | undefined = conflict; ;) {
      for (const literal of clause?.literals ?? []) {
        const variable = literal >> 1;
        if (literal === forced || this.#seen[variable] === true || this.#level[variable] === 0) continue;
        this.#seen[variable] = true;
        marked.push(variable);
        this.#heap.bump(variable);
        if (this.#level[variable] === current) open++;
        else learnt.push(literal);
      }
      while (this.#seen[(this.#trail[at] ?? 0) >> 1] !== true) at--;
      forced = this.#trail[at--] ?? 0;
      clause = this.#because[forced >> 1];
      if (--open === 0) break;
    }
    const lean = learnt.filter((literal) => !this.#isImplied(literal));
    for (const variable of marked) this.#seen[variable] = false;
    lean.sort((a, b) => (this.#level[b >> 1] ?? 0) - (this.#level[a >> 1] ?? 0));
    return [forced ^ 1, ...lean];
  }

  /** Whether a literal of a learnt clause follows from the others of it. */
  #isImplied(literal: number): boolean {
    const because = this.#because[literal >> 1];
    return (
      because?.literals.every(
        (other) => other >> 1 === literal >> 1 || this.#seen[other >> 1] === true || this.#level[other >> 1] === 0,
      ) ?? false
    );
  }

  /** The assumptions that a false assumption goes back to, itself included. */
  #traceFailure(assumption: number): readonly number[] {
    const failed = [toExternal(assumption)];
    const seen = new Set([assumption >> 1]);
    for (let at = this.#trail.length - 1; at >= (this.#levels[0] ?? this.#trail.length); at--) {
      const literal = this.#trail[at] ?? 0;
      if (!seen.has(literal >> 1)) continue;
      const because = this.#because[literal >> 1];
      if (because === undefined) failed.push(toExternal(literal));
      else for (const other of because.literals) if ((this.#level[other >> 1] ?? 0) > 0) seen.add(other >> 1);
    }
    return failed;
  }

  #undoTo(level: number): void {
    const length = this.#levels[level];
    if (length === undefined) return;
    for (let at = this.#trail.length - 1; at >= length; at--) {
      const literal = this.#trail[at] ?? 0;
      this.#value[literal] = OPEN;
      this.#value[literal ^ 1] = OPEN;
      this.#favours[literal >> 1] = literal % 2 === 0;
      this.#heap.insert(literal >> 1);
    }
    this.#trail.length = length;
    this.#levels.length = level;
    this.#place = this.#settled[level] ?? 0;
    this.#settled.length = level;
    this.#propagated = length;
  }

  /** Drops the less useful half of the learnt clauses; watchers let go of them when they next meet them. */
  #clean(): void {
    const isReason = (clause: Clause): boolean => this.#because[(clause.literals[0] ?? 0) >> 1] === clause;
    const ordered = this.#learnt.toSorted((a, b) => a.spread - b.spread);
    const keep = ordered.filter(
      (clause, index) => clause.spread <= 2 || index < ordered.length / 2 || isReason(clause),
    );
    const kept = new Set(keep);
    for (const clause of this.#learnt) if (!kept.has(clause)) clause.dropped = true;
    this.#learnt = keep;
    this.#keep *= 1.1;
  }
}

/** Place of a literal beyond the watched two that is not false; 0 where there is none. */
function findWatchable(literals: Int32Array, value: readonly number[]): number {
  for (let place = 2; place < literals.length; place++) {
    if (value[literals[place] ?? 0] !== FALSE) return place;
  }
  return 0;
}

function toInternal(literal: number): number {
  return literal > 0 ? 2 * (literal - 1) : 2 * (-literal - 1) + 1;
}

function toExternal(literal: number): number {
  return literal % 2 === 0 ? (literal >> 1) + 1 : -((literal >> 1) + 1);
}

/** 1, 1, 2, 1, 1, 2, 4, …: restarts that are often short and sometimes long. */
function luby(round: number): number {
  let size = 1;
  while (size < round + 1) size *= 2;
  return size === round + 1 ? size / 2 : luby(round - size / 2 + 1);
}
