/** A client whose process is killed as soon as the API server has answered a write. */
import type { Cluster } from '../../../api/cluster.ts';
import { describeRef, refOf, type ObjectRef } from '../../../api/object.ts';

/** The kill. */
export class Killed extends Error {}

/** The writes after which a process was killed, at each step. */
export class Kills {
  readonly writes = new Set<string>();
  readonly #steps = new Set<string>();
  #step = '';

  /** To be called before a step is carried out. */
  begin(step: string): void {
    this.#step = step;
  }

  /** Whether the process is killed after this write, which is remembered then. */
  take(write: string): boolean {
    if (this.writes.has(write)) return false;
    this.writes.add(write);
    this.#steps.add(this.#step);
    return true;
  }

  /** The steps of which a write was followed by a kill. */
  get steps(): readonly string[] {
    return [...this.#steps];
  }
}

/**
 * Writes arrive, and the process never gets to know their answers; dry runs are none. Each is killed once: some steps write
 * twice, and would never end if the first write were always the last.
 *
 * @param kills Those of the processes before it; is added to.
 */
export function dyingAfterEachWrite(cluster: Cluster, kills: Kills): Cluster {
  const kill = async <Answer>(
    [verb, ref, options]: readonly [string, ObjectRef, { readonly dryRun?: boolean } | undefined],
    write: Promise<Answer>,
  ): Promise<Answer> => {
    const answer = await write;
    const name = `${verb} ${describeRef(ref)}`;
    if (options?.dryRun === true || !kills.take(name)) return answer;
    throw new Killed(`killed after ${name}`);
  };
  return {
    get: (...args) => cluster.get(...args),
    list: (...args) => cluster.list(...args),
    isNamespaced: (...args) => cluster.isNamespaced(...args),
    create: (object, ...rest) => kill(['create', refOf(object), rest[0]], cluster.create(object, ...rest)),
    apply: (object, ...rest) => kill(['apply', refOf(object), rest[0]], cluster.apply(object, ...rest)),
    patch: (ref, patch, ...rest) => kill([`patch ${textOf(patch)}`, ref, rest[0]], cluster.patch(ref, patch, ...rest)),
    delete: (ref, ...rest) => kill(['delete', ref, rest[0]], cluster.delete(ref, ...rest)),
  };
}

/** OLM writes too, so that the same patch is bound to another version each time. */
function textOf(patch: object): string {
  return JSON.stringify(patch).replaceAll(/"resourceVersion":"\d+",?/g, '');
}
