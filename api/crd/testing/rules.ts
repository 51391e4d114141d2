/**
 * Evaluates the rules of a kind as the API server does, for a manifest that has not reached one: used by tests. The API
 * server remains the authority; parseObject of kind.ts checks bounds and types.
 */
import { isCelError, run, type CelInput } from '@bufbuild/cel';
import type { CelRule } from '../../fields.ts';
import { parseObject, type CustomKind } from '../../kind.ts';
import type { KubeObject } from '../../object.ts';
import { toStructuralSchema, type StructuralSchema } from '../schema.ts';

/** A rule that does not hold: `{ path: 'spec.interval', message: 'must be absent …' }`. */
export interface BrokenRule {
  readonly path: string;
  readonly message: string;
}

/**
 * The rules that `object` breaks, with defaults filled in; with `before` also those about changes. Throws InvalidSpec,
 * not retried, if the object does not fit the schema.
 */
export function checkRules(kind: CustomKind, object: KubeObject, before?: KubeObject): readonly BrokenRule[] {
  const self = parseObject(kind, object);
  const oldSelf = before === undefined ? undefined : parseObject(kind, before);
  return checkNode(structureOf(kind), { path: '', self, oldSelf });
}

/** Converted once for each kind. */
function structureOf(kind: CustomKind): StructuralSchema {
  const known = STRUCTURES.get(kind) ?? toStructuralSchema(kind.schema);
  STRUCTURES.set(kind, known);
  return known;
}

const STRUCTURES = new WeakMap<CustomKind, StructuralSchema>();

/** A value and its previous one, if any. */
interface Place {
  readonly path: string;
  readonly self: unknown;
  readonly oldSelf: unknown;
}

function checkNode(node: StructuralSchema, place: Place): readonly BrokenRule[] {
  if (place.self === undefined || place.self === null) return [];
  const rules = (node['x-kubernetes-validations'] ?? []) as readonly CelRule[];
  const own = rules
    .filter((rule) => !holds(rule, place))
    .map(({ message, fieldPath }) => ({ path: `${place.path}${fieldPath ?? ''}`, message }));
  return own.concat(checkFields(node, place), checkItems(node, place));
}

/** A rule about a change is not evaluated without a previous value. */
function holds({ rule }: CelRule, { self, oldSelf }: Place): boolean {
  if (rule.includes('oldSelf') && oldSelf === undefined) return true;
  const result = run(rule, {
    self: toCel(self),
    ...(oldSelf !== undefined && { oldSelf: toCel(oldSelf) }),
  });
  return !isCelError(result) && result === true;
}

function checkFields(node: StructuralSchema, { path, self, oldSelf }: Place): readonly BrokenRule[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
    checkNode(child, {
      path: path === '' ? name : `${path}.${name}`,
      self: (self as Record<string, unknown>)[name],
      oldSelf: (oldSelf as Record<string, unknown> | undefined)?.[name],
    }),
  );
}

/** Entries of a list are not compared with previous ones: the kinds have no such rule. */
function checkItems({ items }: StructuralSchema, { path, self }: Place): readonly BrokenRule[] {
  if (items === undefined) return [];
  return (self as readonly unknown[]).flatMap((item, at) =>
    checkNode(items, { path: `${path}[${at}]`, self: item, oldSelf: undefined }),
  );
}

function toCel(value: unknown): CelInput {
  if (Array.isArray(value)) return value.map(toCel);
  if (typeof value !== 'object' || value === null)
    return Number.isInteger(value) ? BigInt(value as number) : (value as CelInput);
  const fields = Object.entries(value).filter(([, child]) => child !== undefined);
  return new Map(fields.map(([name, child]) => [name, toCel(child)]));
}
