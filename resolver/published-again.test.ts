/** A catalog that has the installed bundle with another content: the name alone makes no bundle a choice. */
import { describe, expect, test } from 'vitest';
import type { CatalogBundle, CatalogPackage, Property } from '../catalog/model.ts';
import type { Decision } from './decision.ts';
import { explainDecision } from './explain.ts';
import type { ClusterFacts, Wanted } from './input.ts';
import { passedOver } from './passed-over.ts';
import { resolve } from './resolve.ts';
import { chainOf, packageOf, serving } from './testing/ask.ts';

const OLD = `registry.example/op@sha256:${'a'.repeat(64)}`;
const NEW = `registry.example/op@sha256:${'b'.repeat(64)}`;

const needs = (packageName: string, versionRange = '>=1.0.0'): Property => ({
  type: 'olm.package.required',
  value: { packageName, versionRange },
});

interface Given {
  /** The entry of the catalog with the name of the installed bundle, op.v1.0.0. */
  readonly entry?: Partial<CatalogBundle>;
  readonly wanted?: Partial<Wanted>;
  readonly cluster?: Partial<ClusterFacts>;
  readonly quarantined?: readonly string[];
  readonly versions?: readonly string[];
}

function decide({ entry = {}, wanted, cluster, quarantined = [], versions = ['1.0.0'] }: Given): Decision {
  const small = packageOf('op', chainOf(...versions));
  const bundles = small.bundles.map((one) => (one.version === '1.0.0' ? { ...one, image: NEW, ...entry } : one));
  const content: CatalogPackage = { ...small, bundles };
  return resolve({
    wanted: { package: 'op', edges: 'Follow', dependencies: 'Install', ...wanted },
    installed: { bundle: 'op.v1.0.0', version: '1.0.0', catalog: 'a', image: OLD },
    catalogs: [serving('a', content, packageOf('base', chainOf('1.0.0')))],
    quarantined,
    cluster: { providedKinds: [], kubernetesVersion: '1.30.0', ...cluster },
  });
}

const dependent = {
  package: 'shop',
  bundle: 'shop.v1.0.0',
  version: '1.0.0',
  catalog: 'a',
  image: 'x',
  dependency: false,
  properties: [needs('op', '<2.0.0')],
};

/** The installed package itself: only needs that it meets count. */
const own = { ...dependent, package: 'op', bundle: 'op.v1.0.0', image: OLD, properties: [] };

describe('a new content under the name of the installed bundle', () => {
  test.each<Given & { readonly because: string; readonly steps?: readonly string[]; readonly downgrade?: boolean }>([
    { because: 'it is the same version' },
    { because: 'it is a higher version that the spec allows', entry: { version: '1.5.0' }, wanted: { version: '1.x' } },
    {
      because: 'the spec excludes the installed version only',
      entry: { version: '2.0.0' },
      wanted: { version: '2.x' },
    },
    { because: 'another content of that name failed', quarantined: ['op.v1.0.0'] },
    { because: 'edges are ignored', wanted: { edges: 'Ignore' } },
    {
      because: 'the spec asks for a lower version, and for no edges',
      entry: { version: '0.5.0' },
      wanted: { edges: 'Ignore', version: '<1.0.0' },
      downgrade: true,
    },
    { because: 'its dependency can be installed first', entry: { properties: [needs('base')] }, steps: ['base'] },
  ])('is chosen, since $because', ({ steps = [], downgrade = false, ...given }) => {
    const decision = decide(given);
    expect(decision).toMatchObject({ kind: 'upToDate', next: { image: NEW }, downgrade });
    expect(decision.kind !== 'none' && decision.dependencies.map((step) => step.package)).toEqual(steps);
    expect(decision).not.toHaveProperty('keepsContent');
    expect(decision.refused).toEqual([]);
  });

  test.each<Given & { readonly because: string; readonly cause: string }>([
    {
      because: 'it is outside of the range',
      entry: { version: '9.0.0' },
      wanted: { version: '1.0.0' },
      cause: 'outOfRange',
    },
    { because: 'it is a lower version', entry: { version: '0.1.0' }, cause: 'downgrade' },
    {
      because: 'it is a lower version, and the installed one is as requested',
      entry: { version: '0.1.0' },
      wanted: { edges: 'Ignore' },
      cause: 'downgrade',
    },
    { because: 'its version cannot be read', entry: { version: 'nonsense' }, cause: 'invalidVersion' },
    { because: 'its image failed', quarantined: [NEW], cause: 'quarantined' },
    {
      because: 'it does not fit the cluster',
      entry: { properties: [{ type: 'slipway.minKubeVersion', value: '9.9.0' }] },
      cause: 'kubernetesTooOld',
    },
    { because: 'no catalog has its dependency', entry: { properties: [needs('missing')] }, cause: 'dependency' },
    {
      because: 'no catalog has its dependency, and edges are ignored',
      entry: { properties: [needs('missing')] },
      wanted: { edges: 'Ignore' },
      cause: 'dependency',
    },
    {
      because: 'an installed package needs a lower version',
      entry: { version: '2.0.0' },
      cluster: { packages: [dependent, own] },
      cause: 'dependency',
    },
    {
      because: 'a package that is about to be installed needs a lower version',
      entry: { version: '2.0.0' },
      cluster: { coming: [dependent] },
      cause: 'dependency',
    },
  ])('is not chosen, and the installed one stays, since $because', ({ cause, ...given }) => {
    const decision = decide(given);
    expect(decision).toMatchObject({ kind: 'upToDate', keepsContent: true, next: { version: '1.0.0', image: OLD } });
    expect(decision).toMatchObject({ downgrade: false, dependencies: [] });
    const refused = [
      expect.objectContaining({ cause: { kind: 'publishedAgain', cause: expect.objectContaining({ kind: cause }) } }),
    ];
    expect(decision.refused).toEqual(refused);
    expect(passedOver(decision, { bundle: 'op.v1.0.0', version: '1.0.0' })).toEqual(refused);
    expect(explainDecision(decision, 'op').message).toContain('another content');
  });

  test('does not keep a higher version from being chosen', () => {
    const decision = decide({ entry: { version: '9.0.0' }, wanted: { version: '1.x' }, versions: ['1.0.0', '1.1.0'] });
    expect(decision).toMatchObject({ kind: 'upgrade', next: { version: '1.1.0' } });
  });
});
