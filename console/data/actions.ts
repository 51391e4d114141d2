/**
 * The acts that a person can start in the console: closed data, which the browser sends back as it got it, and which the
 * server checks by {@link Action} before it acts. requests.ts turns an act into requests, kubectl.ts into a line.
 */
import * as z from 'zod';
import { namespaceName, objectName, set, sha256, text } from '../../api/fields.ts';
import type { Immutable } from '../../api/kind.ts';

const subscription = { namespace: namespaceName(), name: objectName() };
/** An object that was made again under the same name has another one. */
const uid = text(64);

const version = text(256);
const channel = text(253);
const packageName = text(253).regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/);

/** Approves the Revision that waits, if its plan still has the hash that the person has read. */
const Approve = z.strictObject({
  kind: z.literal('approve'),
  namespace: namespaceName(),
  revision: objectName(),
  uid,
  plan: sha256(),
});

/** Has a Subscription reconciled now; versions that failed are tried again. */
const Reconcile = z.strictObject({ kind: z.literal('reconcile'), ...subscription });

/** Has a Catalog ask its registry now. */
const Refresh = z.strictObject({ kind: z.literal('refresh'), catalog: objectName() });

const Suspend = z.strictObject({ kind: z.literal('suspend'), ...subscription });
const Resume = z.strictObject({ kind: z.literal('resume'), ...subscription });

/** Goes to a version against the edges of the catalog, and stays there. */
const RollBack = z.strictObject({ kind: z.literal('rollback'), ...subscription, version, channel: channel.optional() });

/** Requests another version or channel; `edges` ends a rollback, which has set `Ignore`. Other fields stay as they are. */
const Change = z.strictObject({
  kind: z.literal('change'),
  ...subscription,
  version: version.optional(),
  edges: z.literal('Follow').optional(),
  channel: channel.optional(),
  approval: z.enum(['Automatic', 'Manual']).optional(),
});

/** Removes the version, and follows the edges of the catalog again. */
const Unpin = z.strictObject({ kind: z.literal('unpin'), ...subscription });

/** A person knows of the custom resources that were lost up to now. */
const Acknowledge = z.strictObject({ kind: z.literal('acknowledge'), ...subscription });

/** Creates a Subscription. */
const Subscribe = z.strictObject({
  kind: z.literal('subscribe'),
  namespace: namespaceName(),
  name: objectName().max(200),
  package: packageName,
  catalog: objectName().optional(),
  channel: channel.optional(),
  version: version.optional(),
  approval: z.enum(['Automatic', 'Manual']).optional(),
  serviceAccountName: objectName().optional(),
  watchNamespaces: set(namespaceName(), 100).min(1).optional(),
});

/** Deletes a Subscription, after it has the policies whose effect the person has read. */
const Uninstall = z.strictObject({
  kind: z.literal('uninstall'),
  ...subscription,
  uid,
  customResources: z.enum(['Retain', 'Delete', 'Block']),
  objects: z.enum(['Delete', 'Orphan']),
});

export const Action = z.discriminatedUnion('kind', [
  Approve,
  Reconcile,
  Refresh,
  Suspend,
  Resume,
  RollBack,
  Change,
  Unpin,
  Acknowledge,
  Subscribe,
  Uninstall,
]);
export type Action = Immutable<z.infer<typeof Action>>;

/** An act of one kind. */
export type ActionOf<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>;
