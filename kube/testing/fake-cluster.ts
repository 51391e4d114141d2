/**
 * The real client over the fake API server in the same process, for unit tests: no connections, and controllers that
 * succeed at once. Tests see the requests, let them fail, and change objects as other programs do. Watches need
 * fake-api.ts.
 */
import { isCrd } from '../../api/crd-kind.ts';
import { KINDS } from '../../api/kinds.ts';
import { formatJson } from '../../api/json.ts';
import { API_VERSION } from '../../api/names.ts';
import type { KubeObject, ObjectRef } from '../../api/object.ts';
import { createClient, type Client } from '../client/client.ts';
import { ApiError } from '../../api/api-error.ts';
import { parseStatus } from '../transport/parse-status.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import type { Transport } from '../transport/transport.ts';
import { settle } from './fake-controllers.ts';
import { resource as kindOf } from './fake-kinds.ts';
import { arrived, asked, factsOf, forbidden, type FakeRequest, type May } from './fake-request.ts';
import { FakeServer, type AccessReview, type ServerRequest } from './fake-server.ts';
import { Refusal, statusOf } from './refusal.ts';

export { settle } from './fake-controllers.ts';
export type { FakeRequest, May } from './fake-request.ts';

export interface FakeCluster extends Client {
  readonly requests: readonly FakeRequest[];
  /** The objects, in the order of their creation. */
  objects(): readonly KubeObject[];
  /** Stores an object as another program would: another object, unless it has the uid of the one that is there. */
  put(object: KubeObject): KubeObject;
  /** Changes an object as its controller would; the result replaces it. */
  change(ref: ObjectRef, edit: (object: KubeObject) => KubeObject): void;
  /** The same cluster with the credentials of an account. */
  actingAs(account: string, may: May): FakeCluster;
  /** Restricts those as whom a client acts (`client.as`); they have every right until then. */
  restrict(may: May): void;
}

export interface FakeOptions {
  /** Called before each request; may throw to make the request fail without effect. */
  readonly before?: (request: FakeRequest, cluster: FakeCluster) => void;
  /** Called after each request took effect; may throw so that its answer is lost. */
  readonly after?: (request: FakeRequest, cluster: FakeCluster) => void;
  /** Plays the controllers: returns a written object with its status; by default, Established and available. */
  readonly react?: (object: KubeObject) => KubeObject;
}

/** A time that no test reaches by waiting. */
const NOW = new Date('2000-01-01T00:00:00Z');

/** A cluster with the namespace `default`, and with the kinds of Slipway. */
export function createFakeCluster(options: FakeOptions = {}): FakeCluster {
  return new InProcess(options).clusterOf(undefined, () => true);
}

/** The same cluster as seen by an account with limited rights; a refusal names the account as RBAC does. */
export function actingAs(cluster: FakeCluster, account: string, may: May): FakeCluster {
  return cluster.actingAs(account, may);
}

class InProcess {
  readonly #server: FakeServer;
  readonly #options: FakeOptions;
  readonly #requests: FakeRequest[] = [];
  /** Rights of the accounts as whom clients act. */
  #others: May = () => true;
  #uids = 0;

  constructor(options: FakeOptions) {
    this.#options = options;
    const review = (request: ServerRequest, access: AccessReview): boolean =>
      !isImpersonated(request) || this.#others(asked(access));
    this.#server = new FakeServer({ react: options.react ?? settle, now: () => NOW, review });
    for (const { kind, plural, scope } of KINDS) {
      this.#server.kinds.add(kindOf(API_VERSION, kind, plural, scope === 'Namespaced'));
    }
    this.#put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' }, status: { phase: 'Active' } });
  }

  clusterOf(account: string | undefined, may: May): FakeCluster {
    const transport: Transport = {
      request: (request) => this.#request(request, account, may, cluster),
      stream: () => Promise.reject(new Error('a watch needs the fake API server of fake-api.ts')),
      close: () => undefined,
    };
    const client = createClient(transport);
    // As the manager's watch of CRDs does.
    this.#server.store.onChange(({ object }) => {
      if (isCrd(object)) client.discovery.invalidate();
    });
    const cluster: FakeCluster = {
      ...client,
      requests: this.#requests,
      objects: () => this.#server.store.objects(),
      put: (object) => this.#put(object),
      change: (ref, edit) => this.#change(ref, edit),
      actingAs: (other, rights) => this.clusterOf(other, rights),
      restrict: (rights) => void (this.#others = rights),
    };
    return cluster;
  }

  async #request(
    sent: ApiRequest,
    account: string | undefined,
    may: May,
    cluster: FakeCluster,
  ): ReturnType<Transport['request']> {
    sent.signal?.throwIfAborted();
    await Promise.resolve();
    sent.guard?.();
    const request = arrived(sent);
    const facts = factsOf(request, this.#server.targetOf(request.path));
    if (facts === undefined) return this.#answer(sent, request);
    const impersonated = request.headers['impersonate-user'];
    const user = typeof impersonated === 'string' ? impersonated : account;
    const isAllowed = typeof impersonated === 'string' ? this.#others(facts) : may(facts);
    if (!isAllowed) throw errorFor(subjectOf(sent), forbidden(user ?? '', facts));
    this.#requests.push(facts);
    this.#options.before?.(facts, cluster);
    const answer = this.#answer(sent, request);
    this.#options.after?.(facts, cluster);
    return answer;
  }

  #answer(sent: ApiRequest, request: ServerRequest): Awaited<ReturnType<Transport['request']>> {
    const { status, body } = this.#server.answer(request);
    if (status >= 400) throw new ApiError(subjectOf(sent), parseStatus(status, body));
    return { status, headers: {}, body: Buffer.from(body), text: () => body };
  }

  #put(object: KubeObject): KubeObject {
    const { store } = this.#server;
    const resource = this.#server.kindFor(object);
    const metadata = { ...object.metadata, uid: object.metadata.uid ?? `uid-${(this.#uids += 1)}`, generation: 1 };
    return store.put(resource, (this.#options.react ?? settle)({ ...object, metadata }));
  }

  #change(ref: ObjectRef, edit: (object: KubeObject) => KubeObject): void {
    const { store, writes } = this.#server;
    const resource = this.#server.kindFor({ ...ref, metadata: ref });
    store.put(resource, edit(structuredClone(store.get(resource, ref))));
    writes.finishDeletions();
  }
}

function errorFor(subject: string, refusal: Refusal): ApiError {
  return new ApiError(subject, parseStatus(refusal.code, formatJson(statusOf(refusal))));
}

function subjectOf({ subject, method, path }: ApiRequest): string {
  return subject ?? `${method} ${path}`;
}

function isImpersonated({ headers }: ServerRequest): boolean {
  return headers['impersonate-user'] !== undefined;
}
