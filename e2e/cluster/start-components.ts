/** Starts components, each as soon as its requirements run, and reports when each can be used. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil, type Admin } from './admin.ts';
import { componentArgs, type ComponentName, type ComponentSettings, type Layout } from './components.ts';
import { createFakeNodes, fakeNodesReady, type FakeNodes } from './fake-nodes.ts';
import type { ClusterOptions } from './options.ts';
import { etcdReady, registryReady } from './readiness.ts';
import type { Supervisor } from './supervised.ts';

const READY_WITHIN_SECONDS = 60;
const LOG_LINES_SHOWN = 15;
const QPS_DEFAULT = 500;

/** A cluster that is to be started: which components, in which folder, and who owns their processes. */
export interface Boot {
  readonly folder: string;
  readonly supervisor: Supervisor;
  readonly binaries: ReadonlyMap<string, string>;
  readonly components: readonly ComponentName[];
  readonly options: ClusterOptions;
}

/** A cluster on its way up. */
export interface Starting {
  readonly boot: Boot;
  readonly layout: Layout;
  readonly admin: Admin;
}

/** Another process took a port between looking and listening: everything has to be tried again with others. */
export class PortTaken extends Error {}

/** Starts all requested components. Clients of the API start while the API server still gets ready. */
export async function startAll(starting: Starting): Promise<void> {
  const wanted = (name: ComponentName): boolean => starting.boot.components.includes(name);
  await Promise.all([
    wanted('registry') ? startComponent('registry', starting) : undefined,
    wanted('kube-apiserver') ? startControlPlane(starting) : undefined,
  ]);
}

/** Starts a component and waits until it can be used. Throws with the end of its log if it ends instead. */
export async function startComponent(name: ComponentName, starting: Starting): Promise<void> {
  await launch(name, starting);
  await awaitReady(name, starting);
}

/**
 * The controller manager alone waits until the API server is ready: it looks once a second, so that a look too
 * early costs a second.
 */
async function startControlPlane(starting: Starting): Promise<void> {
  const { admin, boot } = starting;
  const startIfWanted = async (name: ComponentName): Promise<void> => {
    if (boot.components.includes(name)) await startComponent(name, starting);
  };
  await startComponent('etcd', starting);
  await launch('kube-apiserver', starting);
  await waitFor('kube-apiserver', () => found(admin, '/api/v1/namespaces/default'), starting);
  await Promise.all([
    awaitReady('kube-apiserver', starting).then(() => startIfWanted('kube-controller-manager')),
    startIfWanted('kube-scheduler'),
    startIfWanted('kwok'),
    boot.components.includes('kwok') ? createFakeNodes(admin, fakeNodes(boot.options)) : undefined,
  ]);
}

function fakeNodes({ node, fakeNodes: count = 1 }: ClusterOptions): FakeNodes {
  return { count, tainted: node === 'real' };
}

function launch(name: ComponentName, { boot, layout }: Starting): Promise<void> {
  const args = componentArgs(name, layout, settings(boot));
  return boot.supervisor.start({ name, program: boot.binaries.get(name)!, args });
}

function settings({ folder, options }: Boot): ComponentSettings {
  const auditFlags = [
    `--audit-policy-file=${join(folder, 'audit.yaml')}`,
    `--audit-log-path=${join(folder, 'audit.jsonl')}`,
  ];
  return {
    kubeApiQps: options.kubeApiQps ?? QPS_DEFAULT,
    apiServerFlags: [...(options.audit === true ? auditFlags : []), ...(options.apiServerFlags ?? [])],
    stageFiles: [stageFile('nodes.yaml'), ...(options.stageFiles ?? [stageFile('pods.yaml')])],
  };
}

function stageFile(name: string): string {
  return join(import.meta.dirname, 'stages', name);
}

function awaitReady(name: ComponentName, starting: Starting): Promise<void> {
  return waitFor(name, () => isReady(name, starting), starting);
}

/** Ready means that the component does its work, not only that it answers. */
function isReady(name: ComponentName, { boot, layout, admin }: Starting): Promise<boolean> {
  const questions: Readonly<Record<ComponentName, () => Promise<boolean>>> = {
    etcd: () => etcdReady(layout),
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

function waitFor(name: ComponentName, question: () => Promise<boolean>, { boot }: Starting): Promise<void> {
  return waitUntil(question, {
    what: `Starting ${name}`,
    timeoutSeconds: READY_WITHIN_SECONDS,
    failure: () => endOf(name, boot.supervisor.ended(name), boot.folder),
  });
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
