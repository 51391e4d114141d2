/** Finds the ServiceAccounts as which an operator acts: its rights are theirs together. Pure. */
import { groupKind, type KubeObject } from '../../api/object.ts';
import { podsOf } from '../pods.ts';
import { textOf } from '../../api/untyped.ts';

/** `namespace/name` of every ServiceAccount that the objects bring or that their Pods use. */
export function operatorAccounts(objects: readonly KubeObject[]): ReadonlySet<string> {
  const brought = objects.filter((object) => groupKind(object) === 'ServiceAccount').map(({ metadata }) => metadata);
  const used = objects.flatMap(podsOf).map(({ object, spec }) => ({
    namespace: object.metadata.namespace,
    name: textOf(spec['serviceAccountName']) || textOf(spec['serviceAccount']) || 'default',
  }));
  return new Set([...brought, ...used].map(({ namespace = '', name }) => `${namespace}/${name}`));
}
