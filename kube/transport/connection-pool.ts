/**
 * The keep-alive connections to one API server: one agent for requests and one for watches, which keep theirs for
 * minutes. When certificates rotate, new agents take over and the old ones end with their last request.
 */
import { Agent, type AgentOptions } from 'node:https';
import type { ConnectionConfig, Credentials, Pem } from './config.ts';

export type Purpose = 'request' | 'watch';

export interface ConnectionPool {
  /** The current agent, with the certificate of `credentials` if there is one; also detects rotated certificates. */
  agent(purpose: Purpose, credentials?: Credentials): Promise<Agent>;
  /** Reads the certificates again; returns whether they have changed. */
  refresh(): Promise<boolean>;
  /** Closes idle connections: if one is silently dead, others may be, too. */
  dropIdle(): void;
  /** Closes every connection, including those in use. */
  close(): void;
}

/** Limit for concurrent request connections; more requests wait. */
const MOST_REQUEST_CONNECTIONS = 32;

/** Connects lazily. @see https://nodejs.org/api/https.html#class-httpsagent */
export function createConnectionPool(config: ConnectionConfig): ConnectionPool {
  let current: { readonly tls: TlsMaterial; readonly agents: Record<Purpose, Agent> } | undefined;

  async function update(fresh: boolean, credentials?: Credentials): Promise<boolean> {
    const tls = await readMaterial(config, fresh, credentials);
    if (current !== undefined && sameMaterial(current.tls, tls)) return false;
    if (current !== undefined) Object.values(current.agents).forEach(retire);
    current = { tls, agents: createAgents(config, tls) };
    return true;
  }

  return {
    async agent(purpose, credentials) {
      if (current === undefined || isReloadable(config)) await update(false, credentials);
      return (current as NonNullable<typeof current>).agents[purpose];
    },
    refresh: async () => update(true, await config.credentials?.({ fresh: true })),
    dropIdle() {
      if (current !== undefined) Object.values(current.agents).forEach(endIdle);
    },
    close() {
      if (current !== undefined) for (const agent of Object.values(current.agents)) agent.destroy();
    },
  };
}

interface TlsMaterial {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

async function readMaterial(
  { ca, clientCert, clientKey }: ConnectionConfig,
  fresh: boolean,
  credentials: Credentials = {},
): Promise<TlsMaterial> {
  return {
    ca: await readPem(ca, fresh),
    cert: credentials.clientCert ?? (await readPem(clientCert, fresh)),
    key: credentials.clientKey ?? (await readPem(clientKey, fresh)),
  };
}

async function readPem(pem: Pem | undefined, fresh: boolean): Promise<string | undefined> {
  return typeof pem === 'function' ? pem({ fresh }) : pem?.toString();
}

function isReloadable({ ca, clientCert, clientKey, credentials }: ConnectionConfig): boolean {
  return [ca, clientCert, clientKey, credentials].some((source) => typeof source === 'function');
}

function sameMaterial(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}

function createAgents(
  { tlsServerName, insecureSkipTlsVerify = false, proxyEnv }: ConnectionConfig,
  tls: TlsMaterial,
): Record<Purpose, Agent> {
  const options: AgentOptions = {
    keepAlive: true,
    scheduling: 'lifo',
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.cert !== undefined && { cert: tls.cert }),
    ...(tls.key !== undefined && { key: tls.key }),
    ...(tlsServerName !== undefined && { servername: tlsServerName }),
    ...(insecureSkipTlsVerify && { rejectUnauthorized: false }),
    ...(proxyEnv !== undefined && { proxyEnv }),
  };
  return {
    request: new Agent({ ...options, maxSockets: MOST_REQUEST_CONNECTIONS }),
    watch: new Agent(options),
  };
}

/** Closes idle connections and keeps those in use until they end. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  endIdle(agent);
}

function endIdle(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
