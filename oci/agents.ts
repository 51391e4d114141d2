/** Node's agents for requests to registries: which of them takes a request, through a proxy or not, is decided for each. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { isDirect, type ProxyEnv, usableProxies } from './proxy.ts';

export interface AgentOptions {
  /** PEM certificates trusted in addition to the system's. */
  readonly ca?: string | readonly string[];
  /** Variables `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`; absent means no proxy. */
  readonly proxyEnv?: ProxyEnv;
}

export interface Agents {
  /** The agent for a URL. */
  of(url: URL): HttpAgent;
  close(): void;
}

/** Idle connections to one origin. */
export const MAX_FREE_SOCKETS = 4;

export function createAgents({ ca, proxyEnv }: AgentOptions): Agents {
  const secureContext =
    ca === undefined ? undefined : createSecureContext({ ca: [...getCACertificates('default'), ...[ca].flat()] });
  const direct = createPair(secureContext);
  const proxied = proxyEnv === undefined ? direct : createPair(secureContext, usableProxies(proxyEnv));
  return {
    of(url) {
      const { http, https } = proxyEnv === undefined || isDirect(url, proxyEnv) ? direct : proxied;
      return url.protocol === 'https:' ? https : http;
    },
    close() {
      for (const { http, https } of [direct, proxied]) {
        http.destroy();
        https.destroy();
      }
    },
  };
}

interface AgentPair {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

function createPair(secureContext: SecureContext | undefined, proxyEnv?: ProxyEnv): AgentPair {
  const shared = {
    keepAlive: true,
    maxSockets: 16,
    maxFreeSockets: MAX_FREE_SOCKETS,
    scheduling: 'lifo' as const,
    ...(proxyEnv !== undefined && { proxyEnv: proxyEnv as NodeJS.ProcessEnv }),
  };
  return {
    http: new HttpAgent(shared),
    https: new HttpsAgent({ ...shared, ...(secureContext !== undefined && { secureContext }) }),
  };
}
