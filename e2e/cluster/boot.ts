/** Brings the components of one cluster up, each as soon as what it needs is there. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openAdmin, waitUntil, type Admin } from './admin.ts';
import type { ClusterOptions } from './cluster.ts';
import { componentArgs, type ComponentName, type ComponentSettings, type Layout } from './components.ts';
import { createFakeNodes, fakeNodesReady } from './fake-nodes.ts';
import { buildKubeconfig } from './kubeconfig.ts';
import { writePki, type ClusterCredentials } from './pki.ts';
import { pickPorts } from './ports.ts';
import { etcdReady, registryReady } from './readiness.ts';
import { passwordFile, registryConfig } from './registry-config.ts';
import type { Supervisor } from './supervised.ts';

const READY_WITHIN_SECONDS = 60;
const LOG_LINES_SHOWN = 15;

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

/** Another process took a port between looking and listening: everything has to be tried again with others. */
export class PortTaken extends Error {}

/** Starts the components in order and waits for each; the supervisor owns them from then on. */
export async function bootComponents(boot: Boot): Promise<Booted> {
  const layout = await layOut(boot.folder);
  const credentials = await writePki(boot.folder, [layout.address]);
  const server = `https://${layout.address}:${layout.ports.api}`;
  const registry = `localhost:${layout.ports.registry}`;
  writeFiles(boot, { layout, server, credentials });
  const { certificate, key } = { certificate: credentials.admin.publicPem, key: credentials.admin.privatePem };
  const admin = openAdmin({ server, ca: credentials.ca, certificate, key });
  const start = (name: ComponentName): Promise<void> => startComponent(name, { boot, layout, admin });
  await startAll(boot, { start, admin });
  return { server, registry, credentials, admin, start };
}

async function layOut(folder: string): Promise<Layout> {
  const address = '127.0.0.1';
  const [etcd, etcdPeer, api, registry] = (await pickPorts(4, address)) as [number, number, number, number];
  return { folder, address, ports: { etcd, etcdPeer, api, registry } };
}

function writeFiles(
  { folder, options }: Boot,
  { layout, server, credentials }: { layout: Layout; server: string; credentials: ClusterCredentials },
): void {
  const { publicPem: certificate, privatePem: key } = credentials.admin;
  const kubeconfig = buildKubeconfig({ server, ca: credentials.ca, credentials: { certificate, key } });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('kubeconfig', kubeconfig);
  write('registry.json', registryConfig(options.registry || {}, layout));
  write('htpasswd', passwordFile());
  mkdirSync(join(folder, 'registry'), { recursive: true });
  if (options.audit === true) copyFileSync(join(import.meta.dirname, 'audit-policy.yaml'), join(folder, 'audit.yaml'));
}

/** The registry beside the rest; what talks to the API all at once, when the API is there. */
async function startAll(
  { components, options }: Boot,
  { start, admin }: { start: Booted['start']; admin: Admin },
): Promise<void> {
  const startIfWanted = async (name: ComponentName): Promise<void> => {
    if (components.includes(name)) await start(name);
  };
  const registry = startIfWanted('registry');
  const controlPlane = (async () => {
    await startIfWanted('etcd');
    await startIfWanted('kube-apiserver');
    const clients = ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const;
    const nodes = components.includes('kwok') ? createFakeNodes(admin, options.fakeNodes ?? 1) : Promise.resolve();
    await Promise.all([...clients.map(startIfWanted), nodes]);
  })();
  await Promise.all([registry, controlPlane]);
}

interface Started {
  readonly boot: Boot;
  readonly layout: Layout;
  readonly admin: Admin;
}

async function startComponent(name: ComponentName, { boot, layout, admin }: Started): Promise<void> {
  const { supervisor, folder, binaries } = boot;
  const args = componentArgs(name, layout, settings(boot));
  await supervisor.start({ name, program: binaries.get(name)!, args, env: QUIET });
  await waitUntil(() => isReady(name, { boot, layout, admin }), {
    what: `Starting ${name}`,
    timeoutSeconds: READY_WITHIN_SECONDS,
    failure: () => endOf(name, supervisor.ended(name), folder),
  });
}

/** The registry would look for a collector of traces. */
const QUIET = { OTEL_TRACES_EXPORTER: 'none' };

function settings({ folder, options }: Boot): ComponentSettings {
  const auditFlags = [
    `--audit-policy-file=${join(folder, 'audit.yaml')}`,
    `--audit-log-path=${join(folder, 'audit.jsonl')}`,
  ];
  return {
    ...(options.kubeApiQps === undefined ? {} : { kubeApiQps: options.kubeApiQps }),
    apiServerFlags: [...(options.audit === true ? auditFlags : []), ...(options.apiServerFlags ?? [])],
    stageFiles: options.stageFiles ?? [join(import.meta.dirname, 'stages', 'pods.yaml')],
  };
}

/** Ready means that what the component is there for works, not only that it answers. */
function isReady(name: ComponentName, { boot, layout, admin }: Started): Promise<boolean> {
  const questions: Readonly<Record<ComponentName, () => Promise<boolean>>> = {
    etcd: () => etcdReady(layout.ports.etcd),
    'kube-apiserver': () => found(admin, '/readyz'),
    'kube-controller-manager': () => found(admin, '/api/v1/namespaces/default/serviceaccounts/default'),
    'kube-scheduler': () => Promise.resolve(true),
    // only the controller manager takes the taint off a new Node
    kwok: () => fakeNodesReady(admin, { untainted: boot.components.includes('kube-controller-manager') }),
    registry: () => registryReady(layout, boot.options.registry || {}),
  };
  return questions[name]();
}

async function found(admin: Admin, path: string): Promise<boolean> {
  return (await admin.send('GET', path)).status === 200;
}

function endOf(name: string, how: string | undefined, folder: string): string | undefined {
  if (how === undefined) return undefined;
  const lines = readFileSync(join(folder, 'logs', `${name}.log`), 'utf8')
    .trimEnd()
    .split('\n');
  const text = lines.slice(-LOG_LINES_SHOWN).join('\n');
  if (text.includes('address already in use')) throw new PortTaken(`A port of ${name} was taken by another process`);
  return `${name} ended with ${how} while it started:\n${text}`;
}
