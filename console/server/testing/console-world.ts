/**
 * A console over the fake API server, with persons whose rights a test names: the fake asks for rights only of those who
 * are impersonated, and answers their reviews by the same table.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatJson } from '../../../api/json.ts';
import { KINDS } from '../../../api/kinds.ts';
import { API_VERSION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { silentLog } from '../../../kube/log.ts';
import { startFakeApi, type FakeApi, type SeenRequest } from '../../../kube/testing/fake-api.ts';
import { resource } from '../../../kube/testing/fake-kinds.ts';
import { unservedTargetOf } from '../../../kube/testing/fake-paths.ts';
import { REVIEWS, type AccessReview } from '../../../kube/testing/fake-server.ts';
import { createTransport } from '../../../kube/transport/transport.ts';
import { untilSynced } from '../../../kube/watch/informer.ts';
import type { View, VisibleKind } from '../../data/view.ts';
import { assetsOf } from '../assets.ts';
import { createConsole, type ConsoleOptions } from '../console.ts';
import { LiveHub, type HubOptions } from '../live/hub.ts';
import { inClusterLogin } from '../login/in-cluster.ts';
import type { Login } from '../login/login.ts';
import type { OidcClient } from '../login/oidc-flow.ts';
import { OwnSession } from '../login/own-session.ts';
import { ownKeys, Sessions } from '../login/session.ts';
import type { Person } from '../person.ts';
import { PersonRights } from '../rights.ts';
import { LiveStore, WATCHED_KINDS } from '../store.ts';

/** Whether a person may do something; `resource` is the plural. */
export type PersonMay = (
  user: string,
  access: { readonly verb: string; readonly resource: string; readonly namespace?: string | undefined },
) => boolean;

export interface ConsoleWorld extends AsyncDisposable {
  readonly api: FakeApi;
  readonly address: string;
  readonly sessions: Sessions;
  readonly hub: LiveHub;
  /** Replaces the rights of all persons. */
  allow(may: PersonMay): void;
  /** The Cookie header of a person who has logged in. */
  cookieOf(user: string, person?: Partial<Person>): Promise<string>;
  /** Requests in the name of a person that reached the API server. */
  asked(user: string): readonly SeenRequest[];
}

export interface WorldOptions extends Partial<
  Pick<ConsoleOptions, 'readOnly' | 'act' | 'carryOut' | 'icon' | 'views' | 'hosts' | 'now'>
> {
  // prettier-ignore
  readonly login?: Login | ((endSession: (session: string) => void) => Login);
  readonly streams?: HubOptions;
  /** How long rights are remembered; 0 unless given. */
  readonly rightsSeconds?: number;
  /** Address to listen at; 127.0.0.1 unless given. Browsers come to 127.0.0.1. */
  readonly listen?: string;
}

/** Lists the names of the objects that it was shown: a view that hides nothing itself. */
export const NAMES_VIEW: View<object> = {
  path: '/names',
  query: [],
  reads: WATCHED_KINDS,
  show: (visible) => Object.fromEntries(WATCHED_KINDS.map((kind) => [kind, namesOf(visible[kind] as readonly KubeObject[])])), // prettier-ignore
};

function namesOf(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`).toSorted();
}

const PAGES = [
  { path: '/index.html', type: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>'), isImmutable: false },
  { path: '/main-0123ABCD.js', type: 'text/javascript', bytes: Buffer.from('x'.repeat(2000)), isImmutable: true },
];

export async function startConsoleWorld({
  listen = '127.0.0.1',
  ...options
}: WorldOptions = {}): Promise<ConsoleWorld> {
  const api = await startFakeApi();
  for (const { kind, plural, scope } of KINDS) api.serve(resource(API_VERSION, kind, plural, scope === 'Namespaced'));
  let may: PersonMay = () => false;
  api.fault((request, response) => {
    const user = request.headers['impersonate-user'];
    const answer = typeof user === 'string' ? judge(request, user, may) : undefined;
    if (answer === undefined) return false;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(formatJson(answer.body));
    return true;
  });
  const transport = createTransport(api.config);
  const over = new AbortController();
  const { server, hub, sessions, store } = consoleOver(createClient(transport), options);
  store.start(over.signal);
  await untilSynced(store.caches, { seconds: 20, signal: over.signal });
  await new Promise<void>((resolve) => server.listen(0, listen, resolve));
  return {
    api,
    hub,
    sessions,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allow: (next) => void (may = next),
    async cookieOf(user, person = {}) {
      const { sealed } = await sessions.open({ user, groups: [], ...person });
      return `slipway-session=${sealed}`;
    },
    asked: (user) => api.requests.filter(({ headers }) => headers['impersonate-user'] === user),
    async [Symbol.asyncDispose]() {
      over.abort(new Error('the test ends'));
      hub.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      transport.close();
      await api.close();
    },
  };
}

const EVERYWHERE = Object.fromEntries(WATCHED_KINDS.map((kind) => [kind, 'all'])) as Record<VisibleKind, 'all'>;

/** An issuer that no test of this world talks to: sessions are opened without it. */
const NO_ISSUER: OidcClient = {
  begin: () => Promise.reject(new Error('there is no issuer')),
  finish: () => Promise.reject(new Error('there is no issuer')),
  endAddress: async () => undefined,
};

function consoleOver(client: Client, { streams, rightsSeconds = 0, login, ...parts }: Omit<WorldOptions, 'listen'>) {
  const store = new LiveStore({ client, scopes: EVERYWHERE });
  const hub = new LiveHub(streams);
  store.onChange((kind, namespace) => hub.changed(kind, namespace));
  const sessions = new Sessions({ keys: ownKeys(), seconds: 3600 });
  const cookie = { name: 'slipway-session', isSecure: false, sameSite: 'Strict' } as const;
  const session = new OwnSession({ sessions, cookie, canLogOut: true, onLogOut: (id) => hub.endSession(id) });
  const handler = createConsole({
    store,
    rights: new PersonRights({ actAs: (person) => client.as(person), seconds: rightsSeconds }),
    hub,
    views: [NAMES_VIEW],
    carryOut: async () => ({}),
    act: async () => 'Done',
    icon: async () => undefined,
    readOnly: false,
    systemNamespace: 'slipway-system',
    now: () => new Date(),
    version: '0.0.0',
    log: silentLog,
    hosts: 'loopback',
    assets: async () => assetsOf(PAGES),
    ...parts,
    login: (typeof login === 'function' ? login((id) => hub.endSession(id)) : login) ?? inClusterLogin({ session, oidc: NO_ISSUER }), // prettier-ignore
  });
  const server: Server = createServer((request, response) => void handler(request, response));
  return { server, hub, sessions, store };
}

/** The answer of authorization; undefined lets the request through. */
function judge(request: SeenRequest, user: string, may: PersonMay) {
  if (request.path === REVIEWS) {
    const review = JSON.parse(request.body) as { readonly spec: { readonly resourceAttributes: AccessReview } };
    return { status: 201, body: { ...review, status: { allowed: may(user, review.spec.resourceAttributes) } } };
  }
  const target = unservedTargetOf(request.path);
  if (target === undefined) return undefined;
  const { namespace, name, resource: { plural } } = target; // prettier-ignore
  const verb = VERBS[request.method] ?? (name === undefined ? 'list' : 'get');
  if (may(user, { verb, resource: plural, namespace })) return undefined;
  const message = `${plural} "${name ?? ''}" is forbidden: User "${user}" cannot ${verb} resource "${plural}"`;
  return { status: 403, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403, message } }; // prettier-ignore
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
