/** A call that the fake registry receives, and the answer to it. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

export interface FakeCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A plain answer, or a function with full control over the response. */
export type FakeAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string | readonly string[]>>;
      readonly body?: string | Uint8Array;
    }
  | ((response: ServerResponse, request: IncomingMessage) => void);
