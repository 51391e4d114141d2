/** The commands that change a Subscription: each reads it, decides by intents.ts, and sends one request. */
import { CATALOG } from '../../../api/catalog.ts';
import type { Revision } from '../../../api/revision.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { similarTo } from '../../../resolver/similar.ts';
import type { Environment } from '../environment.ts';
import { withCluster, type Connection } from '../input/connection.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import type { Intent } from '../../../report/acts.ts';
import type { RequestedObject } from '../../../report/delay.ts';
import { carryOut, type ActFlags } from './carry-out.ts';
import {
  intendApproval,
  intendReconcile,
  intendRollback,
  intendSuspension,
  intendUpgrade,
  type UpgradeFlags,
} from './intents.ts';
import { listObjects, needSubscription, revisionsOf, servedKind } from './objects.ts';

export function suspend(environment: Environment, text: string, flags: ActFlags): Promise<Outcome> {
  return change(environment, text, flags, (subscription) => intendSuspension(subscription, true));
}

export function resume(environment: Environment, text: string, flags: ActFlags): Promise<Outcome> {
  return change(environment, text, flags, (subscription) => intendSuspension(subscription, false));
}

export function approve(
  environment: Environment,
  text: string,
  flags: ActFlags & { readonly version?: string },
): Promise<Outcome> {
  return change(environment, text, flags, (subscription, revisions) =>
    intendApproval(subscription, revisions, flags.version, new Date()),
  );
}

export function upgrade(environment: Environment, text: string, flags: ActFlags & UpgradeFlags): Promise<Outcome> {
  return change(environment, text, flags, (subscription, revisions) =>
    intendUpgrade(subscription, revisions, flags, new Date()),
  );
}

export function rollback(
  environment: Environment,
  text: string,
  flags: ActFlags & { readonly to?: string },
): Promise<Outcome> {
  return change(environment, text, flags, (subscription, revisions) =>
    intendRollback(subscription, revisions, flags.to, new Date()),
  );
}

/** `catalog/NAME` is a Catalog, anything else a Subscription. */
export function reconcile(environment: Environment, text: string, flags: ActFlags): Promise<Outcome> {
  const catalog = /^catalogs?\/(.+)$/.exec(text)?.[1];
  if (catalog === undefined)
    return change(environment, text, flags, (subscription) => intendReconcile(subscription, new Date()));
  return withCluster(environment, flags, async (connection) => {
    const found = await needCatalog(connection, catalog, environment.signal);
    return carryOut(connection.client, intendReconcile(found, new Date()), flags, environment.signal);
  });
}

async function needCatalog({ client }: Connection, name: string, signal: AbortSignal): Promise<RequestedObject> {
  const found = await client.get({ ...servedKind(CATALOG), name }, signal);
  if (found !== undefined) return found;
  const names = (await listObjects(client, CATALOG, {}, signal)).map(({ metadata }) => metadata.name);
  const [meant = names[0]] = similarTo(name, names);
  throw invalidInput(
    `there is no Catalog ${JSON.stringify(name)}`,
    meant === undefined ? 'The cluster has none' : `Did you mean ${meant}?`,
  );
}

type Decide = (subscription: Subscription, revisions: readonly Revision[]) => Intent;

function change(environment: Environment, text: string, flags: ActFlags, decide: Decide): Promise<Outcome> {
  const { signal } = environment;
  return withCluster(environment, flags, async (connection) => {
    const { client } = connection;
    const subscription = await needSubscription(connection, text, signal);
    const revisions = await revisionsOf(client, subscription, signal);
    return carryOut(client, decide(subscription, revisions), flags, signal);
  });
}
