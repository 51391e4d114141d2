/**
 * Published bundles that are turned into plain YAML and back: the new bundle renders to the same objects. The sample has
 * webhooks, conversion, own kinds, several accounts and every install mode; `npm run -s authoring` takes the whole corpus.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rightsOf } from '../../bundles/author/testing/rights.ts';
import { readBundle } from '../../bundles/testing/real-bundles.ts';
import { devSet, hasShared } from '../lib/shared.ts';
import { roundTrip } from './round-trip.ts';

const SAMPLE = [
  { bundle: 'alloydb-omni-operator/1.8.0', objects: 86, same: 86, because: 'webhooks of 25 kinds' },
  { bundle: 'aqua/6.5.9', objects: 22, same: 22, because: 'three accounts in the namespace of the operator' },
  { bundle: 'argocd-operator/0.9.2', objects: 16, same: 16, because: 'a conversion' },
  {
    bundle: 'authorino-operator/0.9.0',
    objects: 23,
    same: 22,
    because: 'a conversion, and an annotation of cert-manager',
  },
  { bundle: 'aws-neuron-operator/1.2.0', objects: 34, same: 34, because: 'five accounts' },
  { bundle: 'cert-manager/1.9.1-rc1', objects: 32, same: 32, because: 'webhooks of both kinds and three accounts' },
  { bundle: 'cloudnative-pg/1.24.1', objects: 22, same: 22, because: 'webhooks of both kinds' },
  { bundle: 'cluster-aas-operator/0.1.5', objects: 24, same: 24, because: 'every type of webhook' },
  { bundle: 'function-mesh/0.9.0', objects: 27, same: 23, because: 'conversions without a webhook of the bundle' },
  { bundle: 'konflux/0.2.2-rc.9', objects: 68, same: 68, because: '46 further objects' },
  {
    bundle: 'kubernaut-operator/1.5.6',
    objects: 14,
    same: 14,
    because: 'a webhook limited to the namespace of the operator',
  },
  { bundle: 'noobaa-operator/5.8.0', objects: 13, same: 13, because: 'two accounts in the namespace of the operator' },
  { bundle: 'odoo-operator/0.0.2', objects: 2, same: 2, because: 'no rights' },
  { bundle: 'tagger/2.1.17', objects: 14, same: 13, because: 'an account with settings' },
  {
    bundle: 'verticadb-operator/24.4.0-0',
    objects: 28,
    same: 28,
    because: 'every type of webhook, and versions of two CRDs',
  },
] as const;

/** Every difference that there may be, with its reason. */
const DIFFERENCES: readonly { readonly difference: RegExp; readonly because: string }[] = [
  {
    difference: /^CustomResourceDefinition\S+ \S+: metadata\.annotations\.cert-manager\.io\/inject-ca-from/,
    because: 'no Certificate of that name is in the bundle: Slipway puts the authority in',
  },
  {
    difference: /^ServiceAccount \S+: (automountServiceAccountToken|metadata\.labels|imagePullSecrets)/,
    because: 'the account of a Deployment is made by its name alone, and a finding names the rest',
  },
];

describe.skipIf(!hasShared)('a published bundle that is turned into plain YAML and back', () => {
  test.each(SAMPLE)(
    '$bundle, with $because, renders to $same of $objects objects as before',
    ({ bundle, objects, same }) => {
      const trip = roundTrip(readBundle(join(devSet(), 'operators', bundle)));
      expect(trip).toMatchObject({ objects, same });
      const unexplained = trip.differences.filter(
        (text) => !DIFFERENCES.some(({ difference }) => difference.test(text)),
      );
      expect(unexplained).toEqual([]);
      expect(rightsOf(trip.rendered)).toEqual(rightsOf(trip.source));
    },
  );

  test('has at least 95 of 100 objects unchanged', () => {
    const sum = (field: 'objects' | 'same'): number => SAMPLE.reduce((total, one) => total + one[field], 0);
    expect(sum('same') / sum('objects')).toBeGreaterThan(0.95);
  });
});
