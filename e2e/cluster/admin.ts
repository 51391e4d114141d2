/** Requests to the API server with the rights of `system:masters`, for setting up and looking; raw JSON, one agent. */
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** How the API server is reached. */
export interface Endpoint {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** `PATCH` merges, `APPLY` is server-side apply. @see https://kubernetes.io/docs/reference/using-api/server-side-apply/ */
export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'APPLY' | 'DELETE';

/** A client of one API server; requests that get no answer throw. */
export interface Admin {
  /** Sends the body as JSON, if there is one. */
  send(verb: Verb, path: string, body?: unknown): Promise<Answer>;
  /**
   * As send, but throws with the server's message for an answer other than 2xx. Asks again after 429, as kubectl does:
   * the API server gives that answer for a moment after each change of a CRD ("storage is (re)initializing").
   */
  call(verb: Verb, path: string, body?: unknown): Promise<Record<string, unknown>>;
  close(): void;
}

const ANSWER_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 25;
/** The API server closes a connection that is idle for 90 s, perhaps just when it is used again: ours ends before. */
const IDLE_MS = 30_000;
/** Nothing was done, and the same request may succeed later. */
const TOO_MANY_REQUESTS = 429;
/** A handshake costs more than a request that waits for another one. */
const MAX_SOCKETS = 8;

/** Opens a client; nothing is sent before the first request. */
export function openAdmin({ server, ca, token }: Endpoint): Admin {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_MS, ca });
  const send: Admin['send'] = (verb, path, body) =>
    new Promise((resolve, reject) => {
      const method = verb === 'APPLY' ? 'PATCH' : verb;
      const authorization = `Bearer ${token}`;
      const type = body === undefined ? {} : { 'content-type': CONTENT_TYPES[verb] ?? 'application/json' };
      const headers = { authorization, ...type };
      const sent = request(new URL(path, server), { method, agent, headers, timeout: ANSWER_WITHIN_MS }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', reject);
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      });
      sent.once('timeout', () => sent.destroy(new Error(`no answer to ${method} ${path}`)));
      // a request that is given up may fail once more when its socket ends
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return {
    send,
    async call(verb, path, body) {
      const deadline = Date.now() + ANSWER_WITHIN_MS;
      let answer = await send(verb, path, body);
      while (answer.status === TOO_MANY_REQUESTS && Date.now() < deadline) {
        await delay(LOOK_AGAIN_MS);
        answer = await send(verb, path, body);
      }
      const { status, text } = answer;
      if (status < 200 || status > 299) throw new Error(`${verb} ${path} was answered ${status}: ${messageOf(text)}`);
      return JSON.parse(text) as Record<string, unknown>;
    },
    close: () => agent.destroy(),
  };
}

/**
 * Asks again and again until the answer is true; a request that fails counts as no. Throws what `failure` says as
 * soon as it says something, and after `timeoutSeconds` in any case.
 */
export async function waitUntil(
  question: () => Promise<boolean>,
  options: { readonly what: string; readonly timeoutSeconds: number; readonly failure?: () => string | undefined },
): Promise<void> {
  const deadline = Date.now() + options.timeoutSeconds * 1000;
  while (!(await question().catch(() => false))) {
    const failure = options.failure?.();
    if (failure !== undefined) throw new Error(failure);
    if (Date.now() > deadline) throw new Error(`${options.what} took longer than ${options.timeoutSeconds} s`);
    await delay(LOOK_AGAIN_MS);
  }
}

const CONTENT_TYPES: Readonly<Partial<Record<Verb, string>>> = {
  PATCH: 'application/merge-patch+json',
  APPLY: 'application/apply-patch+yaml',
};

/** Of a Status, which every refusal of the API server is; of anything else, all of it. */
function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { readonly message?: string }).message ?? text;
  } catch {
    return text;
  }
}
