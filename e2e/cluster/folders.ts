/**
 * The folders in which test clusters live, one each, all in one place per user, so that the remains of a crash
 * are found: processes of a cluster without a living supervisor are killed and its folder is removed.
 *
 *     supervisor   identity of the supervisor process      pids/NAME   identity of each process
 *     creator      identity of the process that made it    logs/NAME.log
 */
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { removeCgroups } from './node/cgroups.ts';
import { identify, isAlive, readIdentity, signal, writeIdentity } from './process-identity.ts';

const UNFINISHED = '.new-';
const UNFINISHED_KEPT_MS = 60_000;

/**
 * Where all clusters of this user are. Only the user can read it: it holds private keys. Tests have a folder for temporary
 * files of their own, and name the place of the clusters by SLIPWAY_CLUSTERS.
 */
export function clustersFolder(): string {
  const folder = join(process.env['SLIPWAY_CLUSTERS'] ?? tmpdir(), `slipway-clusters-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  if (uid !== userInfo().uid || (mode & 0o077) !== 0) throw new Error(`Others have access to ${folder}; remove it`);
  return folder;
}

/** Folder of the cluster of that name, whether it exists or not. */
export function clusterFolder(name: string): string {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) throw new Error(`Not a name for a cluster: ${name}`);
  return join(clustersFolder(), name);
}

/** Makes the folder of a new cluster, complete in one step. Throws if a cluster of that name exists. */
export function createClusterFolder(name = `test-${randomBytes(6).toString('hex')}`): string {
  const target = clusterFolder(name);
  const partial = mkdtempSync(join(clustersFolder(), UNFINISHED));
  for (const part of ['pids', 'logs', 'pki', 'tmp']) mkdirSync(join(partial, part));
  writeIdentity(join(partial, 'creator'), identify(process.pid)!);
  try {
    renameSync(partial, target);
  } catch (cause) {
    rmSync(partial, { recursive: true, force: true });
    throw new Error(`There is a cluster in ${target} already`, { cause });
  }
  return target;
}

/** Ends and removes every cluster without a living supervisor; returns their names. */
export function reapClusters(): string[] {
  const base = clustersFolder();
  const abandoned = readdirSync(base).filter((name) => isAbandoned(base, name));
  for (const name of abandoned) removeCluster(join(base, name));
  return abandoned;
}

/** Kills whatever of the cluster still runs, by identity, and removes its folder. */
export function removeCluster(folder: string): void {
  for (const file of pidFiles(folder)) {
    const identity = readIdentity(file);
    if (identity !== undefined) signal(identity, 'SIGKILL');
  }
  removeCgroups(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function isAbandoned(base: string, name: string): boolean {
  const folder = join(base, name);
  const keepers = ['supervisor', 'creator'].map((file) => readIdentity(join(folder, file)));
  if (keepers.some((keeper) => keeper !== undefined && isAlive(keeper))) return false;
  return !name.startsWith(UNFINISHED) || ageMs(folder) > UNFINISHED_KEPT_MS;
}

function ageMs(folder: string): number {
  return Date.now() - (lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

function pidFiles(folder: string): string[] {
  try {
    return readdirSync(join(folder, 'pids')).map((name) => join(folder, 'pids', name));
  } catch {
    return []; // it is gone, or was never complete
  }
}
