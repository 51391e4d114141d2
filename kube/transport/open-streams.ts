/**
 * The open streams of a transport: their bodies as they arrive, an end with a reason, and which have been silent for
 * long. A connection may die silently, and a watch on it would wait for minutes.
 */
import type { IncomingMessage } from 'node:http';
import { ReasonedError } from '../../api/errors.ts';
import { unavailable } from '../../api/api-error.ts';
import type { Clock } from '../clock.ts';

export interface ApiStream {
  readonly status: number;
  /** The body as it arrives; throws ApiError(ApiUnavailable) when it breaks off or stalls. */
  readonly chunks: AsyncIterable<Buffer>;
  close(): void;
}

export interface StreamOptions {
  /** The action, for messages. */
  readonly subject: string;
  /** Ends the stream after this much silence. */
  readonly idleSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenStreams {
  /** Begins with a response whose headers have arrived. */
  open(response: IncomingMessage, options: StreamOptions): ApiStream;
  /** Ends the streams that have been silent for this long. */
  endSilent(seconds: number): void;
}

export function createOpenStreams(clock: Clock): OpenStreams {
  const open = new Map<IncomingMessage, { heardAt: number; readonly stall: () => void }>();

  return {
    open(response, options) {
      const { idleSeconds, signal } = options;
      const onAbort = (): void => void response.destroy(signal?.reason as Error);
      if (signal?.aborted) onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      response.on('error', () => undefined);
      const stall = (): void => void response.destroy(unavailable(options.subject, 'the stream has stalled'));
      const { socket } = response;
      if (idleSeconds !== undefined) socket.setTimeout(idleSeconds * 1000).on('timeout', stall);
      const state = { heardAt: clock.now(), stall };
      open.set(response, state);
      response.once('close', () => {
        open.delete(response);
        socket.removeListener('timeout', stall);
        signal?.removeEventListener('abort', onAbort);
      });
      const onChunk = (): void => void (state.heardAt = clock.now());
      const chunks = chunksOf(response, { ...options, onChunk });
      return { status: response.statusCode ?? 0, chunks, close: () => void response.destroy() };
    },
    endSilent(seconds) {
      for (const { heardAt, stall } of open.values()) if (clock.now() - heardAt >= seconds) stall();
    },
  };
}

async function* chunksOf(
  response: IncomingMessage,
  { subject, signal, onChunk }: StreamOptions & { readonly onChunk: () => void },
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      onChunk();
      yield chunk;
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error instanceof ReasonedError ? error : unavailable(subject, 'the stream broke off', error);
  }
}
