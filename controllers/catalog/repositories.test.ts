import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { Registry } from '../../oci/registry.ts';
import { pullRepositories, resolveTags } from './repositories.ts';

const signal = new AbortController().signal;

/** A registry of tags and their digests; a tag without a digest is listed, but gone. */
function fakeRegistry(repositories: Readonly<Record<string, Readonly<Record<string, string>>>>): Registry {
  const tagsOf = (repository: string): Readonly<Record<string, string>> => repositories[repository] ?? {};
  return {
    listTags: ({ repository }: { repository: string }) => Promise.resolve(Object.keys(tagsOf(repository))),
    resolve: ({ repository, tag = '' }: { repository: string; tag?: string }) => {
      const digest = tagsOf(repository)[tag] ?? '';
      if (digest === '')
        return Promise.reject(new ReasonedError({ reason: 'ImageNotFound', retry: 'backoff', message: 'gone' }));
      return Promise.resolve({ digest: `sha256:${digest.repeat(64)}` });
    },
  } as unknown as Registry;
}

async function digestOf(tags: Readonly<Record<string, string>>): Promise<string> {
  return (await resolveTags(fakeRegistry({ gadget: tags }), [{ repository: 'r.example/gadget' }], signal)).digest;
}

describe('the tags of repositories', () => {
  test('tags that are versions are listed in their order, by digest', async () => {
    const registry = fakeRegistry({ gadget: { 'v1.10.0': 'b', latest: 'c', 'v1.9.0': 'a' } });
    const { repositories } = await resolveTags(registry, [{ repository: 'r.example/gadget' }], signal);
    expect(repositories[0]?.versions.map(({ tag, image }) => [tag, image])).toEqual([
      ['v1.9.0', `r.example/gadget@sha256:${'a'.repeat(64)}`],
      ['v1.10.0', `r.example/gadget@sha256:${'b'.repeat(64)}`],
    ]);
  });

  test.each([
    { because: 'nothing was pushed', tags: { 'v1.0.0': 'a' }, same: true },
    { because: 'a tag that is no version was moved', tags: { 'v1.0.0': 'a', latest: 'd' }, same: true },
    { because: 'a tag is listed that was deleted since', tags: { 'v1.0.0': 'a', 'v2.0.0': '' }, same: true },
    { because: 'a version was pushed', tags: { 'v1.0.0': 'a', 'v1.1.0': 'b' }, same: false },
    { because: 'a tag was moved', tags: { 'v1.0.0': 'c' }, same: false },
  ])('the digest over the tags stays the same ($same) if $because', async ({ tags, same }) => {
    expect((await digestOf(tags)) === (await digestOf({ 'v1.0.0': 'a' }))).toBe(same);
  });

  test('the number of tags is bounded over all repositories together', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`v1.${at}.0`, 'a']));
    const names = Array.from({ length: 10 }, (_, at) => `team${at}`);
    const registry = fakeRegistry(Object.fromEntries(names.map((name) => [name, many])));
    const wanted = names.map((name) => ({ repository: `r.example/${name}` }));
    const { repositories } = await resolveTags(registry, wanted, signal);
    expect(repositories.map(({ versions }) => versions.length)).toEqual(names.map(() => 200));
    expect(repositories[0]?.ignored).toHaveLength(100);
  });

  test.each(['ImageInvalid', 'ImageTooLarge'] as const)(
    'a tag of something that is no image is left out, and the others are offered: %s',
    async (reason) => {
      const registry = fakeRegistry({ gadget: { 'v1.0.0': 'a', 'v2.0.0': 'b' } });
      const refused = new ReasonedError({ reason, retry: { afterSeconds: 300 }, message: 'no image' });
      const partly: Registry = {
        ...registry,
        resolve: (reference) => (reference.tag === 'v2.0.0' ? Promise.reject(refused) : registry.resolve(reference)),
      };
      const { repositories } = await resolveTags(partly, [{ repository: 'r.example/gadget' }], signal);
      expect(repositories[0]?.versions.map(({ tag }) => tag)).toEqual(['v1.0.0']);
      expect(repositories[0]?.unreadable).toEqual([{ tag: 'v2.0.0', because: 'no image' }]);
    },
  );

  test('a tag of something that is no image makes new content, which names it, and is reported so', async () => {
    const wanted = [{ repository: 'r.example/gadget' }];
    const refused = new ReasonedError({ reason: 'ImageInvalid', retry: { afterSeconds: 300 }, message: 'no image' });
    const good = fakeRegistry({ gadget: { 'v1.0.0': 'a' } });
    const more = fakeRegistry({ gadget: { 'v1.0.0': 'a', 'v2.0.0': 'b' } });
    const partly: Registry = {
      ...more,
      resolve: (reference) => (reference.tag === 'v2.0.0' ? Promise.reject(refused) : more.resolve(reference)),
    };
    const [before, after] = [await resolveTags(good, wanted, signal), await resolveTags(partly, wanted, signal)];
    expect(after.digest).not.toBe(before.digest);
    expect((await resolveTags(partly, wanted, signal)).digest).toBe(after.digest);
    const repositories = after.repositories.map((one) => ({ ...one, versions: [] }));
    const { notOffered } = await pullRepositories(partly, { ...after, repositories }, { served: undefined, signal });
    expect(notOffered?.first).toEqual(['r.example/gadget:v2.0.0 (no image)']);
  });

  test('tags cannot be resolved while the registry is down', async () => {
    const down = {
      listTags: () =>
        Promise.reject(new ReasonedError({ reason: 'RegistryUnavailable', retry: 'backoff', message: 'down' })),
    };
    await expect(
      resolveTags(down as unknown as Registry, [{ repository: 'r.example/gadget' }], signal),
    ).rejects.toMatchObject({
      reason: 'RegistryUnavailable',
    });
  });
});
