/** Whether the CRDs of the cluster are those of this program, by the fields that they have. Pure. */
import { buildCrd } from '../../../../api/crd/definition.ts';
import type { CustomKind } from '../../../../api/kind.ts';
import { KINDS } from '../../../../api/kinds.ts';
import { nameSome } from '../../../../api/name-some.ts';
import { GROUP } from '../../../../api/names.ts';
import type { KubeObject } from '../../../../api/object.ts';
import { fieldsOf, listOf } from '../../../../api/untyped.ts';
import { assessHealth } from '../../../../apply/health.ts';

export const CRD_KINDS: readonly CustomKind[] = KINDS;

export interface CrdState {
  readonly level: 'ok' | 'warning' | 'error';
  readonly message: string;
}

/** The name of the CRD of a kind. */
export function crdNameOf({ plural }: CustomKind): string {
  return `${plural}.${GROUP}`;
}

/** The state of the CRD of a kind; fields that one side lacks are named, so that the older side is known. */
export function describeCrd(kind: CustomKind, crds: ReadonlyMap<string, KubeObject | undefined>): CrdState {
  const name = crdNameOf(kind);
  const found = crds.get(name);
  if (found === undefined) return { level: 'error', message: `CRD ${name} does not exist` };
  const { state, message } = assessHealth(found);
  if (state !== 'Ready') return { level: 'error', message: `CRD ${name}: ${message}` };
  const [ours, theirs] = [fieldsIn(buildCrd(kind)), fieldsIn(found)];
  const missing = [...ours].filter((field) => !theirs.has(field));
  if (missing.length > 0)
    return { level: 'error', message: `CRD ${name} is of an older version: it lacks ${named(missing)}` };
  const unknown = [...theirs].filter((field) => !ours.has(field));
  if (unknown.length > 0)
    return {
      level: 'warning',
      message: `CRD ${name} is of a newer version than this program: it has ${named(unknown)}`,
    };
  return { level: 'ok', message: `CRD ${name} is served` };
}

const MOST_NAMED = 3;

function named(fields: readonly string[]): string {
  return nameSome(fields, MOST_NAMED);
}

/** The paths of all fields, of every version. */
function fieldsIn(crd: KubeObject): ReadonlySet<string> {
  const versions = listOf(fieldsOf(crd['spec'])['versions']);
  return new Set(versions.flatMap(({ schema }) => pathsIn(fieldsOf(schema)['openAPIV3Schema'], '')));
}

function pathsIn(schema: unknown, path: string): readonly string[] {
  const { properties, items } = fieldsOf(schema);
  const children = Object.entries(fieldsOf(properties)).flatMap(([name, child]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...pathsIn(child, at)];
  });
  return items === undefined ? children : [...children, ...pathsIn(items, path)];
}
