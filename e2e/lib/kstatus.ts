/**
 * The status of an object by the rules that kstatus publishes for kinds it does not know: GitOps controllers judge our
 * kinds by them. Pure.
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
import type { Condition } from '../../api/conditions.ts';

export type Kstatus = 'InProgress' | 'Failed' | 'Current' | 'Terminating';

export interface KstatusObject {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Pick<Condition, 'type' | 'status' | 'observedGeneration'>[];
  };
}

export function kstatusOf({ metadata, status = {} }: KstatusObject): Kstatus {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const { observedGeneration, conditions = [] } = status;
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) return 'InProgress';
  const isTrue = (type: string): boolean => conditions.some((one) => one.type === type && one.status === 'True');
  if (isTrue('Reconciling')) return 'InProgress';
  if (isTrue('Stalled')) return 'Failed';
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress';
}

/** Faults of a status by the conventions of kstatus; none if it keeps them. */
export function kstatusFaults({ metadata, status = {} }: KstatusObject): readonly string[] {
  const { observedGeneration, conditions = [] } = status;
  const present = new Set(conditions.map(({ type }) => type));
  return [
    ...(observedGeneration === undefined ? ['there is no observedGeneration'] : []),
    ...((observedGeneration ?? 0) > (metadata.generation ?? 0) ? ['observedGeneration is of a later spec'] : []),
    ...(present.size < conditions.length ? ['a condition is there twice'] : []),
    ...(present.has('Reconciling') && present.has('Stalled') ? ['it is reconciling and stalled'] : []),
    ...conditions.flatMap(({ type, status: value, observedGeneration: seen }) => [
      ...(['Reconciling', 'Stalled'].includes(type) && value !== 'True' ? [`${type} is there and ${value}`] : []),
      ...(seen !== undefined && seen > (metadata.generation ?? 0) ? [`${type} is about a later spec`] : []),
    ]),
    ...(observedGeneration !== -1 && conditions.length > 0 && !present.has('Ready') ? ['Ready is absent'] : []),
    ...(conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True') && present.has('Stalled')
      ? ['it is ready and stalled']
      : []),
  ];
}
