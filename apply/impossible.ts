/**
 * Finds the custom resources that every API server rejects, because they are invalid under the CRD beside them: samples
 * that their author never applied. Such an object exists in no cluster, so no operator was tested with it or needs it.
 * Only certain findings count; the API server judges the rest. Pure.
 */
import { isCrdV1 } from '../api/crd-kind.ts';
import { groupKind, groupOf, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { isReservedGroup } from '../api/reserved-groups.ts';
import { refusalsOf } from './crd-safety/hurt.ts';
import { readCrd, type Crd, type CrdVersion } from './crd-safety/schema.ts';
import type { Problem } from './crd-safety/server/problem.ts';
import { withinSteps } from './crd-safety/server/steps.ts';
import { cutName } from './crd-safety/server/texts.ts';
import { fieldsOf } from '../api/untyped.ts';

export interface Impossible {
  readonly ref: ObjectRef;
  /** `spec: "name" is missing` */
  readonly message: string;
}

export interface JudgedObjects {
  readonly kept: readonly KubeObject[];
  /** The objects that cannot exist, with the reason. */
  readonly leftOut: readonly Impossible[];
  /** Those of `kept` that are too large to be judged here, so that only the API server judges them. */
  readonly notJudged: readonly ObjectRef[];
}

/** For all custom resources of a bundle, about two seconds; a published sample takes 910 at most. */
const STEPS_OF_A_BUNDLE = 2_000_000;

/** The objects without those that cannot exist. */
export function leaveOutImpossible(objects: readonly KubeObject[]): JudgedObjects {
  const crds = new Map(objects.filter(isCrdV1).map((crd) => [kindOf(crd), versionsOf(readCrd(crd))] as const));
  const leftOut = new Map<KubeObject, Impossible>();
  const notJudged: ObjectRef[] = [];
  withinSteps(() => {
    for (const object of objects) {
      const version = versionOf(object, crds.get(groupKind(object)));
      if (version === undefined) continue;
      const refusals = refusalsOf(version, object);
      const certain = refusals?.find(({ rule }) => CERTAIN.has(rule));
      if (refusals === undefined) notJudged.push(refOf(object));
      if (certain !== undefined) leftOut.set(object, { ref: refOf(object), message: describe(certain) });
    }
  }, STEPS_OF_A_BUNDLE);
  return { kept: objects.filter((object) => !leftOut.has(object)), leftOut: [...leftOut.values()], notJudged };
}

function kindOf({ spec }: KubeObject): string {
  const { group, names } = fieldsOf(spec);
  return `${String(fieldsOf(names)['kind'])}.${String(group)}`;
}

type VersionsByName = ReadonlyMap<string, CrdVersion>;

/** By name; of two with the same one, the first. */
function versionsOf({ versions }: Crd): VersionsByName {
  return new Map(versions.toReversed().map((version) => [version.name, version]));
}

/** The version under which an object is judged. */
function versionOf(object: KubeObject, versions: VersionsByName | undefined): CrdVersion | undefined {
  if (versions === undefined || isReservedGroup(groupOf(object.apiVersion))) return undefined;
  return versions.get(object.apiVersion.slice(object.apiVersion.indexOf('/') + 1));
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
  const field = cutName(path.replace(/^\^\.?/, ''));
  return field === '' ? message : `${field}: ${message}`;
}
