/** Plans each upgrade between consecutive versions of real packages, from their bundles alone. */
import { basename, dirname } from 'node:path';
import { compare, valid } from 'semver';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../api/errors.ts';
import { prepareObjects } from '../apply/prepare.ts';
import { bundleFolders, readBundle } from '../bundles/testing/real-bundles.ts';
import { renderBundle } from '../bundles/render/render.ts';
import { sampleOf } from '../e2e/lib/sample.ts';
import { devSet, hasShared } from '../e2e/lib/shared.ts';
import type { PlannedSide } from './input.ts';
import type { Plan } from './model.ts';
import { planChange } from './plan.ts';

const LARGEST_MS = 2000;

const folders = hasShared ? bundleFolders(devSet()) : [];
/** All of them take minutes. */
const packages = sampleOf([...Map.groupBy(folders, dirname)], { every: 6 });

describe.skipIf(!hasShared)('consecutive versions of real packages', () => {
  test.each(packages.map(([folder, versions]) => ({ name: basename(folder), versions })))(
    '$name: each step is planned, and the plan is consistent',
    ({ versions }) => {
      const sides = versions.flatMap((folder) => sideOf(folder) ?? []).toSorted(compareSides);
      for (const [at, to] of sides.slice(1).entries()) {
        const from = sides[at] as PlannedSide;
        const input = { package: 'real', subscription: 'ops/real', from, to };
        const started = process.threadCpuUsage();
        const plan = planChange(input);
        const { user, system } = process.threadCpuUsage(started);
        expect((user + system) / 1000, `${from.bundle} → ${to.bundle}`).toBeLessThan(LARGEST_MS);
        checkConsistent(plan, from, to);
        expect(planChange(input)).toEqual(plan);
      }
    },
  );
});

function sideOf(folder: string): PlannedSide | undefined {
  try {
    const bundle = readBundle(folder);
    const rendered = renderBundle(bundle, { namespace: 'ops', certificates: 'manager' });
    const options = {
      owner: { namespace: 'ops', name: 'real' },
      package: 'real',
      revision: 'real',
      installNamespace: 'ops',
    };
    return {
      bundle: bundle.csv.name,
      version: bundle.csv.spec.version ?? basename(folder),
      objects: prepareObjects(rendered, options),
      properties: bundle.properties,
    };
  } catch (error) {
    if (error instanceof ReasonedError) return undefined; // bundles that cannot be installed have tests of their own
    throw error;
  }
}

function compareSides(a: PlannedSide, b: PlannedSide): number {
  const [x, y] = [valid(a.version), valid(b.version)];
  return x === null || y === null ? 0 : compare(x, y);
}

function checkConsistent({ objects, risk, rights }: Plan, from: PlannedSide, to: PlannedSide): void {
  const { created, changed, replaced, deleted, kept, unchanged } = objects;
  const both = changed.length + replaced.length + unchanged.length;
  expect([created.length + both, deleted.length + kept.length + both]).toEqual([
    to.objects.length,
    from.objects.length,
  ]);
  for (const { fields, ref } of [...changed, ...replaced]) expect(fields.length, ref.name).toBeGreaterThan(0);
  const texts = [...risk.reasons.map(({ message }) => message), ...rights.gained.map(({ words }) => words)];
  for (const text of texts) expect(text).not.toMatch(/undefined|\[object|NaN/);
}
