/**
 * Reads the kinds of installed operators, as the program of each operator does when it starts: the Pods of the bench are
 * pretended, so no such program runs. Once such a list was answered, kube-apiserver has a watch cache of the kind, which
 * decides how long the deletion of the CRD takes: see decision 34. Floor and product are measured in the same state.
 */
import { isCrd } from '../../api/crd-kind.ts';
import { groupKind, type DefinedKind, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import { definedAs } from '../../apply/custom-resources.ts';
import { createSlots } from '../../apply/slots.ts';
import { until } from '../lib/until.ts';
import { FLOOR_CONNECTIONS } from './floor-client.ts';
import type { Stage } from './stage.ts';

/** Lists every kind that a CRD among the objects defines, once; an API server that does not serve it yet is asked again. */
export async function readCustomResources(
  { admin }: Pick<Stage, 'admin'>,
  objects: readonly KubeObject[],
): Promise<void> {
  const slots = createSlots(FLOOR_CONNECTIONS);
  const read = (kind: DefinedKind): Promise<unknown> =>
    slots(() => until(`${groupKind(kind)} is served`, () => admin.list(kind)));
  await Promise.all(kindsDefinedBy(objects).map(read));
}

/** The kind of each CRD, in the version that is stored, or else in the first one that is served. Pure. */
export function kindsDefinedBy(objects: readonly KubeObject[]): readonly DefinedKind[] {
  return objects.filter(isCrd).flatMap((crd) => kindOf(crd) ?? []);
}

function kindOf(crd: KubeObject): DefinedKind | undefined {
  const served = listOf(fieldsOf(crd['spec'])['versions']).filter((version) => version['served'] === true);
  const version = served.find(({ storage }) => storage === true) ?? served[0];
  return version && definedAs(crd, textOf(version['name']));
}
