/**
 * Reads the kinds that a bundle provides, and its requirements, from its properties: `olm.gvk`, `olm.package.required`,
 * `olm.gvk.required` and `olm.constraint`. No catalog is read here.
 */
import * as z from 'zod';
import type { GroupVersionKind, Property } from '../../catalog/model.ts';
import { isRecord } from '../../api/untyped.ts';
import { parseBlangRange, type BlangRange } from '../ranges/blang.ts';
import type { Parsed } from '../version.ts';
import { compileRule, type CompiledRule } from './cel.ts';
import { asGoReads, fieldsAsGoReads } from './spelling.ts';

/** Something that other bundles, or the cluster, must provide. */
export type Requirement =
  | { readonly kind: 'package'; readonly package: string; readonly range: BlangRange; readonly message?: string }
  | { readonly kind: 'gvk'; readonly gvk: GroupVersionKind; readonly message?: string }
  | { readonly kind: 'cel'; readonly rule: CompiledRule; readonly message?: string }
  /** `not` holds if none of its parts holds. Each part may be met by another bundle. */
  | { readonly kind: 'all' | 'any' | 'not'; readonly of: readonly Requirement[]; readonly message?: string };

/** A requirement as plain data, to be shown. */
export type Need =
  | { readonly kind: 'package'; readonly package: string; readonly range: string; readonly message?: string }
  | { readonly kind: 'gvk'; readonly gvk: GroupVersionKind; readonly message?: string }
  | { readonly kind: 'cel'; readonly rule: string; readonly message?: string }
  | { readonly kind: 'all' | 'any' | 'not'; readonly of: readonly Need[]; readonly message?: string };

/** Whether a package takes part in meeting a requirement: it meets one of the parts that must be met. */
export function takesPart(requirement: Requirement, isMet: (part: Requirement) => boolean, wanted = true): boolean {
  if (!('of' in requirement)) return wanted && isMet(requirement);
  const inner = requirement.kind === 'not' ? !wanted : wanted;
  return requirement.of.some((part) => takesPart(part, isMet, inner));
}

/** Limits of one constraint; the first is the limit of the reference implementation, the others are ours. */
const MAX_CONSTRAINT_LENGTH = 2 << 16;
const MAX_PARTS = 256;
const MAX_DEPTH = 16;

const Text = z.string();
const Gvk = z.strictObject({ group: Text.default(''), version: Text, kind: Text });
const RequiredPackage = z.object({ packageName: Text, versionRange: Text });

interface ConstraintValue {
  readonly failureMessage?: string | undefined;
  readonly gvk?: z.infer<typeof Gvk> | undefined;
  readonly package?: z.infer<typeof RequiredPackage> | undefined;
  readonly all?: Compound | undefined;
  readonly any?: Compound | undefined;
  readonly not?: Compound | undefined;
  readonly cel?: { readonly rule: string } | undefined;
}

interface Compound {
  readonly constraints: readonly ConstraintValue[];
}

const ConstraintSchema: z.ZodType<ConstraintValue> = z.lazy(() =>
  z.strictObject({
    failureMessage: Text.optional(),
    gvk: Gvk.optional(),
    package: z.strictObject({ packageName: Text, versionRange: Text }).optional(),
    all: CompoundSchema.optional(),
    any: CompoundSchema.optional(),
    not: CompoundSchema.optional(),
    cel: z.strictObject({ rule: Text }).optional(),
  }),
);
const CompoundSchema = z.strictObject({ constraints: z.array(ConstraintSchema).max(MAX_PARTS).default([]) });

/** Requirements that were read before, by type and value, and ranges: a catalog repeats the same ones in many versions. */
export interface KnownRequirements {
  readonly requirements: Map<string, Parsed<Requirement>>;
  readonly ranges: Map<string, Parsed<BlangRange>>;
}

/** No requirements yet. */
export function nothingRead(): KnownRequirements {
  return { requirements: new Map(), ranges: new Map() };
}

/**
 * All requirements of a bundle, in the order of its properties, or the problem of the first one that cannot be parsed.
 * Equal requirements that are parsed with the same `known` are one object.
 */
export function parseRequirements(
  properties: readonly Property[],
  known: KnownRequirements = nothingRead(),
): Parsed<readonly Requirement[]> {
  const requirements: Requirement[] = [];
  for (const property of properties) {
    if (!REQUIRING.has(property.type)) continue;
    const parsed = readOnce(property, known);
    if (!parsed.ok) return { ok: false, problem: `${property.type}: ${parsed.problem}` };
    requirements.push(parsed.value);
  }
  return { ok: true, value: requirements };
}

function readOnce(property: Property, known: KnownRequirements): Parsed<Requirement> {
  const key = keyOfProperty(property);
  const before = known.requirements.get(key);
  if (before !== undefined) return before;
  const parsed = parseRequirement(property, { length: key.length, ranges: known.ranges });
  known.requirements.set(key, parsed);
  return parsed;
}

/** The texts of properties: every resolution asks for those of the installed packages again. */
const texts = new WeakMap<Property, string>();

function keyOfProperty(property: Property): string {
  const before = texts.get(property);
  if (before !== undefined) return before;
  const text = `${property.type}\n${property.type === 'olm.package.required' ? textOfPackage(property.value) : textOfValue(property.value)}`;
  texts.set(property, text);
  return text;
}

/** Most requirements are of this kind, so their text is made in the quickest way. */
function textOfPackage(value: unknown): string {
  const { packageName, versionRange } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof packageName === 'string' && typeof versionRange === 'string'
    ? `${packageName}\n${versionRange}`
    : textOfValue(value);
}

function textOfValue(value: unknown): string {
  return depthOf(value, MAX_DEPTH * 3) < 0 ? TOO_DEEP : JSON.stringify(value, bigintAsText);
}

/** The text of every value that is nested too deep; no JSON equals it. */
const TOO_DEEP = '…';

/** Whether a bundle has requirements, without parsing them. */
export function hasRequirements(properties: readonly Property[]): boolean {
  return properties.some(({ type }) => REQUIRING.has(type));
}

/** The kinds that a bundle provides. */
export function providedKinds(properties: readonly Property[]): readonly GroupVersionKind[] {
  return properties.flatMap((property) => (property.type === 'olm.gvk' ? (readKind(property) ?? []) : []));
}

/** The keys of the kinds that a bundle provides. */
export function providedKeys(properties: readonly Property[]): ReadonlySet<string> {
  return new Set(providedKinds(properties).map(kindKey));
}

/** Kinds by property: every resolution asks for those of the installed packages again. */
const kinds = new WeakMap<Property, GroupVersionKind | null>();

function readKind(property: Property): GroupVersionKind | undefined {
  const before = kinds.get(property);
  if (before !== undefined) return before ?? undefined;
  const kind = asKind(property.value);
  kinds.set(property, kind ?? null);
  return kind;
}

/** Bundles provide many kinds, so these are parsed without a schema. */
function asKind(value: unknown): GroupVersionKind | undefined {
  const { group, version, kind } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof group === 'string' && typeof version === 'string' && typeof kind === 'string'
    ? { group, version, kind }
    : asUnusualKind(value);
}

/** A kind of the core group, or with fields in another case. */
function asUnusualKind(value: unknown): GroupVersionKind | undefined {
  if (!isRecord(value)) return undefined;
  const parsed = Gvk.strip().safeParse(fieldsAsGoReads(value));
  return parsed.success ? parsed.data : undefined;
}

/** `Issuer.v1.cert-manager.io`: equal texts, equal kinds. */
export function kindKey({ group, version, kind }: GroupVersionKind): string {
  return `${kind}.${version}.${group}`;
}

/** The requirement as data that can be shown and compared. */
export function needOf(requirement: Requirement): Need {
  const message = requirement.message === undefined ? {} : { message: requirement.message };
  switch (requirement.kind) {
    case 'package':
      return { kind: 'package', package: requirement.package, range: requirement.range.text, ...message };
    case 'gvk':
      return { kind: 'gvk', gvk: requirement.gvk, ...message };
    case 'cel':
      return { kind: 'cel', rule: requirement.rule.text, ...message };
    default:
      return { kind: requirement.kind, of: requirement.of.map(needOf), ...message };
  }
}

const REQUIRING: ReadonlySet<string> = new Set([
  'olm.package.required',
  'olm.gvk.required',
  'olm.constraint',
  'olm.label.required',
]);

interface ReadingLimits {
  /** Of the property as text. */
  readonly length: number;
  readonly ranges: KnownRequirements['ranges'];
}

function parseRequirement({ type, value }: Property, reading: ReadingLimits): Parsed<Requirement> {
  switch (type) {
    case 'olm.package.required':
      return parsePackage(RequiredPackage.safeParse(fieldsAsGoReads(value)).data, reading.ranges);
    case 'olm.gvk.required':
      return parseGvk(asKind(value));
    case 'olm.constraint':
      return parseConstraintValue(value, reading);
    default:
      return bad('requirements of labels are not supported');
  }
}

function parsePackage(
  value: z.infer<typeof RequiredPackage> | undefined,
  ranges: KnownRequirements['ranges'],
): Parsed<Requirement> {
  if (value === undefined) return bad('it needs packageName and versionRange');
  const range = ranges.get(value.versionRange) ?? parseBlangRange(value.versionRange);
  ranges.set(value.versionRange, range);
  if (!range.ok) return bad(`the range ${JSON.stringify(value.versionRange)} cannot be parsed: ${range.problem}`);
  return { ok: true, value: { kind: 'package', package: value.packageName, range: range.value } };
}

function parseGvk(gvk: GroupVersionKind | undefined): Parsed<Requirement> {
  return gvk === undefined ? bad('it needs group, version and kind') : { ok: true, value: { kind: 'gvk', gvk } };
}

function parseConstraintValue(value: unknown, { length, ranges }: ReadingLimits): Parsed<Requirement> {
  if (depthOf(value, MAX_DEPTH * 3) < 0) return bad(`it is nested more than ${MAX_DEPTH} levels deep`);
  if (length > MAX_CONSTRAINT_LENGTH) return bad(`it is longer than ${MAX_CONSTRAINT_LENGTH} bytes`);
  const parsed = ConstraintSchema.safeParse(asGoReads(value));
  if (!parsed.success) return bad(parsed.error.issues[0]?.message ?? 'it is malformed');
  return parseConstraint(parsed.data, { parts: MAX_PARTS, ranges });
}

/** The parts that a constraint may still have, nested ones included. */
interface Left {
  parts: number;
  readonly ranges: KnownRequirements['ranges'];
}

function parseConstraint(constraint: ConstraintValue, left: Left): Parsed<Requirement> {
  const { failureMessage, ...choices } = constraint;
  const chosen = Object.values(choices).filter((choice) => choice !== undefined);
  if (chosen.length !== 1) return bad('exactly one of gvk, package, all, any, not and cel is wanted');
  if (--left.parts < 0) return bad(`it has more than ${MAX_PARTS} parts`);
  const parsed = parseChoice(choices, left);
  return parsed.ok && failureMessage !== undefined
    ? { ok: true, value: { ...parsed.value, message: failureMessage } }
    : parsed;
}

function parseChoice({ gvk, package: name, all, any, not, cel }: ConstraintValue, left: Left): Parsed<Requirement> {
  if (gvk !== undefined) return parseGvk(gvk);
  if (name !== undefined) return parsePackage(name, left.ranges);
  if (cel !== undefined) {
    const rule = compileRule(cel.rule);
    return rule.ok ? { ok: true, value: { kind: 'cel', rule: rule.value } } : rule;
  }
  const kind = all !== undefined ? 'all' : any !== undefined ? 'any' : 'not';
  const of: Requirement[] = [];
  for (const part of (all ?? any ?? not)?.constraints ?? []) {
    const parsed = parseConstraint(part, left);
    if (!parsed.ok) return parsed;
    of.push(parsed.value);
  }
  return { ok: true, value: { kind, of } };
}

/** Levels left below the deepest value; negative if the value is nested deeper than `levels`. */
function depthOf(value: unknown, levels: number): number {
  if (levels < 0 || typeof value !== 'object' || value === null) return levels;
  return Object.values(value).reduce<number>((least, child) => Math.min(least, depthOf(child, levels - 1)), levels - 1);
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
