/**
 * Reads one document of YAML or JSON as a tree of places in its text, so that a part can be changed and everything else
 * stays as a person wrote it. rewrite.ts is its only caller.
 */
import { COLLECTION_STYLE, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, type Event } from 'js-yaml';

/** A part of a text: from `start` up to `end`. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export type SourceNode = SourceScalar | SourceMap | SourceList | SourceOther;

export interface SourceScalar extends TextRange {
  readonly kind: 'scalar';
  readonly quote: '' | "'" | '"';
}

export interface SourceMap extends TextRange {
  readonly kind: 'map';
  /** In braces, as all of JSON is. */
  readonly isFlow: boolean;
  readonly pairs: readonly SourcePair[];
}

export interface SourcePair {
  readonly key: string;
  readonly keySpan: TextRange;
  readonly node: SourceNode;
}

export interface SourceList extends TextRange {
  readonly kind: 'list';
  readonly isFlow: boolean;
  readonly items: readonly SourceNode[];
}

/** Text that is not rewritten: aliases, anchors, tags, block texts, and values that are left empty. */
export interface SourceOther extends TextRange {
  readonly kind: 'other';
}

/** The tree of a text with one document. @throws YAMLException if js-yaml cannot read the text */
export function readSourceTree(text: string, maxDepth: number): SourceNode | undefined {
  const events = parseEvents(text, { maxDepth });
  return events.length === 0 ? undefined : new TreeReader(text, events).read();
}

class TreeReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  #next = 1; // behind the event that opens the document
  /** The end of the text that belongs to the nodes so far. */
  #read = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  read(): SourceNode {
    const node = this.#node();
    this.#read = node.end;
    return node;
  }

  #node(): SourceNode {
    const event = this.#events[this.#next];
    this.#next += 1;
    switch (event?.type) {
      case EVENT_ID.MAPPING:
        return isMarked(event)
          ? this.#skip(event.start)
          : this.#map(event.start, event.style === COLLECTION_STYLE.FLOW);
      case EVENT_ID.SEQUENCE:
        return isMarked(event)
          ? this.#skip(event.start)
          : this.#list(event.start, event.style === COLLECTION_STYLE.FLOW);
      case EVENT_ID.SCALAR:
        return this.#scalar(event);
      default:
        return { kind: 'other', start: this.#read, end: event?.type === EVENT_ID.ALIAS ? event.anchorEnd : this.#read };
    }
  }

  #map(start: number, isFlow: boolean): SourceMap {
    const pairs: SourcePair[] = [];
    while (!this.#isClosed()) {
      const event = this.#events[this.#next];
      const keySpan = this.read();
      const key = event?.type === EVENT_ID.SCALAR ? getScalarValue(this.#text, event) : '';
      pairs.push({ key, keySpan, node: this.read() });
    }
    return { kind: 'map', start, end: this.#endOf(start, isFlow), isFlow, pairs };
  }

  #list(start: number, isFlow: boolean): SourceList {
    const items: SourceNode[] = [];
    if (isFlow) this.#read = start + 1;
    while (!this.#isClosed()) items.push(this.read());
    return { kind: 'list', start, end: this.#endOf(start, isFlow), isFlow, items };
  }

  /** Whether the collection ends here; the event that ends it is taken. */
  #isClosed(): boolean {
    if (this.#events[this.#next]?.type !== EVENT_ID.POP) return false;
    this.#next += 1;
    return true;
  }

  /** A collection in brackets ends at its bracket, any other one with its last part. */
  #endOf(start: number, isFlow: boolean): number {
    if (!isFlow) return this.#read;
    let at = Math.max(start + 1, this.#read);
    while (at < this.#text.length && !/[\]}]/.test(this.#text[at]!))
      at = this.#text[at] === '#' ? endOfLine(this.#text, at) : at + 1;
    return at + 1;
  }

  #scalar(event: Extract<Event, { type: 4 }>): SourceNode {
    const { valueStart, valueEnd, style } = event;
    if (valueStart < 0) return { kind: 'other', start: this.#read, end: this.#read };
    const quote = QUOTES.get(style);
    if (quote === undefined || isMarked(event)) return { kind: 'other', start: valueStart, end: valueEnd };
    return { kind: 'scalar', start: valueStart - quote.length, end: valueEnd + quote.length, quote };
  }

  /** Reads on to the end of a collection whose inside is not needed. */
  #skip(start: number): SourceOther {
    while (!this.#isClosed()) this.read();
    return { kind: 'other', start, end: this.#read };
  }
}

const QUOTES: ReadonlyMap<number, '' | "'" | '"'> = new Map([
  [SCALAR_STYLE.PLAIN, ''],
  [SCALAR_STYLE.SINGLE_QUOTED, "'"],
  [SCALAR_STYLE.DOUBLE_QUOTED, '"'],
]);

/** Whether it has an anchor or a tag. */
function isMarked({ anchorStart, tagStart }: { readonly anchorStart: number; readonly tagStart: number }): boolean {
  return anchorStart >= 0 || tagStart >= 0;
}

/** The position of the line break that ends the line of this position, or the end of the text. */
export function endOfLine(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  return found < 0 ? text.length : found;
}
