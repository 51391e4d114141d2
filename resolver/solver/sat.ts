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
import { Assignment, FAILS, HOLDS, OPEN } from './assignment.ts';
import { Clauses } from './clauses.ts';
import { ActivityHeap } from './heap.ts';
import { learnFrom, traceAssumptions } from './learn.ts';

export type SatAnswer = 'satisfiable' | 'unsatisfiable' | 'unknown';

/** How long to search: steps are visited clauses and decisions; `expired` is called now and then. */
export interface Budget {
  readonly steps: number;
  readonly expired?: () => boolean;
}

/** Restarts come after this many conflicts times Luby's sequence. */
const RESTART_UNIT = 64;

/** Learnt clauses that are kept before the first cleaning; each cleaning lets a tenth more stay. */
const FIRST_CLEANING = 4000;

/** Steps between two calls of `expired`. */
const STEPS_BETWEEN_ASKING = 50_000;

export class SatSolver {
  readonly #assignment = new Assignment();
  readonly #clauses = new Clauses();
  readonly #heap = new ActivityHeap();
  /** By variable: the value that is tried first. */
  readonly #favours: boolean[] = [];
  /** How much of the trail has been followed up. */
  #propagated = 0;
  #learnt: number[] = [];
  #keep = FIRST_CLEANING;
  #impossible = false;
  #model: Int8Array = new Int8Array(0);
  #failed: readonly number[] = [];
  #preferences: readonly number[] = [];
  /** By decision: preferences before this place are settled there. */
  readonly #settled: number[] = [];
  #place = 0;
  /** Steps besides visited clauses, and the number at which the search ends. */
  #decided = 0;
  #end = 0;

  /**
   * A new variable; the solver tries the value `favours` first. Variables that were added earlier are decided earlier.
   */
  addVariable(favours = false): number {
    const variable = this.#assignment.addVariable();
    this.#clauses.addVariable(variable + 1);
    this.#favours.push(favours);
    this.#heap.add();
    return variable + 1;
  }

  /** Demands that at least one of the literals holds. */
  addClause(literals: readonly number[]): void {
    if (this.#assignment.decisions > 0) this.#undoTo(0);
    const { value } = this.#assignment;
    const kept: number[] = [];
    for (const external of literals) {
      const literal = toInternal(external);
      if (value[literal] === HOLDS || kept.includes(literal ^ 1)) return;
      if (value[literal] === OPEN && !kept.includes(literal)) kept.push(literal);
    }
    const [first] = kept;
    if (first === undefined) this.#impossible = true;
    else if (kept.length > 1) this.#clauses.add(kept, 0);
    else {
      this.#assignment.assign(first, 0);
      if (this.#propagate() !== 0) this.#impossible = true;
    }
  }

  /**
   * Whether all clauses can hold together with the assumptions. After `unknown`, asking again goes on.
   * @param preferences Literals that are to hold, the earlier ones rather than the later: of all solutions the one is
   * found in which the first preferences, one after another, hold as far as they can.
   */
  solve(assumptions: readonly number[], budget: Budget, preferences: readonly number[] = []): SatAnswer {
    this.#failed = [];
    this.#end = this.#steps() + budget.steps;
    this.#preferences = preferences.map(toInternal);
    const assumed = assumptions.map(toInternal);
    const hopeless = assumed.find((literal) => this.#assignment.value[literal] === FAILS);
    if (hopeless !== undefined && !this.#impossible) {
      this.#failed = [toExternal(hopeless)];
      return 'unsatisfiable';
    }
    for (let round = 1; !this.#impossible; round++) {
      const answer = this.#search(assumed, RESTART_UNIT * luby(round), budget.expired);
      this.#undoTo(0);
      if (answer !== undefined) return answer;
    }
    return 'unsatisfiable';
  }

  /** The value of a variable in the last solution. */
  isTrue(variable: number): boolean {
    return this.#model[2 * (variable - 1)] === HOLDS;
  }

  /** Whether a literal follows from the clauses alone, as far as is known without searching. */
  isForced(literal: number): boolean {
    const internal = toInternal(literal);
    return this.#assignment.value[internal] === HOLDS && this.#assignment.levelOf(internal) === 0;
  }

  /**
   * After `unsatisfiable`: assumptions that cannot hold together; none if the clauses contradict each other without
   * them.
   */
  failedAssumptions(): readonly number[] {
    return this.#failed;
  }

  /** Steps that the last search left over. */
  stepsLeft(): number {
    return Math.max(0, this.#end - this.#steps());
  }

  #steps(): number {
    return this.#decided + this.#clauses.steps;
  }

  /** Searches until an answer or a number of conflicts; undefined asks for a restart. */
  #search(assumed: readonly number[], conflicts: number, expired = (): boolean => false): SatAnswer | undefined {
    let asking = this.#steps();
    for (let left = conflicts; ;) {
      const conflict = this.#propagate();
      if (conflict !== 0 && this.#assignment.decisions === 0) {
        this.#impossible = true;
        return 'unsatisfiable';
      }
      if (this.#steps() >= this.#end) return 'unknown';
      if (this.#steps() >= asking) {
        if (expired()) return 'unknown';
        asking = this.#steps() + STEPS_BETWEEN_ASKING;
      }
      if (conflict !== 0) {
        this.#learn(conflict);
        this.#heap.decay();
        left--;
        continue;
      }
      if (left <= 0) return undefined;
      if (this.#learnt.length > this.#keep) this.#clean();
      this.#decided++;
      const next = this.#pick(assumed);
      if (typeof next === 'string') return next;
      this.#assignment.decide();
      this.#settled.push(this.#place);
      if (next !== undefined) this.#assignment.assign(next, 0);
    }
  }

  /**
   * The next assumption, else the next preference, else the next open variable; an assumption that holds already is an
   * empty decision.
   */
  #pick(assumed: readonly number[]): number | undefined | SatAnswer {
    const { value, decisions } = this.#assignment;
    const assumption = assumed[decisions];
    if (assumption !== undefined) {
      if (value[assumption] === HOLDS) return undefined;
      if (value[assumption] === OPEN) return assumption;
      this.#failed = traceAssumptions(assumption, this.#situation()).map(toExternal);
      return 'unsatisfiable';
    }
    for (; this.#place < this.#preferences.length; this.#place++) {
      const preference = this.#preferences[this.#place] ?? 0;
      if (value[preference] === OPEN) return preference;
    }
    for (let variable = this.#heap.take(); variable !== undefined; variable = this.#heap.take()) {
      if (value[2 * variable] === OPEN) return 2 * variable + (this.#favours[variable] === true ? 0 : 1);
    }
    this.#model = value.slice(0, 2 * this.#assignment.variables);
    return 'satisfiable';
  }

  /** Assigns all that follows; answers with a clause that cannot hold, or 0. */
  #propagate(): number {
    const assignment = this.#assignment;
    while (this.#propagated < assignment.length) {
      const literal = assignment.trail[this.#propagated++] ?? 0;
      const conflict = this.#clauses.visit(literal ^ 1, assignment);
      if (conflict !== 0) {
        this.#propagated = assignment.length;
        return conflict;
      }
    }
    return 0;
  }

  /** Learns a clause, and returns to the level at which it forces a literal. */
  #learn(conflict: number): void {
    const literals = learnFrom(conflict, this.#situation(), (variable) => this.#heap.bump(variable));
    this.#decided += literals.length;
    const spread = new Set(literals.map((literal) => this.#assignment.levelOf(literal))).size;
    const [forced, second] = literals;
    if (forced === undefined) throw new Error('a learnt clause is empty');
    this.#undoTo(second === undefined ? 0 : this.#assignment.levelOf(second));
    const clause = second === undefined ? 0 : this.#clauses.add(literals, spread);
    if (clause !== 0) this.#learnt.push(clause);
    this.#assignment.assign(forced, clause);
  }

  #situation(): { readonly assignment: Assignment; readonly clauses: Clauses } {
    return { assignment: this.#assignment, clauses: this.#clauses };
  }

  #undoTo(decisions: number): void {
    if (decisions >= this.#assignment.decisions) return;
    this.#assignment.undoTo(decisions, (literal) => {
      this.#favours[literal >> 1] = literal % 2 === 0;
      this.#heap.insert(literal >> 1);
    });
    this.#place = this.#settled[decisions] ?? 0;
    this.#settled.length = decisions;
    this.#propagated = this.#assignment.length;
  }

  /** Drops the less useful half of the learnt clauses. */
  #clean(): void {
    const clauses = this.#clauses;
    const isReason = (clause: number): boolean =>
      [0, 1].some((place) => this.#assignment.because[clauses.literalOf(clause, place) >> 1] === clause);
    const ordered = this.#learnt.toSorted((a, b) => clauses.spreadOf(a) - clauses.spreadOf(b));
    const isKept = (clause: number, index: number): boolean =>
      clauses.spreadOf(clause) <= 2 || index < ordered.length / 2 || isReason(clause);
    this.#learnt = ordered.filter((clause, index) => {
      const kept = isKept(clause, index);
      if (!kept) clauses.drop(clause);
      return kept;
    });
    this.#keep *= 1.1;
  }
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
