/** One HTTP request over kept connections: body out, status and body in. No retry, no limit, no code of the product. */
import { request as requestPlain, type Agent as PlainAgent } from 'node:http';
import { request as requestSecure, type Agent as SecureAgent } from 'node:https';

export interface Exchange {
  /** An agent of `node:https` if the URL begins with `https:`. */
  readonly agent: PlainAgent | SecureAgent;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

/** Resolves with the whole answer, whatever its status; throws if the connection breaks. */
export function exchange(url: URL, { body, ...options }: Exchange): Promise<Answer> {
  const request = url.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, bytes: Buffer.concat(chunks) }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
