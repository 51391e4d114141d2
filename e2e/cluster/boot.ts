/** Lays a cluster out in its folder, and brings its components up there. */
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAdmin, type Admin } from './admin.ts';
import type { ClusterOptions } from './cluster.ts';
import type { ComponentName, Layout } from './components.ts';
import { buildKubeconfig } from './kubeconfig.ts';
import { writePki, type ClusterCredentials } from './pki.ts';
import { pickPorts } from './ports.ts';
import { passwordFile, registryConfig } from './registry-config.ts';
import { startAll, startComponent } from './start-components.ts';
import type { Supervisor } from './supervised.ts';

export interface Boot {
  readonly folder: string;
  readonly supervisor: Supervisor;
  readonly binaries: ReadonlyMap<string, string>;
  readonly components: readonly ComponentName[];
  readonly options: ClusterOptions;
}

/** A cluster that is up. */
export interface Booted {
  readonly server: string;
  /** `host:port` of the registry. */
  readonly registry: string;
  readonly credentials: ClusterCredentials;
  readonly admin: Admin;
  /** Starts a component that does not run, and waits until it can be used. */
  start(name: ComponentName): Promise<void>;
}

/** Starts the components in order and waits for each; the supervisor owns them from then on. */
export async function bootComponents(boot: Boot): Promise<Booted> {
  const layout = await layOut(boot.folder);
  const credentials = await writePki(boot.folder, [layout.address]);
  const endpoint = {
    server: `https://${layout.address}:${layout.ports.api}`,
    ca: credentials.ca,
    certificate: credentials.admin.publicPem,
    key: credentials.admin.privatePem,
  };
  writeFiles(boot, { layout, kubeconfig: buildKubeconfig({ ...endpoint, credentials: endpoint }) });
  const started = { boot, layout, admin: openAdmin(endpoint) };
  await startAll(started);
  return {
    server: endpoint.server,
    registry: `localhost:${layout.ports.registry}`,
    credentials,
    admin: started.admin,
    start: (name) => startComponent(name, started),
  };
}

async function layOut(folder: string): Promise<Layout> {
  const address = '127.0.0.1';
  const [etcd, etcdPeer, api, registry] = (await pickPorts(4, address)) as [number, number, number, number];
  return { folder, address, ports: { etcd, etcdPeer, api, registry } };
}

function writeFiles(
  { folder, binaries, options }: Boot,
  { layout, kubeconfig }: { readonly layout: Layout; readonly kubeconfig: string },
): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('kubeconfig', kubeconfig);
  write('registry.json', registryConfig(options.registry || {}, layout));
  write('htpasswd', passwordFile());
  mkdirSync(join(folder, 'registry'));
  mkdirSync(join(folder, 'bin'));
  for (const tool of ['kubectl', 'crane']) symlinkSync(binaries.get(tool)!, join(folder, 'bin', tool));
  if (options.audit === true) copyFileSync(join(import.meta.dirname, 'audit-policy.yaml'), join(folder, 'audit.yaml'));
}
