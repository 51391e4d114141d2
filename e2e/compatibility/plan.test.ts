/** Which versions of a package are tried. */
import { expect, test } from 'vitest';
import { planTrials } from './plan.ts';
import { emptyPackage, packageOf } from './testing/packages.ts';

test.each([
  {
    because: 'three edges are as far as it goes',
    channels: { stable: ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0'] },
    planned: ['head stable 1.4.0 → 1.4.0', 'upgrade stable 1.1.0 → 1.4.0'],
  },
  {
    because: 'no API server takes the CRDs of the version three edges below, nor those of the next',
    channels: { stable: ['1.0.0', '1.1.0', '1.2.0', '1.3.0'] },
    old: ['1.0.0', '1.1.0'],
    planned: ['head stable 1.3.0 → 1.3.0', 'upgrade stable 1.2.0 → 1.3.0'],
  },
  {
    because: 'no API server takes the CRDs of any version below the head',
    channels: { stable: ['1.0.0', '1.1.0', '1.2.0', '1.3.0'] },
    old: ['1.0.0', '1.1.0', '1.2.0'],
    planned: ['head stable 1.3.0 → 1.3.0', 'upgrade stable 1.0.0 → 1.3.0'],
  },
  {
    because: 'there are fewer than three edges',
    channels: { stable: ['1.0.0', '1.1.0'] },
    planned: ['head stable 1.1.0 → 1.1.0', 'upgrade stable 1.0.0 → 1.1.0'],
  },
  {
    because: 'nothing comes before a single version',
    channels: { stable: ['1.0.0'] },
    planned: ['head stable 1.0.0 → 1.0.0'],
  },
  {
    because: 'the default channel has one version, and of the others that with the highest head counts',
    channels: { a: ['3.0.0'], b: ['1.0.0', '1.1.0'], c: ['2.0.0', '2.1.0'] },
    planned: ['head a 3.0.0 → 3.0.0', 'upgrade c 2.0.0 → 2.1.0'],
  },
  {
    because: 'the default channel is taken although another one has a higher head',
    channels: { a: ['2.0.0', '2.1.0'], b: ['1.0.0', '1.1.0'] },
    defaultChannel: 'b',
    planned: ['head b 1.1.0 → 1.1.0', 'upgrade b 1.0.0 → 1.1.0'],
  },
  {
    because: 'no channel is the default one, so the highest head counts',
    channels: { a: ['1.0.0', '1.1.0'], b: ['2.0.0', '2.1.0'] },
    defaultChannel: '',
    planned: ['head b 2.1.0 → 2.1.0', 'upgrade b 2.0.0 → 2.1.0'],
  },
])('$planned are tried: $because', ({ planned, ...sketch }) => {
  const trials = planTrials(packageOf('gadget', sketch));
  expect(trials.map(({ kind, channel, from, head }) => `${kind} ${channel} ${from.version} → ${head.version}`)).toEqual(
    planned,
  );
});

test('nothing is tried with a package that has no bundle', () => {
  expect(planTrials(emptyPackage('gadget'))).toEqual([]);
});

test('an upgrade knows the edges of its channel', () => {
  const [, upgrade] = planTrials(packageOf('gadget', { channels: { stable: ['1.0.0', '1.1.0', '1.2.0'] } }));
  expect(upgrade?.leads('gadget.v1.0.0', 'gadget.v1.1.0')).toBe(true);
  expect(upgrade?.leads('gadget.v1.0.0', 'gadget.v1.2.0')).toBe(false);
});
