/** Starts a cluster, prints its place, and never stops it: `node owner.ts ends|waits COMPONENT…`. */
import { join } from 'node:path';
import { readIdentity } from '../process-identity.ts';
import { startCluster, type ComponentName } from '../cluster.ts';

const [then, ...only] = process.argv.slice(2);
const cluster = await startCluster({ only: only as ComponentName[] });
const pids = [...cluster.processes().values()];
// Read here: once this process has ended the supervisor may be gone with the folder at any moment.
const supervisor = readIdentity(join(cluster.folder, 'supervisor'));
process.stdout.write(`${JSON.stringify({ folder: cluster.folder, pids, supervisor })}\n`);
if (then === 'waits') setInterval(() => {}, 1_000);
