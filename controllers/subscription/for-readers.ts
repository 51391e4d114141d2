/**
 * What a Subscription may say about objects that its readers may not see: pull secrets and trusted roots of Catalogs are in the
 * manager's namespace, and tenants read the Subscriptions that name an account. Pure.
 */
import { findCondition } from '../../api/conditions.ts';
import type { Catalog } from '../../api/catalog.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Subscription } from '../../api/subscription.ts';

type Reading = Pick<Subscription, 'spec'>;

/** An error as the status may repeat it: with its text for tenants if the Subscription names an account. */
export function forReadersOf({ spec }: Reading, error: ReasonedError): ReasonedError {
  const { reason, retry, forTenants } = error;
  if (spec.serviceAccountName === undefined || forTenants === undefined) return error;
  return new ReasonedError({ reason, retry, message: forTenants, cause: error });
}

/** The reasons of a Catalog whose messages name objects in the manager's namespace. */
const ABOUT_OBJECTS: ReadonlySet<string> = new Set<Reason>([
  'PullSecretInvalid',
  'InvalidSpec',
  'RegistryPolicyInvalid',
]);

/** Why a Catalog has no content, from its Ready condition; undefined if that does not say. */
export function whyEmpty({ spec }: Reading, { status }: Pick<Catalog, 'status'>): string | undefined {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready === undefined || spec.serviceAccountName === undefined || !ABOUT_OBJECTS.has(ready.reason))
    return ready?.message;
  return `${ready.reason}: its spec or an object that the spec names cannot be used. Ask an administrator of the cluster`;
}
