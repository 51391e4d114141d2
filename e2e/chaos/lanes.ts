/** Plays the kill runs of all operators and scenarios in several clusters at a time, one manager in each. */
import { startCluster } from '../cluster/cluster.ts';
import { killAtEveryWrite, type KillRow } from './kills.ts';
import type { ChaosOperator } from './operators.ts';
import type { Scenario } from './scenarios.ts';
import { Stage } from './stage.ts';

export interface Plan {
  readonly operators: readonly ChaosOperator[];
  readonly scenarios: readonly Scenario[];
  /** The numbers of the writes; all of them if absent. */
  readonly only?: readonly number[];
  /** How many clusters. */
  readonly lanes: number;
  readonly progress: (line: string) => void;
  /** Called with the finished rows in the order of the plan, each time that there is one more. */
  readonly finished?: (rows: readonly KillRow[]) => void;
}

interface Job {
  readonly operator: ChaosOperator;
  readonly scenario: Scenario;
}

/** The rows in the order of the plan, whichever lane was first. */
export async function killInLanes({
  operators,
  scenarios,
  lanes,
  finished,
  ...how
}: Plan): Promise<readonly KillRow[]> {
  const jobs = operators.flatMap((operator) => scenarios.map((scenario) => ({ operator, scenario })));
  const rows: KillRow[] = [];
  const waiting = [...jobs.entries()];
  const work = async (): Promise<void> => {
    if (waiting.length === 0) return;
    await using cluster = await startCluster();
    await using stage = await Stage.open(cluster, operators);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, job] = next;
      rows[at] = await killAtEveryWrite({ ...job, ...how, stage }).catch((error: Error) => unplayed(job, error));
      finished?.(rows.filter((row) => row !== undefined));
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return rows;
}

/** A scenario that does not reach its end without a disturbance, or whose scene cannot be set. */
function unplayed({ operator, scenario }: Job, { message }: Error): KillRow {
  const differing = [
    { n: 0, moment: 'before', write: 'none, the scenario was not played', differences: [message] },
  ] as const;
  return { operator: operator.name, scenario: scenario.name, writes: 0, killed: [], differing };
}
