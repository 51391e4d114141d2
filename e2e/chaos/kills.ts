/**
 * Kills the manager at the n-th write of a scenario, for every n: before the write is passed on, and after its answer. Each
 * time the manager is started again, and the end is compared with that of an undisturbed run.
 */
import { readState, type State } from '../lib/state.ts';
import { describe, changesObjects } from '../lib/api-proxy.ts';
import { compareEndings, differencesThatStay, readEnding, type Ending } from './ending.ts';
import type { ChaosOperator } from './operators.ts';
import { createPerson } from './person.ts';
import type { Scenario } from './scenarios.ts';
import type { Stage } from './stage.ts';

export type Moment = 'before' | 'after';

export interface KillRow {
  readonly operator: string;
  readonly scenario: string;
  /** Of the undisturbed run. */
  readonly writes: number;
  /** The writes that it was killed at, in the order of the kills. */
  readonly killed: readonly string[];
  /** The kills whose end differs from the undisturbed one, and rounds without a kill that did not end. */
  readonly differing: readonly DifferingEnd[];
}

export interface DifferingEnd {
  readonly n: number;
  readonly moment: Moment;
  /** The write that the manager was killed at. */
  readonly write: string;
  readonly differences: readonly string[];
}

export interface KillOptions {
  readonly stage: Stage;
  readonly operator: ChaosOperator;
  readonly scenario: Scenario;
  /** The numbers of the writes; all of them if absent. */
  readonly only?: readonly number[];
  readonly moments?: readonly Moment[];
  readonly progress?: (line: string) => void;
}

/** More writes than any scenario has. */
const MOST_WRITES = 400;

/** All kills of one scenario. */
export async function killAtEveryWrite(options: KillOptions): Promise<KillRow> {
  const { stage, operator, scenario, moments = ['before', 'after'], progress = () => undefined } = options;
  await stage.clear();
  const { ending: undisturbed, writes } = await playUndisturbed(options);
  const rest = new Set(await stage.clear());
  const differing: DifferingEnd[] = [];
  const killed: string[] = [];
  for (const moment of moments)
    for (const n of options.only ?? numbersTo(MOST_WRITES)) {
      const { write, differences: found } = await playKilled(options, { n, moment, undisturbed });
      const differences = [...found, ...(await leftBehind(stage, rest))];
      progress(
        `${operator.name}, ${scenario.name}: ${write === undefined ? 'not ' : ''}killed ${moment} write ${n}, ${write ?? NONE}`,
      );
      for (const line of differences.slice(0, 8)) progress(`  ${line}`);
      if (write !== undefined) killed.push(write);
      if (differences.length > 0) differing.push({ n, moment, write: write ?? NONE, differences });
      // It may have fewer writes than the undisturbed run, as progress is written more seldom on a busy machine.
      if (write === undefined && n >= writes) break;
    }
  return { operator: operator.name, scenario: scenario.name, writes, killed, differing };
}

/** In place of a write. */
const NONE = 'which was not reached';

/** Shows an inventory that lost an object: the end is the same, and the uninstall after it is not. */
async function leftBehind(stage: Stage, usual: ReadonlySet<string>): Promise<readonly string[]> {
  const left = await stage.clear(usual);
  return left.filter((line) => !usual.has(line)).map((line) => `after the uninstall: ${line}`);
}

function numbersTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, at) => at + 1);
}

async function playUndisturbed({
  stage,
  operator,
  scenario,
}: KillOptions): Promise<{ ending: Ending; writes: number }> {
  const person = createPerson(stage.cluster, operator);
  const begin = await setScene({ stage, operator, scenario });
  const before = stage.proxy.writes.length;
  await scenario.act(person);
  await stage.quiet(2000);
  return { ending: await readEnding(stage.cluster, { begin }), writes: stage.proxy.writes.length - before };
}

async function setScene({ stage, operator, scenario }: KillOptions): Promise<State> {
  await scenario.begin(createPerson(stage.cluster, operator));
  await stage.quiet();
  return readState(stage.cluster);
}

interface Round {
  readonly n: number;
  readonly moment: Moment;
  readonly undisturbed: Ending;
}

/** `write` is undefined if there were fewer writes, so that nothing was killed. */
async function playKilled(
  options: KillOptions,
  { n, moment, undisturbed }: Round,
): Promise<{ readonly write?: string; readonly differences: readonly string[] }> {
  const { stage, operator, scenario } = options;
  const begin = await setScene(options);
  const death = killAt(stage, n, moment);
  const problem = await scenario.act(createPerson(stage.cluster, operator)).then(
    () => [],
    (error: Error) => [error.message],
  );
  // The last writes come after the end that the person waits for.
  if ((await death.happened()) === undefined) await stage.quiet(2000);
  stage.proxy.meddle();
  const { write, killed } = (await death.happened()) ?? {};
  const found = await awaitSameEnd(stage, undisturbed, { begin, ...(killed !== undefined && { killed }) });
  const differences = [...problem, ...found, ...stage.takeEnds().others];
  return { ...(write !== undefined && { write }), differences };
}

interface Death {
  readonly write: string;
  readonly killed: State;
}

/** Arms the proxy: the manager dies at the n-th write from now on, and is started again at once. */
function killAt(stage: Stage, n: number, when: Moment): { happened: () => Promise<Death | undefined> } {
  let seen = 0;
  let death: Promise<Death> | undefined;
  stage.proxy.meddle((asked) => {
    if (!changesObjects(asked)) return undefined;
    seen += 1;
    if (seen !== n) return undefined;
    const by = (): Promise<Death> => {
      death = dieAndRise(stage, describe(asked));
      return death;
    };
    return { kind: 'interrupt', when, by };
  });
  return { happened: async () => death };
}

async function dieAndRise(stage: Stage, write: string): Promise<Death> {
  await stage.kill();
  const killed = await readState(stage.cluster);
  stage.startAgain();
  return { write, killed };
}

function awaitSameEnd(
  stage: Stage,
  undisturbed: Ending,
  before: Pick<Ending, 'begin' | 'killed'>,
): Promise<readonly string[]> {
  return differencesThatStay(async () => {
    await stage.quiet(400);
    return compareEndings(undisturbed, await readEnding(stage.cluster, before));
  });
}
