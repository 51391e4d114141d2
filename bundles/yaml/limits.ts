/** Bounds that keep a hostile text from exhausting memory, stack or time. */
import { YamlError } from './error.ts';

export interface YamlLimits {
  readonly maxBytes: number;
  readonly maxDocuments: number;
  readonly maxDepth: number;
  /** Scalars and collections of all documents, aliases and merged keys counted as often as they are used. */
  readonly maxNodes: number;
}

/** Two to ten times the size of the largest published bundles: a CRD of 2.8 MB has about 150,000 nodes. */
export const DEFAULT_YAML_LIMITS: YamlLimits = {
  maxBytes: 16 << 20,
  maxDocuments: 1000,
  maxDepth: 200,
  maxNodes: 1_000_000,
};

/** Refuses a text that would become more nodes than allowed before anything is allocated for them. */
export function checkDensity(text: string, { maxNodes }: YamlLimits): void {
  if (text.length <= maxNodes) return;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (startsNode(text.charCodeAt(at), text.charCodeAt(at + 1))) count += 1;
  if (count > maxNodes) throw tooMany(maxNodes);
}

/** How many values a text in these bytes has at most, aliases not followed; most texts have far fewer. */
export function mostNodes(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (startsNode(bytes[at]!, bytes[at + 1] ?? 0)) count += 1;
  return count;
}

function startsNode(code: number, next: number): boolean {
  const found = STARTS_NODE[code];
  return found === 1 || (found === 2 && (next === 0x20 || next === 0x09));
}

/** 1: the character starts a node wherever it stands. 2: before white space, of which a line may have many. */
const STARTS_NODE = new Uint8Array(0x10000);
for (const character of '\n\r,[{:') STARTS_NODE[character.charCodeAt(0)] = 1;
for (const character of '-?') STARTS_NODE[character.charCodeAt(0)] = 2;

/** Refuses data that is too deep or has too many nodes. */
export function checkShape(value: unknown, { maxDepth, maxNodes }: YamlLimits): void {
  let count = 0;
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if ((count += 1) > maxNodes) throw tooMany(maxNodes);
    if (next.value === null || typeof next.value !== 'object') continue;
    if (next.depth >= maxDepth) throw tooDeep();
    for (const child of Object.values(next.value)) open.push({ value: child, depth: next.depth + 1 });
  }
}

export function tooMany(maxNodes: number): YamlError {
  return new YamlError({ kind: 'limit', what: `has more than ${maxNodes} values` });
}

export function tooDeep(): YamlError {
  return new YamlError({ kind: 'limit', what: 'is nested too deeply' });
}
