/** One HTTP exchange over an agent: sends a request, returns the response. Does not know Kubernetes. */
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, type Agent } from 'node:https';
import type { Socket } from 'node:net';

export interface ExchangeOptions {
  readonly agent: Agent;
  readonly url: URL;
  readonly method: string;
  /** Path with query, as it goes on the wire. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string | Buffer | undefined;
  readonly signal: AbortSignal;
  /** Runs after connecting and before sending; an error that it throws stops the request. */
  readonly guard: (() => void) | undefined;
}

/** No response came; `sent` if the server may have received the request. */
export class ConnectionError extends Error {
  readonly code: string;
  readonly sent: boolean;

  constructor(cause: Error & { readonly code?: string }, sent: boolean) {
    super(cause.message, { cause });
    this.code = cause.code ?? '';
    this.sent = sent;
  }
}

/**
 * Sends one request and resolves with the response once its headers have arrived. Rejects with ConnectionError, with
 * the error of `guard`, or with the reason of `signal`, also while it waits for a free connection.
 */
export function sendRequest(options: ExchangeOptions): Promise<IncomingMessage> {
  const { agent, url, method, path, headers, body, signal, guard } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    let sent = false;
    let refused: { readonly error: unknown } | undefined;
    const request = httpsRequest({ agent, host: bareHost(url), port: url.port || 443, method, path, headers, signal });
    // A request without a connection reports its abort only once it gets one.
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('close', () => signal.removeEventListener('abort', onAbort));
    // Of an answer that switches protocols Node reports the end of the connection only.
    const onNoAnswer = (): void => reject(new ConnectionError(new Error('closed without an answer'), sent));
    request.on('close', onNoAnswer);
    request.on('response', (response) => {
      request.off('close', onNoAnswer);
      resolve(response);
    });
    request.on('error', (error) => {
      if (refused !== undefined) reject(refused.error);
      else reject(signal.aborted ? (signal.reason as Error) : new ConnectionError(error, sent));
    });
    request.once('socket', (socket) => {
      whenConnected(socket, () => {
        try {
          guard?.();
        } catch (error) {
          refused = { error };
          request.destroy(new Error('refused by the guard'));
          return;
        }
        sent = true;
        sendBody(request, body);
      });
    });
  });
}

/** Bytes of a body that are encrypted at once. */
const PIECE_BYTES = 64 * 1024;

/** Writes piece by piece, at the connection's pace: bytes encrypted ahead would fill the memory of every connection. */
function sendBody(request: ClientRequest, body: string | Buffer | undefined): void {
  if (body === undefined || body.length <= PIECE_BYTES) return void request.end(body);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  let sent = 0;
  const sendOn = (): void => {
    while (bytes.length - sent > PIECE_BYTES) {
      const taken = request.write(bytes.subarray(sent, (sent += PIECE_BYTES)));
      if (!taken) return void request.once('drain', sendOn);
    }
    request.end(bytes.subarray(sent));
  };
  sendOn();
}

/** A request writes only after connecting, so that the guard's answer is still current. */
function whenConnected(socket: Socket, send: () => void): void {
  if (socket.connecting) socket.once('secureConnect', send);
  else send();
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Reads a whole body; throws ConnectionError if it breaks off, RangeError beyond `maxBytes`. */
export async function readAll(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw new RangeError(`the response is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof RangeError ? error : new ConnectionError(error as Error, true);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
}
