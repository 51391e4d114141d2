/**
 * The process that owns the processes of one test cluster: `node supervisor.ts FOLDER attended|detached [own-network]`.
 * It starts, signals and ends them as its parent asks (supervised.ts), and when it is asked to stop, or when an
 * attended parent is gone for whatever reason, it kills them all and removes the folder. It knows nothing of
 * Kubernetes. Should it be killed itself, the kernel ends its children (`setpriv --pdeathsig`), or, where that
 * command is missing, the next start does (folders.ts).
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { removeCgroups } from './node/cgroups.ts';
import { LINK_TO_MACHINE } from './node/link.ts';
import { identify, writeIdentity } from './process-identity.ts';

/** A program with its arguments; its output goes to `logs/NAME.log` in the folder. */
export interface ProcessSpec {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What the parent asks for; each is answered once, under the same id. */
export type Request = { readonly id: number } & (
  | { readonly verb: 'start'; readonly spec: ProcessSpec }
  | { readonly verb: 'signal'; readonly name: string; readonly signal: NodeJS.Signals }
  /** Answered when the process has ended. */
  | { readonly verb: 'end'; readonly name: string; readonly signal: NodeJS.Signals }
  /** Answered when all processes have ended and the folder is gone. */
  | { readonly verb: 'stop' }
);

export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly error?: string }
  /** A process ended, asked or not. */
  | { readonly kind: 'ended'; readonly name: string; readonly how: string };

const [folder, mode, network] = process.argv.slice(2) as [string, 'attended' | 'detached', 'own-network'?];
const deathSignal = spawnSync('setpriv', ['--pdeathsig', 'KILL', 'true']).status === 0;
const running = new Map<string, ChildProcess>();
let stopping: Promise<void> | undefined;

main();

function main(): void {
  writeIdentity(join(folder, 'supervisor'), identify(process.pid)!);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stopAndExit());
  process.on('message', (request: Request) => void answer(request));
  process.on('disconnect', () => {
    if (mode === 'attended') void stopAndExit();
  });
  setInterval(() => {}, 2 ** 30); // stays without parent and children
  send({ kind: 'ready' });
}

async function answer(request: Request): Promise<void> {
  try {
    await act(request);
    send({ kind: 'answer', id: request.id });
  } catch (error) {
    send({ kind: 'answer', id: request.id, error: String(error) });
  }
  if (request.verb === 'stop') process.exit(0);
}

async function act(request: Request): Promise<void> {
  switch (request.verb) {
    case 'start':
      return await start(request.spec);
    case 'signal':
      running.get(request.name)?.kill(request.signal);
      return undefined;
    case 'end':
      return await end(request.name, request.signal);
    case 'stop':
      return await stop();
  }
}

async function start(spec: ProcessSpec): Promise<void> {
  if (stopping !== undefined || running.has(spec.name)) throw new Error(`${spec.name} cannot be started now`);
  const child = spawnLogged(spec);
  running.set(spec.name, child);
  child.once('exit', (code, signal) => {
    running.delete(spec.name);
    rmSync(join(folder, 'pids', spec.name), { force: true });
    send({ kind: 'ended', name: spec.name, how: signal ?? `exit code ${code}` });
  });
  await once(child, 'spawn').finally(() => child.pid ?? running.delete(spec.name));
  writeIdentity(join(folder, 'pids', spec.name), identify(child.pid!) ?? { pid: child.pid!, started: '0', boot: '-' });
}

function spawnLogged({ name, program, args, env }: ProcessSpec): ChildProcess {
  const log = openSync(join(folder, 'logs', `${name}.log`), 'a');
  const command = deathSignal ? ['setpriv', '--pdeathsig', 'KILL', program, ...args] : [program, ...args];
  try {
    return spawn(command[0]!, command.slice(1), {
      cwd: folder,
      env: { ...environment(), ...env },
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
}

/**
 * Nothing of the user's settings reaches the processes. They live for minutes, so that their memory is cheaper than the
 * time of a collector that keeps it small; up to a limit, since an API server with many CRDs takes gigabytes.
 */
function environment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TMPDIR: join(folder, 'tmp'),
    GOGC: '400',
    GOMEMLIMIT: '2GiB',
    ...(process.env['GOMAXPROCS'] !== undefined && { GOMAXPROCS: process.env['GOMAXPROCS'] }),
  };
}

async function end(name: string, signal: NodeJS.Signals): Promise<void> {
  const child = running.get(name);
  if (child === undefined) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

async function stopAndExit(): Promise<void> {
  await stop();
  process.exit(0);
}

function stop(): Promise<void> {
  stopping ??= killAll();
  return stopping;
}

/** At once and without a graceful shutdown: none of their state is needed any more. */
async function killAll(): Promise<void> {
  // the kernel would do it too, but later
  if (network === 'own-network') spawnSync('ip', ['link', 'delete', LINK_TO_MACHINE], { stdio: 'ignore' });
  await Promise.all([...running.keys()].map((name) => end(name, 'SIGKILL')));
  removeCgroups(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function send(message: Message): void {
  if (process.connected) process.send!(message, undefined, undefined, () => {}); // the parent may be gone by now
}
