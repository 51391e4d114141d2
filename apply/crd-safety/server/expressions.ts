/**
 * Evaluates the expressions of a schema (`x-kubernetes-validations`) on a value as the API server does. An expression
 * that the library cannot evaluate, or that costs too much, counts as failed, with a message. Pure.
 *
 * Covers two requests at once: a creation, and an update that changes nothing. In the latter `oldSelf` is `self`.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
import type { CelInput } from '@bufbuild/cel';
import { createBoundedCel, type BoundedCel } from '../../../api/cel/effort.ts';
import { loadCelStrings } from '../../../api/cel/lazy-cel-strings.ts';
import { loadCel } from '../../../api/cel/lazy-cel.ts';
import { type Fields, fieldsOf, isRecord, listOf, textOf } from '../../../api/untyped.ts';
import { isSchema, type Schema } from '../schema.ts';
import { toCel, type ConvertedValues } from './cel-value.ts';
import { isEmbedded, itemsOf, stepTo } from './node.ts';
import type { Report } from './problem.ts';
import { listFields, readText, takeSteps } from './steps.ts';
import { cutName } from './texts.ts';

/** Reports each expression at or below a node that fails, by the rule `validations`. */
export function checkExpressions(schema: Schema, object: unknown, report: Report): void {
  checkNode({ schema, spine: schema, value: object, path: '^', isRoot: true, report, converted: new WeakMap() });
}

interface Node {
  /** The schema with the rules: the node itself, or a part of its `allOf`. */
  readonly schema: Schema;
  /** The node that gives the value's type. */
  readonly spine: Schema;
  readonly value: unknown;
  readonly path: string;
  readonly isRoot: boolean;
  readonly report: Report;
  readonly converted: ConvertedValues;
}

function checkNode(node: Node): void {
  const { schema, spine, value, path, report, converted } = node;
  takeSteps(1);
  if (value === null || value === undefined) return;
  const rules = listOf(schema['x-kubernetes-validations']);
  if (rules.length > 0) {
    const self = toCel({ schema: spine, value, isRoot: node.isRoot || isEmbedded(spine), converted });
    for (const rule of rules) {
      const fault = faultOf(rule, self);
      if (fault !== undefined) report({ rule: 'validations', path, message: fault });
    }
  }
  for (const part of listOf(schema['allOf'])) checkNode({ ...node, schema: part });
  if (Array.isArray(value)) checkItems(node, value);
  else if (isRecord(value)) checkFields(node, value);
}

function checkItems(node: Node, list: readonly unknown[]): void {
  const { schema, spine } = node;
  const [below, items] = [itemsOf(schema), itemsOf(spine)];
  if (below === undefined || items === undefined || !hasRules(below)) return;
  for (const value of list) {
    checkNode({ ...node, schema: below, spine: items, value, path: `${node.path}.items`, isRoot: false });
  }
}

function checkFields(node: Node, value: Fields): void {
  const { schema, spine } = node;
  const fields = Object.entries(value);
  listFields(fields.length);
  for (const [key, field] of fields) {
    const [below, step] = [stepTo(schema, key), stepTo(spine, key)];
    if (below?.schema === undefined || step?.schema === undefined || !hasRules(below.schema)) continue;
    const path = `${node.path}.${step.name}`;
    checkNode({ ...node, schema: below.schema, spine: step.schema, value: field, path, isRoot: false });
  }
}

const withRules = new WeakMap<Schema, boolean>();

/** Whether there is an expression at or below a node; most nodes have none. */
function hasRules(schema: Schema): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const children = [
    ...Object.values(fieldsOf(schema['properties'])),
    ...listOf(schema['allOf']),
    schema['items'],
    schema['additionalProperties'],
  ];
  const has = schema['x-kubernetes-validations'] !== undefined || children.filter(isSchema).some(hasRules);
  withRules.set(schema, has);
  return has;
}

const STEPS_OF_A_RULE = 5;

/** The reason why the rule rejects the value; undefined if the rule holds. */
function faultOf(rule: Fields, self: CelInput): string | undefined {
  takeSteps(STEPS_OF_A_RULE);
  const raw = textOf(rule['rule']);
  readText(raw.length);
  const text = raw.trim();
  if (text === '') return undefined;
  const shown = cutName(text);
  if (rule['optionalOldSelf'] === true) return `${shown} cannot be judged here: oldSelf is optional`;
  const result = evaluate(text, { self, oldSelf: self });
  if (result === true) return undefined;
  return result === false ? messageOf(rule) || `${shown} does not hold` : `${shown} ${cutName(result)}`;
}

function messageOf(rule: Fields): string {
  const message = textOf(rule['message']);
  readText(message.length);
  return cutName(message.trim());
}

/** Cost limit of one rule on one value: about a third of a second. */
const MAX_UNITS = 30_000_000;
const UNITS_OF_A_STEP = 100;
const MAX_RULE_LENGTH = 16 << 10;
const MAX_NESTING = 64;
const STEPS_OF_COMPILING = 4;

type RunExpression = (variables: Readonly<Record<string, CelInput>>) => boolean | string;

/** The most recently compiled rules. */
const compiled = new Map<string, RunExpression>();
const MOST_COMPILED = 2000;

function evaluate(text: string, variables: Readonly<Record<string, CelInput>>): boolean | string {
  const known = compiled.get(text);
  const run = known ?? compile(text);
  if (known === undefined) {
    if (compiled.size >= MOST_COMPILED) compiled.clear();
    compiled.set(text, run);
  }
  return run(variables);
}

let bounded: BoundedCel | undefined;

function compile(text: string): RunExpression {
  if (text.length > MAX_RULE_LENGTH || nestingOf(text) > MAX_NESTING) return () => 'is too long to be judged here';
  takeSteps(text.length * STEPS_OF_COMPILING);
  const { parse, plan, isCelError } = loadCel();
  bounded ??= createBoundedCel(loadCel(), loadCelStrings());
  const { environment, boundLoops, spend } = bounded;
  try {
    const { expr } = parse(text);
    boundLoops(expr, 2 * text.length);
    const run = plan(environment, expr);
    return (variables) => {
      const { result, left } = spend(MAX_UNITS, () => run(variables));
      takeSteps((MAX_UNITS - Math.max(0, left)) / UNITS_OF_A_STEP);
      if (left < 0) return 'costs too much to be judged here';
      if (isCelError(result)) return `cannot be evaluated: ${result.message}`;
      return typeof result === 'boolean' ? result : 'is neither true nor false';
    };
  } catch (error) {
    return () => `cannot be judged here: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Bounded because the library parses expressions recursively. */
function nestingOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text) {
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
