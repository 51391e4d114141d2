import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import { graphIn } from '../../resolver/catalogs.ts';
import { chainOf, serving } from '../../resolver/testing/ask.ts';
import type { Target } from './action.ts';
import { withOtherVersions } from './other-versions.ts';
import type { SubscriptionFacts } from './observe.ts';
import { subscription } from './testing/facts.ts';

function describeRefusal(
  reason: Reason,
  versions: readonly string[],
  quarantined: readonly string[] = [],
): string | undefined {
  const source = serving('main', chainOf(...versions));
  const [first] = versions;
  const bundle = graphIn(source, 'op')?.bundles.get(`op.v${first}`)?.bundle;
  if (bundle === undefined) throw new Error('the catalog has the bundle');
  const target: Target = { bundle, catalog: 'main', channel: 'stable', configHash: 'h' };
  const failed = quarantined.map((version) => ({
    bundle: `op.v${version}`,
    version,
    image: 'i',
    reason: 'x',
    message: 'm',
    since: 's',
  }));
  const facts = {
    catalogs: [source],
    subscription: subscription({ status: { quarantined: failed } }),
  } as unknown as SubscriptionFacts;
  const error = new ReasonedError({
    reason,
    retry: 'never',
    message: 'm',
    hint: 'For the author of the bundle: convert it',
  });
  const told = withOtherVersions(error, facts, target) as ReasonedError;
  expect(told).toMatchObject({ reason, retry: 'never', message: 'm' });
  return told.hint;
}

describe('a bundle that cannot be installed', () => {
  test.each([
    {
      because: 'newer versions exist',
      versions: ['1.0.0', '2.0.0', '1.5.0'],
      quarantined: [],
      says: 'Another version may do: choose one by spec.version. Catalog main has 2.0.0, 1.5.0',
    },
    {
      because: 'one of them has failed',
      versions: ['1.0.0', '2.0.0', '1.5.0'],
      quarantined: ['2.0.0'],
      says: 'Catalog main has 1.5.0',
    },
    {
      because: 'there is no other',
      versions: ['1.0.0'],
      quarantined: [],
      says: 'Catalog main has no other version of the package',
    },
  ])(
    'the error of a bundle that cannot be installed lists the other versions: $because',
    ({ versions, quarantined, says }) => {
      const hint = describeRefusal('BundleUnsupported', versions, quarantined);
      expect(hint).toMatch(/^For the author of the bundle: convert it\. /);
      expect(hint).toContain(says);
    },
  );

  test.each(['BundleInvalid', 'BundleUnsupported', 'BundleTooLarge', 'InvalidCABundle'] as const)(
    'the error %s lists the other versions',
    (reason) => {
      expect(describeRefusal(reason, ['1.0.0', '2.0.0'])).toContain('Catalog main has 2.0.0');
    },
  );

  test.each(['RegistryDenied', 'InvalidConfiguration', 'InstallModeUnsupported'] as const)(
    'the error %s does not list other versions, which would not help',
    (reason) => {
      expect(describeRefusal(reason, ['1.0.0', '2.0.0'])).toBe('For the author of the bundle: convert it');
    },
  );

  test('a defect is thrown unchanged', () => {
    const defect = new TypeError('a bug');
    expect(withOtherVersions(defect, {} as SubscriptionFacts, {} as Target)).toBe(defect);
  });
});
