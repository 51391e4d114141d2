/** Splits the body of a watch into events: one JSON document per line. Pure. */
import * as z from 'zod/mini';
import type { KubeObject } from '../../api/object.ts';
import { parseBody } from '../client/json-body.ts';
import { textWithout } from '../client/unread-fields.ts';

/** One event of a watch; `object` of ERROR is a `v1.Status`, that of BOOKMARK has a resourceVersion only. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubeObject;
}

const MOST_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Yields the events of `chunks` in order; throws SyntaxError or ZodError on an invalid line.
 *
 * @param unread Fields that are left out, see {@link textWithout}.
 */
export async function* decodeWatch(
  chunks: AsyncIterable<Buffer>,
  unread: readonly string[] = [],
): AsyncGenerator<WatchEvent> {
  for await (const line of splitLines(chunks)) {
    if (line.length > 0) yield event.parse(parseBody(textWithout(line, unread))) as unknown as WatchEvent;
  }
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MOST_LINE_BYTES) throw new SyntaxError(`a watch event is larger than ${MOST_LINE_BYTES} bytes`);
  }
}

const NEWLINE = 0x0a;

const event = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({}),
});
