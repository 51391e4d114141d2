/** Content of Catalogs: no Catalog, however large or hostile, keeps other views waiting or ends the process. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { Fields } from '../../api/untyped.ts';
import type { Client } from '../../kube/client/client.ts';
import { silentLog } from '../../kube/log.ts';
import { eventually } from '../../kube/testing/eventually.ts';
import type { CatalogListing, ContentQuery } from '../data/content.ts';
import { CatalogContent } from './content.ts';

const CLIENT = {} as Client;
const SIGNAL = new AbortController().signal;
const person = (user: string) => ({ user, groups: [] });
const ICON = { mediatype: 'image/png', base64data: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).toString('base64') }; // prettier-ignore

interface SceneOptions {
  readonly packages?: number;
  /** Called with each head that is read. */
  readonly head?: (query: ContentQuery) => Promise<void>;
  /** Called with the name of each package whose bundles are read. */
  readonly opened?: (name: string) => Promise<void>;
  /** Bundles of every package. */
  readonly bundles?: () => Iterable<Fields>;
  /** Whether a person may get a Catalog of this name. */
  readonly may?: (catalog: string | undefined) => boolean | undefined;
}

/** A Catalog `team` with packages `p0`, `p1`, …, each with one channel. */
function scene({
  packages = 3,
  head = async () => undefined,
  opened = async () => undefined,
  bundles = () => [],
  may = () => true,
}: SceneOptions = {}) {
  const names = Array.from({ length: packages }, (_, at) => `p${at}`);
  const asked: ContentQuery[] = [];
  const signals = new Set<AbortSignal>();
  const state = { more: 0, reviews: 0 };
  const documents = (query: ContentQuery): Iterable<Fields> => {
    const wanted = names.filter((one) => one === (query.package ?? query.name ?? one));
    if (query.schema === 'olm.package') return wanted.map((name) => ({ schema: 'olm.package', name, defaultChannel: 'stable', icon: ICON })); // prettier-ignore
    if (query.schema === 'olm.channel') return wanted.map((name) => ({ schema: 'olm.channel', package: name, name: 'stable', entries: [{ name: `${name}.v1` }] })); // prettier-ignore
    if (query.schema !== 'olm.bundle') return [];
    return query.name === undefined ? bundles() : wanted.map((name) => headOf(name));
  };
  const content = new CatalogContent({
    async *read(_client, { query }, signal) {
      asked.push(query);
      signals.add(signal);
      if (query.schema === 'olm.bundle' && query.name !== undefined) await head(query);
      if (query.schema === 'olm.bundle' && query.name === undefined) await opened(query.package ?? '');
      yield* documents(query);
    },
    rights: { may: async (_person, { name }) => ((state.reviews += 1), may(name)) },
    store: { list: () => [{ apiVersion: 'v1', kind: 'Catalog', metadata: { name: 'team', uid: '1' } }] },
    onMore: () => void (state.more += 1),
    log: silentLog,
  });
  const listing = async (): Promise<CatalogListing> => {
    const answer = (await content.answer(person('ann'), { kind: 'listing', catalogs: ['team'] }, CLIENT, SIGNAL)).listings?.get('team'); // prettier-ignore
    if (answer === undefined || 'failure' in answer) throw new Error(answer?.failure.message);
    return answer.value;
  };
  const open = async (name: string, catalog = 'team') =>
    (await content.answer(person('bob'), { kind: 'package', catalogs: [catalog], package: name }, CLIENT, SIGNAL)).packages?.get(catalog); // prettier-ignore
  return { content, asked, signals, state, listing, open };
}

function headOf(name: string): Fields {
  const properties = [
    { type: 'olm.package', value: { version: '1.0.0' } },
    { type: 'olm.csv.metadata', value: { displayName: `Title of ${name}` } },
  ];
  return { schema: 'olm.bundle', package: name, name: `${name}.v1`, properties };
}

const isHead = ({ schema, name }: ContentQuery): boolean => schema === 'olm.bundle' && name !== undefined;
const titled = ({ packages }: CatalogListing): number => packages.filter(({ about }) => about !== undefined).length;

describe('a head that cannot be read leaves the listing, and the process, as they are', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeEach(() => void process.on('unhandledRejection', note));
  afterEach(() => void process.off('unhandledRejection', note));

  test.each([
    { because: 'the manager restarts in the middle of a body', error: new TypeError('terminated') },
    { because: 'the request takes too long', error: new DOMException('timeout', 'TimeoutError') },
    { because: 'the manager is away', error: new ReasonedError({ reason: 'CatalogUnavailable', retry: 'backoff', message: 'x' }) }, // prettier-ignore
    { because: 'something is thrown that is no error', error: 'text' },
  ])('$because', async ({ error }) => {
    const heads = { asked: 0 };
    const { listing } = scene({
      head: () => {
        heads.asked += 1;
        return Promise.reject(error);
      },
    });
    expect((await listing()).packages).toHaveLength(3);
    await eventually(() => heads.asked === 3);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await listing()).packages).toHaveLength(3);
    expect(unhandled).toEqual([]);
  });
});

describe('the heads of a large catalog', () => {
  test('are read one at a time, and other views do not wait for them', async () => {
    const blocked = Promise.withResolvers<void>();
    const heads = { now: 0, most: 0 };
    const head = async (): Promise<void> => {
      heads.most = Math.max(heads.most, (heads.now += 1));
      await blocked.promise;
      heads.now -= 1;
    };
    const { listing, open } = scene({ packages: 1000, head });
    await listing();
    await eventually(() => heads.now > 0);
    expect(await open('p7')).toHaveProperty('value.content.name', 'p7');
    blocked.resolve();
    await eventually(async () => titled(await listing()) === 1000);
    expect(heads.most).toBe(1);
  });

  test('are shown as they arrive', async () => {
    const blocked = Promise.withResolvers<void>();
    const { listing, state } = scene({ packages: 450, head: ({ package: name }) => (name === 'p99' ? blocked.promise : Promise.resolve()) }); // prettier-ignore
    expect(titled(await listing())).toBe(0);
    await eventually(async () => titled(await listing()) === 400);
    expect(state.more).toBe(2);
    blocked.resolve();
    await eventually(async () => titled(await listing()) === 450);
  });

  test('have a time limit each, which begins with the request', async () => {
    const { listing, asked, signals } = scene({ packages: 20 });
    await listing();
    await eventually(async () => titled(await listing()) === 20);
    expect(signals.size).toBe(asked.length);
  });

  test('that fail are left out, and asked for again with the next listing', async () => {
    const failing = new Set(['p1']);
    const head = async ({ package: name = '' }: ContentQuery): Promise<void> => {
      if (failing.has(name)) throw new TypeError('terminated');
    };
    const { listing, asked } = scene({ packages: 5, head });
    await listing();
    await eventually(async () => titled(await listing()) === 4);
    failing.clear();
    await eventually(async () => titled(await listing()) === 5);
    expect(asked.filter(isHead).filter(({ package: name }) => name === 'p0')).toHaveLength(1);
  });

  test('are not asked for one by one while the manager is away', async () => {
    const { listing, asked } = scene({ packages: 100, head: () => Promise.reject(new TypeError('terminated')) });
    await listing();
    await eventually(() => asked.filter(isHead).length >= 3);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(asked.filter(isHead)).toHaveLength(3);
  });
});

test('one person who opens many packages does not keep another one waiting', async () => {
  const blocked = Promise.withResolvers<void>();
  const { content, asked } = scene({ packages: 50, opened: (name) => (name === 'p49' ? Promise.resolve() : blocked.promise) }); // prettier-ignore
  const open = (user: string, name: string) => content.answer(person(user), { kind: 'package', catalogs: ['team'], package: name }, CLIENT, SIGNAL); // prettier-ignore
  const all = Array.from({ length: 40 }, (_, at) => open('ann', `p${at}`));
  await eventually(() => asked.length > 0);
  expect((await open('bob', 'p49')).packages?.get('team')).toHaveProperty('value.content.name', 'p49');
  blocked.resolve();
  await Promise.all(all);
});

describe('content is kept', () => {
  test('so that many packages do not evict the listing', async () => {
    const { listing, open, asked } = scene({ packages: 200 });
    await listing();
    for (let at = 0; at < 200; at++) await open(`p${at}`);
    const before = asked.filter(({ package: name, name: own }) => name === undefined && own === undefined).length;
    await listing();
    expect(asked.filter(({ package: name, name: own }) => name === undefined && own === undefined)).toHaveLength(
      before,
    );
  });

  test('and names of packages that do not exist evict nothing', async () => {
    const { open, asked } = scene();
    await open('p1');
    for (let at = 0; at < 300; at++) expect(await open(`unknown-${at}`)).toEqual({ value: undefined });
    const before = asked.length;
    await open('p1');
    expect(asked).toHaveLength(before);
  });

  test('and names that a known listing lacks cost no request', async () => {
    const { open, listing, content, asked } = scene();
    await listing();
    await eventually(async () => titled(await listing()) === 3);
    const before = asked.length;
    expect(await open('unknown')).toEqual({ value: undefined });
    expect(await content.icon(person('ann'), { catalog: 'team', name: 'unknown' }, CLIENT, SIGNAL)).toBeUndefined();
    expect(asked).toHaveLength(before);
  });

  test('and a Catalog that does not exist costs no request', async () => {
    const { content, open, asked } = scene();
    expect(await open('p1', 'other')).toMatchObject({ failure: { reason: 'ObjectNotFound' } });
    await expect(content.icon(person('ann'), { catalog: 'other', name: 'p1' }, CLIENT, SIGNAL)).rejects.toMatchObject({ reason: 'ObjectNotFound' }); // prettier-ignore
    expect(asked).toEqual([]);
  });

  test.each(['', '..', 'A', 'x/y', 'x'.repeat(254), '-x'])(
    'and a name that no Catalog can have costs no review: %j',
    async (name) => {
      const { open, state } = scene();
      expect(await open('p1', name)).toMatchObject({ failure: { reason: 'ObjectNotFound' } });
      expect(state.reviews).toBe(0);
    },
  );
});

describe('whether a Catalog exists is seen by those alone who may get it', () => {
  const OTHERS = [
    { because: 'the person may get none', may: () => false },
    { because: 'the person may get one of another name', may: (name?: string) => name === 'own' },
    { because: 'the API server does not say', may: () => undefined },
  ];

  test.each(OTHERS)('not in the content: $because', async ({ may }) => {
    const { open, asked } = scene({ may });
    const [there, absent] = await Promise.all([open('p1', 'team'), open('p1', 'absent')]);
    expect(there).toMatchObject({ failure: { reason: 'Forbidden' } });
    expect(JSON.stringify(absent)).toBe(JSON.stringify(there).replaceAll('team', 'absent'));
    expect(asked).toEqual([]);
  });

  test.each(OTHERS)('not in the answer to a question for an icon: $because', async ({ may }) => {
    const { content, state } = scene({ may });
    const refusal = async (catalog: string): Promise<object> => {
      const before = state.reviews;
      const found: unknown = await content.icon(person('ann'), { catalog, name: 'p1' }, CLIENT, SIGNAL).catch((error: unknown) => error); // prettier-ignore
      const { reason, message, hint } = found as ReasonedError;
      return { reason, message: message.replaceAll(catalog, 'CATALOG'), hint, reviews: state.reviews - before };
    };
    expect(await refusal('absent')).toEqual(await refusal('team'));
  });
});

describe('documents are reduced while they are read', () => {
  const MEGABYTE = 'x'.repeat(1 << 20);
  const bundlesOf = (count: number, properties: readonly Fields[], seen: { read: number }) =>
    function* (): Iterable<Fields> {
      for (let at = 0; at < count; at++) {
        seen.read += 1;
        const identity = { type: 'olm.package', value: { version: `1.0.${at}` } };
        yield { schema: 'olm.bundle', package: 'p1', name: `p1.v${at}`, properties: [identity, ...properties] };
      }
    };

  test.each([
    { because: 'the objects of bundles', property: { type: 'olm.bundle.object', value: { data: MEGABYTE } } },
    { because: 'facts that no view shows', property: { type: 'olm.csv.metadata', value: { annotations: { 'alm-examples': MEGABYTE } } } }, // prettier-ignore
  ])('without $because', async ({ property }) => {
    const seen = { read: 0 };
    const { open } = scene({ bundles: bundlesOf(60, [property], seen) });
    expect(await open('p1')).toHaveProperty('value.content.bundles.length', 60);
  });

  test('and one that is larger than the bound is not read to its end', async () => {
    const seen = { read: 0 };
    const { open } = scene({ bundles: bundlesOf(200, [{ type: 'other', value: MEGABYTE }], seen) });
    expect(await open('p1')).toMatchObject({ failure: { reason: 'CatalogUnavailable', message: expect.stringContaining('larger') as string } }); // prettier-ignore
    expect(seen.read).toBeLessThan(40);
  });
});
