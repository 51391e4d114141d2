/** The Catalog of each ClusterCatalog. */
import { expect, test } from 'vitest';
import { translateClusterCatalogs } from './translate-catalogs.ts';

const REF = 'registry.example/hub:latest';

test.each([
  { because: 'it has an image alone', image: {}, rest: {}, specs: [{ source: { image: { ref: REF } } }] },
  {
    because: 'OLM asks for a new image at an interval',
    image: { pollIntervalMinutes: 15 },
    rest: {},
    specs: [{ source: { image: { ref: REF } }, interval: '15m' }],
  },
  {
    because: 'it has a priority',
    image: {},
    rest: { priority: 5 },
    specs: [{ source: { image: { ref: REF } }, priority: 5 }],
  },
  {
    because: 'zero is the default of both',
    image: {},
    rest: { priority: 0, availabilityMode: 'Available' },
    specs: [{ source: { image: { ref: REF } } }],
  },
  { because: 'OLM does not use it', image: {}, rest: { availabilityMode: 'Unavailable' }, specs: [] },
])('has its settings: $because', ({ image, rest, specs }) => {
  const catalog = {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name: 'hub' },
    spec: { source: { type: 'Image', image: { ref: REF, ...image } }, ...rest },
  };
  const metadata = { name: 'hub' };
  expect(translateClusterCatalogs([catalog])).toEqual(
    specs.map((spec) => ({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Catalog', metadata, spec })),
  );
});
