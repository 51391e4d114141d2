/**
 * The assignment so far: decisions and everything that follows from them, as the value of every literal, in the order
 * of assignment. A literal is 2 × variable, plus 1 for its opposite; variables count from 0.
 */
import { grown } from './grown.ts';

export const HOLDS = 1;
export const FAILS = -1;
export const OPEN = 0;

export class Assignment {
  /** By literal: {@link HOLDS}, {@link FAILS} or {@link OPEN}. */
  value = new Int8Array(1 << 8);
  /** By variable that has a value: how many decisions had been made, and the clause that it follows from, or 0. */
  level = new Int32Array(1 << 7);
  because = new Int32Array(1 << 7);
  /** The literals that hold, in order. */
  trail = new Int32Array(1 << 7);
  length = 0;
  variables = 0;
  /** The position on the trail of each decision. */
  readonly #decisions: number[] = [];

  addVariable(): number {
    const variable = this.variables++;
    this.value = grown(this.value, 2 * this.variables);
    this.level = grown(this.level, this.variables);
    this.because = grown(this.because, this.variables);
    this.trail = grown(this.trail, this.variables);
    return variable;
  }

  /** How many decisions have been made. */
  get decisions(): number {
    return this.#decisions.length;
  }

  /** Starts a new level: literals assigned from here on follow from one more decision. */
  decide(): void {
    this.#decisions.push(this.length);
  }

  /** Makes an open literal hold, because it follows from a clause; from no clause if it was decided or given. */
  assign(literal: number, because: number): void {
    this.value[literal] = HOLDS;
    this.value[literal ^ 1] = FAILS;
    this.level[literal >> 1] = this.#decisions.length;
    this.because[literal >> 1] = because;
    this.trail[this.length++] = literal;
  }

  /** The position of the trail after so many decisions. */
  lengthAt(decisions: number): number {
    return this.#decisions[decisions] ?? this.length;
  }

  levelOf(literal: number): number {
    return this.level[literal >> 1] ?? 0;
  }

  /** Takes back all but so many decisions; calls `freed` with each literal that held, the last one first. */
  undoTo(decisions: number, freed: (literal: number) => void): void {
    const length = this.lengthAt(decisions);
    for (let at = this.length - 1; at >= length; at--) {
      const literal = this.trail[at] ?? 0;
      this.value[literal] = OPEN;
      this.value[literal ^ 1] = OPEN;
      freed(literal);
    }
    this.length = length;
    this.#decisions.length = Math.min(decisions, this.#decisions.length);
  }
}
