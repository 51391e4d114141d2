/**
 * Finds the custom resources that every API server rejects, because they are invalid under the CRD beside them: samples
 * that their author never applied. Such an object exists in no cluster, so no operator was tested with it or needs it.
 * Only certain findings count; the API server judges the rest. Pure.
 */
import { isCrdV1 } from '../api/crd-kind.ts';
import { groupKind, groupOf, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { isReservedGroup } from '../api/reserved-groups.ts';
import { refusalsOf } from './crd-safety/hurt.ts';
import { readCrd, type Crd } from './crd-safety/schema.ts';
import type { Problem } from './crd-safety/server/problem.ts';
import { fieldsOf } from '../api/untyped.ts';

export interface Impossible {
  readonly ref: ObjectRef;
  /** `spec: "name" is missing` */
  readonly message: string;
}

/** The objects without those that cannot exist, and the left out ones with the reason. */
export function leaveOutImpossible(objects: readonly KubeObject[]): {
  readonly kept: readonly KubeObject[];
  readonly leftOut: readonly Impossible[];
} {
  const crds = new Map(objects.filter(isCrdV1).map((crd) => [kindOf(crd), readCrd(crd)] as const));
  const leftOut = new Map(
    objects.flatMap((object) => {
      const message = impossibility(object, crds.get(groupKind(object)));
      return message === undefined ? [] : [[object, { ref: refOf(object), message }] as const];
    }),
  );
  return { kept: objects.filter((object) => !leftOut.has(object)), leftOut: [...leftOut.values()] };
}

function kindOf({ spec }: KubeObject): string {
  const { group, names } = fieldsOf(spec);
  return `${String(fieldsOf(names)['kind'])}.${String(group)}`;
}

function impossibility(object: KubeObject, crd: Crd | undefined): string | undefined {
  if (crd === undefined || isReservedGroup(groupOf(object.apiVersion))) return undefined;
  const version = crd.versions.find(({ name }) => name === object.apiVersion.slice(object.apiVersion.indexOf('/') + 1));
  const problem = version && refusalsOf(version, object).find(({ rule }) => CERTAIN.has(rule));
  return problem && describe(problem);
}

/** Rules whose verdict does not depend on a library: no formats, patterns, expressions or combinations. */
const CERTAIN: ReadonlySet<string> = new Set([
  'enum',
  'maxItems',
  'maxLength',
  'maximum',
  'maxProperties',
  'minItems',
  'minLength',
  'minimum',
  'minProperties',
  'nullable',
  'required',
  'type',
]);

function describe({ path, message }: Problem): string {
  const field = path.replace(/^\^\.?/, '');
  return field === '' ? message : `${field}: ${message}`;
}
