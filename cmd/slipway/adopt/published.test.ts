/** Which bundle is compared before a hand-over: the one that Slipway will install, if it can be read. */
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../../api/errors.ts';
import type { Fields } from '../../../api/untyped.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { makeFiles } from '../../../bundles/testing/bundle.ts';
import { findPublished, type PublishedBundle, type PublishedSources } from './published.ts';
import { caveatOf } from './restarts.ts';

const bundle = parseBundle(makeFiles({}));
const offered = (version: string, image: string, more: object = {}, name?: string): Fields => ({
  ...(name !== undefined && { name }),
  image,
  properties: [{ type: 'olm.package', value: { packageName: 'gadget', version, ...more } }],
});
const failing = (message: string) => () =>
  Promise.reject(new ReasonedError({ reason: 'CatalogUnavailable', retry: 'backoff', message }));

interface Case {
  readonly because: string;
  readonly spec?: object;
  readonly documents?: PublishedSources['documents'];
  readonly pull?: PublishedSources['pull'];
  /** The names of the bundles in the channel that is asked for. */
  readonly channel?: readonly string[];
  /** Name of the bundle that OLM has. */
  readonly installed?: string;
  readonly kind: PublishedBundle['kind'];
  readonly pulled?: readonly string[];
  readonly why?: string;
}

const both: PublishedSources['documents'] = async (catalog) => [offered('0.9.0', `${catalog}:0.9`), offered('1.0.0', `${catalog}:1.0`)]; // prettier-ignore

const CASES: readonly Case[] = [
  { because: 'the first Catalog that has the version counts', documents: both, kind: 'known', pulled: ['first:1.0'] },
  {
    because: 'another Catalog has the version',
    documents: async (catalog) => (catalog === 'second' ? both(catalog, '') : []),
    kind: 'known',
    pulled: ['second:1.0'],
  },
  {
    because: 'the Subscription names its Catalog',
    spec: { catalog: 'second' },
    documents: both,
    kind: 'known',
    pulled: ['second:1.0'],
  },
  {
    because: 'the catalog adds build metadata to the version',
    documents: async () => [offered('2.0.0', 'x'), offered('1.0.0+2', 'y')],
    kind: 'known',
    pulled: ['y'],
  },
  {
    because: 'a pin leads to the highest build of the version, as in the manager',
    documents: async () => [offered('1.0.0+2', 'y'), offered('1.0.0+10', 'z'), offered('1.0.0', 'x')],
    kind: 'known',
    pulled: ['z'],
  },
  {
    because: 'builds of the version are pinned alike',
    spec: { version: '1.0.0+2' },
    documents: async () => [offered('1.0.0+2', 'y'), offered('1.0.0+1', 'x'), offered('1.0.1+2', 'z')],
    kind: 'known',
    pulled: ['y'],
  },
  {
    because: 'the build stands in the release of the bundle',
    documents: async () => [offered('1.0.0', 'y', { release: '2' }), offered('1.0.0', 'x', { release: '1' })],
    kind: 'known',
    pulled: ['y'],
  },
  {
    because: 'a higher build is in a channel that the Subscription does not follow',
    spec: { channel: 'stable' },
    documents: async () => [offered('1.0.0+2', 'y', {}, 'gadget.2'), offered('1.0.0+3', 'z', {}, 'gadget.3')],
    channel: ['gadget.2'],
    kind: 'known',
    pulled: ['y'],
  },
  {
    because: 'Slipway would install another build than OLM has, so that Pods could be replaced',
    documents: async () => [offered('1.0.0+2', 'y', {}, 'gadget.2'), offered('1.0.0+3', 'z', {}, 'gadget.3')],
    installed: 'gadget.2',
    kind: 'absent',
    why: 'OLM has installed gadget.2, and a pin to version 1.0.0 leads to gadget.3. Upgrade to that one in OLM first, or name a Catalog without it by --catalog',
  },
  {
    because: 'it is the very bundle that OLM has installed, by a version with a build',
    documents: async () => [offered('1.0.0+2', 'y', {}, 'gadget.2')],
    installed: 'gadget.2',
    kind: 'known',
    pulled: ['y'],
  },
  {
    because: 'a catalog that was published again gives the version another name',
    documents: async () => [offered('1.0.0', 'y', {}, 'gadget-1.0.0')],
    installed: 'gadget.v1.0.0',
    kind: 'known',
    pulled: ['y'],
  },
  {
    because: 'no Catalog has the version',
    documents: async () => [offered('2.0.0', 'x')],
    kind: 'absent',
    why: 'no Catalog has version 1.0.0 of package gadget',
  },
  {
    because: 'the Catalog that the Subscription names does not have it',
    spec: { catalog: 'third' },
    documents: async () => [],
    kind: 'absent',
    why: 'Catalog third does not have version 1.0.0 of package gadget',
  },
  { because: 'the manager does not answer', documents: failing('no answer'), kind: 'unknown', why: 'no answer' },
  {
    because: 'the registry cannot be reached from here',
    documents: both,
    pull: failing('no route'),
    kind: 'unknown',
    why: 'no route',
  },
];

describe('the bundle as it is published', () => {
  test.each(CASES)('$because', async ({ spec, documents = both, pull, channel, installed, kind, pulled = [], why }) => {
    const asked: string[] = [];
    const note = async (image: string): Promise<typeof bundle> => {
      asked.push(image);
      return bundle;
    };
    const wanted = {
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Subscription',
      metadata: { name: 'gadget', namespace: 'ops' },
      spec: { package: 'gadget', version: '1.0.0', ...spec },
    };
    const entries = channel && (async () => new Set(channel));
    const sources = { catalogs: ['first', 'second'], documents, pull: pull ?? note, ...(entries && { entries }) };
    const found = await findPublished(wanted, sources, installed);
    expect({ kind: found.kind, why: 'why' in found ? found.why : undefined }).toEqual({ kind, why });
    expect(asked).toEqual(pulled);
    expect(caveatOf(found).length).toBe(kind === 'unknown' ? 1 : 0);
  });
});
