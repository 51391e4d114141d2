/**
 * The command lines of a control plane: from the places of its files and ports to the processes to start, in order.
 * [pure]
 */
import { join } from 'node:path';

/** What a test cluster can consist of. */
export const COMPONENTS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
  'registry',
] as const;

export type ComponentName = (typeof COMPONENTS)[number];

/** Where the parts of one cluster find each other. */
export interface Layout {
  readonly folder: string;
  /** Address that everything listens on. */
  readonly address: string;
  /** Addresses of Services; the first is the API server's. */
  readonly serviceCidr: string;
  readonly ports: { readonly etcd: number; readonly etcdPeer: number; readonly api: number; readonly registry: number };
}

/** What may be different from one cluster to the next. */
export interface ComponentSettings {
  /** Requests a second that kube-controller-manager and kube-scheduler allow themselves, or Kubernetes' own limits. */
  readonly kubeApiQps: number | 'default';
  /** Added to the command line of kube-apiserver. */
  readonly apiServerFlags: readonly string[];
  /** Files with stages for kwok, which has none of its own. */
  readonly stageFiles: readonly string[];
}

/** A component with the components that must run before it, and its arguments. */
export interface Component {
  readonly name: ComponentName;
  readonly args: readonly string[];
}

/** Name of the kubeconfig of the components, with the administrator's token. */
export const COMPONENTS_KUBECONFIG = 'components.kubeconfig';

const TOKEN_ISSUER = 'https://kubernetes.default.svc';

/** The wanted components, and those that they cannot do without, in the order in which they start. */
export function selectComponents(wanted: readonly ComponentName[]): readonly ComponentName[] {
  const needed = new Set(wanted);
  if (wanted.some((name) => name !== 'registry')) needed.add('etcd').add('kube-apiserver');
  return COMPONENTS.filter((name) => needed.has(name));
}

/** The arguments with which a component starts. */
export function componentArgs(name: ComponentName, layout: Layout, settings: ComponentSettings): readonly string[] {
  return ARGUMENTS[name](layout, settings);
}

const ARGUMENTS: Readonly<Record<ComponentName, (layout: Layout, settings: ComponentSettings) => readonly string[]>> = {
  etcd,
  'kube-apiserver': (layout, { apiServerFlags }) => replaceFlags(apiServer(layout), apiServerFlags),
  'kube-controller-manager': (layout, settings) => [...controllerManager(layout), ...clientLimits(settings)],
  'kube-scheduler': (layout, settings) => [...scheduler(layout), ...clientLimits(settings)],
  kwok,
  registry: ({ folder }) => ['serve', join(folder, 'registry.json')],
};

/** A list flag that is given twice would be joined: the first value is left out if it is given again. */
function replaceFlags(flags: readonly string[], given: readonly string[]): readonly string[] {
  const nameOf = (flag: string): string => flag.split('=', 1)[0] ?? '';
  const again = new Set(given.map(nameOf));
  return [...flags.filter((flag) => !again.has(nameOf(flag))), ...given];
}

/** What is written need not survive the machine, so nothing waits for the disk. */
function etcd({ folder, address, ports }: Layout): string[] {
  const client = `http://${address}:${ports.etcd}`;
  const peer = `http://${address}:${ports.etcdPeer}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    // alone, it need not wait long to see whether another one leads; with a faster beat it is never idle
    '--heartbeat-interval=50',
    '--election-timeout=250',
    '--log-level=warn',
  ];
}

/** With the admission plugins, RBAC and aggregation of a production server. */
function apiServer({ folder, address, serviceCidr, ports }: Layout): string[] {
  const pki = (name: string): string => join(folder, 'pki', name);
  return [
    `--etcd-servers=http://${address}:${ports.etcd}`,
    `--bind-address=${address}`,
    `--advertise-address=${address}`,
    `--secure-port=${ports.api}`,
    `--cert-dir=${join(folder, 'tmp')}`,
    `--tls-cert-file=${pki('apiserver.crt')}`,
    `--tls-private-key-file=${pki('apiserver.key')}`,
    `--client-ca-file=${pki('ca.crt')}`,
    `--token-auth-file=${pki('tokens.csv')}`,
    `--requestheader-client-ca-file=${pki('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${pki('front-proxy-client.crt')}`,
    `--proxy-client-key-file=${pki('front-proxy-client.key')}`,
    `--service-account-key-file=${pki('service-account.pub')}`,
    `--service-account-signing-key-file=${pki('service-account.key')}`,
    `--service-account-issuer=${TOKEN_ISSUER}`,
    `--service-cluster-ip-range=${serviceCidr}`,
    `--kubelet-client-certificate=${pki('admin.crt')}`,
    `--kubelet-client-key=${pki('admin.key')}`,
    `--kubelet-certificate-authority=${pki('ca.crt')}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
  ];
}

/**
 * Beside kwok the node lifecycle controller has to run, since only it takes the taint `not-ready` off a new Node, but
 * it must not check heartbeats: with the usual grace period the fake Node is NotReady for seconds every minute.
 */
function controllerManager({ folder }: Layout): string[] {
  return [
    `--kubeconfig=${join(folder, COMPONENTS_KUBECONFIG)}`,
    `--service-account-private-key-file=${join(folder, 'pki', 'service-account.key')}`,
    `--root-ca-file=${join(folder, 'pki', 'ca.crt')}`,
    '--use-service-account-credentials',
    '--leader-elect=false',
    '--controllers=*,-node-ipam-controller',
    '--node-monitor-grace-period=24h',
    '--secure-port=0',
  ];
}

function scheduler({ folder }: Layout): string[] {
  return [`--kubeconfig=${join(folder, COMPONENTS_KUBECONFIG)}`, '--leader-elect=false', '--secure-port=0'];
}

function kwok({ folder }: Layout, { stageFiles }: ComponentSettings): string[] {
  return [
    `--kubeconfig=${join(folder, COMPONENTS_KUBECONFIG)}`,
    '--manage-all-nodes=false',
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    '--cidr=10.244.0.0/16',
    '--node-ip=127.0.0.1',
    ...stageFiles.map((file) => `--config=${file}`),
  ];
}

function clientLimits({ kubeApiQps }: ComponentSettings): string[] {
  return kubeApiQps === 'default' ? [] : [`--kube-api-qps=${kubeApiQps}`, `--kube-api-burst=${2 * kubeApiQps}`];
}
