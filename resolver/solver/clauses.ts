/**
 * Keeps clauses in one long row of numbers, and chains each of their two watched literals to other clauses that watch
 * the same literal: hundreds of thousands of clauses cost no objects. sat.ts decides which clauses stay.
 */
import { FAILS, HOLDS, type Assignment } from './assignment.ts';
import { grown } from './grown.ts';

/**
 * The numbers of a clause: the next clause in the chains of its first and of its second literal, its length, its
 * usefulness, and its literals. The first two literals are watched.
 */
const NEXT = 0;
const SIZE = 2;
const SPREAD = 3;
const LITERALS = 4;

export class Clauses {
  /** Position 0 stays free: it means "no clause". */
  #row = new Int32Array(1 << 12);
  #end = 1;
  /** By literal: the first clause that watches it. */
  #first = new Int32Array(1 << 8);
  /** How many clauses were visited; a long way through a long clause counts more than once. */
  steps = 0;

  /** Makes room for the literals of one more variable. */
  addVariable(variables: number): void {
    this.#first = grown(this.#first, 2 * variables);
  }

  /** Adds a clause of at least two literals; `spread` is 0 for one that is given. Answers with its place. */
  add(literals: readonly number[], spread: number): number {
    const clause = this.#end;
    this.#end += LITERALS + literals.length;
    this.#row = grown(this.#row, this.#end);
    const row = this.#row;
    row[clause + SIZE] = literals.length;
    row[clause + SPREAD] = spread;
    for (let place = 0; place < literals.length; place++) row[clause + LITERALS + place] = literals[place] ?? 0;
    for (let watch = 0; watch < 2; watch++) {
      const literal = literals[watch] ?? 0;
      row[clause + NEXT + watch] = this.#first[literal] ?? 0;
      this.#first[literal] = clause;
    }
    return clause;
  }

  /** Number of decision levels when it was learnt: the fewer, the more useful. */
  spreadOf(clause: number): number {
    return this.#row[clause + SPREAD] ?? 0;
  }

  /** How many literals it has, and each of them. */
  sizeOf(clause: number): number {
    return this.#row[clause + SIZE] ?? 0;
  }

  literalOf(clause: number, place: number): number {
    return this.#row[clause + LITERALS + place] ?? 0;
  }

  /** Drops a clause; the chains drop it when they are next followed. */
  drop(clause: number): void {
    this.#row[clause + SIZE] = 0;
  }

  /**
   * Visits the clauses that watch a literal which became false: each finds another literal to watch, or else its other
   * watched one must hold. Answers with the first clause that cannot hold any more, or 0.
   */
  visit(literal: number, assignment: Assignment): number {
    const row = this.#row;
    const first = this.#first;
    const { value } = assignment;
    /** Where in the row the position of the clause is written; 0 if the clause is the head of its chain. */
    let writtenAt = 0;
    for (let clause = first[literal] ?? 0, next = 0; clause !== 0; clause = next) {
      this.steps++;
      const start = clause + LITERALS;
      const own = row[start] === literal ? 0 : 1;
      next = row[clause + NEXT + own] ?? 0;
      const other = row[start + 1 - own] ?? 0;
      const end = start + (row[clause + SIZE] ?? 0);
      if (end > start) {
        if (value[other] === HOLDS) {
          writtenAt = clause + NEXT + own;
          continue;
        }
        let place = start + 2;
        while (place < end && value[row[place] ?? 0] === FAILS) place++;
        this.steps += (place - start) >> 3;
        if (place >= end) {
          if (value[other] === FAILS) return clause;
          assignment.assign(other, clause);
          writtenAt = clause + NEXT + own;
          continue;
        }
        const found = row[place] ?? 0;
        row[place] = literal;
        row[start + own] = found;
        row[clause + NEXT + own] = first[found] ?? 0;
        first[found] = clause;
      }
      if (writtenAt === 0) first[literal] = next;
      else row[writtenAt] = next;
    }
    return 0;
  }
}
