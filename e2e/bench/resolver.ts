/**
 * Measures the resolver beside its budgets: `node e2e/bench/resolver.ts` prints one line for each figure. The catalog
 * has the size of a public one and lies in an index file, as the manager reads it; the dependency problem is larger
 * than any that is published. A time is that of one question, on the thread that asks, the fastest of a few rounds:
 * what else the machine does is left out. Of many questions the slowest counts: the slowest few are asked many times
 * over, as a thread's own time is too coarse for one of them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIndexInWorker } from '../../catalog/index/in-worker.ts';
import { openIndex, type CatalogIndex } from '../../catalog/index/open.ts';
import type { Decision } from '../../resolver/decision.ts';
import { explainDecision } from '../../resolver/explain.ts';
import { contentOf } from '../../resolver/indexed.ts';
import type { CatalogSource, ResolveInput } from '../../resolver/input.ts';
import { resolve } from '../../resolver/resolve.ts';
import { largeCatalog } from '../lib/large-catalog.ts';
import {
  DENSE_PACKAGES,
  describeProblem,
  LARGE_PROBLEM,
  LONG_PACKAGE,
  NEEDED_PACKAGE,
  type DependencyProblem,
} from './resolver-problems.ts';
import { measureRanges } from './resolver-ranges.ts';

/** One figure with its upper bound. */
export interface ResolverFigure {
  readonly what: string;
  readonly milliseconds: number;
  /** Milliseconds. */
  readonly budget: number;
  /** A question, and its answer. */
  readonly detail: string;
}

/** All figures; prints each on stderr as soon as it is known. */
export async function benchResolver(): Promise<readonly ResolverFigure[]> {
  const figures: ResolverFigure[] = [];
  const note = (figure: ResolverFigure): void => {
    figures.push(figure);
    process.stderr.write(`${formatFigure(figure)}\n`);
  };
  for (const figure of await measureCatalog()) note(figure);
  for (const problem of [LARGE_PROBLEM, LONG_PACKAGE, NEEDED_PACKAGE, ...DENSE_PACKAGES])
    for (const figure of measureProblem(problem)) note(figure);
  for (const { grammar, milliseconds, detail } of measureRanges())
    note({ what: `the worst range, ${grammar}`, milliseconds, budget: 1, detail });
  return figures;
}

function formatFigure({ what, milliseconds, budget, detail }: ResolverFigure): string {
  const verdict = milliseconds <= budget ? 'within' : 'OVER';
  return `${what}: ${milliseconds.toFixed(2)} ms (${verdict} the budget of ${budget} ms); ${detail}`;
}

async function measureCatalog(): Promise<readonly ResolverFigure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
  try {
    const target = join(folder, 'index.db');
    const counts = await buildIndexInWorker({ files: contents(), target });
    const index = openIndex(target);
    const asked = `${counts.packages} packages, ${counts.bundles} bundles`;
    warmUp(index);
    const figures = QUESTIONS.map(({ what, ask }) => measureQuestion(index, what, asked, ask));
    index.close();
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function* contents(): Generator<{ readonly path: string; readonly content: Uint8Array }> {
  yield* largeCatalog(undefined, false);
}

/** Asks every question about every package: the time includes reading the file and wording the answer. */
const QUESTIONS: readonly {
  readonly what: string;
  readonly ask: (name: string, index: CatalogIndex) => ResolveInput;
}[] = [
  { what: 'a first installation', ask: (name, index) => ({ ...question(name, index) }) },
  {
    what: 'an upgrade from the oldest version',
    ask: (name, index) => from(oldest(name, index), question(name, index)),
  },
  {
    what: 'a version that is not there',
    ask: (name, index) => {
      const input = from(oldest(name, index), question(name, index));
      return { ...input, wanted: { ...input.wanted, version: '>=9999' } };
    },
  },
];

function measureQuestion(
  index: CatalogIndex,
  what: string,
  asked: string,
  ask: (typeof QUESTIONS)[number]['ask'],
): ResolverFigure {
  const times = index.packages().map(({ name }) => ({ name, ...measure(ask(name, index), 5) }));
  times.sort((a, b) => a.milliseconds - b.milliseconds);
  const at = (share: number): string => (times[Math.floor((times.length - 1) * share)]?.milliseconds ?? 0).toFixed(2);
  const slowest = times
    .slice(-SLOWEST)
    .map(({ name }) => ({ name, ...measure(ask(name, index), 3, IN_A_ROW) }))
    .reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a));
  return {
    what: `${what}, catalog of ${asked}`,
    milliseconds: slowest.milliseconds,
    budget: 5,
    detail: `median ${at(0.5)}, 99 % within ${at(0.99)}, slowest ${slowest.name} (${slowest.decision.kind})`,
  };
}

interface Measured {
  readonly milliseconds: number;
  readonly decision: Decision;
}

/** How many of the slowest questions are measured more closely, and how often each is asked in a round. */
const SLOWEST = 10;
const IN_A_ROW = 20;

/**
 * Asks and explains, some times over, and returns the fastest round. `inARow` asks several times in a round, for short questions.
 */
function measure(input: ResolveInput, rounds: number, inARow = 1): Measured {
  const ask = (): Decision => {
    const decision = resolve(input);
    explainDecision(decision, input.wanted.package);
    return decision;
  };
  const all = Array.from({ length: rounds }, (): Measured => {
    const used = process.threadCpuUsage();
    const start = performance.now();
    const decision = ask();
    for (let again = 1; again < inARow; again++) ask();
    return { milliseconds: timeSince(start, used) / inARow, decision };
  });
  return all.reduce((a, b) => (b.milliseconds < a.milliseconds ? b : a));
}

/** The CPU time of the thread, or for durations that are too short for it, the clock. */
function timeSince(start: number, used: NodeJS.CpuUsage): number {
  const elapsed = performance.now() - start;
  const { user, system } = process.threadCpuUsage(used);
  const own = (user + system) / 1000;
  return own < COARSE ? elapsed : Math.min(own, elapsed);
}

const COARSE = 20;

function warmUp(index: CatalogIndex): void {
  for (const { name } of index.packages().slice(0, 100)) for (const { ask } of QUESTIONS) resolve(ask(name, index));
}

function question(name: string, index: CatalogIndex): ResolveInput {
  return {
    wanted: { package: name, edges: 'Follow', dependencies: 'Install' },
    catalogs: [sourceOf(index)],
    quarantined: [],
    cluster: { kubernetesVersion: '1.36.0', providedKinds: [] },
  };
}

function sourceOf(index: CatalogIndex): CatalogSource {
  return { name: 'large', priority: 0, state: 'Serving', ...contentOf(index) };
}

interface OldBundle {
  readonly name: string;
  readonly version: string;
}

/** The bundle from which most hops lead up: one that no other comes before in its channel. */
function oldest(name: string, index: CatalogIndex): OldBundle | undefined {
  const content = index.package(name);
  const entries = content?.channels.find((channel) => channel.name === content.defaultChannel)?.entries ?? [];
  const first = entries.find(({ replaces }) => replaces === undefined) ?? entries[0];
  return content?.bundles.find((bundle) => bundle.name === first?.name);
}

function from(bundle: OldBundle | undefined, input: ResolveInput): ResolveInput {
  if (bundle === undefined) return input;
  return { ...input, installed: { bundle: bundle.name, version: bundle.version, catalog: 'large', image: '' } };
}

function measureProblem(problem: DependencyProblem): readonly ResolverFigure[] {
  return problem.questions.map(({ what, input, budget }) => {
    const { milliseconds, decision } = measure(input, 2);
    return { what, milliseconds, budget, detail: describeProblem(problem, decision) };
  });
}

if (import.meta.main) await benchResolver();
