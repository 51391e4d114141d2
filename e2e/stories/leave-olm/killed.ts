/** A client whose process is killed as soon as the API server has answered a write. */
import type { Cluster } from '../../../api/cluster.ts';

/** The kill. */
export class Killed extends Error {}

/** Writes arrive; the caller never gets to know their answers. */
export function dyingAfterEachWrite(cluster: Cluster): Cluster {
  const killed = async (write: Promise<unknown>): Promise<never> => {
    await write;
    throw new Killed('killed after a write');
  };
  return {
    get: (...args) => cluster.get(...args),
    list: (...args) => cluster.list(...args),
    isNamespaced: (...args) => cluster.isNamespaced(...args),
    create: (...args) => killed(cluster.create(...args)),
    apply: (...args) => killed(cluster.apply(...args)),
    patch: (...args) => killed(cluster.patch(...args)),
    delete: (...args) => killed(cluster.delete(...args)),
  };
}
