/** Lays a cluster out in its folder, and brings its components up there. */
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAdmin, type Admin } from './admin.ts';
import { COMPONENTS_KUBECONFIG, type ComponentName, type Layout } from './components.ts';
import { buildKubeconfig } from './kubeconfig.ts';
import { createNetwork, type ClusterNetwork } from './node/network.ts';
import { pushPodImage } from './node/pod-image.ts';
import { startRealNode, type NodeName } from './node/real-node.ts';
import { startOlm } from './olm/start-olm.ts';
import { startOlmV1 } from './olm/start-olm-v1.ts';
import { hasOwnNetwork } from './options.ts';
import { writePki, type ClusterCredentials } from './pki.ts';
import { pickPorts } from './ports.ts';
import { passwordFile, registryAuthorization, registryConfig } from './registry-config.ts';
import { startAll, startComponent, type Boot } from './start-components.ts';

/** A cluster that is up. */
export interface Booted {
  readonly server: string;
  /** `host:port` of the registry. */
  readonly registry: string;
  readonly credentials: ClusterCredentials;
  readonly admin: Admin;
  /** URL of etcd. */
  readonly etcd: string;
  /** Starts a component that does not run, and waits until it can be used. */
  start(name: ComponentName | NodeName): Promise<void>;
}

/** Starts the components in order and waits for each; the supervisor owns them from then on. */
export async function bootComponents(boot: Boot): Promise<Booted> {
  const network = hasOwnNetwork(boot.options) ? await createNetwork(boot.supervisor.pid) : undefined;
  const layout = network === undefined ? await layOutOnLoopback(boot.folder) : layOutOn(network, boot.folder);
  const credentials = await writePki(layout);
  const place = { server: `https://${layout.address}:${layout.ports.api}`, ca: credentials.ca };
  const certified = { certificate: credentials.admin.publicPem, key: credentials.admin.privatePem };
  const byToken = { token: credentials.adminToken };
  const registry = `${network === undefined ? 'localhost' : layout.address}:${layout.ports.registry}`;
  writeFiles(boot, {
    layout,
    kubeconfig: buildKubeconfig({ ...place, credentials: certified }),
    components: buildKubeconfig({ ...place, credentials: byToken }),
  });
  const starting = { boot, layout, admin: openAdmin({ ...place, ...byToken }) };
  const { server } = place;
  await startAll(starting);
  const onNodes = boot.options.node === 'real' ? network : undefined;
  const startNode = await startRealNodes(boot, { ...starting, network: onNodes, server, registry, credentials });
  if (boot.options.olm === true && network !== undefined) await startOlm(boot, { network, admin: starting.admin });
  if (boot.options.olmV1 === true && network !== undefined)
    await startOlmV1(boot, { network, admin: starting.admin, registry });
  return {
    server,
    registry,
    credentials,
    admin: starting.admin,
    etcd: `http://${layout.address}:${layout.ports.etcd}`,
    start: (name) => (isNode(name) ? startNode(name) : startComponent(name, starting)),
  };
}

async function layOutOnLoopback(folder: string): Promise<Layout> {
  const address = '127.0.0.1';
  const [etcd, etcdPeer, api, registry] = (await pickPorts(4, address)) as [number, number, number, number];
  return { folder, address, serviceCidr: '10.96.0.0/16', ports: { etcd, etcdPeer, api, registry } };
}

/** No other process has these addresses, so the ports can be the usual ones. */
function layOutOn({ gateway, serviceCidr }: ClusterNetwork, folder: string): Layout {
  return { folder, address: gateway, serviceCidr, ports: { etcd: 2379, etcdPeer: 2380, api: 6443, registry: 5000 } };
}

/** All at the same time; none without a network for them. Returns how to bring one back. */
async function startRealNodes(
  { folder, binaries, supervisor, options }: Boot,
  { network, admin, server, registry, credentials }: RealNodeParts,
): Promise<(name: NodeName) => Promise<void>> {
  if (network === undefined) return (name) => Promise.reject(new Error(`This cluster has no ${name}`));
  const count = options.realNodes ?? 1;
  const { authority } = credentials;
  const authorization = registryAuthorization(options.registry || {});
  const nodes = { folder, network, count, binaries, supervisor, authority, admin, server, registry, authorization };
  await pushPodImage({ folder, binaries, registry, authorization });
  await Promise.all(Array.from({ length: count }, (_none, at) => startRealNode(at + 1, nodes)));
  return (name) => startRealNode(Number(name.slice('node-'.length)), nodes);
}

interface RealNodeParts extends Pick<Booted, 'server' | 'registry' | 'credentials' | 'admin'> {
  readonly network: ClusterNetwork | undefined;
}

function isNode(name: ComponentName | NodeName): name is NodeName {
  return name.startsWith('node-');
}

/**
 * Before kubectl merges by itself, it asks for the OpenAPI document of everything, which takes the API server the better
 * part of a second after every change of a CRD. People's own kubectl is as they set it up.
 * @see https://kubernetes.io/docs/reference/kubectl/kuberc/
 */
const KUBECTL_PREFERENCES = `apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
defaults:
  - command: apply
    options:
      - name: server-side
        default: "true"
`;

function writeFiles(
  { folder, binaries, options }: Boot,
  {
    layout,
    kubeconfig,
    components,
  }: Readonly<Record<'kubeconfig' | 'components', string>> & { readonly layout: Layout },
): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('kubeconfig', kubeconfig);
  write(COMPONENTS_KUBECONFIG, components);
  write('registry.json', registryConfig(options.registry || {}, layout));
  write('htpasswd', passwordFile());
  mkdirSync(join(folder, '.kube'));
  write('.kube/kuberc', KUBECTL_PREFERENCES);
  mkdirSync(join(folder, 'registry'));
  mkdirSync(join(folder, 'bin'));
  for (const tool of ['kubectl', 'crane']) symlinkSync(binaries.get(tool)!, join(folder, 'bin', tool));
  if (options.audit === true) copyFileSync(join(import.meta.dirname, 'audit-policy.yaml'), join(folder, 'audit.yaml'));
}
