/**
 * Rules in CEL, as `olm.constraint` may contain them: an expression over the `properties` of one bundle, with the
 * function `semver_compare`. Strangers write catalogs, so the cost of a rule is bounded (api/cel/effort.ts).
 */
import type { CelInput } from '@bufbuild/cel';
import type { Property } from '../../catalog/model.ts';
import { compareVersions, parseVersion, type Parsed, type SemanticVersion } from '../version.ts';
import { createBoundedCel, type BoundedCel, type Effort } from '../../api/cel/effort.ts';
import { loadCel, type CelLibrary } from '../../api/cel/lazy-cel.ts';

/** A rule, compiled once. */
export interface CompiledRule {
  readonly text: string;
  /** Texts that occur in the rule: names of packages are among them. */
  readonly literals: readonly string[];
  /**
   * Whether a bundle's properties satisfy the rule. A rule that fails, costs too much or gives no boolean is not
   * satisfied.
   * @param effort The effort left for all rules together. The rule's cost is taken off; when it is used up, no rule is
   * satisfied.
   */
  readonly test: (properties: readonly Property[], effort?: Effort) => boolean;
}

const MAX_RULE_LENGTH = 4 << 10;
const MAX_NESTING = 64;
const MAX_LITERALS = 64;

/** Most that one rule may cost on one bundle: about fifty milliseconds. */
const MAX_UNITS = 5_000_000;

/** The cost of passing one property, or one value inside it, to the library. */
const UNITS_PER_ITEM = 5;

/** The cost of compiling a rule, for each of its characters. */
export const UNITS_TO_COMPILE = 1500;

/** Compiled rules, the most recent ones: a catalog repeats the same rule in many versions. */
const compiled = new Map<string, Parsed<CompiledRule>>();
const MAX_COMPILED = 500;

/** Compiles a rule. @see https://cel.dev */
export function compileRule(text: string): Parsed<CompiledRule> {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const rule = tooMuch(text) ?? compile(text);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(text, rule);
  return rule;
}

/** Rejects rules that are too long or nested too deep, before the library parses them by recursion. */
function tooMuch(text: string): Parsed<never> | undefined {
  if (text.length > MAX_RULE_LENGTH) return bad(`the rule is longer than ${MAX_RULE_LENGTH} characters`);
  let depth = 0;
  for (const character of text) {
    if ('([{'.includes(character)) depth++;
    if (')]}'.includes(character)) depth--;
    if (depth > MAX_NESTING) return bad(`the rule is nested more than ${MAX_NESTING} levels deep`);
  }
  return undefined;
}

let bounded: BoundedCel | undefined;

function createCel(library: CelLibrary): BoundedCel {
  const { celFunc, CelScalar } = library;
  const compare = celFunc('semver_compare', [CelScalar.DYN, CelScalar.DYN], CelScalar.INT, (a, b) =>
    BigInt(Math.sign(compareVersions(readVersion(a), readVersion(b)))),
  );
  return createBoundedCel(library, [compare]);
}

function compile(text: string): Parsed<CompiledRule> {
  const library = loadCel();
  const { parse, plan } = library;
  bounded ??= createCel(library);
  const { environment, boundLoops, spend } = bounded;
  try {
    const { expr } = parse(text);
    const literals = new Set<string>();
    collectLiterals(expr, literals);
    boundLoops(expr, 2 * text.length);
    const run = plan(environment, expr);
    const test: CompiledRule['test'] = (properties, effort = { units: MAX_UNITS }) => {
      const most = Math.min(MAX_UNITS, effort.units);
      const units = most - countItems(properties) * UNITS_PER_ITEM - text.length;
      try {
        const { result, left } = spend(units, () => run({ properties: properties.map(propertyToCel) }));
        effort.units -= most - Math.max(0, left);
        return left >= 0 && result === true;
      } catch {
        // The library evaluates by recursion, and the stack may be smaller here than anywhere that it was tried.
        effort.units -= most;
        return false;
      }
    };
    return { ok: true, value: { text, literals: [...literals].slice(0, MAX_LITERALS), test } };
  } catch (error) {
    return bad(`the rule cannot be compiled: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Collects the texts of an expression of any shape. */
function collectLiterals(expression: unknown, literals: Set<string>): void {
  if (typeof expression !== 'object' || expression === null) return;
  const { case: name, value } = expression as { readonly case?: unknown; readonly value?: unknown };
  if (name === 'stringValue' && typeof value === 'string') literals.add(value);
  for (const part of Object.values(expression)) collectLiterals(part, literals);
}

/** Items of all lists and maps together. */
function countItems(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children = Object.values(value);
  return children.reduce<number>((sum, child) => sum + countItems(child), children.length);
}

function propertyToCel({ type, value }: Property): CelInput {
  return new Map<string, CelInput>([
    ['type', type],
    ['value', toCel(value)],
  ]);
}

/** JSON as CEL sees it: numbers are doubles, objects are maps without JavaScript's own properties. */
function toCel(value: unknown): CelInput {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toCel);
  return new Map(Object.entries(value as object).map(([key, child]) => [key, toCel(child)]));
}

/**
 * A version as blang's ParseTolerant reads it: spaces, a leading `v`, leading zeros and missing numbers are forgiven. A
 * number counts by its text, as in the reference: YAML reads 1.2 without quotes as one.
 */
function readVersion(value: unknown): SemanticVersion {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (!isNumber && typeof value !== 'string') throw new Error('semver_compare takes two texts');
  const [major = '', minor, ...rest] = String(value).trim().replace(/^v/, '').split('.');
  const patch = rest.length === 0 ? undefined : rest.join('.');
  const short = patch ?? minor ?? major;
  if (patch === undefined && /[+-]/.test(short)) throw new Error('a short version has neither pre-release nor build');
  const numbers = [major, minor ?? '0', patch ?? '0'].map((part) => part.replace(/^0+(?=[0-9])/, ''));
  const parsed = parseVersion(numbers.join('.'));
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
