/**
 * A client for Leases alone, so that little can hold up a renewal: over a transport of its own it waits in no line
 * for a connection, and it need not ask which kinds the API server serves, which is much to send and asked for anew
 * whenever a kind is missing. Knows nothing of who leads; leader-election.ts uses it.
 */
import { createClient, type Client } from '../client/client.ts';
import type { Discovery } from '../client/discovery.ts';
import type { Resource } from '../client/resource-path.ts';
import type { Transport } from '../transport/transport.ts';

export type LeaseClient = Pick<Client, 'get' | 'create' | 'update'>;

/** @param transport Shared with nobody who sends many requests. */
export function createLeaseClient(transport: Transport): LeaseClient {
  return createClient(transport, { discovery: LEASES_ONLY });
}

/** Every API server of Kubernetes 1.14 and later serves it so. */
const LEASE: Resource = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  verbs: ['get', 'create', 'update'],
  subresources: [],
};

const LEASES_ONLY: Discovery = {
  find: async () => LEASE,
  need: async () => LEASE,
  list: async () => [LEASE],
  invalidate: () => undefined,
  announce: () => undefined,
  onAnnounce: () => () => undefined,
};
