/**
 * Rules in CEL, as `olm.constraint` may contain them: an expression over the `properties` of one bundle, with the
 * function `semver_compare`. Catalogs are written by strangers, so what a rule may cost is bounded before it runs.
 */
import type { CelEnv, CelInput } from '@bufbuild/cel';
import type { Property } from '../../catalog/model.ts';
import { compareVersions, parseVersion, type Parsed, type Version } from '../version.ts';
import { loadCel, type CelLibrary } from './lazy-cel.ts';

/** A rule, compiled once. */
export interface Rule {
  readonly text: string;
  /** Texts that occur in the rule: names of packages are among them. */
  readonly literals: readonly string[];
  /** Whether a bundle's properties satisfy the rule. One that fails, costs too much or gives no boolean does not. */
  readonly test: (properties: readonly Property[]) => boolean;
}

const MAX_RULE_LENGTH = 16 << 10;

/** Most passes through the innermost loop of a rule; a pass takes about half a microsecond. */
const MAX_PASSES = 100_000;

const MAX_LITERALS = 64;

/** Compiled rules, the most recent ones: a catalog repeats the same rule in many versions. */
const compiled = new Map<string, Parsed<Rule>>();
const MAX_COMPILED = 500;

/** Compiles a rule. @see https://cel.dev */
export function compileRule(text: string): Parsed<Rule> {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const rule =
    text.length > MAX_RULE_LENGTH ? bad(`the rule is longer than ${MAX_RULE_LENGTH} characters`) : compile(text);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(text, rule);
  return rule;
}

let environment: CelEnv | undefined;

function createEnvironment({ celEnv, celFunc, CelScalar, listType, mapType }: CelLibrary): CelEnv {
  return celEnv({
    variables: { properties: listType(mapType(CelScalar.STRING, CelScalar.DYN)) },
    funcs: [
      celFunc('semver_compare', [CelScalar.DYN, CelScalar.DYN], CelScalar.INT, (a, b) =>
        BigInt(Math.sign(compareVersions(readVersion(a), readVersion(b)))),
      ),
    ],
  });
}

function compile(text: string): Parsed<Rule> {
  const library = loadCel();
  const { isCelError, parse, plan } = library;
  environment ??= createEnvironment(library);
  try {
    const parsed = parse(text);
    const run = plan(environment, parsed);
    const literals = new Set<string>();
    const depth = inspect(parsed.expr, 0, literals);
    const test = (properties: readonly Property[]): boolean => {
      if (countItems(properties) ** depth > MAX_PASSES) return false;
      const result: unknown = run({
        properties: properties.map(
          ({ type, value }) =>
            new Map<string, CelInput>([
              ['type', type],
              ['value', toCel(value)],
            ]),
        ),
      });
      return result === true && !isCelError(result);
    };
    return { ok: true, value: { text, literals: [...literals].slice(0, MAX_LITERALS), test } };
  } catch (error) {
    return bad(`the rule cannot be compiled: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Walks an expression, whatever its shape: loops are its comprehensions, literals its constants. Gives the nesting of loops. */
function inspect(expression: unknown, depth: number, literals: Set<string>): number {
  if (typeof expression !== 'object' || expression === null) return depth;
  const { case: name, value } = expression as { readonly case?: unknown; readonly value?: unknown };
  if (name === 'stringValue' && typeof value === 'string') literals.add(value);
  const inner = name === 'comprehensionExpr' ? depth + 1 : depth;
  return Math.max(inner, ...Object.values(expression).map((part) => inspect(part, inner, literals)));
}

/** Items of all lists and maps together: no loop can be longer. */
function countItems(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children = Object.values(value);
  return children.reduce<number>((sum, child) => sum + countItems(child), children.length);
}

/** JSON as CEL sees it: numbers are doubles, objects are maps without JavaScript's own properties. */
function toCel(value: unknown): CelInput {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toCel);
  return new Map(Object.entries(value as object).map(([key, child]) => [key, toCel(child)]));
}

/** A version as blang's ParseTolerant reads it: spaces, a leading `v`, leading zeros and missing numbers are forgiven. */
function readVersion(value: unknown): Version {
  if (typeof value !== 'string') throw new Error('semver_compare takes two texts');
  const [major = '', minor, ...rest] = value.trim().replace(/^v/, '').split('.');
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
