/**
 * Changes one document of YAML or JSON to another value, and keeps comments, order, quotes and white space of every
 * part that stays the same. The commands that edit catalogs of an author call it. The result is parsed again and
 * compared: a layout that cannot be edited is refused, never damaged.
 */
import { YAMLException } from 'js-yaml';
import { canonicalJson } from '../../api/json.ts';
import { isRecord, type Fields } from '../../api/untyped.ts';
import { YamlError } from './error.ts';
import { DEFAULT_YAML_LIMITS } from './limits.ts';
import { layoutOf, type TextLayout } from './layout.ts';
import {
  endOfLine,
  readSourceTree,
  type SourceList,
  type SourceMap,
  type SourceNode,
  type TextRange,
} from './source-tree.ts';

/** Parses the text of one document, as the caller reads it. */
export type ParseText = (text: string) => unknown;

/**
 * The text of a document that has the new value; undefined if its layout does not allow that: anchors, tags, a new
 * order of a list. Items of lists are matched by their names or, if they have none, by their values.
 */
export function rewriteDocument(text: string, value: unknown, parse: ParseText): string | undefined {
  try {
    const root = readSourceTree(text, DEFAULT_YAML_LIMITS.maxDepth);
    if (root === undefined) return undefined;
    const writer = new Rewriter(text, root);
    writer.change(root, parse(text), value);
    const changed = writer.apply();
    return changed !== undefined && canonicalJson(parse(changed)) === canonicalJson(value) ? changed : undefined;
  } catch (error) {
    if (REFUSALS.some((refusal) => error instanceof refusal)) return undefined;
    throw error;
  }
}

class CannotRewrite extends Error {}

const REFUSALS = [YAMLException, YamlError, CannotRewrite];

interface Edit extends TextRange {
  readonly text: string;
}

class Rewriter {
  readonly #text: string;
  readonly #layout: TextLayout;
  readonly #edits: Edit[] = [];

  constructor(text: string, root: SourceNode) {
    this.#text = text;
    this.#layout = layoutOf(text, root);
  }

  /** The edited text; undefined if two edits concern the same place. */
  apply(): string | undefined {
    const edits = this.#edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
    const parts: string[] = [];
    let copied = 0;
    for (const { start, end, text } of edits) {
      if (start < copied) return undefined;
      parts.push(this.#text.slice(copied, start), text);
      copied = end;
    }
    return [...parts, this.#text.slice(copied)].join('');
  }

  change(node: SourceNode, before: unknown, after: unknown): void {
    if (canonicalJson(before) === canonicalJson(after)) return;
    if (node.kind === 'map' && isRecord(before) && isRecord(after)) this.#changeMap(node, before, after);
    else if (node.kind === 'list' && Array.isArray(before) && Array.isArray(after))
      this.#changeList(node, before as readonly unknown[], after as readonly unknown[]);
    else if (node.kind === 'scalar') this.#edit(node, this.#layout.scalar(after, node));
    else throw new CannotRewrite();
  }

  #edit({ start, end }: TextRange, text: string): void {
    this.#edits.push({ start, end, text });
  }

  #changeMap(map: SourceMap, before: Fields, after: Fields): void {
    const keys = map.pairs.map(({ key }) => key);
    if (new Set(keys).size < keys.length) throw new CannotRewrite();
    for (const [at, { key, node }] of map.pairs.entries()) {
      if (key in after) this.change(node, before[key], after[key]);
      else this.#removePair(map, at);
    }
    const added = Object.keys(after).filter((key) => !(key in before));
    if (added.length > 0)
      this.#addPairs(
        map,
        added.map((key) => [key, after[key]] as const),
        keys.filter((key) => key in after),
      );
  }

  #removePair({ pairs, isFlow }: SourceMap, at: number): void {
    const { keySpan, node } = pairs[at]!;
    const [previous, next] = [pairs[at - 1], pairs[at + 1]];
    const line = this.#lines({ start: keySpan.start, end: node.end });
    if (!isFlow && line !== undefined) this.#edit(line, '');
    else if (previous !== undefined && isFlow) this.#edit({ start: previous.node.end, end: node.end }, '');
    else if (next !== undefined) this.#edit({ start: keySpan.start, end: next.keySpan.start }, '');
    else throw new CannotRewrite();
  }

  /** Behind the last pair that stays. */
  #addPairs(map: SourceMap, added: readonly (readonly [string, unknown])[], staying: readonly string[]): void {
    const last = map.pairs.findLast(({ key }) => staying.includes(key));
    if (last === undefined) throw new CannotRewrite();
    if (map.isFlow) return this.#insert(last.node.end, this.#layout.flowPairs(map, added));
    this.#insert(this.#endOfPart(last.node), this.#layout.blockPairs(map, added));
  }

  #changeList(list: SourceList, before: readonly unknown[], after: readonly unknown[]): void {
    const names = before.map(nameOf);
    const wanted = new Map(after.map((item) => [nameOf(item), item]));
    if (new Set(names).size < names.length || wanted.size < after.length) throw new CannotRewrite();
    if (wanted.size === 0) return this.#edit(list, list.isFlow ? '[]' : ' []'); // indented, as a key stands above it
    const [removed, staying] = [names.filter((name) => !wanted.has(name)), names.filter((name) => wanted.has(name))];
    for (const name of removed) this.#removeItem(list, names.indexOf(name));
    for (const name of staying) {
      const at = names.indexOf(name);
      this.change(list.items[at]!, before[at], wanted.get(name));
    }
    const added = after.filter((item) => !names.includes(nameOf(item)));
    if (added.length > 0) this.#addItems(list, added, names.lastIndexOf(staying.at(-1) ?? ''));
  }

  #removeItem({ items, isFlow, start }: SourceList, at: number): void {
    const item = items[at]!;
    if (isFlow) {
      const [previous, next] = [items[at - 1], items[at + 1]];
      if (previous !== undefined) return this.#edit({ start: previous.end, end: item.end }, '');
      return this.#edit({ start: item.start, end: next?.start ?? item.end }, '');
    }
    const line = this.#lines({ start: this.#dashOf(item, start), end: item.end });
    if (line === undefined) throw new CannotRewrite();
    this.#edit(line, '');
  }

  /** Behind an item that stays; -1 if none does. */
  #addItems(list: SourceList, added: readonly unknown[], behind: number): void {
    const last = list.items[behind];
    if (last === undefined && !(list.isFlow && list.items.length === 0)) throw new CannotRewrite();
    if (last === undefined) return this.#insert(list.start + 1, this.#layout.flowItems(list, added));
    if (list.isFlow) return this.#insert(last.end, this.#layout.flowItems(list, added));
    const dash = this.#dashOf(last, list.start);
    this.#insert(this.#endOfPart(last), this.#layout.blockItems({ dash, sample: last }, added));
  }

  #insert(at: number, text: string): void {
    this.#edit({ start: at, end: at }, text);
  }

  /** The dash of an item of a list without brackets. */
  #dashOf({ start }: TextRange, listStart: number): number {
    const dash = this.#text.lastIndexOf('-', start - 1);
    if (dash < listStart || this.#text.slice(dash + 1, start).trim() !== '') throw new CannotRewrite();
    return dash;
  }

  /** The end of the last line of a part that has no brackets around it: comments behind it belong to it. */
  #endOfPart({ end }: TextRange): number {
    const closed = this.#text[end - 1] === '\n' ? end - 1 : end;
    const line = endOfLine(this.#text, closed);
    return this.#text[line - 1] === '\r' && line > end ? line - 1 : line;
  }

  /** Whole lines, with the comments directly above them; undefined if they hold more than the part. */
  #lines(part: TextRange): TextRange | undefined {
    const first = this.#text.lastIndexOf('\n', part.start - 1) + 1;
    if (this.#text.slice(first, part.start).trim() !== '') return undefined;
    const last = this.#endOfPart(part);
    const behind = this.#text.slice(part.end, last).trim();
    if (behind !== '' && !behind.startsWith('#')) return undefined;
    return {
      start: this.#aboveWithComments(first, part.start - first),
      end: Math.min(endOfLine(this.#text, last) + 1, this.#text.length),
    };
  }

  #aboveWithComments(line: number, indentation: number): number {
    const above = this.#text.lastIndexOf('\n', line - 2) + 1;
    const isOwn = line > 0 && new RegExp(`^ {${indentation}}#`).test(this.#text.slice(above, line));
    return isOwn ? this.#aboveWithComments(above, indentation) : line;
  }
}

/** The key by which an item of a list is known. */
function nameOf(item: unknown): string {
  const name = isRecord(item) ? item['name'] : undefined;
  return typeof name === 'string' ? `name ${name}` : canonicalJson(item);
}
