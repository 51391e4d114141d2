/** The console as users deploy it: the files of deploy/console beside a manager that is there, with people who paste tokens. */
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { Browser, type BrowserAnswer } from '../../../console/server/testing/browser.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { ROOT, SYSTEM } from '../../lib/manager.ts';
import { until } from '../../lib/until.ts';

const FOLDER = join(ROOT, 'deploy/console');
const DEPLOYMENT = 'deployment/slipway-console';
/** The name under which an Ingress would lead to it: the console answers no other one. */
const ADDRESS = 'https://console.example';
/** Keys of sessions, which an administrator makes. */
const KEYS = 'slipway-console-sessions';

interface Deployed {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** Applies the files with another way to log in, and waits until the Pod is ready; resolves with its address. */
export async function deployConsole(cluster: TestCluster): Promise<string> {
  await cluster.kubectl(['-n', SYSTEM, 'create', 'secret', 'generic', KEYS, `--from-literal=1=${'k'.repeat(48)}`]);
  const objects = loadAll(await cluster.kubectl(['kustomize', FOLDER])) as Deployed[];
  const service = ['-n', SYSTEM, 'get', 'service', 'slipway-manager', '-o', 'jsonpath={.spec.clusterIP}'];
  const settings = {
    SLIPWAY_CONSOLE_URL: ADDRESS,
    SLIPWAY_CONSOLE_LOGIN: 'token',
    // The cluster of the tests resolves no names of Services.
    SLIPWAY_CONSOLE_MANAGER_URL: `http://${await cluster.kubectl(service)}`,
  };
  const changed = objects.map((one) => (one.kind === 'ConfigMap' ? { ...one, data: settings } : one));
  await cluster.kubectl(['apply', '-f', '-'], changed.map((one) => JSON.stringify(one)).join('\n---\n'));
  await awaitConsole(cluster);
  return `http://${await fieldOfPod(cluster, '{.status.podIP}')}:8080`;
}

/** Deletes all that was applied, and waits until its Pod is gone. */
export async function removeConsole(cluster: TestCluster): Promise<void> {
  await cluster.kubectl(['delete', '-k', FOLDER, '--timeout=180s']);
  await cluster.kubectl(['-n', SYSTEM, 'delete', 'secret', KEYS]);
  await until('the Pod of the console is gone', async () => (await fieldOfPod(cluster, '{.metadata.name}')) === '');
}

/** A field of the Pod, as kubectl selects it; empty if there is none. */
export function fieldOfPod(cluster: TestCluster, path: string): Promise<string> {
  const labels = 'app.kubernetes.io/component=console';
  return cluster.kubectl(['-n', SYSTEM, 'get', 'pods', '-l', labels, '-o', `jsonpath={range .items[*]}${path}{end}`]);
}

async function awaitConsole(cluster: TestCluster): Promise<void> {
  try {
    await cluster.kubectl(['-n', SYSTEM, 'rollout', 'status', DEPLOYMENT, '--timeout=180s']);
  } catch (error) {
    const logs = await cluster.kubectl(['-n', SYSTEM, 'logs', DEPLOYMENT, '--tail=40']).catch(String);
    const pods = await cluster.kubectl(['-n', SYSTEM, 'describe', 'pods']).catch(String);
    throw new Error(`${(error as Error).message}\n${pods}\n${logs}`, { cause: error });
  }
}

/** A person whose browser comes through an Ingress that ends TLS. */
export class PersonAtPod {
  readonly #browser: Browser;

  private constructor(address: string) {
    this.#browser = new Browser(address);
  }

  /** Pastes the token. @throws Error if it opens nothing */
  static async open(address: string, token: string): Promise<PersonAtPod> {
    const person = new PersonAtPod(address);
    const body = new URLSearchParams({ token }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: ADDRESS };
    const { status, text } = await person.#send('/login/token', { method: 'POST', headers, body });
    if (status !== 303) throw new Error(`the login failed with ${status}: ${text}`);
    return person;
  }

  /** The answer to a question, as text. */
  async text(path: string): Promise<string> {
    return (await this.#send(path)).text;
  }

  get cookies(): readonly string[] {
    return [...this.#browser.cookies.keys()];
  }

  #send(path: string, request: Parameters<Browser['send']>[1] = {}): Promise<BrowserAnswer> {
    return this.#browser.send(path, { ...request, headers: { host: new URL(ADDRESS).host, ...request.headers } });
  }
}
