/** Finds and stops clusters that were left running under a name. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { clusterFolder, removeCluster } from './folders.ts';
import { isAlive, readIdentity, signal } from './process-identity.ts';
import { runningProcesses } from './processes.ts';

const STOPS_WITHIN_MS = 10_000;

/** The data that a user needs to work with a cluster. */
export interface ClusterFacts {
  readonly server: string;
  readonly kubeconfig: string;
  readonly registry: string;
  /** Folder with kubectl and crane. */
  readonly tools: string;
}

export interface ClusterStatus {
  readonly facts: ClusterFacts;
  readonly processes: ReadonlyMap<string, number>;
}

/** Records the place of the cluster of that name. */
export function writeFacts(name: string, facts: ClusterFacts): void {
  writeFileSync(join(clusterFolder(name), 'facts.json'), JSON.stringify(facts), { mode: 0o600 });
}

/** The cluster of that name; undefined if none is up. */
export function clusterStatus(name: string): ClusterStatus | undefined {
  const folder = clusterFolder(name);
  const supervisor = readIdentity(join(folder, 'supervisor'));
  const file = join(folder, 'facts.json');
  if (supervisor === undefined || !isAlive(supervisor) || !existsSync(file)) return undefined;
  return { facts: JSON.parse(readFileSync(file, 'utf8')) as ClusterFacts, processes: runningProcesses(folder) };
}

/** Stops and removes the cluster of that name, or its remains; false if there were none. */
export async function stopNamed(name: string): Promise<boolean> {
  const folder = clusterFolder(name);
  if (!existsSync(folder)) return false;
  const supervisor = readIdentity(join(folder, 'supervisor'));
  if (supervisor !== undefined && signal(supervisor, 'SIGTERM')) {
    const deadline = Date.now() + STOPS_WITHIN_MS;
    while (isAlive(supervisor) && Date.now() < deadline) await delay(20);
    signal(supervisor, 'SIGKILL');
  }
  removeCluster(folder);
  return true;
}
