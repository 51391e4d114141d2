/**
 * The network of a cluster with real nodes. The supervisor and with it the control plane live in a network namespace
 * with a bridge; each node has a namespace of its own on that bridge, and this machine is on it with one link, so that
 * tests reach the API server, the registry, Pods and Services by address. Everything is gone with the namespaces.
 *
 *     10.N.0.1     control plane and registry      10.N.64.0/20       Services
 *     10.N.0.10+I  node I                          10.N.128+I.0/24    Pods of node I
 *     10.N.0.254   this machine
 */
import { readlinkSync } from 'node:fs';
import { waitUntil } from '../admin.ts';
import { clustersFolder } from '../folders.ts';
import { withLock } from '../lock.ts';
import { runTool } from '../run-tool.ts';
import { LINK_TO_MACHINE } from './link.ts';

/** The addresses of one cluster; `prefix` is `10.N`. */
export interface ClusterNetwork {
  readonly prefix: string;
  /** Where the control plane listens. */
  readonly gateway: string;
  readonly serviceCidr: string;
  readonly podCidr: string;
  /** The process in whose namespace the bridge is. */
  readonly hub: number;
}

export interface NodeNetwork {
  readonly address: string;
  readonly podCidr: string;
}

const FIRST = 64;
const LAST = 127;

/** The addresses of node 1, 2 and so on. */
export function nodeNetwork({ prefix }: ClusterNetwork, index: number): NodeNetwork {
  return { address: `${prefix}.0.${10 + index}`, podCidr: `${prefix}.${128 + index}.0/24` };
}

/** Makes the bridge in the namespace of the process `hub`, and the link between it and this machine. */
export function createNetwork(hub: number): Promise<ClusterNetwork> {
  return withLock(`${clustersFolder()}.network.lock`, {}, async () => {
    const prefix = await freePrefix();
    const gateway = `${prefix}.0.1`;
    const link = `slipway${hub}`; // 15 characters at most
    await inNamespaceOf(hub, [
      'link set lo up',
      'link add pods type bridge',
      `addr add ${gateway}/24 dev pods`,
      'link set pods up',
    ]);
    await ip(['link', 'add', link, 'type', 'veth', 'peer', 'name', LINK_TO_MACHINE, 'netns', String(hub)]);
    await inNamespaceOf(hub, [`link set ${LINK_TO_MACHINE} master pods up`]);
    await ip(['addr', 'add', `${prefix}.0.254/24`, 'dev', link]);
    await ip(['link', 'set', link, 'up']);
    return { prefix, gateway, serviceCidr: `${prefix}.64.0/20`, podCidr: `${prefix}.128.0/17`, hub };
  });
}

/** Gives the namespace of the process `box` the link `eth0` to the bridge, and adds the routes to its Pods. */
export async function connectNode(network: ClusterNetwork, index: number, box: number): Promise<void> {
  const { hub, serviceCidr } = network;
  const { address, podCidr } = nodeNetwork(network, index);
  await waitUntil(() => Promise.resolve(namespaceOf(box) !== namespaceOf(hub)), {
    what: 'Making the network namespace of a node',
    timeoutSeconds: 10,
  });
  await inNamespaceOf(hub, [`link delete node${index}`]).catch(() => {}); // a killed node's goes a moment after it
  await inNamespaceOf(hub, [
    `link add node${index} type veth peer name eth0 netns ${box}`,
    `link set node${index} master pods up`,
  ]);
  const routes = [podCidr, ...(index === 1 ? [serviceCidr] : [])];
  await inNamespaceOf(
    hub,
    routes.map((route) => `route replace ${route} via ${address}`),
  );
  for (const route of routes) await ip(['route', 'replace', route, 'via', address]);
}

/** The first `10.N` that this machine has no way to yet. */
async function freePrefix(): Promise<string> {
  const routes = JSON.parse(await ip(['-json', '-4', 'route', 'show'])) as { readonly dst: string }[];
  for (let second = FIRST; second <= LAST; second += 1) {
    const prefix = `10.${second}`;
    if (!routes.some(({ dst }) => dst.startsWith(`${prefix}.`) || /^10(\.0)*\//.test(dst))) return prefix;
  }
  throw new Error(`This machine has routes to all networks from 10.${FIRST}.0.0 to 10.${LAST}.0.0`);
}

function namespaceOf(pid: number): string {
  return readlinkSync(`/proc/${pid}/ns/net`);
}

function inNamespaceOf(pid: number, commands: readonly string[]): Promise<string> {
  const args = ['--target', String(pid), '--net', 'ip', '-batch', '-'];
  return runTool('nsenter', { args, env: toolEnvironment(), stdin: `${commands.join('\n')}\n` });
}

function ip(args: readonly string[]): Promise<string> {
  return runTool('ip', { args, env: toolEnvironment() });
}

function toolEnvironment(): Record<string, string> {
  return { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
}
