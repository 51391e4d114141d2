/** A screen about one Subscription that is printed again after each change that shows. */
import type { Environment } from '../environment.ts';
import { formatStreamed } from './print.ts';

/** Moves the cursor of a terminal to its first line, and clears everything below. */
const CLEAR = '\u001B[H\u001B[J';
const DELETED = 'The Subscription is deleted\n';

/** Mutable: it remembers the screen that is shown. */
export class Screen<Facts> {
  readonly #environment: Pick<Environment, 'print' | 'columns'>;
  readonly #output: string;
  readonly #draw: (facts: Facts) => string;
  #shown = '';

  constructor(environment: Pick<Environment, 'print' | 'columns'>, output: string, draw: (facts: Facts) => string) {
    this.#environment = environment;
    this.#output = output;
    this.#draw = draw;
  }

  /** Prints the facts, unless the same is shown already; undefined if the Subscription is deleted. */
  show(facts: Facts | undefined): void {
    const data = facts === undefined ? undefined : formatStreamed(facts, this.#output);
    const isForPeople = formatStreamed({}, this.#output) === undefined;
    const text = data ?? (facts === undefined ? (isForPeople ? DELETED : '') : this.#draw(facts));
    if (text === this.#shown) return;
    const { print, columns } = this.#environment;
    // An empty line separates a screen from the one before; data needs none.
    const separator = columns === undefined ? (this.#shown === '' ? '' : '\n') : CLEAR;
    print(isForPeople ? `${separator}${text}` : text);
    this.#shown = text;
  }
}
