/**
 * The Service of the manager for a manager that runs as a process of this machine: the API server forwards requests for
 * content to it, as it does to a Pod. API servers forward to no loopback address, so the machine needs another one.
 */
import { networkInterfaces } from 'node:os';
import type { TestCluster } from '../cluster/cluster.ts';
import { SYSTEM } from '../lib/manager.ts';

/** For `startManager`: it listens on every address, at a port of the system's choice. */
export const LISTENS_EVERYWHERE = { SLIPWAY_LISTEN: '0.0.0.0:0' };

const NAME = 'slipway-manager';

/** Leads the Service to the manager that has the address `http://127.0.0.1:port`. */
export async function serveManager(cluster: TestCluster, manager: { readonly url: string }): Promise<void> {
  const port = Number(new URL(manager.url).port);
  const metadata = { name: NAME, namespace: SYSTEM };
  const objects = [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ name: 'http', port: 80, targetPort: port }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': NAME } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [ownAddress()], conditions: { ready: true } }],
      ports: [{ name: 'http', port }],
    },
  ];
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
}

function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (own === undefined)
    throw new Error('this machine has no address but loopback, to which API servers forward nothing');
  return own.address;
}
