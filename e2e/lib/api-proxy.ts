/** A proxy before the API server for one manager: counts its writes, and injects the faults that a test asks for. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '../cluster/certificates.ts';
import type { TestCluster } from '../cluster/cluster.ts';
import { startFaultProxy, type Asked, type FaultFor, type FaultProxy } from './fault-proxy.ts';
import { SYSTEM } from './manager.ts';

/** A write that the API server has answered. */
export interface SeenWrite {
  /** `Date.now()` when the answer came. */
  readonly at: number;
  /** Such as `PATCH /api/v1/namespaces/ops/services/metrics`. */
  readonly what: string;
  readonly status: number;
}

export interface ApiProxy extends Pick<FaultProxy, 'meddle' | 'partition'>, AsyncDisposable {
  /** For `startManager`: the manager then speaks with this proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** Every write so far, in the order of the answers. */
  readonly writes: readonly SeenWrite[];
  /** How many requests were answered. */
  requests(): number;
}

let count = 0;

/** Starts it; the manager finds a folder with a token and the proxy's authority in place of those of its Pod. */
export async function startApiProxy(cluster: TestCluster): Promise<ApiProxy> {
  const authority = await createAuthority('slipway-test-proxy');
  const pair = await authority.issue({ commonName: 'proxy', ipAddresses: ['127.0.0.1'] });
  const writes: SeenWrite[] = [];
  let requests = 0;
  const proxy = await startFaultProxy({
    upstream: new URL(cluster.server),
    tls: { key: pair.privatePem, cert: pair.publicPem, upstreamCa: cluster.ca },
    onAnswer(asked, status) {
      requests += 1;
      if (changesObjects(asked)) writes.push({ at: Date.now(), what: describe(asked), status });
    },
  });
  return {
    environment: {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(proxy.port),
      SLIPWAY_ACCOUNT_FOLDER: await accountFolder(cluster, authority.certificatePem),
    },
    writes,
    requests: () => requests,
    meddle: (faultFor?: FaultFor) => proxy.meddle(faultFor),
    partition: () => proxy.partition(),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}

async function accountFolder(cluster: TestCluster, ca: string): Promise<string> {
  const mounted = await cluster.podFiles(SYSTEM, 'slipway-manager');
  const folder = join(cluster.folder, 'tmp', `proxied-${++count}`);
  mkdirSync(folder, { recursive: true });
  for (const name of ['token', 'namespace'])
    writeFileSync(join(folder, name), readFileSync(join(mounted, name)), { mode: 0o600 });
  writeFileSync(join(folder, 'ca.crt'), ca);
  return folder;
}

/** Stored and of no consequence for a later reconcile, or not stored at all. */
const NO_STATE = /\/(events|leases|tokenreviews|subjectaccessreviews|selfsubject\w+)(\/|\?|$)/;

/**
 * Whether a request changes an object that the manager reads again: neither a dry run, nor an event, a lease or a
 * review.
 */
export function changesObjects({ method, path, body }: Asked): boolean {
  if (method === 'GET' || NO_STATE.test(path) || /[?&]dryRun=/.test(path)) return false;
  return !(method === 'DELETE' && body.includes('"dryRun"'));
}

/** Without its query, in which nothing names an object. */
export function describe({ method, path }: Asked): string {
  return `${method} ${path.replace(/\?.*/, '')}`;
}
