/**
 * The Service of the manager for a manager that runs as a process of this machine: the API server forwards requests for
 * content to it, as it does to a Pod. API servers forward to addresses of Pods alone, and to no loopback address; so there
 * is a Pod that no scheduler places, with another address of this machine in its status.
 */
import { networkInterfaces } from 'node:os';
import type { TestCluster } from '../cluster/cluster.ts';
import { SYSTEM } from '../lib/manager.ts';

/** For `startManager`: it listens on every address, at a port of the system's choice. */
export const LISTENS_EVERYWHERE = { SLIPWAY_LISTEN: '0.0.0.0:0' };

const SERVICE = { name: 'slipway-manager', namespace: SYSTEM };
const POD = { name: 'slipway-manager-process', namespace: SYSTEM };

/** Leads the Service to the manager that has the address `http://127.0.0.1:port`. */
export async function serveManager(cluster: TestCluster, manager: { readonly url: string }): Promise<void> {
  const port = Number(new URL(manager.url).port);
  const ip = ownAddress();
  const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const spec = {
    schedulerName: 'none',
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [{ name: 'manager', image: 'manager', securityContext }],
  };
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: POD, spec }));
  const status = JSON.stringify({ status: { phase: 'Running', podIP: ip, podIPs: [{ ip }] } });
  await cluster.kubectl(['-n', SYSTEM, 'patch', 'pod', POD.name, '--subresource=status', '--type=merge', '-p', status]);
  const objects = [
    { kind: 'Service', metadata: SERVICE, spec: { ports: [{ name: 'http', port: 80, targetPort: port }] } },
    {
      kind: 'Endpoints',
      metadata: SERVICE,
      subsets: [{ addresses: [{ ip, targetRef: { kind: 'Pod', ...POD } }], ports: [{ name: 'http', port }] }],
    },
  ];
  const items = objects.map((object) => ({ apiVersion: 'v1', ...object }));
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}

function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (own === undefined)
    throw new Error('this machine has no address but loopback, to which API servers forward nothing');
  return own.address;
}
