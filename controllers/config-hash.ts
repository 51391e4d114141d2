/** Hash of everything in a Subscription that changes what a bundle renders to. Pure. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../api/json.ts';
import type { Subscription } from '../api/subscription.ts';

/** 32 hex digits; equal configuration, equal hash. */
export function configHash({ spec }: Subscription): string {
  const { config, watchNamespaces, certificates, serviceAccountName } = spec;
  const relevant = { config, watchNamespaces: watchNamespaces?.toSorted(), certificates, serviceAccountName };
  return createHash('sha256').update(canonicalJson(relevant)).digest('hex').slice(0, 32);
}
