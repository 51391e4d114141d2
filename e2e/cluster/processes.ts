/** Looks up the processes of a cluster in its folder. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readIdentity } from './process-identity.ts';

/** Component → process id, of those that run in the cluster's folder. */
export function runningProcesses(folder: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const name of readdirSync(join(folder, 'pids'))) {
    const identity = readIdentity(join(folder, 'pids', name));
    if (identity !== undefined) found.set(name, identity.pid);
  }
  return found;
}
