/**
 * Plays the lives of many Subscriptions while requests of the manager meet faults, drawn by a seed. When the faults have
 * stopped, the end is compared with that of lives without faults.
 */
import type { TestCluster } from '../cluster/cluster.ts';
import { startRegistryProxy, type RegistryProxy } from '../lib/registry-proxy.ts';
import { readState } from '../lib/state.ts';
import { compareEndings, differencesThatStay, readEnding, type Ending } from './ending.ts';
import { happened, planFaults, type Partition, type Severity } from './fault-plan.ts';
import { install, lifeOf } from './lives.ts';
import { syntheticOperator, type ChaosOperator } from './operators.ts';
import { createPerson, type Person } from './person.ts';
import { Stage } from './stage.ts';

export interface SeedRow {
  readonly seed: number;
  readonly subscriptions: number;
  /** Requests to the API server that met a fault. */
  readonly faults: number;
  /** Requests to the registry, and those that met a fault. */
  readonly fetched: number;
  readonly registryFaults: number;
  /** As they happened: the faults stop when all lives have ended. */
  readonly partitions: readonly Partition[];
  /** How often the manager lost the lead and was started again. */
  readonly lost: number;
  readonly seconds: number;
  readonly differences: readonly string[];
}

export interface FaultOptions extends Omit<Severity, 'seed'> {
  readonly seeds: readonly number[];
  readonly subscriptions: number;
  /** Progress deadline of the upgrades that fail, such as `10s`. */
  readonly deadline: string;
  readonly progress?: (line: string) => void;
  /** Called with the rows of the seeds so far, each time that there is one more. */
  readonly finished?: (rows: readonly SeedRow[]) => void;
}

/** One row for each seed, all in one cluster that has nothing of Slipway yet. */
export async function playSeeds(cluster: TestCluster, options: FaultOptions): Promise<readonly SeedRow[]> {
  const operators = Array.from({ length: options.subscriptions }, (_, at) => syntheticOperator(`life-${at}`));
  await using registry = await startRegistryProxy(cluster.registry);
  const env = { SLIPWAY_REGISTRY_TIMEOUT: '5' };
  await using stage = await Stage.open(cluster, operators, { registry: registry.address, env, elects: true });
  const arena = { stage, registry, operators, deadline: options.deadline };
  const undisturbed = await playLives(arena);
  const rows: SeedRow[] = [];
  for (const seed of options.seeds) {
    const row = await playSeed(arena, { ...options, seed }, undisturbed);
    rows.push(row);
    options.finished?.(rows);
    options.progress?.(
      `seed ${seed}: ${row.faults} and ${row.registryFaults} faults, ${row.seconds.toFixed(0)} s, ${row.differences.length} differences`,
    );
    for (const line of row.differences.slice(0, 8)) options.progress?.(`  ${line}`);
  }
  await stage.clear();
  return rows;
}

interface Arena {
  readonly stage: Stage;
  readonly registry: RegistryProxy;
  readonly operators: readonly ChaosOperator[];
  readonly deadline: string;
}

/** All lives side by side; the end is read when the manager is quiet. */
async function playLives(
  { stage, operators, deadline }: Arena,
  whenOver: () => Promise<void> = nothing,
): Promise<Ending> {
  const persons = operators.map((operator) => createPerson(stage.cluster, operator));
  await Promise.all(persons.map(install));
  const begin = await readState(stage.cluster);
  await Promise.all(persons.map((person: Person, at) => lifeOf(at).live(person, deadline)));
  await whenOver();
  await stage.quiet(2000);
  return readEnding(stage.cluster, { begin });
}

const nothing = (): Promise<void> => Promise.resolve();

async function playSeed(
  arena: Arena,
  severity: Severity & Pick<FaultOptions, 'subscriptions'>,
  undisturbed: Ending,
): Promise<SeedRow> {
  await arena.stage.clear();
  await arena.stage.forgetBundles();
  arena.stage.takeEnds();
  const began = performance.now();
  const faults = startFaults(arena, severity);
  let found: readonly string[];
  try {
    const ending = await playLives(arena, () => faults.stop());
    found = [...(await awaitSame(arena.stage, undisturbed, ending)), ...unasked(faults.met())];
  } catch (error) {
    found = [(error as Error).message];
  } finally {
    await faults.stop();
  }
  const { seed, subscriptions } = severity;
  const seconds = (performance.now() - began) / 1000;
  const { lost, others } = arena.stage.takeEnds();
  return { seed, subscriptions, ...faults.met(), lost, seconds, differences: [...found, ...others] };
}

/** Without a request to the registry, none of its faults is met. */
function unasked({ fetched }: Pick<SeedRow, 'fetched'>): readonly string[] {
  return fetched > 0 ? [] : ['no request was sent to the registry'];
}

/** Events are left out: a fault may be reported as such. */
function awaitSame(stage: Stage, undisturbed: Ending, { begin }: Ending): Promise<readonly string[]> {
  return differencesThatStay(async () => {
    await stage.quiet(400);
    return compareEndings(undisturbed, { ...(await readEnding(stage.cluster, { begin })), events: new Set() });
  });
}

interface Faults {
  /** The faults and partitions so far. */
  met(): Pick<SeedRow, 'faults' | 'fetched' | 'registryFaults' | 'partitions'>;
  /** No fault and no partition any more. */
  stop(): Promise<void>;
}

function startFaults({ stage, registry }: Arena, severity: Severity): Faults {
  const plan = planFaults(severity);
  const began = performance.now();
  let stoppedAfter: number | undefined;
  const elapsed = (): number => (performance.now() - began) / 1000;
  let asked = 0;
  const count = { faults: 0, fetched: 0, registryFaults: 0 };
  const counted = <F>(of: 'faults' | 'registryFaults', fault: F | undefined): F | undefined => {
    if (fault !== undefined) count[of] += 1;
    return fault;
  };
  stage.proxy.meddle((one) => counted('faults', plan.api(one, asked++)));
  registry.meddle(() => counted('registryFaults', plan.registry(count.fetched++)));
  const heals = new Set<() => void>();
  const timers = plan.partitions.map(({ side, afterSeconds, seconds }) =>
    setTimeout(() => {
      const heal = (side === 'api' ? stage.proxy : registry).partition();
      heals.add(heal);
      timers.push(setTimeout(() => heal(), seconds * 1000));
    }, afterSeconds * 1000),
  );
  const stop = (): Promise<void> => {
    stoppedAfter ??= elapsed();
    timers.forEach(clearTimeout);
    heals.forEach((heal) => heal());
    heals.clear();
    stage.proxy.meddle();
    registry.meddle();
    return Promise.resolve();
  };
  timers.push(setTimeout(() => void stop(), severity.seconds * 1000));
  const met: Faults['met'] = () => ({
    ...count,
    partitions: happened(plan.partitions, stoppedAfter ?? elapsed()),
  });
  return { met, stop };
}
