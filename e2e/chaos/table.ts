/** What the parts have shown, as tables in Markdown. Pure. */
import type { SeedRow } from './faults.ts';
import { peaksOf } from './invariants.ts';
import type { KillRow } from './kills.ts';
import type { SoakResult } from './soak.ts';
import type { BrainRow } from './split-brain.ts';

/** One row for each scenario of each operator, and a line with the sums. @param planned How many rows a complete run has. */
export function formatKills(rows: readonly KillRow[], planned = rows.length): string {
  const lines = rows.map((row) => [row.operator, row.scenario, row.writes, row.killed.length, row.differing.length]);
  const sums = [sum(rows.map(({ killed }) => killed.length)), sum(rows.map(({ differing }) => differing.length))];
  return [
    formatTable(['operator', 'scenario', 'writes', 'kills', 'differing ends'], lines),
    '',
    `${sums[0]} kills, ${sums[1]} differing ends.`,
    ...stoppedAfter(rows.length, planned),
  ].join('\n');
}

function stoppedAfter(rows: number, planned: number): readonly string[] {
  return rows < planned ? ['', `The run was stopped after ${rows} of ${planned} rows.`] : [];
}

/** One row for each seed. @param planned How many rows a complete run has. */
export function formatSeeds(rows: readonly SeedRow[], planned = rows.length): string {
  const lines = rows.map(({ seed, subscriptions, faults, registryFaults, fetched, partitions, ...row }) => {
    const cut = partitions.map((one) => `${one.side} ${one.seconds.toFixed(0)} s`).join(', ');
    const ofRegistry = `${registryFaults} of ${fetched}`;
    return [seed, subscriptions, faults, ofRegistry, cut, row.lost, row.seconds.toFixed(0), row.differences.length];
  });
  const faults = ['faults of the API server', 'of the registry'];
  const table = formatTable(['seed', 'lives', ...faults, 'partitions', 'leads lost', 'seconds', 'differences'], lines);
  return [table, ...stoppedAfter(rows.length, planned)].join('\n');
}

/** One row for each disturbance of a leader. */
export function formatBrains(rows: readonly BrainRow[]): string {
  const lines = rows.map((row) => [row.disturbance, row.rounds, row.writes, row.late, row.differences.length]);
  return formatTable(['the leader', 'rounds', 'writes', 'admitted before', 'differences'], lines);
}

/** One line for a soak. */
export function formatSoak({ acts, refused, kills, lost, looks, memory, broken }: SoakResult): string {
  const { early, late } = peaksOf(memory);
  const cells = [acts, refused, kills, lost, looks, early.toFixed(0), late.toFixed(0), broken.length];
  const most = ['most MB in the first third', 'most MB after it'];
  return formatTable(
    ['acts', 'of which refused', 'kills', 'leads lost', 'looks', ...most, 'broken invariants'],
    [cells],
  );
}

function formatTable(head: readonly string[], lines: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The differences behind the numbers, for a person who mends them. */
export function formatDifferences(rows: readonly KillRow[]): string {
  return rows
    .flatMap(({ operator, scenario, differing }) =>
      differing.map(({ n, moment, write, differences }) =>
        [
          `${operator}, ${scenario}: killed ${moment} write ${n}, ${write}`,
          ...differences.map((line) => `  ${line}`),
        ].join('\n'),
      ),
    )
    .join('\n');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
