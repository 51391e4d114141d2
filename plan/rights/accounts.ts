/** Finds the ServiceAccounts as which an operator acts: its rights are theirs together. Pure. */
import { groupKind, type KubeObject } from '../../api/object.ts';
import { podsOf } from '../pods.ts';
import { textOf } from '../../api/untyped.ts';

/** `namespace/name` of every ServiceAccount that the objects bring or that their Pods use. */
export function operatorAccounts(objects: readonly KubeObject[]): ReadonlySet<string> {
  return new Set([...broughtAccounts(objects), ...objects.flatMap(accountsOfPods)]);
}

/**
 * `namespace/name` of the ServiceAccounts as which Pods run, or of which Secrets hold tokens, and that the objects do not
 * bring: such an account may have rights that are bound to it already.
 */
export function borrowedAccounts(objects: readonly KubeObject[]): readonly string[] {
  const brought = broughtAccounts(objects);
  const used = objects.flatMap((object) => [...accountsOfPods(object), ...accountsOfTokens(object)]);
  return [...new Set(used)].filter((account) => !brought.has(account));
}

/** Each namespace has one of this name, which Pods use that name none. */
export const DEFAULT_ACCOUNT = 'default';

function broughtAccounts(objects: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(
    objects
      .filter((object) => groupKind(object) === 'ServiceAccount')
      .map((object) => accountIn(object, object.metadata.name)),
  );
}

function accountsOfPods(object: KubeObject): readonly string[] {
  return podsOf(object).map(({ spec }) =>
    accountIn(object, textOf(spec['serviceAccountName']) || textOf(spec['serviceAccount']) || DEFAULT_ACCOUNT),
  );
}

/** The API server puts a token into a Secret of this type. */
function accountsOfTokens(object: KubeObject): readonly string[] {
  const name = object.metadata.annotations?.['kubernetes.io/service-account.name'];
  const isToken = groupKind(object) === 'Secret' && object['type'] === 'kubernetes.io/service-account-token';
  return isToken && name !== undefined ? [accountIn(object, name)] : [];
}

function accountIn({ metadata: { namespace = '' } }: KubeObject, name: string): string {
  return `${namespace}/${name}`;
}
