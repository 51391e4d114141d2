/** A dependency that upgrades itself, beside an operator that is upgraded over several steps and needs it on the way. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../../e2e/lib/sample.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { CatalogPackage, Property } from '../../catalog/model.ts';
import type { CatalogSource, UpgradeWay } from '../../resolver/input.ts';
import { NOW, revision, subscription } from './testing/facts.ts';
import { Fleet, type FleetMember } from './testing/fleet.ts';
import { planWays } from './ways.ts';

const NEEDS_BASE = JSON.stringify({ packageName: 'base', versionRange: '>=1.0.0' });

function damaged(): never {
  throw new ReasonedError({ reason: 'CatalogInvalid', retry: 'backoff', message: 'its index is damaged' });
}

interface PackageParts {
  /** By version, in order, the range of the other package that it needs; `undefined` for none. */
  readonly needs: Readonly<Record<string, string | undefined>>;
  readonly of?: string;
  /** By version, those that it may follow; by default the one before it. */
  readonly after?: Readonly<Record<string, readonly string[]>>;
}

function packageOf(name: string, { needs, of = 'base', after }: PackageParts): CatalogPackage {
  const versions = Object.keys(needs);
  const bundleName = (version: string): string => `${name}.v${version}`;
  const required = (versionRange: string | undefined): readonly Property[] =>
    versionRange === undefined ? [] : [{ type: 'olm.package.required', value: { packageName: of, versionRange } }];
  return {
    name,
    defaultChannel: 'stable',
    channels: [
      {
        name: 'stable',
        entries: versions.map((version, at) => ({
          name: bundleName(version),
          skips: (after?.[version] ?? versions.slice(Math.max(0, at - 1), at)).map(bundleName),
        })),
      },
    ],
    bundles: versions.map((version) => ({
      name: bundleName(version),
      package: name,
      version,
      image: `registry.example/${name}:v${version}`,
      properties: required(needs[version]),
      relatedImages: [],
    })),
    deprecations: [],
  };
}

const chain = (...versions: readonly string[]): PackageParts => ({
  needs: Object.fromEntries(versions.map((version) => [version, undefined])),
});

const BASE = packageOf('base', chain('1.0.0', '1.1.0', '1.2.0', '1.3.0'));
/** Every version may follow every lower one. */
const LEAPING = packageOf('base', {
  ...chain('1.0.0', '1.1.0', '1.2.0', '1.3.0'),
  after: { '1.1.0': ['1.0.0'], '1.2.0': ['1.0.0', '1.1.0'], '1.3.0': ['1.0.0', '1.1.0', '1.2.0'] },
});
const PINS = packageOf('top', { needs: { '1.0.0': '1.0.0', '2.0.0': '1.1.0', '3.0.0': '1.2.0', '4.0.0': '1.3.0' } });
/** Content with anything until its last step. */
const LATE = packageOf('top', { needs: { '1.0.0': '>=1.0.0', '2.0.0': '>=1.0.0', '3.0.0': '1.1.0' } });

const TOP: FleetMember = { package: 'top', installed: '1.0.0' };
const UNDER: FleetMember = { package: 'base', installed: '1.0.0', dependency: true };

/** Decides about the members in turn, more often than any of these fleets needs. */
function settle(fleet: Fleet, names: readonly string[]): Fleet {
  for (let round = 0; round < 20; round++) for (const name of names) fleet.reconcile(name);
  return fleet;
}

describe('an operator whose steps need certain versions of a dependency', () => {
  test.each([
    {
      because: 'each step is pinned exactly',
      packages: [PINS, BASE],
      order: ['top', 'base'],
      ends: ['4.0.0', '1.3.0'],
    },
    {
      because: 'the dependency is decided about more often',
      packages: [PINS, BASE],
      order: ['base', 'base', 'base', 'top'],
      ends: ['4.0.0', '1.3.0'],
    },
    {
      because: 'the dependency could leap over the version that is needed',
      packages: [PINS, LEAPING],
      order: ['base', 'base', 'top'],
      ends: ['4.0.0', '1.3.0'],
    },
    {
      because: 'only its last step needs a low version',
      packages: [LATE, BASE],
      order: ['base', 'base', 'base', 'top'],
      ends: ['3.0.0', '1.1.0'],
    },
  ])('both reach their ends $ends: $because', ({ packages, order, ends }) => {
    const fleet = settle(new Fleet(packages, [TOP, UNDER]), order);
    expect([fleet.versionOf('top'), fleet.versionOf('base')]).toEqual(ends);
  });

  test('right after an upgrade of the dependency, its next version is not chosen before the step that needed this one', () => {
    const fleet = new Fleet(
      [PINS, BASE],
      [
        { ...TOP, installed: '2.0.0' },
        { ...UNDER, installed: '1.1.0' },
      ],
    );
    fleet.hold('top', '3.0.0', 'DependencyNotReady');
    fleet.reconcile('base');
    expect(fleet.versionOf('base')).toBe('1.2.0');
    fleet.reconcile('base');
    expect(fleet.versionOf('base')).toBe('1.2.0');
  });

  test('a dependency that a step requests is installed in the version that the step needs', () => {
    const needing = packageOf('top', { needs: { '1.0.0': undefined, '2.0.0': '1.1.0' } });
    const fleet = new Fleet([needing, BASE], [TOP, { package: 'base', dependency: true }]);
    fleet.hold('top', '2.0.0', 'DependencyNotReady');
    settle(fleet, ['base', 'top']);
    expect([fleet.versionOf('top'), fleet.versionOf('base')]).toEqual(['2.0.0', '1.1.0']);
  });

  test('a dependency that a first installation waits for moves to the version that it needs, over others', () => {
    const needing = packageOf('top', { needs: { '1.0.0': '1.2.0' } });
    const fleet = new Fleet([needing, BASE], [{ package: 'top' }, UNDER]);
    settle(fleet, ['top', 'base']);
    expect([fleet.versionOf('top'), fleet.versionOf('base')]).toEqual(['1.0.0', '1.2.0']);
  });
});

describe('whether a dependency waits for the upgrade of an operator', () => {
  const decided = (top: FleetMember, base: FleetMember, change: (fleet: Fleet) => Fleet = (one) => one): string => {
    const plan = change(new Fleet([LATE, BASE], [top, base])).reconcile('base');
    return plan.decision.kind === 'none' ? 'none' : plan.decision.bundle.version;
  };

  test.each<{ top?: object; because: string; base?: Partial<FleetMember>; namespace?: string }>([
    { because: 'the upgrade goes on by itself' },
    { because: 'a person has requested the dependency too', base: { dependency: false, installed: '1.1.0' } },
    { because: 'the operator acts as the manager in another namespace', namespace: 'market' },
    { because: 'a range of the spec leaves the last step in', top: { version: '>=1.0.0' } },
  ])('it waits, since $because', ({ top = {}, base = {}, namespace = 'ops' }) => {
    expect(decided({ ...TOP, namespace, spec: top }, { ...UNDER, ...base })).toBe('1.1.0');
  });

  test.each<{ top?: object; because: string; base?: object; change?: (fleet: Fleet) => Fleet }>([
    { because: 'the operator is pinned', top: { version: '1.0.0' } },
    { because: 'the operator is pinned to a step that is content with any version', top: { version: '2.0.0' } },
    { because: 'a person approves each step', top: { approval: 'Manual' } },
    { because: 'the operator is suspended', top: { suspend: true } },
    { because: 'the operator ignores its dependencies', top: { dependencies: 'Ignore' } },
    { because: 'the operator acts with other rights', top: { serviceAccountName: 'tenant' } },
    { because: 'the operator has another channel', top: { channel: 'none' } },
    { because: 'the dependency ignores what others need', base: { dependencies: 'Ignore' } },
    {
      because: 'a person has to approve the next step',
      change: (fleet: Fleet) => fleet.hold('top', '2.0.0', 'AwaitingApproval'),
    },
    {
      because: 'the operator itself holds its upgrade',
      change: (fleet: Fleet) => fleet.hold('top', '2.0.0', 'OperatorNotUpgradeable'),
    },
  ])('it does not wait, since $because', ({ top = {}, base = {}, change }) => {
    expect(decided({ ...TOP, spec: top }, { ...UNDER, spec: base }, change)).toBe('1.3.0');
  });

  test('the step that a person has approved counts, and no later one', () => {
    const manual = { ...TOP, spec: { approval: 'Manual' } };
    const pins = new Fleet([PINS, BASE], [manual, { ...UNDER, installed: '1.0.0' }]);
    pins.hold('top', '2.0.0', 'DependencyNotReady');
    const plan = pins.reconcile('base');
    expect(plan.decision).toMatchObject({ bundle: { version: '1.1.0' } });
  });

  test('of two that need each other only one waits for the upgrade of the other', () => {
    const top = packageOf('top', { needs: { '1.0.0': '>=1.0.0', '2.0.0': '1.1.0' } });
    const base = packageOf('base', { of: 'top', needs: { '1.0.0': '>=1.0.0', '1.1.0': '>=1.0.0', '1.2.0': '1.0.0' } });
    const fleet = settle(new Fleet([top, base], [TOP, UNDER]), ['base', 'top']);
    expect([fleet.versionOf('top'), fleet.versionOf('base')]).toEqual(['2.0.0', '1.1.0']);
  });

  test('the version that waits is refused in the status, so that the end of the wait wakes its Subscription', () => {
    const { decision } = new Fleet([LATE, BASE], [TOP, { ...UNDER, installed: '1.1.0' }]).reconcile('base');
    expect(decision).toMatchObject({ kind: 'upToDate' });
    const [head] = decision.refused;
    expect(head).toMatchObject({ bundle: 'base.v1.3.0', cause: { kind: 'dependency' } });
  });
});

describe('an operator whose Catalog is not read', () => {
  const plannerOf = (
    source: Partial<CatalogSource>,
    path: readonly string[],
    serviceAccountName?: string,
  ): ReturnType<typeof planWays> => {
    const spec = { package: 'base', ...(serviceAccountName !== undefined && { serviceAccountName }) };
    const [installed, one] = [
      revision({ package: 'top', ready: true, properties: [{ type: 'olm.package.required', value: NEEDS_BASE }] }),
      { subscription: subscription({ name: 'base', spec }), revisions: [] },
    ];
    const { bundle, version, image, catalog } = installed.spec;
    const described = { bundle, version, image, catalog, revision: installed.metadata.name };
    const status = { installed: described, path: [...path] };
    const top = {
      subscription: subscription({ name: 'top', spec: { package: 'top' }, status }),
      revisions: [installed],
    };
    const catalogs = [
      { name: 'main', priority: 0, state: 'Unavailable' as const, content: () => undefined, ...source },
    ];
    return planWays({ one, neighbours: [top], server: { providedKinds: [] }, catalogsOf: () => catalogs, now: NOW });
  };

  test.each([
    { because: 'its upgrade has begun, and the Catalog is about to be read', source: {}, path: ['2.0.0'], waits: true },
    { because: 'no upgrade of it has begun', source: {}, path: [], waits: false },
    {
      because: 'the Catalog cannot be read, maybe for ever',
      source: { unreadable: true },
      path: ['2.0.0'],
      waits: false,
    },
    { because: 'the Catalog is gone', source: { state: 'Missing' as const }, path: ['2.0.0'], waits: false },
    {
      because: 'the Catalog is damaged, which its own Subscription reports',
      source: { state: 'Serving' as const, content: damaged },
      path: ['2.0.0'],
      waits: false,
    },
  ])('a dependency waits for it: $waits, since $because', ({ source, path, waits }) => {
    const ways: readonly UpgradeWay[] = plannerOf(source, path)();
    expect(ways).toEqual(waits ? [{ subscription: 'ops/top', steps: [], unread: 'main' }] : []);
  });

  test.each([
    { because: 'tenants read the Subscription of the dependency', account: 'installer', hidden: true },
    { because: 'administrators do', account: undefined, hidden: undefined },
  ])('its way is hidden: $hidden, since $because', ({ account, hidden }) => {
    expect(plannerOf({}, ['2.0.0'], account)().map((way) => way.hidden)).toEqual([hidden]);
  });

  test.each([
    { because: 'the time is up at the beginning', before: 0 },
    { because: 'the time is up while its steps are planned', before: 1 },
  ])('stands for steps that are not known, and is planned at the next call, if $because', ({ before }) => {
    const plan = plannerOf({}, []);
    let asked = 0;
    expect(plan(() => ++asked > before)).toEqual([{ subscription: 'ops/top', steps: [] }]);
    expect(plan(() => false)).toEqual([]);
  });
});

describe('any graphs', () => {
  const TOPS = ['1.0.0', '2.0.0', '3.0.0', '4.0.0'];
  const BASES = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0'];
  const LOWEST = '1.0.0';
  type Edges = Readonly<Record<string, readonly string[]>>;
  const range = fc.oneof(
    fc.constantFrom(...BASES),
    fc.constantFrom(...BASES).map((version) => `>=${version}`),
    fc.constantFrom(...BASES).map((version) => `<=${version}`),
  );
  const edges = (versions: readonly string[]): fc.Arbitrary<Edges> =>
    fc
      .tuple(...versions.slice(1).map((_, at) => fc.subarray(versions.slice(0, at + 1), { minLength: 1 })))
      .map((lists) => Object.fromEntries(lists.map((list, at) => [versions[at + 1], list])));
  const topOf = fc
    .record({ ranges: fc.tuple(range, fc.option(range), range, range), after: edges(TOPS) })
    .map(({ ranges, after }) => ({
      needs: Object.fromEntries(TOPS.map((version, at) => [version, ranges[at] ?? undefined])),
      after,
    }));

  const isIn = (version: string, wanted: string | undefined): boolean => {
    if (wanted === undefined) return true;
    const [place, bound] = [version, wanted.replace(/^[<>=]+/, '')].map((one) => BASES.indexOf(one)) as [
      number,
      number,
    ];
    if (wanted.startsWith('>=')) return place >= bound;
    return wanted.startsWith('<=') ? place <= bound : place === bound;
  };

  /** By trying: whether all steps can be made in order, if the dependency moves as the steps need it. */
  function isOpen(steps: readonly (string | undefined)[], base: string, after: Edges): boolean {
    const [step, ...later] = steps;
    if (steps.length === 0 || (isIn(base, step) && isOpen(later, base, after))) return true;
    return BASES.some((next) => after[next]?.includes(base) === true && isOpen(steps, next, after));
  }

  test('no upgrade of the dependency ends the way on which the operator is, in any order of decisions', () => {
    const seen = { steps: 0, moves: 0, waits: 0 };
    fc.assert(
      fc.property(
        topOf,
        edges(BASES),
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        (top, after, order) => {
          fc.pre(isIn(LOWEST, top.needs['1.0.0']));
          const packages = [packageOf('top', top), packageOf('base', { ...chain(...BASES), after })];
          const fleet = new Fleet(packages, [TOP, { ...UNDER, installed: LOWEST }]);
          for (const isTop of order) {
            const [now, base] = [fleet.versionOf('top') ?? '', fleet.versionOf('base') ?? ''];
            if (isTop) {
              fleet.reconcile('top');
              seen.steps += Number(fleet.versionOf('top') !== now);
              continue;
            }
            const steps = plannedSteps(packages, now, base).map((version) => top.needs[version]);
            const { decision } = fleet.reconcile('base');
            const next = fleet.versionOf('base') ?? '';
            seen.moves += Number(next !== base);
            seen.waits += Number(decision.refused.some(({ cause }) => cause.kind === 'dependency'));
            if (isOpen(steps, base, after)) expect(isOpen(steps, next, after)).toBe(true);
          }
        },
      ),
      { numRuns: runsOf(60) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  /** The versions that the operator goes to, one after another. */
  function plannedSteps(packages: readonly CatalogPackage[], top: string, base: string): readonly string[] {
    const fleet = new Fleet(packages, [
      { ...TOP, installed: top },
      { ...UNDER, installed: base },
    ]);
    const { decision } = fleet.reconcile('top');
    return decision.kind === 'none' ? [] : decision.path.map(({ version }) => version);
  }
});
