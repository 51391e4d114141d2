/** Watches the objects of one kind. */
import { ApiError } from '../../api/api-error.ts';
import type { ListOptions } from '../../api/cluster.ts';
import { formatJson } from '../../api/json.ts';
import { groupKind, type Kind } from '../../api/object.ts';
import { parseStatus } from '../transport/parse-status.ts';
import { decodeWatch, type WatchEvent } from '../watch/watch-decoder.ts';
import { METADATA, type ServerConnection } from './connection.ts';
import { stamp } from './parse-answer.ts';
import { collectionPath } from './resource-path.ts';
import type { Unread } from './unread-fields.ts';

export interface WatchOptions extends Omit<ListOptions, 'limit'>, Unread {
  readonly resourceVersion: string;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number;
  /** The watch fails when it was silent for this long. */
  readonly idleSeconds?: number;
}

/** Changes after `resourceVersion`, until the server or `signal` ends it. */
export async function* watchObjects(
  { transport, discovery }: ServerConnection,
  kind: Kind,
  options: WatchOptions,
  signal?: AbortSignal,
): AsyncGenerator<WatchEvent> {
  const { namespace, metadataOnly, idleSeconds, timeoutSeconds, unread = [], ...rest } = options;
  const resource = await discovery.need(kind, signal);
  const stream = await transport.stream({
    method: 'GET',
    path: collectionPath(resource, namespace),
    query: { ...rest, watch: true, allowWatchBookmarks: true, timeoutSeconds },
    headers: metadataOnly === true ? { accept: METADATA } : {},
    subject: `watch ${groupKind(kind)}`,
    ...(idleSeconds !== undefined && { idleSeconds }),
    signal,
  });
  try {
    for await (const { type, object } of decodeWatch(stream.chunks, unread)) {
      if (type === 'ERROR') throw errorOfEvent(kind, object);
      yield { type, object: stamp(object, kind) };
    }
  } finally {
    stream.close();
  }
}

function errorOfEvent(kind: Kind, object: unknown): ApiError {
  const code = (object as { code?: unknown }).code;
  return new ApiError(
    `watch ${groupKind(kind)}`,
    parseStatus(typeof code === 'number' ? code : 500, formatJson(object)),
  );
}
