/**
 * Follows the objects of a kind: all of them first, then each change, until the signal aborts. A watch that ends is
 * continued, and one that has expired or broke off is begun again with a list, so that no change is missed. Once all
 * objects were listed, an API server that does not answer is asked again for as long as the caller waits.
 */
import { isExpired } from '../../../api/api-answers.ts';
import type { ApiError } from '../../../api/api-error.ts';
import type { ListOptions } from '../../../api/cluster.ts';
import type { CustomKind } from '../../../api/kind.ts';
import type { Kind, KubeObject } from '../../../api/object.ts';
import type { Client } from '../../../kube/client/client.ts';
import { listConsistently } from '../../../kube/client/list-objects.ts';
import { explainMissing, servedKind } from './objects.ts';
import { isUnavailable, WatchPause } from './watch-pause.ts';

export interface WatchChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

export interface WatchedKind {
  readonly client: Client;
  readonly kind: CustomKind;
  readonly options: ListOptions;
  readonly signal: AbortSignal;
  /** Called each time the API server cannot be reached. The first batch afterwards has what was missed, maybe nothing. */
  readonly onOutage?: (error: ApiError) => void;
}

/** The changes of one of Slipway's kinds, in batches; the first one has all objects. @throws as `listObjects` */
export function changesOf({ client, kind, ...followed }: WatchedKind): AsyncGenerator<readonly WatchChange[]> {
  return explained(kind, follow(client, servedKind(kind), followed));
}

async function* explained(
  kind: CustomKind,
  changes: AsyncGenerator<readonly WatchChange[]>,
): AsyncGenerator<readonly WatchChange[]> {
  yield (await explainMissing(kind, () => changes.next())).value as readonly WatchChange[];
  yield* changes;
}

/** The changes of any kind. @throws the errors of the API server, until all objects have been listed once */
export async function* follow(
  client: Client,
  kind: Kind,
  { options, signal, onOutage }: Pick<WatchedKind, 'options' | 'signal' | 'onOutage'>,
): AsyncGenerator<readonly WatchChange[]> {
  const known = new Map<string, KubeObject>();
  const pause = new WatchPause(signal);
  for (let isListed = false; ;) {
    try {
      const { items, resourceVersion } = await listConsistently((page) =>
        client.listPage(kind, { ...options, ...page }, signal),
      );
      isListed = true;
      yield differences(known, items);
      yield* changesAfter(client, kind, { options: { ...options, resourceVersion }, signal, known, pause });
    } catch (error) {
      if (signal.aborted || !isListed || !(isExpired(error) || isUnavailable(error))) throw error;
      if (isUnavailable(error)) onOutage?.(error);
      await pause.wait(error);
    }
  }
}

interface FollowedList {
  readonly options: ListOptions & { readonly resourceVersion: string };
  readonly signal: AbortSignal;
  readonly known: Map<string, KubeObject>;
  readonly pause: WatchPause;
}

/** The API server sends a bookmark about each minute; a connection that a proxy has dropped is silent for longer. */
const IDLE_SECONDS = 150;

/** Watches again after each regular end. */
async function* changesAfter(
  client: Client,
  kind: Kind,
  { options, signal, known, pause }: FollowedList,
): AsyncGenerator<readonly WatchChange[]> {
  let { resourceVersion } = options;
  for (;;) {
    for await (const { type, object } of client.watch(
      kind,
      { ...options, resourceVersion, idleSeconds: IDLE_SECONDS },
      signal,
    )) {
      resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
      pause.reset();
      if (type === 'BOOKMARK' || type === 'ERROR') continue;
      note(known, { type, object });
      yield [{ type, object }];
    }
    await pause.wait();
  }
}

/** The changes between the objects that are known and those of a new list. */
function differences(known: Map<string, KubeObject>, items: readonly KubeObject[]): readonly WatchChange[] {
  const listed = new Set(items.map(keyOf));
  const gone = [...known.values()].filter((object) => !listed.has(keyOf(object)));
  const changes: readonly WatchChange[] = [
    ...gone.map((object) => ({ type: 'DELETED', object }) as const),
    ...items.flatMap((object) => {
      const before = known.get(keyOf(object));
      if (before?.metadata.resourceVersion === object.metadata.resourceVersion && before !== undefined) return [];
      return [{ type: before === undefined ? 'ADDED' : 'MODIFIED', object } as const];
    }),
  ];
  for (const change of changes) note(known, change);
  return changes;
}

function note(known: Map<string, KubeObject>, { type, object }: WatchChange): void {
  if (type === 'DELETED') known.delete(keyOf(object));
  else known.set(keyOf(object), object);
}

function keyOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}
