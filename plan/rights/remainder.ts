/**
 * The rights of one side of a change beyond the budget: they are not compared one by one, but as one whole. Two wholes are
 * equal only if they have the same rights, so a right never counts as known since too many others hide it. Pure.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../api/json.ts';
import type { Atom } from './atom.ts';
import { shortList } from './nouns.ts';

/** Longest list of holders in one sentence. */
const MOST_HOLDERS = 3;
/** Hex digits: bundle authors must not find two remainders with the same ones. */
const DIGITS = 32;

interface DigestedRights {
  readonly digest: string;
  readonly combinations: number;
}

/** Mutable: it collects the rights. */
export class Remainder {
  readonly #holders = new Set<string>();
  readonly #scopes = new Set<string>();
  readonly #ids: string[] = [];
  readonly #contents = new WeakMap<object, DigestedRights>();
  #combinations = 0;

  /**
   * @param content Everything that the right consists of, beside its holder and its place. One that many holders share is
   *   read once, and so are its combinations.
   */
  add(place: { readonly holder: string; readonly scope: string }, content: object, count: () => number): void {
    const { holder, scope } = place;
    const { digest, combinations } = this.#contents.get(content) ?? this.#read(content, count);
    this.#holders.add(holder);
    this.#scopes.add(scope);
    this.#ids.push(canonicalJson([holder, scope, digest]));
    this.#combinations += combinations;
  }

  #read(content: object, count: () => number): DigestedRights {
    const read = { digest: digestOf(canonicalJson(content)), combinations: count() };
    this.#contents.set(content, read);
    return read;
  }

  /** The whole as one right, or none. @param describe The words for a number of combinations; scope: if all have one. */
  stated(describe: (combinations: number, scope: string | undefined) => string): readonly Atom[] {
    if (this.#ids.length === 0) return [];
    const [scope] = this.#scopes.size === 1 ? this.#scopes : [];
    const digest = digestOf(this.#ids.toSorted().join('\n'));
    const words = `${describe(this.#combinations, scope)}, which are too many to compare (${digest})`;
    const holder = shortList([...this.#holders].sort(), MOST_HOLDERS);
    return [{ kind: 'stated', holder, right: { words, danger: 'critical', isOpen: true } }];
  }
}

/** Distinguishes contents that are too large to be shown. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
}
