/**
 * Makes a zod schema a kind of the cluster: its names, its scope and the columns that kubectl prints. From this one
 * source come the TypeScript types, the CRDs (api/crd) and docs/api.md (scripts/generate.ts).
 */
import type { z } from 'zod';
import { ReasonedError } from './errors.ts';
import { API_VERSION } from './names.ts';
import { describeRef, refOf, type KubeObject, type ObjectMeta } from './object.ts';

/** Immutable data; a field is absent rather than undefined. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<Exclude<T[Key], undefined>> }
    : T;

/** An object of a kind as the API server returns it, defaults filled in. */
export type ObjectOf<Schema extends z.ZodType> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
} & Immutable<z.infer<Schema>>;

/** A manifest of a kind as a person writes it: fields with a default may be absent. */
export type ManifestOf<Schema extends z.ZodType> = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
} & Immutable<z.input<Schema>>;

/** A column of `kubectl get`; `wide` ones show with `-o wide` only. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  readonly wide?: boolean;
}

export interface CustomKind<Schema extends z.ZodType = z.ZodType> {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly scope: 'Cluster' | 'Namespaced';
  /** Schema of `spec` and `status`. */
  readonly schema: Schema;
  readonly columns: readonly PrinterColumn[];
}

/**
 * The object as its kind: validated, defaults filled in, unknown fields removed. Throws InvalidSpec with the first
 * fields at fault, not retried. The rules of the API server are not evaluated.
 */
export function parseObject<Schema extends z.ZodType>(kind: CustomKind<Schema>, object: KubeObject): ObjectOf<Schema> {
  if (object.apiVersion !== API_VERSION || object.kind !== kind.kind) {
    throw invalid(object, [`it is not a ${kind.kind} of ${API_VERSION}`]);
  }
  const { apiVersion, kind: name, metadata, ...rest } = object;
  const result = kind.schema.safeParse(rest);
  if (result.success) return { apiVersion, kind: name, metadata, ...(result.data as object) } as ObjectOf<Schema>;
  throw invalid(
    object,
    result.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`),
  );
}

function invalid(object: KubeObject, findings: readonly string[]): ReasonedError {
  return new ReasonedError({
    reason: 'InvalidSpec',
    retry: 'never',
    message: `${describeRef(refOf(object))} is not valid: ${findings.join('; ')}`,
    hint: 'docs/api.md lists every field with its bounds',
  });
}
