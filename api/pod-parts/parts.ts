/**
 * Building blocks of the parts of a Pod that `spec.config` of a Subscription takes. Each is described field by field, so that the API
 * server drops unknown fields and bounds the rest: values as deep or as many as the API server takes would cost every user of
 * the manager its memory. The fields are those of Kubernetes 1.36, which explains them: they have no description here.
 */
import * as z from 'zod';
import { integer, intOrString, list, stringMap } from '../fields.ts';

type PartFields = Readonly<Record<string, z.ZodType>>;

/** A text such as a name, a path or a word of Kubernetes, which checks it. */
export const line = (): z.ZodType => z.string().max(4096);
export const lines = (): z.ZodType => list(line(), 1024);
export const flag = (): z.ZodType => z.boolean();
export const int32 = (): z.ZodType => integer(-2147483648, 2147483647);
export const int64 = (): z.ZodType => integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
export const quantity = (): z.ZodType => intOrString();
export const quantities = (): z.ZodType => z.record(z.string(), intOrString()).meta({ maxProperties: 64 });
/** Texts by name, which may be long: attributes of a driver, annotations. */
export const longTexts = (): z.ZodType => stringMap(256, 262_144);
export const labels = (): z.ZodType => stringMap(256, 63);

/**
 * An object whose fields may be absent, or null: Kubernetes decides which of them it needs, and generators write null. The
 * API server drops unknown fields; the command line keeps them, so that they are reported.
 */
export function part(fields: PartFields): z.ZodObject<PartFields, z.core.$loose> {
  return z.looseObject(admittingNull(fields));
}

/** An entry of a list, with the fields that Kubernetes requires: an empty one would take more memory than text. */
export function entry(required: PartFields, others: PartFields = {}): z.ZodObject<PartFields, z.core.$loose> {
  return z.looseObject({ ...required, ...admittingNull(others) });
}

function admittingNull(fields: PartFields): PartFields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.nullable().optional()]));
}

/** Conditions on labels or fields. */
export const requirements = (): z.ZodType => list(entry({ key: line(), operator: line() }, { values: lines() }), 256);

export const podLabelSelector = (): z.ZodType => part({ matchLabels: labels(), matchExpressions: requirements() });

export const localReference = (): z.ZodType => part({ name: line() });

/** The keys of a ConfigMap or a Secret that become files. */
export const keysToPaths = (): z.ZodType => list(entry({ key: line(), path: line() }, { mode: int32() }), 1024);

export const fieldRef = (): z.ZodType => part({ apiVersion: line(), fieldPath: line() });

export const resourceFieldRef = (): z.ZodType => part({ containerName: line(), divisor: quantity(), resource: line() });
