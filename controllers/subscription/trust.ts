/**
 * Whether one Subscription may hold back another. A user who may write a Subscription in one namespace must not thereby
 * decide about installations in another, so the rule compares whose rights each of them uses. Pure.
 */

/** The fields of a Subscription that decide whose rights it uses. */
export interface Acting {
  readonly metadata: { readonly namespace?: string | undefined };
  readonly spec: { readonly serviceAccountName?: string | undefined };
}

/**
 * Whether the needs of `other`, its coming installation or its unfinished removal may hold `one` back: if `other` acts
 * as the manager, which only an administrator may allow, or if both act as the same ServiceAccount of one namespace. In
 * both cases the installed package of `other` counts as provided.
 */
export function mayHold(other: Acting, one: Acting): boolean {
  const { serviceAccountName: account } = other.spec;
  if (account === undefined) return true;
  return other.metadata.namespace === one.metadata.namespace && account === one.spec.serviceAccountName;
}

/**
 * Whether the readers of `one` may know of `other`, which may hold it, only its name and its installed package: they are
 * tenants, and it acts as the manager, maybe from a Catalog that they may not use.
 */
export function isHiddenFrom(other: Acting, one: Acting): boolean {
  return one.spec.serviceAccountName !== undefined && other.spec.serviceAccountName === undefined;
}
