/**
 * Starts a real node: kubelet, containerd and kube-proxy in namespaces of their own, on the bridge of the cluster, with
 * images from the cluster's registry and from nowhere else. The supervisor owns the one process that holds it all.
 * Called while a cluster starts, and to bring back a node that was killed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitUntil, type Admin } from '../admin.ts';
import type { Authority } from '../certificates.ts';
import { buildKubeconfig } from '../kubeconfig.ts';
import { runningProcesses } from '../processes.ts';
import { runTool } from '../run-tool.ts';
import type { Supervisor } from '../supervised.ts';
import { clusterCgroup, createCgroups } from './cgroups.ts';
import { connectNode, nodeNetwork, type ClusterNetwork } from './network.ts';
import { nodeFiles } from './node-files.ts';

const READY_WITHIN_SECONDS = 60;

export type NodeName = `node-${number}`;

export interface RealNodes {
  /** Folder of the cluster. */
  readonly folder: string;
  readonly network: ClusterNetwork;
  readonly count: number;
  readonly binaries: ReadonlyMap<string, string>;
  readonly supervisor: Supervisor;
  readonly authority: Authority;
  readonly admin: Admin;
  readonly server: string;
  /** `host:port`. */
  readonly registry: string;
  /** With which nodes pull the image that holds a Pod's namespaces, if the registry asks for a password. */
  readonly authorization: string | undefined;
}

/** Starts node 1, 2 and so on, and resolves when it is ready for Pods. */
export async function startRealNode(index: number, nodes: RealNodes): Promise<void> {
  const name: NodeName = `node-${index}`;
  const started = Date.now();
  await writeNodeFolder(name, index, nodes);
  createCgroups(nodes.folder, name);
  await nodes.supervisor.start({ name, program: 'unshare', args: BOX, env: boxEnvironment(name, index, nodes) });
  await connectNode(nodes.network, index, runningProcesses(nodes.folder).get(name)!);
  await waitUntil(() => isReady(nodes.admin, name, started), {
    what: `Starting ${name}`,
    timeoutSeconds: READY_WITHIN_SECONDS,
    failure: () => nodes.supervisor.ended(name) && `${name} ended while it started; see ${nodes.folder}/logs`,
  });
}

/** Runs a command inside the node whose outermost process is given. Throws if there is none. */
export function runOnNode(pid: number | undefined, command: readonly string[]): Promise<string> {
  if (pid === undefined) throw new Error('The node does not run');
  const first = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const args = ['--target', first, '--mount', '--pid', '--net', '--uts', '--ipc', '--', ...command];
  return runTool('nsenter', { args, env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` } });
}

const NAMESPACES = ['--mount', '--pid', '--net', '--uts', '--ipc', '--fork', '--kill-child=KILL'];
const BOX = [...NAMESPACES, join(import.meta.dirname, 'box.sh')];

async function writeNodeFolder(name: NodeName, index: number, nodes: RealNodes): Promise<void> {
  const folder = join(nodes.folder, name);
  const network = nodeNetwork(nodes.network, index);
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text, { mode: 0o600 });
  };
  for (const part of ['var-lib', 'var-log']) mkdirSync(join(folder, part), { recursive: true });
  const files = nodeFiles({
    name,
    folder,
    network,
    podCidr: nodes.network.podCidr,
    nameServer: nodes.network.gateway,
    cgroup: `/${clusterCgroup(nodes.folder)}/${name}`,
    registry: `http://${nodes.registry}`,
    authorization: nodes.authorization,
    caFile: join(nodes.folder, 'pki', 'ca.crt'),
    binaries: nodes.binaries,
  });
  for (const [file, text] of files) write(file, text);
  const identity = { commonName: `system:node:${name}`, organization: 'system:nodes' };
  const kubelet = await nodes.authority.issue({ ...identity, dnsNames: [name], ipAddresses: [network.address] });
  const kubeProxy = await nodes.authority.issue({ commonName: 'system:kube-proxy' });
  write(`${name}.crt`, kubelet.publicPem);
  write(`${name}.key`, kubelet.privatePem);
  for (const [user, pair] of Object.entries({ kubelet, 'kube-proxy': kubeProxy })) {
    const credentials = { certificate: pair.publicPem, key: pair.privatePem };
    const facts = { server: nodes.server, ca: nodes.authority.certificatePem, credentials };
    write(`${user}.kubeconfig`, buildKubeconfig(facts));
  }
}

function boxEnvironment(name: NodeName, index: number, nodes: RealNodes): Record<string, string> {
  const programs = ['containerd', 'kubelet', 'kube-proxy', 'runc', 'containerd-shim-runc-v2'];
  const folders = new Set(programs.map((program) => dirname(nodes.binaries.get(program)!)));
  return {
    PATH: [...folders, process.env['PATH'] ?? '', '/usr/sbin', '/sbin'].join(':'),
    NODE_NAME: name,
    NODE_FOLDER: join(nodes.folder, name),
    NODE_ADDRESS: nodeNetwork(nodes.network, index).address,
    GATEWAY: nodes.network.gateway,
    ROUTES: routesToOthers(index, nodes).join('\n'),
  };
}

function routesToOthers(index: number, { network, count }: RealNodes): string[] {
  return Array.from({ length: count }, (_none, at) => at + 1)
    .filter((other) => other !== index)
    .map((other) => nodeNetwork(network, other))
    .map(({ podCidr, address }) => `route add ${podCidr} via ${address}`);
}

/** A Node that was there before still says that it is ready, so its heartbeat has to be heard first. */
async function isReady(admin: Admin, name: NodeName, started: number): Promise<boolean> {
  const node = (await admin.call('GET', `/api/v1/nodes/${name}`)) as unknown as NodeObject;
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True' || (node.spec?.taints ?? []).some(isOfKubernetes)) return false;
  const wholeSecond = started - (started % 1000);
  return Date.parse(ready.lastHeartbeatTime) >= wholeSecond || (await lastRenewal(admin, name)) >= started;
}

/** A status that stays the same is sent seldom, the lease is renewed every ten seconds. */
async function lastRenewal(admin: Admin, name: NodeName): Promise<number> {
  const lease = await admin.call('GET', `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`);
  return Date.parse((lease['spec'] as { readonly renewTime: string }).renewTime);
}

function isOfKubernetes({ key }: { readonly key: string }): boolean {
  return key.startsWith('node.kubernetes.io/');
}

interface NodeObject {
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
  readonly status?: { readonly conditions?: readonly NodeCondition[] };
}

interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly lastHeartbeatTime: string;
}
