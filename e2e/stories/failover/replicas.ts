/** The replicas of the manager: which of them leads, how one is stopped, and the writes of each. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Client } from '../../../kube/client/client.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import { get } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';

const LEASE = 'slipway-manager';

/** A busy API server may take this long to receive a request that was sent before its sender was killed or stopped. */
export const RECEIVED_WITHIN_MS = 5000;

const ACCOUNT = `system:serviceaccount:${SYSTEM}:slipway-manager`;

export interface Leader {
  readonly identity: string;
  readonly pod: string;
  /** Milliseconds since 1970, by its own clock, which is that of the whole machine here. */
  readonly since: number;
}

/** The leader; undefined if no replica leads. */
export async function leaderOf(cluster: TestCluster): Promise<Leader | undefined> {
  const { spec } = await get<Lease>(cluster, 'lease', LEASE, SYSTEM);
  const { holderIdentity: identity = '', acquireTime = '' } = spec;
  if (identity === '') return undefined;
  return { identity, pod: identity.slice(0, identity.lastIndexOf('-')), since: Date.parse(acquireTime) };
}

/** Resolves with the next leader. */
export function awaitSuccessor(cluster: TestCluster, { identity }: Leader): Promise<Leader> {
  return until('another replica leads', async () => {
    const leader = await leaderOf(cluster);
    return leader?.identity === identity ? undefined : leader;
  });
}

/** Sends a signal to the manager's process in a Pod, which no Kubernetes component notices. */
export async function signalManager(
  cluster: TestCluster,
  pod: string,
  signal: 'KILL' | 'STOP' | 'CONT',
): Promise<void> {
  const found = 'grep -qzx "POD_NAME=$1" "$folder/environ" 2>/dev/null';
  const script = `for folder in /proc/[0-9]*; do if ${found}; then kill -$2 "\${folder#/proc/}" && echo "$folder"; fi; done`;
  const reached = await cluster.onNode('node-1', ['sh', '-c', script, 'sh', pod, signal]);
  if (reached.trim().split('\n').length !== 1 || reached === '')
    throw new Error(`not one process of ${pod}: ${reached}`);
}

/**
 * The Pods that wrote since then, from the API server's audit log, each named once for each run of writes without
 * another writer; without their writes to the lease, for which they compete. Milliseconds since 1970.
 */
export function writersSince(cluster: TestCluster, moment: number): readonly string[] {
  const pods = writesSince(cluster, moment).map(({ pod }) => pod);
  return pods.filter((pod, index) => pod !== pods[index - 1]);
}

/**
 * Fails unless all writes since `moment` are the successor's, except one at most. A process that is stopped after its
 * fence has admitted a write and before the kernel has taken it sends that write when it continues, and no fence can
 * prevent it; one thread cannot have two such writes.
 */
export function expectFenced(cluster: TestCluster, successor: string, moment: number): void {
  const writes = writesSince(cluster, moment);
  const late = writes.filter(({ pod }) => pod !== successor).map(({ pod, write }) => `${pod}: ${write}`);
  expect(late.slice(1)).toEqual([]);
  expect(writes.length).toBeGreaterThan(late.length);
}

function writesSince(
  cluster: TestCluster,
  moment: number,
): readonly { readonly pod: string; readonly write: string }[] {
  return audited(cluster, ACCOUNT)
    .filter(({ user, verb }) => user.username === ACCOUNT && !READS.has(verb))
    .filter(({ objectRef }) => objectRef?.resource !== 'leases')
    .toSorted((a, b) => receivedAt(a) - receivedAt(b))
    .filter((event) => receivedAt(event) >= moment)
    .map(({ user, verb, objectRef }) => ({
      pod: user.extra?.[POD_NAME]?.[0] ?? 'a token of no Pod',
      write: `${verb} ${objectRef?.resource ?? ''} ${objectRef?.name ?? ''}`,
    }));
}

/** When a Pod was deleted, in milliseconds since 1970. Throws if it was not. */
export function toldToGoAt(cluster: TestCluster, pod: string): number {
  const deletion = audited(cluster, pod).find(
    ({ verb, objectRef }) => verb === 'delete' && objectRef?.resource === 'pods' && objectRef.name === pod,
  );
  if (deletion === undefined) throw new Error(`${pod} was not deleted`);
  return receivedAt(deletion);
}

/** The content of a catalog from any replica that serves it; rejects if none does. */
export async function serveCatalog(client: Client, catalog: string): Promise<string> {
  const labelSelector = 'app.kubernetes.io/name=slipway,app.kubernetes.io/component=manager';
  const pods = await client.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: SYSTEM, labelSelector });
  const path = (pod: string): string =>
    `/api/v1/namespaces/${SYSTEM}/pods/${pod}:8080/proxy/catalogs/${catalog}/api/v1/metas?schema=olm.package`;
  return Promise.any(pods.map(({ metadata }) => client.raw(path(metadata.name), AbortSignal.timeout(10_000))));
}

function audited(cluster: TestCluster, word: string): readonly AuditEvent[] {
  const lines = readFileSync(join(cluster.folder, 'audit.jsonl'), 'utf8').split('\n');
  return lines.filter((line) => line.includes(word)).map((line) => JSON.parse(line) as AuditEvent);
}

function receivedAt({ requestReceivedTimestamp }: AuditEvent): number {
  return Date.parse(requestReceivedTimestamp);
}

const READS = new Set(['get', 'list', 'watch']);

/** @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#token-request */
const POD_NAME = 'authentication.kubernetes.io/pod-name';

interface Lease {
  readonly spec: { readonly holderIdentity?: string; readonly acquireTime?: string };
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string; readonly extra?: Readonly<Record<string, readonly string[]>> };
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
  readonly requestReceivedTimestamp: string;
}
