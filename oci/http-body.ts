/** Bodies on their way, in both directions: in pieces, with every wait for the other side bounded. */
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { mismatch, unavailable } from './errors.ts';

export interface Timeouts {
  /** From sending to the answer's headers. */
  readonly headersMs: number;
  /** Longest pause between two pieces of a body. */
  readonly stallMs: number;
  /** A body must arrive at this rate, measured over `stallMs`; defeats servers that send a byte a second. */
  readonly minBytesPerSecond: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { headersMs: 60_000, stallMs: 30_000, minBytesPerSecond: 1024 };

export interface BodyStream {
  readonly length: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The other side took too long. */
export class TimedOut extends Error {}

/** Sends bytes or a stream, piece by piece; `progress` is called for each that went out. */
export async function sendBody(
  client: ClientRequest,
  body: Uint8Array | BodyStream,
  progress: () => void,
): Promise<void> {
  let sent = 0;
  for await (const piece of inPieces(body)) {
    if (client.destroyed || client.writableEnded) return;
    sent += piece.length;
    if (sent > body.length) break;
    if (!client.write(piece)) await drained(client);
    progress();
  }
  if (sent !== body.length) throw mismatch('content to be sent is not as long as it was announced');
  client.end();
}

/** Resolves when it takes more, or nothing ever again; leaves no listener behind, as a large body waits often. */
async function drained(client: ClientRequest): Promise<void> {
  const over = new AbortController();
  const either = ['drain', 'close'].map((event) => once(client, event, { signal: over.signal }));
  await Promise.race(either).finally(() => over.abort());
}

/** Small enough that each is on its way well within the deadline for progress. */
const PIECE_BYTES = 256 << 10;

async function* inPieces(body: Uint8Array | BodyStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of body instanceof Uint8Array ? [body] : body.open()) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
  }
}

/** Reads a body to its end. @throws Error made by `tooLarge` at the first byte beyond `maxBytes`. */
export async function readBody(
  response: { readonly body: AsyncIterable<Uint8Array> },
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Up to this size, reading to the end is cheaper than a new connection. */
const MAX_DISCARD_BYTES = 16 << 10;

/**
 * Frees the connection of an answer whose body is not needed: reads the rest if it is small, else closes the
 * connection.
 */
export async function discardBody(
  message: IncomingMessage,
  { empty, timeouts }: { readonly empty: boolean; readonly timeouts: Timeouts },
): Promise<void> {
  const rest = empty ? 0 : Number(message.headers['content-length'] ?? Number.NaN);
  if (!message.complete && !(rest <= MAX_DISCARD_BYTES)) return void message.destroy();
  const timer = setTimeout(() => message.destroy(), timeouts.stallMs);
  message.resume();
  await new Promise((resolve) => finished(message, resolve));
  clearTimeout(timer);
}

interface Guard {
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal | undefined;
}

/**
 * The body, with the time spent waiting for the other side bounded; time that the reader takes does not count.
 * Over each `stallMs` of waiting at least `minBytesPerSecond` must have come.
 */
export async function* receiveBody(
  url: URL,
  message: IncomingMessage,
  { timeouts, signal }: Guard,
): AsyncGenerator<Uint8Array> {
  const { stallMs, minBytesPerSecond } = timeouts;
  const chunks = message[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const since = performance.now();
      const next = await beforeDeadline(chunks, message, stallMs);
      if (next.done === true) return;
      waitedMs += performance.now() - since;
      bytes += next.value.length;
      if (waitedMs >= stallMs) {
        if (bytes < (minBytesPerSecond * waitedMs) / 1000) throw new TimedOut();
        waitedMs = 0;
        bytes = 0;
      }
      yield next.value;
    }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    const why = error instanceof TimedOut ? 'it arrives too slowly' : 'the connection was cut';
    throw unavailable(`the answer of ${url.host} is incomplete: ${why}`, { cause: error });
  } finally {
    message.destroy();
  }
}

async function beforeDeadline(
  chunks: AsyncIterator<Uint8Array>,
  message: IncomingMessage,
  ms: number,
): Promise<IteratorResult<Uint8Array>> {
  const timer = setTimeout(() => message.destroy(new TimedOut()), ms);
  try {
    return await chunks.next();
  } finally {
    clearTimeout(timer);
  }
}
