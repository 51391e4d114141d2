/** The messages of the problems of one value, as one message: the first of them, however many there are. */
import { nameFirst } from '../../../api/name-some.ts';

const MOST_SHOWN = 3;

export class Messages {
  count = 0;
  readonly #first: string[] = [];

  add(message: string): void {
    this.count += 1;
    if (this.#first.length < MOST_SHOWN) this.#first.push(message);
  }

  joined(): string {
    return nameFirst(this.#first, this.count);
  }
}
