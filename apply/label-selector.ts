/** Builds label selectors for requests from the labels by which an object selects. */
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, textOf, type Fields } from '../api/untyped.ts';

/** Selects objects with all of these labels; empty if there are none. */
export function selectorOf(labels: Fields): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${textOf(value)}`)
    .join(',');
}

/** The labels by which a workload selects its Pods, without `matchExpressions`, so it may match more Pods. */
export function podSelectorOf(workload: KubeObject): string {
  return selectorOf(fieldsOf(fieldsOf(fieldsOf(workload['spec'])['selector'])['matchLabels']));
}
