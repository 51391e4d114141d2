/** The program that wrote an object last, as its managed fields name it. Pure. */
import type { KubeObject } from '../../../api/object.ts';
import { listOf, textOf, type Fields } from '../../../api/untyped.ts';

export function managedFieldsOf({ metadata }: KubeObject): readonly Fields[] {
  return listOf((metadata as { readonly managedFields?: unknown }).managedFields);
}

/** Program, operation and time; empty if no program is named. */
export function lastWriterOf(object: KubeObject): string {
  const [last] = managedFieldsOf(object).toSorted((a, b) => textOf(b['time']).localeCompare(textOf(a['time'])));
  return last === undefined ? '' : describeWriter(last);
}

export function describeWriter({ manager, operation, time }: Fields): string {
  return [manager, operation, time].map(textOf).join(' ');
}
