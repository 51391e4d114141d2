/**
 * The least that it takes to send objects to an API server: raw JSON over keep-alive connections, no cache, no retry,
 * no code of the product. Its time and requests are a lower bound for every installer.
 */
import { Agent } from 'node:https';
import type { DefinedKind, KubeObject } from '../../api/object.ts';
import type { Resource } from '../../kube/client/resource-path.ts';
import { exchange } from './exchange.ts';

export interface FloorClient {
  /** Server-side apply; returns the answer of the API server, throws if it refuses. */
  apply(object: KubeObject, resource: Resource, options?: { readonly dryRun?: boolean }): Promise<string>;
  create(object: KubeObject, resource: Resource): Promise<string>;
  /** A merge patch, of the status if it has one. */
  patch(object: KubeObject, resource: Resource, change: object): Promise<string>;
  delete(object: KubeObject, resource: Resource, propagation: 'Background' | 'Foreground'): Promise<string>;
  /** Whether any custom resource of the kind exists, in any namespace. */
  hasAny(kind: DefinedKind): Promise<boolean>;
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
    const { status, bytes } = await exchange(new URL(path, server), { agent, method, headers, body });
    const text = bytes.toString();
    if (status > 299 && status !== 404) {
      throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 400)}`);
    }
    return text;
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
    async hasAny({ apiVersion, served }) {
      const text = await send('GET', `/apis/${apiVersion}/${served.plural}?limit=1`, {
        type: 'application/json',
        body: '',
      });
      return (JSON.parse(text) as { readonly items?: readonly unknown[] }).items?.length !== 0;
    },
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

function pathOf(object: KubeObject, resource: Resource): string {
  return `${collectionOf(object, resource)}/${encodeURIComponent(object.metadata.name)}`;
}

function collectionOf({ apiVersion, metadata: { namespace } }: KubeObject, { plural }: Resource): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? '' : `/namespaces/${namespace}`;
  return `${root}${place}/${plural}`;
}
