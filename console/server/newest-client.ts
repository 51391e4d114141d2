/**
 * A client that lists and watches only the newest events of each namespace, in their shortened form: an informer over it never has
 * more in memory, nor while it lists.
 */
import type { Kind, KubeObject } from '../../api/object.ts';
import type { Client, WatchEvent } from '../../kube/client/client.ts';
import type { NewestEvents } from './newest-events.ts';

export type FollowingClient = Pick<Client, 'listPage' | 'watch' | 'discovery'>;

/** @param keep The part of an event that is kept */
export function newestClient(
  client: FollowingClient,
  newest: NewestEvents,
  keep: (event: KubeObject) => KubeObject,
): FollowingClient {
  return {
    discovery: client.discovery,
    async listPage(kind, options, signal) {
      const page = await client.listPage(kind, options, signal);
      if (options?.continue === undefined) newest.clear();
      for (const event of page.items) newest.put(keep(event));
      // The newest are known at the end.
      return { ...page, items: page.continue === undefined ? newest.events : [] };
    },
    async *watch(kind: Kind, options, signal) {
      for await (const { type, object } of client.watch(kind, options, signal))
        yield* type === 'BOOKMARK' || type === 'ERROR'
          ? [{ type, object }]
          : changesBy({ type, object: keep(object) }, newest);
    },
  };
}

/** Of one that is left out only the version of the list is of interest. */
function changesBy({ type, object }: WatchEvent, newest: NewestEvents): readonly WatchEvent[] {
  if (type === 'DELETED') return [{ type: newest.remove(object) ? type : 'BOOKMARK', object }];
  const { resourceVersion } = object.metadata;
  const givenUp = newest.put(object, type === 'ADDED').map((event): WatchEvent => {
    // The watch goes on from the version of the last change that it has delivered.
    const metadata = { ...event.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
    return { type: 'DELETED', object: { ...event, metadata } };
  });
  return [...givenUp, { type, object }];
}
