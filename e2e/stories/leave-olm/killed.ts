/** A client whose process is killed as soon as the API server has answered a write. */
import type { Cluster } from '../../../api/cluster.ts';
import { describeRef, refOf, type ObjectRef } from '../../../api/object.ts';

/** The kill. */
export class Killed extends Error {}

/**
 * Writes arrive, and the process never gets to know their answers. Each is killed once: some steps write twice, and would
 * never end if the first write were always the last.
 *
 * @param killed The writes that were killed before; is added to.
 */
export function dyingAfterEachWrite(cluster: Cluster, killed: Set<string>): Cluster {
  const kill = async <Answer>(verb: string, ref: ObjectRef, write: Promise<Answer>): Promise<Answer> => {
    const answer = await write;
    const name = `${verb} ${describeRef(ref)}`;
    if (killed.has(name)) return answer;
    killed.add(name);
    throw new Killed(`killed after ${name}`);
  };
  return {
    get: (...args) => cluster.get(...args),
    list: (...args) => cluster.list(...args),
    isNamespaced: (...args) => cluster.isNamespaced(...args),
    create: (object, ...rest) => kill('create', refOf(object), cluster.create(object, ...rest)),
    apply: (object, ...rest) => kill('apply', refOf(object), cluster.apply(object, ...rest)),
    patch: (ref, patch, ...rest) => kill(`patch ${textOf(patch)}`, ref, cluster.patch(ref, patch, ...rest)),
    delete: (ref, ...rest) => kill('delete', ref, cluster.delete(ref, ...rest)),
  };
}

/** OLM writes too, so that the same patch is bound to another version each time. */
function textOf(patch: object): string {
  return JSON.stringify(patch).replaceAll(/"resourceVersion":"\d+",?/g, '');
}
