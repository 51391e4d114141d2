/**
 * The command behind `make cluster-build`, `cluster-up`, `cluster-down` and `cluster-status`:
 *
 *     node e2e/cluster/main.ts build | up | down | status [--name NAME] [--node real]
 *
 * `up` leaves a cluster running that is found again by its name; with `--node real` Pods really run in it. Tests do not
 * come here, they use startCluster.
 */
import { parseArgs } from 'node:util';
import { provideBinaries } from './binaries.ts';
import { realNodeObstacle, startCluster } from './cluster.ts';
import type { Progress } from './go-build.ts';
import { clusterStatus, stopNamed, writeFacts, type ClusterFacts } from './named.ts';
import { CHECK_PROGRAMS, CONTROL_PLANE_PROGRAMS, NODE_PROGRAMS, OLM_PROGRAMS, OLM_V1_PROGRAMS } from './tools.ts';

const USAGE = 'usage: main.ts build | up | down | status [--name NAME] [--node real]';
const VERBS: ReadonlyMap<string, (asked: Asked) => Promise<void>> = new Map([
  ['build', build],
  ['up', up],
  ['down', down],
  ['status', status],
]);

interface Asked {
  readonly name: string;
  readonly node: 'fake' | 'real';
}

await main();

async function main(): Promise<void> {
  const options = { name: { type: 'string' }, node: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const verb = VERBS.get(positionals[0] ?? '');
  try {
    if (verb === undefined) throw new Error(USAGE);
    await verb({ name: values.name ?? 'dev', node: values.node === 'real' ? 'real' : 'fake' });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** Everything that the tests run on this machine: a build beside them would make them many times as slow. */
async function build({ node }: Asked): Promise<void> {
  const hasNode = node === 'real' || realNodeObstacle() === undefined;
  const onNodes = hasNode ? [...NODE_PROGRAMS, ...OLM_PROGRAMS, ...OLM_V1_PROGRAMS] : [];
  const programs = [...CONTROL_PLANE_PROGRAMS, ...CHECK_PROGRAMS, ...onNodes];
  const binaries = await provideBinaries(programs, report());
  print(`${binaries.size} programs are there`);
}

async function up({ name, node }: Asked): Promise<void> {
  const running = clusterStatus(name);
  if (running !== undefined) return print(describe(name, running.facts));
  const cluster = await startCluster({ name, node, detached: true, progress: report() });
  const { server, kubeconfig, registry, tools } = cluster;
  const facts = { server, kubeconfig, registry, tools };
  writeFacts(name, facts);
  cluster.release();
  print(describe(name, facts));
}

async function down({ name }: Asked): Promise<void> {
  print((await stopNamed(name)) ? `The cluster ${name} is stopped and removed.` : `There is no cluster ${name}.`);
}

function status({ name }: Asked): Promise<void> {
  const found = clusterStatus(name);
  const processes = [...(found?.processes ?? [])].map(([part, pid]) => `  ${part} ${pid}`);
  print(found === undefined ? `There is no cluster ${name}.` : [describe(name, found.facts), ...processes].join('\n'));
  return Promise.resolve();
}

function describe(name: string, { server, kubeconfig, registry, tools }: ClusterFacts): string {
  const suffix = name === 'dev' ? '' : ` NAME=${name}`;
  return [
    `The cluster ${name} is up at ${server}, with a registry at ${registry}.`,
    '',
    `  export KUBECONFIG=${kubeconfig}`,
    `  export PATH=${tools}:$PATH    # kubectl and crane`,
    `  make cluster-down${suffix}    # stops it and removes everything`,
  ].join('\n');
}

/** On a terminal one line that changes, elsewhere a line for each finished step and one every now and then. */
function report(): Progress {
  let reportedAt = Date.now();
  return (line, state) => {
    const terminal = process.stderr.isTTY;
    const due = state === 'done' || terminal || Date.now() - reportedAt > 15_000;
    if (!due) return;
    reportedAt = Date.now();
    process.stderr.write(terminal ? `\r\u001B[K${line}${state === 'done' ? '\n' : ''}` : `${line}\n`);
  };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
