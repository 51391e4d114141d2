/** Why Slipway cannot go on with the bundle of OLM v1: a hand-over that OLM has gone from has to end before it can be undone. */
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../../../api/errors.ts';
import type { Fields } from '../../../../api/untyped.ts';
import { obstacleOf } from './obstacle.ts';

const bundle = (name: string, version = '1.0.0'): Fields => ({
  name,
  properties: [{ type: 'olm.package', value: { packageName: 'gadget', version } }],
});
const subscription = (spec: object = {}) => ({
  apiVersion: 'slipway.dev/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'gadget' },
  spec: { package: 'gadget', version: '1.0.0', ...spec },
});

describe('the obstacle', () => {
  test.each([
    { because: 'it is the same bundle', bundles: [bundle('gadget.v1.0.0')], says: /^undefined$/ },
    {
      because: 'another bundle has the version',
      bundles: [bundle('gadget.1')],
      says: /Slipway would install gadget\.1/,
    },
    {
      because: 'a higher build of the version would be installed, which a pin does not exclude',
      bundles: [bundle('gadget.v1.0.0', '1.0.0+2'), bundle('gadget.v1.0.0-3', '1.0.0+3')],
      says: /Slipway would install gadget\.v1\.0\.0-3/,
    },
    {
      because: 'OLM has the highest build',
      bundles: [bundle('gadget.v1.0.0', '1.0.0+3'), bundle('gadget.v1.0.0-2', '1.0.0+2')],
      says: /^undefined$/,
    },
    {
      because: 'the Catalog has another version',
      bundles: [bundle('gadget.v2', '2.0.0')],
      says: /no Catalog has version 1/,
    },
    {
      because: 'the Catalog that is named is empty',
      bundles: [],
      spec: { catalog: 'x' },
      says: /Catalog x does not have/,
    },
  ])('is said: $because', async ({ bundles, spec, says }) => {
    const sources = { catalogs: ['tested'], documents: async () => bundles };
    expect(String(await obstacleOf(subscription(spec), 'gadget.v1.0.0', sources))).toMatch(says);
  });

  test('is an error if a Catalog cannot be read', async () => {
    const error = new ReasonedError({ reason: 'CatalogUnavailable', retry: 'backoff', message: 'no answer', hint: '' });
    const documents = (): Promise<readonly Fields[]> => Promise.reject(error);
    const asked = obstacleOf(subscription(), 'gadget.v1.0.0', { catalogs: ['tested'], documents });
    await expect(asked).rejects.toMatchObject({ reason: 'CatalogUnavailable' });
  });
});
