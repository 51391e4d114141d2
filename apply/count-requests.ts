/** Counts requests to the API server, for reports and budgets. */
import type { Cluster } from '../api/cluster.ts';

/** The same cluster, and how many requests went through it so far (discovery aside, which is cached). */
export function countRequests(cluster: Cluster): { readonly cluster: Cluster; readonly requests: () => number } {
  let count = 0;
  const counted = <Arguments extends readonly unknown[], Result>(method: (...args: Arguments) => Result) => {
    return (...args: Arguments): Result => {
      count++;
      return method(...args);
    };
  };
  return {
    requests: () => count,
    cluster: {
      get: counted((ref, signal) => cluster.get(ref, signal)),
      list: counted((kind, options, signal) => cluster.list(kind, options, signal)),
      create: counted((object, options, signal) => cluster.create(object, options, signal)),
      apply: counted((object, options, signal) => cluster.apply(object, options, signal)),
      patch: counted((ref, patch, options, signal) => cluster.patch(ref, patch, options, signal)),
      delete: counted((ref, options, signal) => cluster.delete(ref, options, signal)),
      isNamespaced: (kind, signal) => cluster.isNamespaced(kind, signal),
    },
  };
}
