/** What a test or a person does with a cluster that is up. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Admin } from './admin.ts';
import type { Booted } from './boot.ts';
import { takeCheckpoint, type Checkpoint } from './checkpoint.ts';
import type { ComponentName } from './components.ts';
import { buildKubeconfig } from './kubeconfig.ts';
import { runOnNode, type NodeName } from './node/real-node.ts';
import type { OlmName } from './olm/start-olm.ts';
import { runningProcesses } from './processes.ts';
import { REGISTRY_USER } from './registry-config.ts';
import { runTool } from './run-tool.ts';
import type { Supervisor } from './supervised.ts';
import { requestToken, type TokenOptions } from './token.ts';

/** A running cluster. `stop` is called once its user is done; when the user dies, it is stopped all the same. */
export interface TestCluster extends AsyncDisposable {
  /** Everything of the cluster is in here, logs in `logs/`. */
  readonly folder: string;
  /** URL of the API server. */
  readonly server: string;
  /** PEM of the authority that signed the certificates of API server and registry, and a file with it. */
  readonly ca: string;
  readonly caFile: string;
  /** Path of a kubeconfig with all rights. */
  readonly kubeconfig: string;
  /** `host:port`, the prefix of an image's name, on this machine and, if there is a real node, in Pods. */
  readonly registry: string;
  /** Folder with kubectl and crane, for a PATH. */
  readonly tools: string;
  /** Run with all rights; resolve to stdout, throw with stderr. */
  readonly kubectl: (args: readonly string[], stdin?: string) => Promise<string>;
  readonly crane: (args: readonly string[], stdin?: string) => Promise<string>;
  /** A request with all rights, without the cost of a process; throws if it is refused. */
  readonly request: Admin['call'];
  /** The same for a GET. */
  readonly read: (path: string) => Promise<Record<string, unknown>>;
  /** A token of a ServiceAccount that exists. */
  readonly token: (namespace: string, serviceAccount: string, options?: TokenOptions) => Promise<string>;
  /** Path of a kubeconfig with a token of the ServiceAccount. */
  readonly kubeconfigFor: (namespace: string, serviceAccount: string) => Promise<string>;
  /**
   * A folder with `token`, `ca.crt` and `namespace`, as a Pod of the ServiceAccount finds it mounted. Asked for
   * again, the token in it is replaced by a new one, in one step as the kubelet does.
   */
  readonly podFiles: (namespace: string, serviceAccount: string, options?: TokenOptions) => Promise<string>;
  /** Ends a component in the usual way, or by the signal, starts it again at its place, and waits for it. */
  readonly restart: (name: ComponentName | NodeName, signal?: NodeJS.Signals) => Promise<void>;
  /** Stops a component in the middle of its work, and resumes it. */
  readonly pause: (name: ComponentName | NodeName) => Promise<void>;
  readonly resume: (name: ComponentName | NodeName) => Promise<void>;
  /** Ends a component at once; `restart` brings it back, but for those of OLM. */
  readonly kill: (name: ComponentName | NodeName | OlmName) => Promise<void>;
  /** What a component has written so far. */
  readonly log: (name: ComponentName | NodeName) => string;
  /** Component → process id, of those that run. */
  readonly processes: () => ReadonlyMap<string, number>;
  /** Runs a command inside a real node, where its processes, mounts and network are. */
  readonly onNode: (name: NodeName, command: readonly string[]) => Promise<string>;
  /** Remembers the state as it is now, to be brought back to it. */
  readonly checkpoint: () => Promise<Checkpoint>;
  /** A second call resolves with the same end. */
  readonly stop: () => Promise<void>;
  /** For a detached cluster: disconnects from it, and leaves it running. */
  readonly release: () => void;
}

export interface HandleParts {
  readonly folder: string;
  readonly supervisor: Supervisor;
  readonly binaries: ReadonlyMap<string, string>;
  readonly booted: Booted;
}

/** Wraps a cluster that is up. */
export function openHandle({ folder, supervisor, binaries, booted }: HandleParts): TestCluster {
  const { server, registry, credentials, admin } = booted;
  const kubeconfig = join(folder, 'kubeconfig');
  const token: TestCluster['token'] = (namespace, name, options) => requestToken(admin, { namespace, name }, options);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    admin.close();
    stopped ??= supervisor.stop();
    return stopped;
  };
  return {
    folder,
    server,
    ca: credentials.ca,
    caFile: join(folder, 'pki', 'ca.crt'),
    kubeconfig,
    registry,
    tools: join(folder, 'bin'),
    kubectl: (args, stdin) => runTool(binaries.get('kubectl')!, { args, env: kubectlEnvironment(folder), stdin }),
    crane: (args, stdin) => runTool(binaries.get('crane')!, { args, env: craneEnvironment(folder, registry), stdin }),
    request: (verb, path, body) => admin.call(verb, path, body),
    read: (path) => admin.call('GET', path),
    token,
    async kubeconfigFor(namespace, name) {
      const file = join(folder, 'tmp', `${namespace}-${name}.kubeconfig`);
      const made = { token: await token(namespace, name) };
      writeFileSync(file, buildKubeconfig({ server, ca: credentials.ca, credentials: made, namespace }), {
        mode: 0o600,
      });
      return file;
    },
    async podFiles(namespace, name, options) {
      // No kubelet renews it, and a process may be observed for hours.
      const lasting = await token(namespace, name, { expirationSeconds: 86_400, ...options });
      const files = { namespace, 'ca.crt': credentials.ca, token: lasting };
      return writePodFiles(join(folder, 'tmp', `${namespace}-${name}`), files);
    },
    async restart(name, signal = 'SIGTERM') {
      await supervisor.end(name, signal);
      await booted.start(name);
    },
    pause: (name) => supervisor.signal(name, 'SIGSTOP'),
    resume: (name) => supervisor.signal(name, 'SIGCONT'),
    kill: (name) => supervisor.end(name, 'SIGKILL'),
    log: (name) => readFileSync(join(folder, 'logs', `${name}.log`), 'utf8'),
    processes: () => runningProcesses(folder),
    onNode: (name, command) => runOnNode(runningProcesses(folder).get(name), command),
    checkpoint: () => takeCheckpoint(folder, booted.etcd),
    stop,
    release: () => {
      admin.close();
      supervisor.release();
    },
    [Symbol.asyncDispose]: stop,
  };
}

function writePodFiles(folder: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, `.${name}`), text, { mode: 0o600 });
    renameSync(join(folder, `.${name}`), join(folder, name));
  }
  return folder;
}

/** A tool ends before garbage collection or parallel work would pay off. */
function toolEnvironment(folder: string): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: folder, GOGC: 'off', GOMEMLIMIT: '1GiB', GOMAXPROCS: '1' };
}

function kubectlEnvironment(folder: string): Record<string, string> {
  const settings = { KUBECONFIG: join(folder, 'kubeconfig'), KUBECACHEDIR: join(folder, 'tmp', 'kubectl') };
  return { ...toolEnvironment(folder), ...settings };
}

/** With the password, which a registry that does not ask for it never sees. */
function craneEnvironment(folder: string, registry: string): Record<string, string> {
  const config = join(folder, 'tmp', 'docker');
  mkdirSync(config, { recursive: true });
  const auth = Buffer.from(`${REGISTRY_USER.username}:${REGISTRY_USER.password}`).toString('base64');
  writeFileSync(join(config, 'config.json'), JSON.stringify({ auths: { [registry]: { auth } } }), { mode: 0o600 });
  return { ...toolEnvironment(folder), DOCKER_CONFIG: config, SSL_CERT_FILE: join(folder, 'pki', 'ca.crt') };
}
