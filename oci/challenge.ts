/** `WWW-Authenticate`: the authorization that a registry demands, as data. */

export interface Challenge {
  /** In lower case: `bearer`, `basic`. */
  readonly scheme: string;
  /** Names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_HEADER = 8192;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const SPACES = /[ \t]*/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*[ \t]*(?=,|$)/y;

/**
 * Parses one header, or several joined by commas; malformed parts are left out. A comma inside quotes belongs to the
 * value: `Bearer realm="https://a/t",scope="repository:x:pull,push", Basic realm="b"` are two challenges.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function parseChallenges(header: string | undefined): readonly Challenge[] {
  if (header === undefined || header.length > MAX_HEADER) return [];
  const scanner = createScanner(header);
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  while (!scanner.done()) {
    scanner.skipSeparators();
    const word = scanner.take(TOKEN);
    if (word === undefined) break;
    const value = scanner.value();
    const current = challenges.at(-1);
    if (value === undefined) {
      challenges.push({ scheme: word.toLowerCase(), parameters: new Map() });
      scanner.skipToken68();
    } else if (current !== undefined && !current.parameters.has(word.toLowerCase())) {
      current.parameters.set(word.toLowerCase(), value);
    }
  }
  return challenges;
}

interface Scanner {
  done(): boolean;
  skipSeparators(): void;
  take(pattern: RegExp): string | undefined;
  /** The value after `=`, quoted or not; undefined if the word was a scheme. */
  value(): string | undefined;
  skipToken68(): void;
}

function createScanner(text: string): Scanner {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text)?.[0];
    if (match !== undefined) at += match.length;
    return match;
  };
  const quoted = (): string => {
    let value = '';
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] === '\\') at += 1;
      value += text[at] ?? '';
    }
    at += 1;
    return value;
  };
  return {
    done: () => at >= text.length,
    skipSeparators: () => void take(/[ \t,]*/y),
    take,
    value() {
      const before = at;
      take(SPACES);
      if (text[at] !== '=') {
        at = before;
        return undefined;
      }
      at += 1;
      take(SPACES);
      return text[at] === '"' ? quoted() : (take(TOKEN) ?? '');
    },
    skipToken68() {
      const before = at;
      take(SPACES);
      if (take(TOKEN68) === undefined || at === before) at = before;
    },
  };
}
