/**
 * Reads objects with the rights of the manager, to remove them. It may list every kind but get only a few, so single
 * objects are read by list if getting them is forbidden.
 */
import { groupKind } from '../api/object.ts';
import { isForbidden, isNotFound } from '../api/api-answers.ts';
import type { Cluster } from '../api/cluster.ts';

/**
 * The same cluster, whose `get` uses a list when getting is forbidden, and for a kind that was refused once always.
 * Throws as the client does, Forbidden if neither is allowed.
 */
export function readByList<Some extends Pick<Cluster, 'get' | 'list'>>(cluster: Some): Some {
  const refused = new Set<string>();
  const list: Cluster['get'] = async (ref, signal) => {
    const { namespace, name, ...kind } = ref;
    const options = { fieldSelector: `metadata.name=${name}`, ...(namespace !== undefined && { namespace }) };
    const found = await cluster.list(kind, options, signal).catch((error: unknown) => {
      // A kind with `served` is not there yet, or no longer.
      if (isNotFound(error)) return [];
      throw error;
    });
    return found.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  };
  const get: Cluster['get'] = async (ref, signal) => {
    if (refused.has(groupKind(ref))) return list(ref, signal);
    try {
      return await cluster.get(ref, signal);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      refused.add(groupKind(ref));
      return list(ref, signal);
    }
  };
  return { ...cluster, get };
}

/**
 * Reads as the manager and writes as the account: an account that lost the right to read an object, as with its namespace,
 * would never learn that the object is gone, and it need not be able to count custom resources in all namespaces.
 */
export function writingAs(acting: Cluster, manager: Cluster): Cluster {
  return {
    ...acting,
    get: (...asked) => manager.get(...asked),
    list: (...asked) => manager.list(...asked),
    isNamespaced: (...asked) => manager.isNamespaced(...asked),
  };
}
