/** The configuration of the programs on a real node, all of it in the node's folder. [pure] */
import { dirname, join } from 'node:path';
import type { NodeNetwork } from './network.ts';

export interface NodeFacts {
  readonly name: string;
  /** The node's folder. */
  readonly folder: string;
  /** The node's group, as the kernel names it: from the root of a hierarchy. */
  readonly cgroup: string;
  readonly network: NodeNetwork;
  /** Of the whole cluster. */
  readonly podCidr: string;
  /** The name server of Pods; no server need answer there. */
  readonly nameServer: string;
  /** Where every image comes from, whatever its name says: `http://host:port`. */
  readonly registry: string;
  /** For the image that holds a Pod's namespaces alone: other images need a pull secret. */
  readonly authorization?: string | undefined;
  readonly caFile: string;
  readonly binaries: ReadonlyMap<string, string>;
}

/** Name that the image of modules/pod has on nodes: the program that holds a Pod's namespaces, and serves in tests. */
export const POD_IMAGE = 'test.slipway.dev/pod:1';

/**
 * What the kubelet wants to see under /proc/sys, and would else write there, for the whole machine. Inside the node
 * these values lie over the real ones.
 */
const KERNEL_SETTINGS: Readonly<Record<string, number>> = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
};

/** File in the node's folder → its text. */
export function nodeFiles(facts: NodeFacts): ReadonlyMap<string, string> {
  const settings = Object.entries(KERNEL_SETTINGS);
  return new Map([
    ['containerd.toml', containerdConfig(facts)],
    ['certs.d/_default/hosts.toml', registryHosts(facts)],
    ...podImageHosts(facts),
    ['cni/pods.conflist', JSON.stringify(podNetwork(facts))],
    ['kubelet.json', JSON.stringify(kubeletConfig(facts))],
    ['kube-proxy.json', JSON.stringify(kubeProxyConfig(facts))],
    ['resolv.conf', ''],
    ...settings.map(([name, value]): [string, string] => [`sys/${name}`, String(value)]),
  ]);
}

/** Without CAP_SYS_RESOURCE nothing may lower its oom_score_adj, which Pods ask for: hence the restriction. */
function containerdConfig({ folder, binaries }: NodeFacts): string {
  const text = (value: string): string => JSON.stringify(value);
  return `version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.nri.v1.nri",
  "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.erofs",
  "io.containerd.tracing.processor.v1.otlp",
]

[grpc]
address = "/run/containerd/containerd.sock"

[plugins."io.containerd.cri.v1.images"]
snapshotter = "overlayfs"

[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = ${text(POD_IMAGE)}

[plugins."io.containerd.cri.v1.images".registry]
config_path = ${text(join(folder, 'certs.d'))}

[plugins."io.containerd.cri.v1.runtime"]
restrict_oom_score_adj = true

[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = [${text(dirname(binaries.get('bridge')!))}]
conf_dir = ${text(join(folder, 'cni'))}

[plugins."io.containerd.cri.v1.runtime".containerd]
default_runtime_name = "runc"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
BinaryName = ${text(binaries.get('runc')!)}
SystemdCgroup = false
`;
}

/** `server` is required too: without it containerd also asks the host that an image's name begins with. */
function registryHosts({ registry }: NodeFacts): string {
  return `server = "${registry}"\n\n[host."${registry}"]\ncapabilities = ["pull", "resolve"]\n`;
}

function podImageHosts(facts: NodeFacts): readonly (readonly [string, string])[] {
  const { authorization, registry } = facts;
  if (authorization === undefined) return [];
  const header = `[host."${registry}".header]\nauthorization = ${JSON.stringify(authorization)}\n`;
  return [[`certs.d/${POD_IMAGE.split('/')[0]}/hosts.toml`, `${registryHosts(facts)}${header}`]];
}

function podNetwork({ network }: NodeFacts): unknown {
  const ipam = {
    type: 'host-local',
    ranges: [[{ subnet: network.podCidr }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const bridge = { type: 'bridge', bridge: 'cni0', isGateway: true, ipMasq: false, hairpinMode: true, ipam };
  return { cniVersion: '1.0.0', name: 'pods', plugins: [bridge] };
}

/** Pulls and events without limits, no eviction because of a machine that others fill, and short periods. */
function kubeletConfig({ name, folder, cgroup, network, nameServer, caFile }: NodeFacts): unknown {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    address: network.address,
    healthzBindAddress: '127.0.0.1',
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: caFile } },
    authorization: { mode: 'Webhook' },
    tlsCertFile: join(folder, `${name}.crt`),
    tlsPrivateKeyFile: join(folder, `${name}.key`),
    resolvConf: join(folder, 'resolv.conf'),
    clusterDomain: 'cluster.local',
    clusterDNS: [nameServer],
    volumePluginDir: '/var/lib/kubelet/volumeplugins',
    nodeStatusUpdateFrequency: '5s',
    syncFrequency: '10s',
    registryPullQPS: 0,
    eventRecordQPS: 0,
    serializeImagePulls: false,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
  };
}

function kubeProxyConfig({ name, folder, podCidr }: NodeFacts): unknown {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'nftables',
    clientConnection: { kubeconfig: join(folder, 'kube-proxy.kubeconfig') },
    clusterCIDR: podCidr,
    hostnameOverride: name,
    metricsBindAddress: '127.0.0.1:10249',
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}
