/**
 * Reads a text of JSON objects, one or several after another, as the Kubernetes decoder does before it tries YAML: `jq`
 * prints such a stream. Any other text is left to the YAML parser, which also names its faults.
 */
import { parseJson } from '../../api/json.ts';
import { YamlError } from './error.ts';
import { checkDensity, checkShape, tooDeep, type YamlLimits } from './limits.ts';

export interface JsonObject {
  /** Line of the text at which it starts, from 1. */
  readonly line: number;
  readonly value: unknown;
}

/**
 * The objects, or undefined if the text holds anything else.
 * @throws YamlError for more values, depth or objects than allowed.
 */
export function parseJsonObjects(text: string, bounds: YamlLimits): readonly JsonObject[] | undefined {
  if (!/^\s*\{/.test(text.slice(0, 4096))) return undefined;
  checkDensity(text, bounds);
  const whole = parseOne(text);
  const values = whole === undefined ? parseStream(text, bounds) : [{ line: 1, value: whole }];
  for (const { value } of values ?? []) checkShape(value, bounds);
  return values;
}

function parseStream(text: string, { maxDocuments }: YamlLimits): readonly JsonObject[] | undefined {
  const objects: JsonObject[] = [];
  let line = 1;
  for (let at = 0; ;) {
    const start = skipSpaces(text, at);
    line += countLines(text, at, start);
    if (start === text.length) return objects;
    const end = endOfObject(text, start);
    const value = end === undefined ? undefined : parseOne(text.slice(start, end));
    if (end === undefined || value === undefined) return undefined;
    if (objects.length >= maxDocuments) {
      throw new YamlError({ kind: 'limit', what: `has more than ${maxDocuments} documents` });
    }
    objects.push({ line, value });
    line += countLines(text, start, end);
    at = end;
  }
}

/** Undefined for a text that is no JSON or has an integer of more than 400 digits, which is a text in YAML. */
function parseOne(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    return undefined;
  }
}

/** The position behind the object that starts here; undefined if none does, or if it has no end. */
function endOfObject(text: string, start: number): number | undefined {
  if (text[start] !== '{') return undefined;
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') at += 1;
    else if (!isQuoted && character === '{') depth += 1;
    else if (!isQuoted && character === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

function skipSpaces(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at]!)) at += 1;
  return at;
}

function countLines(text: string, from: number, to: number): number {
  return text.slice(from, to).split('\n').length - 1;
}
