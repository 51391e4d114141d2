/**
 * How many workers of a controller each namespace may hold, so that long reconciles of one never stop the others: a worker
 * that has begun a key cannot be taken back, so some are kept free. Pure; the work queue asks before it hands out a key.
 */

/** The workers of a controller, and the use of them. */
export interface WorkerUse {
  readonly workers: number;
  /** Workers without a key. */
  readonly free: number;
  /** Workers with keys of a namespace. */
  readonly heldBy: (namespace: string) => number;
}

/**
 * The namespace whose key is handed out next: the first in turn that holds less than its share, else the first that may
 * hold more; undefined if all must wait.
 *
 * @param waiting The namespaces with keys that wait, in order of their turn.
 */
export function pickNamespace(waiting: Iterable<string>, use: WorkerUse): string | undefined {
  const share = shareOf(use.workers);
  let beyondShare: string | undefined;
  for (const namespace of waiting) {
    if (use.free <= keptFrom(namespace, use)) continue;
    if (use.heldBy(namespace) < share) return namespace;
    beyondShare ??= namespace;
  }
  return beyondShare;
}

/**
 * The free workers that a namespace may not take: one share is kept for namespaces that hold none, and a further one for
 * those that hold less than their share. So a namespace alone holds half of many workers, and a second one then still
 * finds its whole share.
 */
function keptFrom(namespace: string, { workers, heldBy }: WorkerUse): number {
  const share = shareOf(workers);
  const held = heldBy(namespace);
  if (held === 0) return 0;
  return held < share ? share : 2 * share;
}

/** A quarter of the workers, at least one: no namespace holds more while another one that holds less waits. */
function shareOf(workers: number): number {
  return Math.max(1, Math.floor(workers / 4));
}
