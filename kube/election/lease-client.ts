/**
 * A client for Leases alone, so that little can delay a renewal: with a transport of its own it does not wait for a
 * connection, and it needs no discovery, which is large and fetched again whenever a kind is missing. It does not know
 * who leads; leader-election.ts uses it.
 */
import { createClient, type Client } from '../client/client.ts';
import type { Discovery } from '../client/discovery.ts';
import type { Resource } from '../client/resource-path.ts';
import type { Transport } from '../transport/transport.ts';

export type LeaseClient = Pick<Client, 'get' | 'create' | 'update'>;

/** @param transport Not shared with clients that send many requests. */
export function createLeaseClient(transport: Transport): LeaseClient {
  return createClient(transport, { discovery: LEASES_ONLY });
}

/** Every API server since Kubernetes 1.14 serves Leases so. */
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
