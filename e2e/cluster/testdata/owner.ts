/** Starts a cluster, says where it is, and never stops it: `node owner.ts ends|waits COMPONENT…`. */
import { startCluster, type ComponentName } from '../cluster.ts';

const [then, ...only] = process.argv.slice(2);
const cluster = await startCluster({ only: only as ComponentName[] });
const pids = [...cluster.processes().values()];
process.stdout.write(`${JSON.stringify({ folder: cluster.folder, pids })}\n`);
if (then === 'waits') setInterval(() => {}, 1_000);
