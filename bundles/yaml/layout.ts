/** Writes new parts of a document in the layout of the parts beside them. Pure. */
import { formatJson } from '../../api/json.ts';
import { isRecord } from '../../api/untyped.ts';
import { isText } from './scalar.ts';
import type { SourceList, SourceMap, SourceNode, SourceScalar, TextRange } from './source-tree.ts';

/** An item of a list without brackets, and the position of its dash. */
export interface BlockSample {
  readonly dash: number;
  readonly sample: SourceNode;
}

export interface TextLayout {
  /** A scalar in the quotes of the one that it replaces. */
  scalar(value: unknown, replaced: SourceScalar): string;
  /** Further pairs of a map in braces, with the comma before each. */
  flowPairs(map: SourceMap, pairs: readonly (readonly [string, unknown])[]): string;
  /** Further pairs of a map without braces, each begun by a line break. */
  blockPairs(map: SourceMap, pairs: readonly (readonly [string, unknown])[]): string;
  /** Further items of a list in brackets, with the comma before each; the first of an empty list has none. */
  flowItems(list: SourceList, items: readonly unknown[]): string;
  /** Further items of a list without brackets, each begun by a line break. */
  blockItems(beside: BlockSample, items: readonly unknown[]): string;
}

/** The layout of a text, whose tree begins at `root`. */
export function layoutOf(text: string, root: SourceNode): TextLayout {
  return new SourceLayout(text, root);
}

const PLAIN = /^[A-Za-z0-9][\w.+/@-]*$/;

class SourceLayout implements TextLayout {
  readonly #text: string;
  readonly #isJson: boolean;
  readonly #newline: string;
  /** One more level of indentation, in braces and brackets that span lines. */
  readonly #unit: string;
  /** Between a key and its value in braces. */
  readonly #colon: string;

  constructor(text: string, root: SourceNode) {
    this.#text = text;
    const [first] = root.kind === 'map' ? root.pairs : [];
    this.#isJson = root.kind === 'map' && root.isFlow && first !== undefined && text[first.keySpan.start] === '"';
    this.#newline = text.includes('\r\n') ? '\r\n' : '\n';
    this.#unit = (this.#isJson && first !== undefined && this.#indentationAt(first.keySpan.start)) || '  ';
    const isTight = this.#isJson && first !== undefined && text.slice(first.keySpan.end, first.node.start) === ':';
    this.#colon = isTight ? ':' : ': ';
  }

  scalar(value: unknown, { quote }: SourceScalar): string {
    if (typeof value !== 'string' || quote === '') return this.#inline(value);
    if (quote === "'" && /^[\x20-\x7e]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
    return JSON.stringify(value);
  }

  flowPairs({ start, pairs }: SourceMap, added: readonly (readonly [string, unknown])[]): string {
    const [first] = pairs;
    const gap = this.#gapBefore(start, first?.keySpan.start ?? start + 1);
    return added.map(([key, value]) => `,${gap}${this.#key(key)}${this.#colon}${this.#inline(value)}`).join('');
  }

  blockPairs({ pairs }: SourceMap, added: readonly (readonly [string, unknown])[]): string {
    const indentation = ' '.repeat(this.#columnOf(pairs[0]?.keySpan.start ?? 0));
    return this.#lines(added.flatMap(([key, value]) => this.#blockPair(key, value).map((line) => indentation + line)));
  }

  flowItems({ items, start }: SourceList, added: readonly unknown[]): string {
    const sample = items.at(-1);
    if (sample === undefined) return added.map((one) => this.#inline(one)).join(', ');
    const gap = this.#gapBefore(start, items[0]!.start, items[1] && { start: items[0]!.end, end: items[1].start });
    const isOpen = this.#isJson && this.#slice(sample).includes('\n');
    const indentation = this.#indentationAt(sample.start) ?? '';
    const write = (item: unknown): string =>
      isOpen ? formatJson(item, this.#unit).replaceAll('\n', this.#newline + indentation) : this.#inline(item);
    return added.map((item) => `,${gap}${write(item)}`).join('');
  }

  blockItems({ dash, sample }: BlockSample, added: readonly unknown[]): string {
    const indentation = ' '.repeat(this.#columnOf(dash));
    return this.#lines(added.flatMap((item) => this.#blockItem(item, sample).map((line) => indentation + line)));
  }

  #lines(lines: readonly string[]): string {
    return lines.map((line) => `${this.#newline}${line}`).join('');
  }

  #blockItem(item: unknown, sample: SourceNode): readonly string[] {
    if (!isRecord(item) || (sample.kind === 'map' && sample.isFlow)) return [`- ${this.#inline(item)}`];
    const lines = Object.entries(item).flatMap(([key, value]) => this.#blockPair(key, value));
    return lines.map((line, at) => `${at === 0 ? '- ' : '  '}${line}`);
  }

  #blockPair(key: string, value: unknown): readonly string[] {
    if (!Array.isArray(value) || value.length === 0) return [`${this.#key(key)}: ${this.#inline(value)}`];
    return [`${this.#key(key)}:`, ...value.map((item) => `  - ${this.#inline(item)}`)];
  }

  #key(key: string): string {
    return this.#isJson ? JSON.stringify(key) : this.#inline(key);
  }

  /** A value on one line. */
  #inline(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map((item) => this.#inline(item)).join(this.#comma)}]`;
    if (isRecord(value)) {
      const pairs = Object.entries(value).map(([key, one]) => `${this.#key(key)}${this.#colon}${this.#inline(one)}`);
      return `{${pairs.join(this.#comma)}}`;
    }
    if (typeof value !== 'string' || this.#isJson) return formatJson(value);
    return PLAIN.test(value) && isText(value) ? value : JSON.stringify(value);
  }

  get #comma(): string {
    return this.#isJson && this.#colon === ':' ? ',' : ', ';
  }

  /** The white space between a comma and the next part in brackets. */
  #gapBefore(open: number, first: number, between?: TextRange): string {
    const found =
      between === undefined ? this.#text.slice(open + 1, first) : this.#slice(between).replace(/^[^,]*,/, '');
    if (/^\s*$/.test(found) && found.includes('\n')) return found;
    return this.#comma.slice(1);
  }

  #slice({ start, end }: TextRange): string {
    return this.#text.slice(start, end);
  }

  #columnOf(at: number): number {
    return at - (this.#text.lastIndexOf('\n', at - 1) + 1);
  }

  /** The white space that begins a line; undefined if the position is not the first of its line. */
  #indentationAt(at: number): string | undefined {
    const before = this.#text.slice(at - this.#columnOf(at), at);
    return before.trim() === '' && at > before.length ? before : undefined;
  }
}
