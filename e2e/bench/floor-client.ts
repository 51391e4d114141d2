/**
 * The least that it takes to send objects to an API server: raw JSON over keep-alive connections, no cache, no retry,
 * no code of the product. Its time and requests are a lower bound for every installer.
 */
import { Agent, request } from 'node:https';
import type { KubeObject } from '../../api/object.ts';
import type { Resource } from '../../kube/client/resource-path.ts';

export interface FloorClient {
  /** Server-side apply; returns the answer of the API server, throws if it refuses. */
  apply(object: KubeObject, resource: Resource, options?: { readonly dryRun?: boolean }): Promise<string>;
  create(object: KubeObject, resource: Resource): Promise<string>;
  /** A merge patch, of the status if it has one. */
  patch(object: KubeObject, resource: Resource, change: object): Promise<string>;
  delete(object: KubeObject, resource: Resource, propagation: 'Background' | 'Foreground'): Promise<string>;
  /** Requests sent so far. */
  readonly requests: number;
  close(): void;
}

export interface FloorEndpoint {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

/** Connections at once. */
export const FLOOR_CONNECTIONS = 8;

export function openFloorClient({ server, ca, token }: FloorEndpoint): FloorClient {
  const agent = new Agent({ keepAlive: true, maxSockets: FLOOR_CONNECTIONS, scheduling: 'lifo', ca });
  const authorization = `Bearer ${token}`;
  let requests = 0;

  async function send(method: string, path: string, { type, body }: Content): Promise<string> {
    requests += 1;
    const headers = { authorization, 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const answer = await exchange(new URL(path, server), { agent, method, headers, body });
    if (answer.status > 299 && answer.status !== 404) {
      throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text.slice(0, 400)}`);
    }
    return answer.text;
  }

  return {
    apply: (object, resource, { dryRun = false } = {}) =>
      send('PATCH', `${pathOf(object, resource)}?fieldManager=floor&force=true${dryRun ? '&dryRun=All' : ''}`, {
        type: 'application/apply-patch+yaml',
        body: JSON.stringify(object),
      }),
    create: (object, resource) =>
      send('POST', collectionOf(object, resource), { type: 'application/json', body: JSON.stringify(object) }),
    patch: (object, resource, change) =>
      send('PATCH', `${pathOf(object, resource)}${'status' in change ? '/status' : ''}`, {
        type: 'application/merge-patch+json',
        body: JSON.stringify(change),
      }),
    delete: (object, resource, propagationPolicy) =>
      send('DELETE', pathOf(object, resource), {
        type: 'application/json',
        body: JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy }),
      }),
    get requests() {
      return requests;
    },
    close: () => agent.destroy(),
  };
}

interface Content {
  readonly type: string;
  readonly body: string;
}

interface Exchange {
  readonly agent: Agent;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

function exchange(url: URL, { body, ...options }: Exchange): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function pathOf(object: KubeObject, resource: Resource): string {
  return `${collectionOf(object, resource)}/${encodeURIComponent(object.metadata.name)}`;
}

function collectionOf({ apiVersion, metadata: { namespace } }: KubeObject, { plural }: Resource): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `${root}${place}/${plural}`;
}
