/** Starts a cluster, says where it is, and never stops it: `node owner.ts ends|waits`. */
import { startCluster } from '../cluster.ts';

const cluster = await startCluster({ only: ['kube-apiserver', 'registry'] });
const pids = [...cluster.processes().values()];
process.stdout.write(`${JSON.stringify({ folder: cluster.folder, pids })}\n`);
if (process.argv[2] === 'waits') setInterval(() => {}, 1_000);
