/** When the console is ready: its caches were listed once. Pure. */
import type { Informer } from '../../kube/watch/informer.ts';
import type { HealthCheck } from '../serving/answer-checks.ts';
import { checkCaches } from '../serving/ready.ts';

/**
 * Whether the API server answers now is none of it: if it is away, all replicas would leave their Service at once, and a
 * person would get no answer instead of pages which say that the API server is away.
 */
export function readyChecks(caches: readonly Pick<Informer, 'kind' | 'hasSynced'>[]): ReadonlyMap<string, HealthCheck> {
  return new Map<string, HealthCheck>([['informers', checkCaches(caches)]]);
}
