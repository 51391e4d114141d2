/**
 * Validates a value against a schema as the API server does, except for expressions: types, bounds, enums, combinations
 * of schemas. Pure.
 * @see https://github.com/kubernetes/kube-openapi/tree/master/pkg/validation/validate
 */
import { type Fields, fieldsOf, isRecord, itemsOf as listIn, textOf } from '../../../api/untyped.ts';
import { isSchema, type Schema } from '../schema.ts';
import { checkedFormat, hasFormat, isInRange } from './formats.ts';
import { itemsOf, stepTo } from './node.ts';
import { matchesPattern } from './patterns.ts';
import { Messages } from './messages.ts';
import type { Report } from './problem.ts';
import { listFields, passFields, readText, takeSteps } from './steps.ts';
import { countCharacters, cutName, measuredJson, shortJson, shortText } from './texts.ts';

/** Reports each problem of the value with the path of its schema node. */
export function checkValue(schema: Schema, value: unknown, path: string, report: Report): void {
  takeSteps(1);
  const say = (rule: string, message: string): void => {
    takeSteps(STEPS_OF_A_MESSAGE);
    report({ rule, path, message });
  };
  checkEnum(schema, value, say);
  if (value === null) {
    if (typesOf(schema).length > 0 && schema['nullable'] !== true) say('nullable', 'null is not allowed');
    return;
  }
  checkType(schema, value, say);
  checkCombinations(schema, value, { path, say });
  if (typeof value === 'string') checkText(schema, value, say);
  if (isNumber(value)) checkNumber(schema, value, say);
  if (Array.isArray(value)) checkList(schema, value, { path, say, report });
  else if (isRecord(value)) checkFields(schema, value, { path, say, report });
}

/** A message is written even if another branch of the schema holds, and it is dropped. */
const STEPS_OF_A_MESSAGE = 2;

type Say = (rule: string, message: string) => void;

interface CheckContext {
  readonly path: string;
  readonly say: Say;
  readonly report: Report;
}

/** Whether a value has no problem. */
function isValid(schema: Schema, value: unknown): boolean {
  let problems = 0;
  checkValue(schema, value, '^', () => (problems += 1));
  return problems === 0;
}

function typesOf(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  const type = textOf(schema['type']);
  return type === '' ? [] : [type];
}

function checkType(schema: Schema, value: unknown, say: Say): void {
  const types = typesOf(schema);
  const actual = typeOf(value);
  const fits = types.length === 0 || types.includes(actual) || (actual === 'integer' && types.includes('number'));
  if (!fits) say('type', `${actual} instead of ${types.map(cutName).join(' or ')}`);
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const MOST_INT64 = 2n ** 63n - 1n;

/** Go reads a number that does not fit into 64 bits as a float, which counts as an integer only up to 2^53. */
function isInteger(value: number | bigint): boolean {
  return typeof value === 'bigint' ? value >= -MOST_INT64 - 1n && value <= MOST_INT64 : Number.isSafeInteger(value);
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function checkEnum(schema: Schema, value: unknown, say: Say): void {
  const allowed = schema['enum'];
  if (!Array.isArray(allowed) || allowed.length === 0) return;
  const json = measuredJson(value);
  const isAllowed = value !== null && allowedIn(schema, allowed).has(json);
  if (!isAllowed) say('enum', `${shortJson(json)} is not allowed`);
}

const allowedValues = new WeakMap<Schema, ReadonlySet<string>>();

/** The allowed values of a schema as JSON. */
function allowedIn(schema: Schema, allowed: readonly unknown[]): ReadonlySet<string> {
  const known = allowedValues.get(schema);
  if (known !== undefined) return known;
  takeSteps(allowed.length);
  const made = new Set(allowed.map(measuredJson));
  allowedValues.set(schema, made);
  return made;
}

function checkText(schema: Schema, text: string, say: Say): void {
  checkLength(schema, text, say);
  const pattern = textOf(schema['pattern']);
  const matches = pattern === '' || matchesPattern(pattern, text);
  if (matches === undefined) say('pattern', `${cutName(pattern)} cannot be judged here`);
  if (matches === false) say('pattern', `${shortText(text)} does not match ${cutName(pattern)}`);
  const type = schema['x-kubernetes-int-or-string'] === true ? '' : textOf(schema['type']);
  const format = checkedFormat(textOf(schema['format']), type);
  if (format !== '' && !hasFormat(text, format))
    say('format', `${shortText(text)} is no ${cutName(textOf(schema['format']))}`);
}

function checkLength(schema: Schema, text: string, say: Say): void {
  if (!isNumber(schema['minLength']) && !isNumber(schema['maxLength'])) return;
  readText(text.length);
  checkBounds(schema, { name: 'Length', value: countCharacters(text) }, say);
}

/** `minLength` and `maxLength`, and the same bounds of items and properties. */
function checkBounds(
  schema: Schema,
  { name, value }: { readonly name: string; readonly value: number },
  say: Say,
): void {
  const [least, most] = [schema[`min${name}`], schema[`max${name}`]];
  if (isNumber(least) && value < least) say(`min${name}`, `${value} is less than ${String(least)}`);
  if (isNumber(most) && value > most) say(`max${name}`, `${value} is more than ${String(most)}`);
}

function checkNumber(schema: Schema, value: number | bigint, say: Say): void {
  const type = textOf(schema['type']);
  const format = checkedFormat(textOf(schema['format']), type);
  if (!isInRange(value, type, format)) say('format', `${String(value)} does not fit into ${format || 'int64'}`);
  const { minimum, maximum, multipleOf } = schema;
  if (isNumber(minimum) && (value < minimum || (schema['exclusiveMinimum'] === true && value <= minimum))) {
    say('minimum', `${String(value)} is below ${String(minimum)}`);
  }
  if (isNumber(maximum) && (value > maximum || (schema['exclusiveMaximum'] === true && value >= maximum))) {
    say('maximum', `${String(value)} is above ${String(maximum)}`);
  }
  if (isNumber(multipleOf) && !isMultiple(value, multipleOf)) {
    say('otherKeywords', `${String(value)} is no multiple of ${String(multipleOf)}`);
  }
}

function isMultiple(value: number | bigint, factor: number | bigint): boolean {
  if (factor <= 0) return false;
  if (typeof value === 'bigint' && Number.isInteger(Number(factor))) return value % BigInt(factor) === 0n;
  const times = factor < 1 ? (1 / Number(factor)) * Number(value) : Number(value) / Number(factor);
  return Number.isInteger(times);
}

function checkList(schema: Schema, list: readonly unknown[], { path, say, report }: CheckContext): void {
  const items = itemsOf(schema);
  if (items !== undefined) for (const item of list) checkValue(items, item, `${path}.items`, report);
  checkBounds(schema, { name: 'Items', value: list.length }, say);
  if (schema['uniqueItems'] === true && hasRepeats(list)) say('otherKeywords', 'items are there twice');
}

/** Whether two items are equal. */
export function hasRepeats(list: readonly unknown[]): boolean {
  takeSteps(list.length);
  return new Set(list.map(measuredJson)).size < list.length;
}

function checkFields(schema: Schema, value: Fields, { path, say, report }: CheckContext): void {
  const fields = Object.entries(value);
  listFields(fields.length);
  checkBounds(schema, { name: 'Properties', value: fields.length }, say);
  for (const [key, field] of fields) {
    const step = stepTo(schema, key);
    if (step?.schema !== undefined) checkValue(step.schema, field, `${path}.${step.name}`, report);
    else if (schema['additionalProperties'] === false) say('mapValues', `"${cutName(key)}" is not allowed`);
  }
  const required = listIn(schema['required']);
  passFields(required.length);
  for (const name of required.map(textOf)) {
    if (!Object.hasOwn(value, name)) say('required', `"${cutName(name)}" is missing`);
  }
}

function checkCombinations(schema: Schema, value: unknown, { path, say }: Omit<CheckContext, 'report'>): void {
  for (const branch of branchesOf(schema['allOf'])) {
    const messages = new Messages();
    checkValue(branch, value, path, ({ message }) => messages.add(message));
    if (messages.count > 0) say('allOf', messages.joined());
  }
  const any = branchesOf(schema['anyOf']);
  if (any.length > 0 && !any.some((branch) => isValid(branch, value))) say('anyOf', 'no alternative holds');
  const one = branchesOf(schema['oneOf']);
  const holding = one.filter((branch) => isValid(branch, value)).length;
  if (one.length > 0 && holding !== 1) say('oneOf', `${holding} of the exclusive alternatives hold`);
  if (isSchema(schema['not']) && isValid(fieldsOf(schema['not']), value)) say('not', 'the value is excluded');
}

/** The schemas of a combination. */
function branchesOf(list: unknown): readonly Schema[] {
  const branches = listIn(list);
  passFields(branches.length);
  return branches.map(fieldsOf);
}
