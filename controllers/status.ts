/**
 * Writes the status of our own kinds: only the difference to the object that was observed, and only if that object is
 * still the newest. A stale observation ends in a Conflict, and the reconcile runs again on fresh data.
 */
import type { Cluster } from '../api/cluster.ts';
import { canonicalJson } from '../api/json.ts';
import { isRecord } from '../api/untyped.ts';
import { refOf, type KubeObject } from '../api/object.ts';

/**
 * Patches `status` of the object to the given value, and returns the object as it is then. Sends nothing if nothing
 * differs. Throws Conflict (retried) if the object has changed since it was observed.
 */
export async function writeStatus<Kind extends KubeObject>(
  cluster: Pick<Cluster, 'patch'>,
  observed: Kind,
  status: object,
): Promise<Kind> {
  const change = diffMerge(observed['status'] ?? {}, status);
  if (change === undefined) return observed;
  const { resourceVersion } = observed.metadata;
  const patch = { metadata: { resourceVersion }, status: change };
  return (await cluster.patch(refOf(observed), patch, { subresource: 'status' })) as Kind;
}

/**
 * Asks the API server whether the object is still as it was observed; nothing is changed. Throws Conflict (retried) if it is
 * not: a watch may lag for longer than the caches are waited for.
 */
export async function confirmObserved(cluster: Pick<Cluster, 'patch'>, observed: KubeObject): Promise<void> {
  const { resourceVersion } = observed.metadata;
  await cluster.patch(refOf(observed), { metadata: { resourceVersion } }, { subresource: 'status' });
}

/**
 * The JSON merge patch that turns one value into the other; undefined if they are equal.
 * @see https://www.rfc-editor.org/rfc/rfc7386
 */
export function diffMerge(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) {
    return canonicalJson(before) === canonicalJson(after) ? undefined : after;
  }
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const change = after[key] === undefined ? null : diffMerge(before[key] ?? undefined, after[key]);
    if (change !== undefined && !(change === null && before[key] === undefined)) patch[key] = change;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
