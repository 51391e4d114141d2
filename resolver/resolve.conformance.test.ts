import { describe, expect, test } from 'vitest';
import type { CatalogPackage } from '../catalog/model.ts';
import { hasShared, sharedRows } from '../e2e/lib/shared.ts';
import type { Decision } from './decision.ts';
import type { Wanted } from './input.ts';
import { resolve } from './resolve.ts';
import { readDevSet } from './testing/dev-set.ts';

interface Row {
  readonly package: string;
  readonly channel: string | null;
  readonly installed: { readonly name: string; readonly version: string } | null;
  readonly range: string;
  readonly policy: 'CatalogProvided' | 'SelfCertified';
  readonly ok: boolean;
  readonly bundle?: string;
  /** Chosen, then refused only because it has dependencies. */
  readonly candidateBundle?: string;
}

/**
 * Differences to OLM v1, with the reason and the count. A row belongs to the first class that applies.
 *
 * several hops      the wanted version is reached over versions outside the range; OLM v1 knows single steps only
 * downgrade         OLM v1 follows a skipRange to a lower version; Slipway never goes down along the graph
 * default channel   without a channel, OLM v1 takes all of them, Slipway the default one; with `*` the row is equal
 */
const DIFFERENCES = { equal: 6972, 'several hops': 197, downgrade: 2, 'default channel': 89 };

describe.skipIf(!hasShared)('decisions are those of OLM v1, but for listed classes', () => {
  const devSet = hasShared ? readDevSet() : new Map<string, CatalogPackage>();
  const rows = hasShared ? sharedRows<Row>('conformance', 'reference', 'resolve.jsonl.xz') : [];

  test('every row is equal or of a counted class', () => {
    const counts: Record<string, number> = {};
    const unexplained: Row[] = [];
    for (const row of rows) {
      const found = classify(row, devSet);
      if (found === undefined) unexplained.push(row);
      else counts[found] = (counts[found] ?? 0) + 1;
    }
    process.stdout.write(`resolver: ${rows.length} rows: ${JSON.stringify(counts)}\n`);
    expect(unexplained).toEqual([]);
    expect(rows.length).toBe(7260);
    expect(counts).toEqual(DIFFERENCES);
  });
});

function classify(row: Row, devSet: ReadonlyMap<string, CatalogPackage>): keyof typeof DIFFERENCES | undefined {
  const expected = row.ok ? row.bundle : row.candidateBundle;
  const decision = ask(row, devSet, row.channel ?? undefined);
  if (nextOf(decision) === expected) return 'equal';
  if (isSeveralHops(row, decision)) return 'several hops';
  if (isDowngrade(row, expected, decision)) return 'downgrade';
  return row.channel === null && isExplained(row, expected, ask(row, devSet, '*')) ? 'default channel' : undefined;
}

/** Except for the range `unsat`, OLM v1 refuses if no direct successor is in range. */
function isSeveralHops(row: Row, decision: Decision): boolean {
  return !row.ok && row.candidateBundle === undefined && decision.kind === 'upgrade' && decision.path.length > 1;
}

function isDowngrade(row: Row, expected: string | undefined, decision: Decision): boolean {
  const cause = decision.refused.find(({ bundle }) => bundle === expected)?.cause;
  return row.policy === 'CatalogProvided' && cause?.kind === 'downgrade';
}

function isExplained(row: Row, expected: string | undefined, decision: Decision): boolean {
  return nextOf(decision) === expected || isSeveralHops(row, decision) || isDowngrade(row, expected, decision);
}

function nextOf(decision: Decision): string | undefined {
  return decision.kind === 'none' ? undefined : decision.next.name;
}

function ask(row: Row, devSet: ReadonlyMap<string, CatalogPackage>, channel: string | undefined): Decision {
  const wanted: Wanted = {
    package: row.package,
    ...(channel !== undefined && { channel }),
    ...(row.range !== '' && { version: row.range }),
    edges: row.policy === 'SelfCertified' ? 'Ignore' : 'Follow',
    dependencies: 'Ignore',
  };
  const { installed } = row;
  return resolve({
    wanted,
    ...(installed !== null && {
      installed: { bundle: installed.name, version: installed.version, catalog: 'dev', image: '' },
    }),
    catalogs: [{ name: 'dev', priority: 0, state: 'Serving', content: (name) => devSet.get(name) }],
    quarantined: [],
  });
}
