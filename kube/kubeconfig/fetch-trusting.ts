/** `fetch` for an issuer with a private certificate authority, or behind a proxy, which Node's fetch cannot be given. */
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { CustomFetch } from 'openid-client';

/** Larger than any answer of an issuer. */
const MOST_BYTES = 1024 * 1024;

/** Trusts only `ca`, a PEM text. Does not follow redirects. */
export function fetchTrusting(ca: string): CustomFetch {
  const agent = new Agent({ ca });
  return fetchThrough(() => agent);
}

/** For the answer of a proxy. Node leaves a request pending that is aborted before its proxy answers. */
const PROXY_MS = 10_000;

/** By the agent for each address, which decides about authorities and proxies. Does not follow redirects. */
export function fetchThrough(agentOf: (url: URL) => Agent, { proxyMs = PROXY_MS } = {}): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const about = { agent: agentOf(new URL(url)), timeout: proxyMs, method, headers };
      const options = { ...about, ...(signal !== undefined && { signal }) };
      request(url, options, resolve)
        .on('error', reject)
        .end(body instanceof URLSearchParams ? body.toString() : undefined);
    });
    const text = await readText(response);
    const given = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(text, { status: response.statusCode ?? 0, headers: given });
  };
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response as AsyncIterable<string>) {
    text += piece;
    if (text.length > MOST_BYTES) throw new RangeError(`the answer is larger than ${MOST_BYTES} bytes`);
  }
  return text;
}
