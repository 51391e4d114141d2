import { expect, test } from 'vitest';
import type { CatalogPackage, Property } from '../../catalog/model.ts';
import { explainDecision } from '../explain.ts';
import type { ResolveInput } from '../input.ts';
import { resolve } from '../resolve.ts';
import { catalogOf, randomQuestion } from '../testing/random-catalogs.ts';
import { MOST_EFFORT } from './effort.ts';
import { PlanningMemory } from './memory.ts';
import type { DependencyQuestion } from './model.ts';
import { planDependencies } from './plan.ts';

/**
 * As many packages as pigeons, one more than there are kinds, each of which only one package may provide: that there is
 * no way is plain to see, but takes a solver of this kind exponentially long.
 */
function pigeons(holes: number): readonly CatalogPackage[] {
  const names = Array.from({ length: holes + 1 }, (_, pigeon) => `pigeon-${pigeon}`);
  const inHole = (hole: number): Property => ({
    type: 'olm.gvk',
    value: { group: 'example.com', version: 'v1', kind: `Hole${hole}` },
  });
  const needs = names.map((packageName) => ({
    type: 'olm.package.required',
    value: { packageName, versionRange: '>=0.0.0' },
  }));
  return [
    packageOf('web', [needs]),
    ...names.map((name) =>
      packageOf(
        name,
        Array.from({ length: holes }, (_, hole) => [inHole(hole)]),
      ),
    ),
  ];
}

/** One version for each list of properties. */
function packageOf(name: string, versions: readonly (readonly Property[])[]): CatalogPackage {
  const bundles = versions.map((properties, index) => ({
    name: `${name}.v${index + 1}`,
    package: name,
    version: `${index + 1}.0.0`,
    image: `registry.example/${name}:${index + 1}`,
    properties,
    relatedImages: [],
  }));
  const entries = bundles.map((bundle) => ({ name: bundle.name, skips: [] }));
  return { name, defaultChannel: 'main', channels: [{ name: 'main', entries }], bundles, deprecations: [] };
}

function ask(packages: readonly CatalogPackage[]): ResolveInput {
  return {
    wanted: { package: 'web', edges: 'Follow', dependencies: 'Install' },
    catalogs: [catalogOf('a', packages)],
    quarantined: [],
    cluster: { providedKinds: [] },
  };
}

const TOO_LONG = {
  reason: 'ResolutionFailed',
  message: 'Package "web": the dependencies of web.v1 cannot be satisfied: the search for a way takes too long',
  hint: 'Install its dependencies by Subscriptions of their own, or set dependencies to Ignore, so that there is less to search',
};

test('a search for dependencies that exceeds the effort ends with a reason and a hint', { timeout: 120_000 }, () => {
  expect(explainDecision(resolve(ask(pigeons(12))), 'web')).toEqual(TOO_LONG);
});

test('a small catalog of the same kind is decided within the effort', () => {
  const decision = resolve(ask(pigeons(3)));
  expect(decision.kind === 'none' && decision.because.map(({ kind }) => kind)).toEqual(['dependency']);
  expect(explainDecision(decision, 'web').message).not.toContain('too long');
});

test('a search that the clock ends is reported in the same words as one that the count ends', () => {
  let asked = 0;
  const decision = resolve({ ...ask(pigeons(12)), expired: () => ++asked > 20 });
  expect(explainDecision(decision, 'web')).toEqual(TOO_LONG);
  expect(asked).toBeLessThan(100);
});

test('all bundles of one resolution share the effort: a thousand versions take no longer than one', () => {
  const question = (version: number): DependencyQuestion => {
    const catalog = catalogOf('a', pigeons(9));
    const [bundle] = catalog.content('web')?.bundles ?? [];
    if (bundle === undefined) throw new Error('web has a bundle');
    return {
      root: { package: 'web', catalog: 'a', bundle: { ...bundle, name: `web.v${version}` } },
      catalogs: [catalog],
      cluster: { providedKinds: [] },
      quarantined: new Set(),
    };
  };
  const memory = new PlanningMemory({ ...MOST_EFFORT, steps: 20_000 });
  const plans = Array.from({ length: 1000 }, (_, version) => planDependencies(question(version), 'Install', memory));
  expect(new Set(plans.map((plan) => JSON.stringify(plan)))).toEqual(
    new Set([JSON.stringify({ kind: 'impossible', because: [{ kind: 'effort', why: 'tooLong' }] })]),
  );
  expect(memory.effort.steps).toBe(0);
  expect(memory.packagesRead).toBe(10);
});

test(
  'a search that is cut short never answers wrongly, and says if its answer may not be the best',
  { timeout: 60_000 },
  () => {
    const counts = { best: 0, good: 0, impossible: 0, effort: 0 };
    for (let seed = 1; seed <= 60; seed++) {
      const question = randomQuestion(seed, { packages: 8, versions: 4, kinds: 3, installed: 3 });
      const whole = planDependencies(question, 'Install');
      for (const steps of [1, 20, 100, 400, 1600]) {
        const plan = planDependencies(question, 'Install', new PlanningMemory({ ...MOST_EFFORT, steps }));
        if (plan.kind === 'impossible') {
          const gaveUp = plan.because.some(({ kind }) => kind === 'effort');
          counts[gaveUp ? 'effort' : 'impossible']++;
          if (!gaveUp) expect({ seed, steps, kind: whole.kind }).toEqual({ seed, steps, kind: 'impossible' });
          continue;
        }
        counts[plan.best ? 'best' : 'good']++;
        if (plan.best) expect({ seed, steps, plan }).toEqual({ seed, steps, plan: whole });
        else expect({ seed, steps, kind: whole.kind }).toEqual({ seed, steps, kind: 'possible' });
      }
    }
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  },
);
