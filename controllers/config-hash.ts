/**
 * Hashes of parts of a Subscription's spec: of the fields that decide the rendered objects, and of those that decide
 * the outcome. Pure.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../api/json.ts';
import type { Subscription } from '../api/subscription.ts';
import { boundedConfig } from './bounded-config.ts';

/** 32 hex digits; equal configuration, equal hash. Computed once for each spec: those of the caches are never changed. */
export function configHash({ spec }: Subscription): string {
  const known = HASHES.get(spec);
  if (known !== undefined) return known;
  const hash = hashConfig(spec);
  HASHES.set(spec, hash);
  return hash;
}

const HASHES = new WeakMap<Subscription['spec'], string>();

function hashConfig(spec: Subscription['spec']): string {
  const { watchNamespaces, certificates, serviceAccountName } = spec;
  const config = boundedConfig(spec.config);
  // Absent by default: releases that did not know the field have the same hash.
  const operatorCondition = spec.operatorCondition === 'Auto' ? undefined : spec.operatorCondition;
  const watched = watchNamespaces?.toSorted();
  return hashFields({ config, watchNamespaces: watched, certificates, serviceAccountName, operatorCondition });
}

/**
 * 32 hex digits over the fields that decide which bundle comes next, or whether its roll-out succeeds. If the hash is
 * the same, a bundle that failed would fail again.
 */
export function outcomeHash(subscription: Subscription): string {
  const { channel, version, catalog, catalogSelector, edges, dependencies } = subscription.spec;
  const { crdUpgradeSafety, webhookSafety, onFailure } = subscription.spec;
  const { progressDeadline, bakeTime } = onFailure;
  const chosen = { channel, version, catalog, catalogSelector, edges, dependencies };
  const judged = { crdUpgradeSafety, webhookSafety, progressDeadline, bakeTime };
  return hashFields({ ...chosen, ...judged, configuration: configHash(subscription) });
}

/** 32 hex digits over fields, the same in whichever order they stand. */
export function hashFields(fields: object): string {
  return createHash('sha256').update(canonicalJson(fields)).digest('hex').slice(0, 32);
}
