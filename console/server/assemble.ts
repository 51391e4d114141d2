/**
 * Puts the parts of a console together, for both ways to run it: its watches, the rights and reads of persons, the streams,
 * and the handler of requests. Callers bring the connection, the way in, and the place to listen.
 */
import type { Client } from '../../kube/client/client.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Log } from '../../kube/log.ts';
import type { Transport } from '../../kube/transport/transport.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { carryOutAct } from './act.ts';
import type { ApiParts } from './api-routes.ts';
import { assetsOf, type PageContent } from './assets.ts';
import { carryOut } from './carry-out.ts';
import { createConsole, type ConsoleHandler } from './console.ts';
import { CatalogContent } from './content.ts';
import type { ReadDocuments } from './documents.ts';
import { LiveHub, type HubOptions } from './live/hub.ts';
import type { Login } from './login/login.ts';
import type { AnyView } from './match-view.ts';
import type { Person } from './person.ts';
import { PersonRights } from './rights.ts';
import type { OwnHosts } from './same-origin.ts';
import type { WatchScopes } from './scopes.ts';
import { LiveStore } from './store.ts';

export interface AssembleOptions extends Pick<ApiParts, 'readOnly' | 'systemNamespace' | 'version' | 'onAct'> {
  readonly views: readonly AnyView[];
  /** For the watches: with the rights of the console itself. */
  readonly client: Client;
  readonly scopes: WatchScopes;
  readonly acting: ActingAs;
  readonly documents: ReadDocuments;
  /** @param endSession Ends the streams of a session. */
  readonly login: (endSession: (session: string) => void) => Login;
  readonly hosts: OwnHosts;
  readonly pages: () => Promise<readonly PageContent[]>;
  readonly log: Log;
  readonly clock?: Clock;
  readonly streams?: HubOptions;
}

/** Connections with the rights of a person. */
export interface ActingAs {
  readonly clientOf: (person: Person) => Client;
  readonly transportOf: (person: Person) => Pick<Transport, 'request'>;
}

export interface AssembledConsole {
  readonly handler: ConsoleHandler;
  readonly hub: LiveHub;
  /** The caches that have to be filled before a view can be trusted. */
  readonly caches: readonly Informer[];
  /** Watches until `signal` aborts, and ends all streams then. */
  start(signal: AbortSignal): void;
}

export function assembleConsole(options: AssembleOptions): AssembledConsole {
  const { client, scopes, acting, log, readOnly, systemNamespace, version, documents } = options;
  const store = new LiveStore({ client, scopes, log });
  const hub = new LiveHub(options.streams);
  store.onChange((kind, namespace) => hub.changed(kind, namespace));
  const rights = new PersonRights({ actAs: acting.clientOf });
  const content = new CatalogContent({ read: documents, rights, store, onMore: () => hub.changed('catalogs'), log });
  const now = (): Date => new Date();
  const pages = kept(async () => assetsOf(await options.pages()));
  const parts = { clientOf: acting.clientOf, rights, content, systemNamespace, version };
  const handler = createConsole({
    store,
    rights,
    hub,
    views: options.views,
    carryOut: (person, ask, signal) => carryOut(person, ask, parts, signal),
    act: (person, action) => carryOutAct(person, action, { transportOf: acting.transportOf, now }),
    icon: (person, catalog, name, signal) => content.icon(person, { catalog, name }, acting.clientOf(person), signal),
    readOnly,
    systemNamespace,
    now,
    version,
    log,
    login: options.login((session) => hub.endSession(session)),
    hosts: options.hosts,
    assets: pages,
    ...(options.onAct !== undefined && { onAct: options.onAct }),
  });
  return {
    handler,
    hub,
    caches: store.caches,
    start(signal) {
      store.start(signal);
      signal.addEventListener('abort', () => hub.close(), { once: true });
    },
  };
}

/** Made once; a failure is not kept. */
function kept<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
