/**
 * Lets a client use kinds whose CRD is known, without discovery: discovery lags behind a new CRD, and does not know a
 * future one.
 */
import { groupKind, type Kind, type ServedAs } from '../api/object.ts';
import type { Cluster } from '../api/cluster.ts';

/** By `groupKind`: how the CRDs among these objects serve their kinds. */
export type ServedKinds = ReadonlyMap<string, ServedAs>;

/**
 * The same cluster without discovery for these kinds. A list of a kind that does not exist yet throws, as with
 * `served`.
 */
export function withServed<Some extends Cluster>(cluster: Some, kinds: ServedKinds): Some {
  if (kinds.size === 0) return cluster;
  const named = <Named extends Kind>(kind: Named): Named => ({ ...kind, ...of(kind) });
  const of = (kind: Kind): { readonly served?: ServedAs } => {
    const served = kinds.get(groupKind(kind));
    return served === undefined ? {} : { served };
  };
  const methods: Cluster = {
    get: (ref, signal) => cluster.get(named(ref), signal),
    list: (kind, options, signal) => cluster.list(named(kind), options, signal),
    create: (object, options, signal) => cluster.create(object, { ...options, ...of(object) }, signal),
    apply: (object, options, signal) => cluster.apply(object, { ...options, ...of(object) }, signal),
    patch: (ref, patch, options, signal) => cluster.patch(named(ref), patch, options, signal),
    delete: (ref, options, signal) => cluster.delete(named(ref), options, signal),
    isNamespaced: (kind, signal) => cluster.isNamespaced(named(kind), signal),
  };
  return { ...cluster, ...methods };
}
