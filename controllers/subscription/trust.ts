/**
 * Whether one Subscription has a say in what may be done for another. Who may write a Subscription in one namespace
 * must not thereby decide about what is installed in another, so the rule looks at with whose rights each acts. Pure.
 */

/** What of a Subscription says with whose rights it acts. */
export interface Acting {
  readonly metadata: { readonly namespace?: string | undefined };
  readonly spec: { readonly serviceAccountName?: string | undefined };
}

/**
 * Whether what `other` needs, is about to install, or has not finished removing may hold `one` back: if `other` acts as the
 * manager, which only an administrator may let it, or if both act as the same ServiceAccount of one namespace. Whatever
 * the answer is, `other` provides what it has installed.
 */
export function mayHold(other: Acting, one: Acting): boolean {
  const { serviceAccountName: account } = other.spec;
  if (account === undefined) return true;
  return other.metadata.namespace === one.metadata.namespace && account === one.spec.serviceAccountName;
}
