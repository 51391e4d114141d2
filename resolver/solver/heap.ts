import { grown } from './grown.ts';

/** A heap of variables, the most active on top: the order in which the solver decides them. */
export class ActivityHeap {
  #activity = new Float64Array(1 << 7);
  #heap = new Int32Array(1 << 7);
  #size = 0;
  /** By variable: its place in the heap, or -1. */
  #place = new Int32Array(1 << 7);
  #variables = 0;
  #increment = 1;

  /** Adds a variable with the next number; of equally active ones the earlier stays on top. */
  add(): void {
    const variable = this.#variables++;
    this.#activity = grown(this.#activity, this.#variables);
    this.#heap = grown(this.#heap, this.#variables);
    this.#place = grown(this.#place, this.#variables);
    this.#place[variable] = -1;
    this.insert(variable);
  }

  insert(variable: number): void {
    if ((this.#place[variable] ?? -1) >= 0) return;
    this.#heap[this.#size] = variable;
    this.#place[variable] = this.#size;
    this.#up(this.#size++);
  }

  /** Removes and returns the top; undefined if the heap is empty. */
  take(): number | undefined {
    if (this.#size === 0) return undefined;
    const top = this.#heap[0] ?? 0;
    const last = this.#heap[--this.#size] ?? 0;
    this.#place[top] = -1;
    if (last !== top) {
      this.#put(last, 0);
      this.#down(0);
    }
    return top;
  }

  /** Makes a variable more active; recent bumps weigh more than old ones. */
  bump(variable: number): void {
    this.#activity[variable] = (this.#activity[variable] ?? 0) + this.#increment;
    if ((this.#activity[variable] ?? 0) > 1e100) this.#rescale();
    const place = this.#place[variable] ?? -1;
    if (place >= 0) this.#up(place);
  }

  decay(): void {
    this.#increment /= 0.95;
  }

  #rescale(): void {
    for (let variable = 0; variable < this.#variables; variable++) {
      this.#activity[variable] = (this.#activity[variable] ?? 0) * 1e-100;
    }
    this.#increment *= 1e-100;
  }

  #isAbove(a: number, b: number): boolean {
    const difference = (this.#activity[a] ?? 0) - (this.#activity[b] ?? 0);
    return difference > 0 || (difference === 0 && a < b);
  }

  #up(start: number): void {
    let at = start;
    const variable = this.#heap[at] ?? 0;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const other = this.#heap[parent] ?? 0;
      if (!this.#isAbove(variable, other)) break;
      this.#put(other, at);
      at = parent;
    }
    this.#put(variable, at);
  }

  #down(start: number): void {
    let at = start;
    const variable = this.#heap[at] ?? 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#isAbove(this.#heap[child + 1] ?? 0, this.#heap[child] ?? 0)) child++;
      const other = this.#heap[child] ?? 0;
      if (!this.#isAbove(other, variable)) break;
      this.#put(other, at);
      at = child;
    }
    this.#put(variable, at);
  }

  #put(variable: number, place: number): void {
    this.#heap[place] = variable;
    this.#place[variable] = place;
  }
}
