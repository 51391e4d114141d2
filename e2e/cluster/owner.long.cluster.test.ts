import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { ComponentName } from './components.ts';
import { reapClusters } from './folders.ts';
import { identify, signal, type ProcessIdentity } from './process-identity.ts';
import { until } from '../lib/until.ts';

interface Owned {
  readonly owner: ChildProcess;
  readonly folder: string;
  readonly supervisor: ProcessIdentity;
  readonly pids: readonly number[];
}

interface Selection {
  readonly only: readonly ComponentName[];
  readonly processes: number;
}

const SEVERAL: Selection = { only: ['kube-apiserver', 'registry'], processes: 3 };
/** As good as all where it is the supervisor that has to work, and started at once. */
const SINGLE: Selection = { only: ['registry'], processes: 1 };

test.each([
  { how: 'is killed', name: 'SIGKILL', selection: SEVERAL },
  { how: 'is asked to end', name: 'SIGTERM', selection: SINGLE },
] as const)('nothing is left of a cluster whose owner $how', async ({ name, selection }) => {
  const owned = await startOwner('waits', selection);
  owned.owner.kill(name);
  await everythingGone(owned);
});

test('nothing is left of a cluster when Ctrl-C reaches all processes of the terminal', async () => {
  const owned = await startOwner('waits');
  process.kill(-owned.owner.pid!, 'SIGINT'); // the owner leads a process group, as a shell makes one
  await everythingGone(owned);
});

test('a cluster that its owner forgets does not keep the owner from ending, and is gone with it', async () => {
  const owned = await startOwner('ends');
  if (owned.owner.exitCode === null) await once(owned.owner, 'exit');
  expect(owned.owner.exitCode).toBe(0);
  await everythingGone(owned);
});

test('when owner and supervisor are killed at once, the next start removes what is left', async () => {
  const owned = await startOwner('waits', SEVERAL);
  owned.owner.kill('SIGKILL');
  signal(owned.supervisor, 'SIGKILL');
  await until(
    'both are gone',
    () => identify(owned.owner.pid!) === undefined && identify(owned.supervisor.pid) === undefined,
  );
  reapClusters();
  await everythingGone(owned);
});

test('a cluster that is looked after is not removed by the start of another', async () => {
  const owned = await startOwner('waits');
  reapClusters();
  expect(existsSync(owned.folder)).toBe(true);
  expect(owned.pids.every((pid) => identify(pid) !== undefined)).toBe(true);
  owned.owner.kill('SIGKILL');
  await everythingGone(owned);
});

async function startOwner(then: 'waits' | 'ends', { only, processes }: Selection = SINGLE): Promise<Owned> {
  const program = join(import.meta.dirname, 'testing', 'owner.ts');
  const owner = spawn(process.execPath, [program, then, ...only], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  const started = JSON.parse(line) as Omit<Owned, 'owner'>;
  expect(started.pids).toHaveLength(processes);
  expect(started.supervisor).toEqual(expect.objectContaining({ pid: expect.any(Number) as number }));
  return { owner, ...started };
}

async function everythingGone({ folder, pids, supervisor }: Owned): Promise<void> {
  await until(
    'processes and folder are gone',
    () => [...pids, supervisor.pid].every((pid) => identify(pid) === undefined) && !existsSync(folder),
  );
}
