/**
 * Two managers of which one leads: in the middle of upgrades the leader is paused, loses its lease, its connection or its
 * time. The end is the undisturbed one, and no process writes again after another one has taken over from it.
 */
import type { TestCluster } from '../cluster/cluster.ts';
import { readState, type State } from '../lib/state.ts';
import { pathOf } from '../lib/objects.ts';
import { isAlive, SYSTEM } from '../lib/manager.ts';
import { until } from '../lib/until.ts';
import { compareEndings, differencesThatStay, readEnding, type Ending } from './ending.ts';
import { install } from './lives.ts';
import { syntheticOperator, type ChaosOperator } from './operators.ts';
import { PATIENCE_SECONDS } from './patience.ts';
import { createPerson, type Person } from './person.ts';
import { Replicas, type Replica } from './replicas.ts';

interface Disturbance {
  readonly name: string;
  readonly because: string;
  /** Whether another manager has to take over. */
  readonly deposes: boolean;
  /** How many writes may arrive after the other manager has written: those that the fence had admitted. */
  readonly admitted: number;
  /** Resolves when the disturbance is over. */
  readonly disturb: (replicas: Replicas, leader: Replica) => Promise<void>;
}

const HOUR_SECONDS = 3600;
const PATIENT = { timeoutSeconds: PATIENCE_SECONDS };

const DISTURBANCES: readonly Disturbance[] = [
  {
    name: 'paused and resumed',
    because: 'a process that was stopped wakes up with writes that it was about to send',
    deposes: true,
    // stopped between the check of the fence and the socket; one thread cannot have two such writes
    admitted: 1,
    async disturb(replicas, leader) {
      process.kill(leader.manager.pid, 'SIGSTOP');
      await awaitOther(replicas, leader).finally(() => process.kill(leader.manager.pid, 'SIGCONT'));
    },
  },
  {
    name: 'lease stolen',
    because: 'a person edits the lease, and the leader learns of it late',
    deposes: false,
    admitted: 0,
    async disturb(replicas, leader) {
      const spec = { holderIdentity: 'thief', renewTime: new Date().toISOString().replace('Z', '000Z') };
      await replicas.cluster.request('PATCH', pathOf('lease', 'slipway-manager', SYSTEM), { spec });
      await until('the leader ends', () => !isAlive(leader.manager), PATIENT);
    },
  },
  {
    name: 'cut off',
    because: 'a leader that cannot renew its lease stops before the other one begins',
    deposes: true,
    admitted: 0,
    async disturb(replicas, leader) {
      const heal = leader.proxy.partition();
      await awaitOther(replicas, leader).finally(heal);
    },
  },
  {
    name: 'clock set forward',
    because: 'a time server moves the wall clock by an hour',
    deposes: false,
    admitted: 0,
    disturb: (replicas, leader) => moveClock(replicas, leader, 'SIGUSR2'),
  },
  {
    name: 'clock set back',
    because: 'a lease that was renewed an hour later than now is not held for an hour',
    deposes: false,
    admitted: 0,
    disturb: (replicas, leader) => moveClock(replicas, leader, 'SIGPWR'),
  },
  {
    name: "follower's clock set forward",
    because: 'a follower must not think that the lease has expired',
    deposes: false,
    admitted: 0,
    disturb: async (replicas, leader) => moveClock(replicas, await replicas.follower(leader), 'SIGUSR2'),
  },
];

/** The fence of a leader opens again with the next renewal of the lease, by the clock of then. */
async function moveClock(replicas: Replicas, { manager }: Replica, signal: NodeJS.Signals): Promise<void> {
  const moved = (): number => manager.log().split('the clock was moved').length;
  const before = moved();
  process.kill(manager.pid, signal);
  await until('the clock is moved', () => moved() > before, PATIENT);
  await replicas.leader();
}

export interface BrainRow {
  readonly disturbance: string;
  readonly rounds: number;
  /** Writes of both managers, of all rounds. */
  readonly writes: number;
  /** Of them, those that arrived after the other manager had written, and that the fence had admitted before. */
  readonly late: number;
  readonly differences: readonly string[];
}

export interface BrainOptions {
  readonly subscriptions: number;
  /** Of each disturbance. */
  readonly rounds: number;
  readonly progress?: (line: string) => void;
}

/** One row for each disturbance, all in one cluster that has nothing of Slipway yet. */
export async function splitBrains(cluster: TestCluster, options: BrainOptions): Promise<readonly BrainRow[]> {
  const operators = Array.from({ length: options.subscriptions }, (_, at) => syntheticOperator(`brain-${at}`));
  await using replicas = await Replicas.open(cluster, operators, HOUR_SECONDS);
  const undisturbed = await playRound(replicas, operators);
  const rows: BrainRow[] = [];
  for (const disturbance of DISTURBANCES) {
    const differences: string[] = [];
    let [writes, late] = [0, 0];
    for (let round = 0; round < options.rounds; round += 1) {
      const played = await playRound(replicas, operators, disturbance);
      writes += played.writes.length;
      const same = await awaitSame(replicas, undisturbed.ending, played.ending);
      const overlapping = overlaps(played.writes);
      late += Math.min(overlapping.length, disturbance.admitted);
      differences.push(...same, ...overlapping.slice(disturbance.admitted), ...played.problems);
    }
    rows.push({ disturbance: disturbance.name, rounds: options.rounds, writes, late, differences });
    options.progress?.(`${disturbance.name}: ${writes} writes, ${differences.length} differences`);
    for (const line of differences.slice(0, 8)) options.progress?.(`  ${line}`);
  }
  return rows;
}

type Written = ReturnType<Replicas['writesSince']>;

interface Played {
  readonly ending: Ending;
  readonly writes: Written;
  readonly problems: readonly string[];
}

/** All operators are upgraded at once; in the middle of it the leader is disturbed. */
async function playRound(
  replicas: Replicas,
  operators: readonly ChaosOperator[],
  disturbance?: Disturbance,
): Promise<Played> {
  await replicas.clear();
  const { cluster } = replicas;
  const persons = operators.map((operator) => createPerson(cluster, operator));
  await Promise.all(persons.map(install));
  await replicas.quiet();
  const begin = await readState(cluster);
  const leader = await replicas.leader();
  const began = Date.now();
  const problems: string[] = [];
  for (const person of persons) await person.subscribe({ version: person.operator.versions.next });
  if (disturbance !== undefined) {
    await until('upgrades are under way', () => replicas.writesSince(began).length >= operators.length * 3, PATIENT);
    await disturbance.disturb(replicas, leader);
    if (disturbance.deposes && (await replicas.leader()) === leader)
      problems.push(`${leader.name} leads again, though it was deposed`);
  }
  await awaitEnd(replicas, persons).catch((error: Error) => problems.push(error.message));
  return { ending: await readEnd(replicas, begin), writes: replicas.writesSince(began), problems };
}

async function awaitEnd(replicas: Replicas, persons: readonly Person[]): Promise<void> {
  await Promise.all(persons.map((person) => person.awaitVersion(person.operator.versions.next)));
  await replicas.quiet(2000);
}

async function readEnd({ cluster }: Replicas, begin: State): Promise<Ending> {
  return { ...(await readEnding(cluster, { begin })), events: new Set() };
}

function awaitSame(replicas: Replicas, undisturbed: Ending, { begin }: Ending): Promise<readonly string[]> {
  return differencesThatStay(async () => compareEndings(undisturbed, await readEnd(replicas, begin)));
}

async function awaitOther(replicas: Replicas, leader: Replica): Promise<void> {
  await until('the other manager leads', async () => (await replicas.leader()) !== leader, PATIENT);
}

interface Seen {
  readonly by: string;
  readonly status: number;
  readonly what: string;
}

/** The accepted writes of a process after another one has taken over from it. Pure. */
export function overlaps(writes: readonly Seen[]): readonly string[] {
  const deposed = new Set<string>();
  let writer: string | undefined;
  return writes
    .filter(({ status }) => status < 300)
    .flatMap(({ by, what }) => {
      if (deposed.has(by)) return [`${by} wrote after the other manager: ${what}`];
      if (writer !== undefined && writer !== by) deposed.add(writer);
      writer = by;
      return [];
    });
}
