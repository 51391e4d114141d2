/**
 * Building blocks of the kinds: strings, numbers, lists and maps with the bounds that every field of a CRD has. They
 * use only constructs of structural schemas; `x-kubernetes-*` keywords are attached as metadata.
 */
import * as z from 'zod';
import { DURATION_LENGTH, DURATION_PATTERN, type DurationBounds } from './duration.ts';

/** A rule of the API server; people read its `message` when it rejects an object. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** Relative path of the field to blame, `.spec.interval` style. */
  readonly fieldPath?: string;
}

/** Attaches rules that the API server evaluates. @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules */
export function rules<Schema extends z.ZodType>(schema: Schema, ...list: readonly CelRule[]): Schema {
  return schema.meta({ ...schema.meta(), 'x-kubernetes-validations': list });
}

/** A string with at least one character. */
export function text(maxLength: number): z.ZodString {
  return z.string().min(1).max(maxLength);
}

/**
 * A name that Kubernetes accepts for most objects. @see
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
export function objectName(): z.ZodString {
  return text(253).regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
}

/** The name of a namespace. */
export function namespaceName(): z.ZodString {
  return text(63).regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
}

/** An image reference; its parser validates it. */
export function imageReference(): z.ZodString {
  return text(512).regex(/^[^\s]+$/);
}

/** An image reference whose content cannot change. */
export function imageByDigest(): z.ZodString {
  return text(512).regex(/^[^\s@]+@(sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128})$/);
}

/** `sha256:` and 64 hexadecimal digits. */
export function sha256(): z.ZodString {
  return z
    .string()
    .max(71)
    .regex(/^sha256:[a-f0-9]{64}$/);
}

/** A point in time, RFC 3339. */
export function timestamp(): z.ZodString {
  return z.string().max(64).meta({ format: 'date-time' });
}

/** A whole number between bounds. */
export function integer(min: number, max: number): z.ZodNumber {
  return z.number().int().min(min).max(max);
}

/** A duration between bounds, checked by the API server. */
export function duration({ minSeconds, maxSeconds }: DurationBounds): z.ZodString {
  return rules(z.string().min(2).max(DURATION_LENGTH).regex(DURATION_PATTERN), {
    rule: `duration(self) >= duration('${minSeconds}s') && duration(self) <= duration('${maxSeconds}s')`,
    message: `must be between ${inWords(minSeconds)} and ${inWords(maxSeconds)}`,
  });
}

/** A list that is replaced as a whole (atomic). */
export function list<Item extends z.ZodType>(item: Item, maxItems: number): z.ZodArray<Item> {
  return z.array(item).max(maxItems).meta({ 'x-kubernetes-list-type': 'atomic' });
}

/** A list of scalars in which none occurs twice. */
export function set<Item extends z.ZodType>(item: Item, maxItems: number): z.ZodArray<Item> {
  return z.array(item).max(maxItems).meta({ 'x-kubernetes-list-type': 'set' });
}

/** A list whose entries are identified by `keys`: several writers can each own entries. */
export function listByKey<Item extends z.ZodType>(
  item: Item,
  maxItems: number,
  keys: readonly string[],
): z.ZodArray<Item> {
  return z.array(item).max(maxItems).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
}

/** A map from names to strings. */
export function stringMap(maxProperties: number, maxLength: number): z.ZodRecord<z.ZodString, z.ZodString> {
  return z.record(z.string(), z.string().max(maxLength)).meta({ maxProperties });
}

/** A number or a text, such as a quantity: `2`, `"500m"`. */
export function intOrString(): z.ZodUnion<readonly [z.ZodNumber, z.ZodString]> {
  return z.union([z.number().int(), z.string().max(64)]).meta({ 'x-kubernetes-int-or-string': true, maxLength: 64 });
}

function inWords(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return `${seconds / 3600}h`;
  return seconds > 0 && seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}
