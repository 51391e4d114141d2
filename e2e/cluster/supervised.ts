/** Talks to the supervisor process of a test cluster: one request, one answer. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Message, ProcessSpec, Request } from './supervisor.ts';

/** Starts and ends processes that cannot outlive their owner. */
export interface Supervisor {
  readonly pid: number;
  start(spec: ProcessSpec): Promise<void>;
  signal(name: string, signal: NodeJS.Signals): Promise<void>;
  /** Signals, and resolves when the process has ended; does nothing if it does not run. */
  end(name: string, signal: NodeJS.Signals): Promise<void>;
  /** How a process that does not run any more ended; undefined for one that runs or never ran. */
  ended(name: string): string | undefined;
  /** Kills everything and removes the folder. */
  stop(): Promise<void>;
  /** Leaves a detached supervisor to itself. */
  release(): void;
}

export interface SupervisorOptions {
  readonly folder: string;
  /** Goes on when this process ends. */
  readonly detached: boolean;
  /** Runs in a network namespace of its own, and so does everything that it starts. */
  readonly ownNetwork: boolean;
  /** Each Go program that it starts uses one processor at a time. */
  readonly oneProcessor: boolean;
}

/** Starts a supervisor for the folder, in a process group of its own so that Ctrl-C does not reach it. */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const { folder, detached, ownNetwork, oneProcessor } = options;
  const args = [folder, detached ? 'detached' : 'attended', ...(ownNetwork ? ['own-network'] : [])];
  const child = fork(join(import.meta.dirname, 'supervisor.ts'), args, {
    detached: true,
    ...(ownNetwork ? { execPath: 'unshare', execArgv: ['--net', process.execPath] } : { execArgv: [] }),
    env: { PATH: process.env['PATH'], ...(oneProcessor && { GOMAXPROCS: '1' }) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const session = openSession(child);
  await session.ready;
  return {
    pid: child.pid!,
    start: (spec) => session.ask({ verb: 'start', spec }),
    signal: (name, signal) => session.ask({ verb: 'signal', name, signal }),
    end: (name, signal) => session.ask({ verb: 'end', name, signal }),
    ended: (name) => session.ended.get(name),
    stop: () => session.ask({ verb: 'stop' }),
    release: () => child.disconnect(),
  };
}

type Question = Request extends infer R ? (R extends Request ? Omit<R, 'id'> : never) : never;

interface Session {
  readonly ready: Promise<void>;
  readonly ended: ReadonlyMap<string, string>;
  ask(question: Question): Promise<void>;
}

function openSession(child: ChildProcess): Session {
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  const ended = new Map<string, string>();
  const ready = Promise.withResolvers<void>();
  waiting.set(0, ready);
  let lastId = 0;
  child.on('message', (message: Message) => {
    if (message.kind === 'ended') ended.set(message.name, message.how);
    else settle(message.kind === 'ready' ? { id: 0 } : message);
  });
  child.once('error', failAll);
  child.once('exit', () => failAll(new Error('The supervisor of the test cluster has ended')));

  function settle({ id, error }: { readonly id: number; readonly error?: string }): void {
    if (error === undefined) waiting.get(id)?.resolve();
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
    keepAwake();
  }

  function failAll(error: Error): void {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  /** An idle connection to a cluster keeps no program from ending. */
  function keepAwake(): void {
    if (waiting.size > 0) {
      child.ref();
      child.channel?.ref();
    } else {
      child.unref();
      child.channel?.unref();
    }
  }

  return {
    ready: ready.promise,
    ended,
    ask(question) {
      if (!child.connected) return Promise.reject(new Error('The supervisor of the test cluster has ended'));
      if (question.verb === 'start') ended.delete(question.spec.name);
      const answer = Promise.withResolvers<void>();
      lastId += 1;
      waiting.set(lastId, answer);
      keepAwake();
      child.send({ ...question, id: lastId });
      return answer.promise;
    },
  };
}
