/** Hashes of parts of a Subscription's spec: what a bundle renders to, and what becomes of it. Pure. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../api/json.ts';
import type { Subscription } from '../api/subscription.ts';

/** 32 hex digits; equal configuration, equal hash. */
export function configHash({ spec }: Subscription): string {
  const { config, watchNamespaces, certificates, serviceAccountName } = spec;
  return hash({ config, watchNamespaces: watchNamespaces?.toSorted(), certificates, serviceAccountName });
}

/**
 * 32 hex digits over the fields that decide which bundle comes next, or whether its roll-out succeeds. Equal hash: to try
 * a bundle that failed once more would fail once more.
 */
export function outcomeHash(subscription: Subscription): string {
  const { channel, version, catalog, catalogSelector, edges, dependencies } = subscription.spec;
  const { crdUpgradeSafety, webhookSafety, onFailure } = subscription.spec;
  const { progressDeadline, bakeTime } = onFailure;
  const chosen = { channel, version, catalog, catalogSelector, edges, dependencies };
  const judged = { crdUpgradeSafety, webhookSafety, progressDeadline, bakeTime };
  return hash({ ...chosen, ...judged, configuration: configHash(subscription) });
}

function hash(fields: object): string {
  return createHash('sha256').update(canonicalJson(fields)).digest('hex').slice(0, 32);
}
