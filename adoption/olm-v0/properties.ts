/** The properties of a bundle that OLM v0 keeps in an annotation of its ClusterServiceVersion. Pure. */
import { parseJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';

/** A package, kind or requirement of a bundle. */
export interface BundleProperty {
  readonly type: string;
  readonly value: unknown;
}

/** Name of the annotation. */
export const PROPERTIES = 'operatorframework.io/properties';

/** None if the annotation was changed so that it cannot be read. */
export function propertiesIn({ metadata }: KubeObject): readonly BundleProperty[] {
  try {
    const { properties } = fieldsOf(parseJson(metadata.annotations?.[PROPERTIES] ?? '{}'));
    return listOf(properties).map(({ type, value }) => ({ type: textOf(type), value }));
  } catch {
    return [];
  }
}
