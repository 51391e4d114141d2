/** The label selectors of requests, from the labels that an object in the cluster selects by. */
import type { KubeObject } from '../api/object.ts';
import { fieldsOf, textOf, type Fields } from './untyped.ts';

/** What all of these labels have; the empty text where there is none. */
export function selectorOf(labels: Fields): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${textOf(value)}`)
    .join(',');
}

/** The labels by which a workload knows its Pods; `matchExpressions` are left out, so that more may be found. */
export function podSelectorOf(workload: KubeObject): string {
  return selectorOf(fieldsOf(fieldsOf(fieldsOf(workload['spec'])['selector'])['matchLabels']));
}
