/** An installed dependency moves only as far as its own Subscription goes: that one makes the upgrade. */
import { expect, test } from 'vitest';
import type { Property } from '../../catalog/model.ts';
import type { Decision } from '../decision.ts';
import type { UpgradeLimits } from '../input.ts';
import { ask, packageOf, serving } from '../testing/ask.ts';
import { describeFacts } from '../sentences.ts';
import type { SmallPackage } from '../testing/small-catalogs.ts';

const needsBase = (versionRange: string): Property => ({
  type: 'olm.package.required',
  value: { packageName: 'base', versionRange },
});

const BASE: SmallPackage = {
  bundles: ['1.0.0', '1.1.0', '2.0.0'],
  defaultChannel: 'stable',
  channels: {
    stable: [{ version: '1.0.0' }, { version: '1.1.0', replaces: '1.0.0' }],
    beta: [{ version: '1.0.0' }, { version: '1.1.0', replaces: '1.0.0' }, { version: '2.0.0', replaces: '1.1.0' }],
  },
};
const TOP: SmallPackage = {
  bundles: ['1.0.0', '1.5.0', '2.0.0'],
  channels: { stable: ['1.0.0', '1.5.0', '2.0.0'].map((version) => ({ version, skipRange: `<${version}` })) },
};
const FREE: UpgradeLimits = { channel: 'beta', suspended: false, quarantined: [] };

function decide(limits: UpgradeLimits | undefined): Decision {
  const properties = { '1.5.0': [needsBase('>=1.0.0')], '2.0.0': [needsBase('>=2.0.0')] };
  const base = {
    package: 'base',
    bundle: 'base.v1.0.0',
    version: '1.0.0',
    catalog: 'a',
    image: 'x',
    dependency: true,
    subscription: 'ops/base',
    properties: [],
    ...(limits !== undefined && { limits }),
  };
  return ask({
    installed: '1.0.0',
    catalogs: [serving('a', packageOf('op', TOP, { properties }), packageOf('base', BASE))],
    cluster: { providedKinds: [], packages: [base] },
  });
}

test.each<{ readonly limits: UpgradeLimits | undefined; readonly gives: string; readonly because: string }>([
  { limits: FREE, gives: '2.0.0', because: 'its Subscription goes there' },
  { limits: undefined, gives: '2.0.0', because: 'it is not known what its Subscription says' },
  { limits: { ...FREE, channel: 'stable' }, gives: '1.5.0', because: 'its channel does not have it' },
  { limits: { suspended: false, quarantined: [] }, gives: '1.5.0', because: 'the default channel does not have it' },
  { limits: { ...FREE, channel: '*' }, gives: '2.0.0', because: 'all channels count' },
  { limits: { ...FREE, version: '1.x' }, gives: '1.5.0', because: 'its range does not include it' },
  { limits: { ...FREE, version: '>=2.0.0' }, gives: '2.0.0', because: 'a way leads into its range' },
  { limits: { ...FREE, suspended: true }, gives: '1.5.0', because: 'its Subscription is suspended' },
  { limits: { ...FREE, quarantined: ['base.v2.0.0'] }, gives: '1.5.0', because: 'it failed before' },
  {
    limits: { ...FREE, quarantined: ['registry.example/base:v2.0.0'] },
    gives: '1.5.0',
    because: 'its image failed before',
  },
  { limits: { ...FREE, quarantined: ['base.v1.1.0'] }, gives: '1.5.0', because: 'a version on the way failed before' },
])('a dependent gets $gives that needs another version of its dependency, since $because', ({ limits, gives }) => {
  const decision = decide(limits);
  expect(decision.kind !== 'none' && decision.next.version).toBe(gives);
  const steps = decision.kind === 'none' ? [] : decision.dependencies;
  expect(steps.map(({ channel, path }) => [channel, ...path.map(({ version }) => version)])).toEqual(
    gives === '2.0.0' ? [['beta', '1.1.0', '2.0.0']] : [],
  );
});

test('the cause names the Subscription that does not go there', () => {
  const causeFor = (limits: UpgradeLimits): string => {
    const found = decide(limits).refused.find(({ version }) => version === '2.0.0')?.cause;
    return found?.kind === 'dependency' ? describeFacts(found.because) : '';
  };
  expect(causeFor({ ...FREE, version: '1.x' })).toContain(
    'Subscription ops/base and moves only along its graph, as its spec allows',
  );
  expect(causeFor({ ...FREE, suspended: true })).toContain(
    'Subscription ops/base and does not move while that is suspended',
  );
});
