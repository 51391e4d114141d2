/**
 * Follows the tokens of one JSON object and reports the first one that is no JSON. It validates a document without
 * parsing it, so that the bulk of a catalog never becomes JavaScript objects.
 */

export interface JsonGrammar {
  /** Levels that are open; 0 between documents. */
  depth: number;
  /** Whether the next string is a key. */
  readonly expectsKey: boolean;
  /** Each takes a token and returns whether the token is allowed at this position. */
  open(isObject: boolean): boolean;
  close(isObject: boolean): boolean;
  comma(): boolean;
  colon(): boolean;
  string(): boolean;
  /** A number or a word. */
  scalar(text: string): boolean;
}

type GrammarState = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'document';

const SCALAR = /^(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$/;

/** A grammar that is between two documents. @see https://www.rfc-editor.org/rfc/rfc8259#section-2 */
export function createJsonGrammar(maxDepth: number): JsonGrammar {
  const objects = new Uint8Array(maxDepth + 1);
  let state: GrammarState = 'document';

  function expectsValue(): boolean {
    return state === 'value' || state === 'value or end';
  }

  return {
    depth: 0,
    get expectsKey() {
      return state === 'key' || state === 'key or end';
    },
    open(isObject) {
      if (state === 'document' ? !isObject : !expectsValue()) return false;
      this.depth += 1;
      objects[this.depth] = isObject ? 1 : 0;
      state = isObject ? 'key or end' : 'value or end';
      return true;
    },
    close(isObject) {
      const isEnd = state === 'comma or end' || state === (isObject ? 'key or end' : 'value or end');
      if (!isEnd || this.depth === 0 || (objects[this.depth] === 1) !== isObject) return false;
      this.depth -= 1;
      state = this.depth === 0 ? 'document' : 'comma or end';
      return true;
    },
    comma() {
      if (state !== 'comma or end') return false;
      state = objects[this.depth] === 1 ? 'key' : 'value';
      return true;
    },
    colon() {
      if (state !== 'colon') return false;
      state = 'value';
      return true;
    },
    string() {
      if (state === 'key' || state === 'key or end') state = 'colon';
      else if (expectsValue()) state = 'comma or end';
      else return false;
      return true;
    },
    scalar(text) {
      if (!expectsValue() || !SCALAR.test(text)) return false;
      state = 'comma or end';
      return true;
    },
  };
}
