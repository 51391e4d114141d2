/**
 * Finds the values of bulky properties while a document is read: manifests and their excerpts make up most of a
 * catalog, and readers that only need to identify a bundle do not need them.
 */

/** Properties that hold manifests or excerpts of them. */
export const BULKY_PROPERTIES: ReadonlySet<string> = new Set(['olm.bundle.object', 'olm.csv.metadata']);

/**
 * The part of the value of a bulky property that is kept, as JSON: the Kubernetes version that the bundle needs, else
 * `{}`. Quotes inside texts are escaped, so only a key can match; if several match, none is used.
 */
export function essenceOf(value: Buffer): string {
  const first = value.indexOf(KEY);
  if (first < 0 || value.includes(KEY, first + 1)) return '{}';
  const found = VERSION.exec(value.toString('latin1', first, first + 100))?.groups?.['version'];
  return found === undefined ? '{}' : `{${KEY}:"${found}"}`;
}

const KEY = '"minKubeVersion"';
const VERSION = /^"minKubeVersion"\s*:\s*"(?<version>[0-9A-Za-z.+-]{1,64})"/;

/** A part of the document's bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How far a document has been read: its bytes, and the values among them. */
export interface Mark {
  readonly position: number;
  readonly nodes: number;
}

const TOP = 1;
const LIST = 2;
const PROPERTY = 3;

/** Takes the tokens of one document after another; positions count from the start of the document. */
export class BulkFinder {
  /** Values that may be left out of the document that is being read. */
  spans: Span[] = [];
  /** Values inside of them. */
  nodes = 0;
  #key = '';
  #inList = false;
  #type = '';
  #valueStart = -1;
  #valueEnd = -1;
  #valueNodes = 0;

  /** Whether the finder needs the text of the next string at this depth. */
  wantsText(depth: number, isKey: boolean): boolean {
    if (depth === TOP) return isKey;
    return this.#inList && depth === PROPERTY && (isKey || this.#key === 'type');
  }

  /** Takes a key whose text `wantsText` asked for. */
  key(text: string): void {
    this.#key = text;
  }

  /** Takes a value whose text `wantsText` asked for. */
  text(text: string): void {
    if (this.#key === 'type') this.#type = text;
  }

  /** A list or an object opens at this position, after so many values; `depth` is that inside of it. */
  open(depth: number, isObject: boolean, { position, nodes }: Mark): void {
    if (depth === LIST) this.#inList = !isObject && this.#key === 'properties';
    else if (this.#inList && depth === PROPERTY) this.#reset();
    else if (this.#inList && depth === PROPERTY + 1 && this.#key === 'value') {
      this.#valueStart = position;
      this.#valueNodes = -nodes;
    }
  }

  /** A list or an object has closed before this position; `depth` is that outside of it. */
  close(depth: number, { position, nodes }: Mark): void {
    if (!this.#inList) return;
    if (depth === PROPERTY && this.#key === 'value') {
      this.#valueEnd = position;
      this.#valueNodes += nodes;
    } else if (depth === LIST) {
      if (BULKY_PROPERTIES.has(this.#type) && this.#valueEnd > this.#valueStart && this.#valueStart >= 0) {
        this.spans.push({ start: this.#valueStart, end: this.#valueEnd });
        this.nodes += this.#valueNodes;
      }
      this.#reset();
    } else if (depth === TOP) this.#inList = false;
  }

  /** The document is complete. */
  next(): void {
    this.spans = [];
    this.nodes = 0;
    this.#inList = false;
    this.#reset();
  }

  #reset(): void {
    this.#key = '';
    this.#type = '';
    this.#valueStart = -1;
    this.#valueEnd = -1;
  }
}
