import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIndexStore, type StoredContent } from './store.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const first = `registry.example/catalog@sha256:${'1'.repeat(64)}`;
const second = `registry.example/catalog@sha256:${'2'.repeat(64)}`;

function source(digest: string, text = '{"schema":"olm.package","name":"gadget"}'): StoredContent {
  return { digest, files: [{ path: 'catalog.json', content: Buffer.from(text) }] };
}

function filesIn(catalog: string): string[] {
  const path = join(folder, 'catalogs', catalog);
  return existsSync(path) ? readdirSync(path) : [];
}

describe('index files by catalog and digest', () => {
  it('an index still exists after a restart', async () => {
    const built = await createIndexStore({ folder }).build('hub', source(first));
    built.close();
    const store = createIndexStore({ folder });
    const opened = store.open('hub', first);
    expect(opened?.counts.packages).toBe(1);
    opened?.close();
    expect(store.open('hub', second)).toBeUndefined();
    expect(store.open('other', first)).toBeUndefined();
  });

  it.each([
    { because: 'there is no file', files: [] },
    {
      because: 'there are no documents of a package',
      files: [{ path: 'a.json', content: Buffer.from('{"schema":"x"}') }],
    },
  ])('content without packages is refused with its apparent kind: $because', async ({ files }) => {
    const store = createIndexStore({ folder });
    const seemsToBe = 'by its labels the image is a bundle';
    await expect(store.build('hub', { digest: first, files, seemsToBe })).rejects.toMatchObject({
      reason: 'CatalogInvalid',
      retry: 'never',
      message: expect.stringContaining(seemsToBe),
    });
    expect(store.open('hub', first)).toBeUndefined();
    // A repository may have no version yet.
    const index = await store.build('hub', { digest: second, files });
    expect(index.counts.packages).toBe(0);
    index.close();
  });

  it('the file name depends on the digest alone', async () => {
    (await createIndexStore({ folder }).build('hub', source(first))).close();
    expect(filesIn('hub')).toEqual([`sha256-${'1'.repeat(64)}.db`]);
  });

  it('an invalid digest cannot lead out of the folder', async () => {
    const store = createIndexStore({ folder });
    (await store.build('hub', source('../../../etc/passwd'))).close();
    expect(filesIn('hub')).toHaveLength(1);
    expect(store.open('hub', '../../../etc/passwd')?.counts.packages).toBe(1);
  });

  it.each(['../up', 'a/b', '', 'Upper', 'x'.repeat(254)])('"%s" is no name of a catalog', (name) => {
    expect(() => createIndexStore({ folder }).open(name, first)).toThrow();
  });

  it('a damaged index is deleted, as if it had never existed', async () => {
    const store = createIndexStore({ folder });
    (await store.build('hub', source(first))).close();
    writeFileSync(join(folder, 'catalogs', 'hub', filesIn('hub')[0]!), 'damaged');
    expect(store.open('hub', first)).toBeUndefined();
    expect(filesIn('hub')).toEqual([]);
  });

  it('invalid content leaves the earlier index', async () => {
    const store = createIndexStore({ folder });
    (await store.build('hub', source(first))).close();
    await expect(store.build('hub', source(second, '{"schema":'))).rejects.toMatchObject({ reason: 'CatalogInvalid' });
    expect(store.open('hub', first)?.counts.packages).toBe(1);
    expect(filesIn('hub')).toHaveLength(1);
  });
});

describe('deletion of unused indexes', () => {
  it('all indexes except the digests in use are deleted', async () => {
    const store = createIndexStore({ folder });
    for (const catalog of ['hub', 'gone'])
      for (const digest of [first, second]) (await store.build(catalog, source(digest))).close();
    store.collect(new Map([['hub', second]]));
    expect(filesIn('hub')).toEqual([`sha256-${'2'.repeat(64)}.db`]);
    expect(filesIn('gone')).toEqual([]);
  });

  it('an open index stays readable after its deletion', async () => {
    const store = createIndexStore({ folder });
    const index = await store.build('hub', source(first));
    store.collect(new Map());
    expect(filesIn('hub')).toEqual([]);
    expect(index.package('gadget')?.name).toBe('gadget');
    index.close();
  });

  it('an index that is being built is left alone', async () => {
    const store = createIndexStore({ folder });
    const opened = Promise.withResolvers<void>();
    const resumed = Promise.withResolvers<void>();
    const content = (async function* slow() {
      opened.resolve();
      await resumed.promise;
      yield Buffer.from('{"schema":"olm.package","name":"gadget"}');
    })();
    const building = store.build('hub', { digest: first, files: [{ path: 'catalog.json', content }] });
    await opened.promise;
    store.collect(new Map());
    resumed.resolve();
    expect((await building).counts.packages).toBe(1);
  });

  it('unfinished files of a crash are deleted at the start', async () => {
    const store = createIndexStore({ folder });
    (await store.build('hub', source(first))).close();
    writeFileSync(join(folder, 'catalogs', 'hub', 'x.db.123.partial'), '');
    createIndexStore({ folder });
    expect(filesIn('hub')).toHaveLength(1);
  });
});
