/** Starts a cluster with a real node, prints its place, and waits for its end. */
import { startCluster } from '../../cluster.ts';

const cluster = await startCluster({ node: 'real' });
const pids = [...cluster.processes().values()];
process.stdout.write(`${JSON.stringify({ folder: cluster.folder, server: cluster.server, pids })}\n`);
setInterval(() => {}, 1_000);
