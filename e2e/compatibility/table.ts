/** Turns results into rows, a row for each package, and reports unexpected ones. Pure. */
import { SOURCES, versionOfBundle, type CorpusPackage, type Source } from './packages.ts';
import { TRIALS, type Trial } from './plan.ts';
import { REFUSALS, refusalOf } from './refusals.ts';
import type { Result } from './wave.ts';

/** One package, as the page shows it. */
export interface Row {
  readonly source: Source;
  /** Name of the package's folder in the archive. */
  readonly name: string;
  readonly head: Cell;
  readonly upgrade: Cell;
}

/** What came of a trial. */
export interface Cell {
  /** Of the bundles: passed one after the other, or meant to be; none if there was nothing to try. */
  readonly versions: readonly string[];
  /** `Ready` or the reason of the refusal; empty if there was nothing to try. */
  readonly outcome: string;
  /** Names of the packages that were there for the kinds that it uses. */
  readonly beside: readonly string[];
}

export const NOTHING: Cell = { versions: [], outcome: '', beside: [] };

/** The row of a package; a package without a result was not tried. */
export function rowOf({ source, name }: CorpusPackage, results: readonly Result[]): Row {
  const own = results.filter(({ trial }) => trial.of.source === source && trial.of.name === name);
  const cell = (kind: Trial['kind']): Cell => {
    const result = own.find(({ trial }) => trial.kind === kind);
    return result === undefined ? NOTHING : cellOf(result);
  };
  return { source, name, head: cell('head'), upgrade: cell('upgrade') };
}

function cellOf({ trial, outcome, steps, beside }: Result): Cell {
  if (outcome.outcome !== 'Ready') return { versions: meantBy(trial), outcome: outcome.reason, beside };
  return { versions: steps.map((step) => versionOfBundle(trial.of, step)), outcome: 'Ready', beside };
}

/** The versions with which a trial begins and is to end. */
export function meantBy({ from, head }: Trial): readonly string[] {
  return [...new Set([from.version, head.version])];
}

/** What is not as it should be, a line each: faults, and outcomes that are not the expected ones. */
export function surprisesIn(results: readonly Result[]): readonly string[] {
  return results.flatMap(({ trial, outcome, faults }) => {
    const { of, kind } = trial;
    const pinned = refusalOf(of.source, of.name, kind);
    const wanted = pinned === undefined ? 'Ready' : `refused: ${pinned.reason}: …${pinned.says}…`;
    const got = outcome.outcome === 'Ready' ? 'Ready' : `${outcome.outcome}: ${outcome.reason}: ${outcome.message}`;
    const isWanted =
      pinned === undefined
        ? outcome.outcome === 'Ready'
        : outcome.outcome === 'Refused' && outcome.reason === pinned.reason && outcome.message.includes(pinned.says);
    const title = `${of.name} (${of.source}), ${kind}`;
    return [
      ...(isWanted ? [] : [`${title}: expected ${wanted}, was ${got}`]),
      ...faults.map((fault) => `${title}: ${fault}`),
    ];
  });
}

/** Where rows and the table of refusals do not say the same, a line each; a refusal may be of a package that has no row. */
export function contradictionsIn(rows: readonly Row[]): readonly string[] {
  const expected = rows.flatMap((row) =>
    TRIALS.filter((kind) => row[kind].outcome !== '').map((kind) => {
      const wanted = refusalOf(row.source, row.name, kind)?.reason ?? 'Ready';
      return { cell: `${row.source} ${row.name} ${kind}`, wanted, is: row[kind].outcome };
    }),
  );
  const shown = new Set(expected.map(({ cell }) => cell));
  const pinned = REFUSALS.flatMap(({ source, name, trials }) => trials.map((kind) => `${source} ${name} ${kind}`));
  return [
    ...expected
      .filter(({ wanted, is }) => wanted !== is)
      .map(({ cell, wanted, is }) => `${cell}: ${is}, not ${wanted}`),
    ...pinned.filter((cell) => !shown.has(cell)).map((cell) => `${cell}: refused, but not in the page`),
  ];
}

/** Rows in the order of the page. */
export function sortRows(rows: readonly Row[]): readonly Row[] {
  const place = (row: Row): string => `${SOURCES.indexOf(row.source)} ${row.name}`;
  return rows.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}
