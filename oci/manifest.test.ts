import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { ReasonedError } from '../api/errors.ts';
import { nextPage } from './link.ts';
import { MEDIA_TYPE, parseManifest } from './manifest.ts';

const TYPES = [MEDIA_TYPE.ociManifest, MEDIA_TYPE.ociIndex, MEDIA_TYPE.dockerManifest, MEDIA_TYPE.dockerIndex];

describe('whatever a registry sends', () => {
  test('any bytes as a manifest are parsed or refused with a reason', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const descriptor = fc.record(
      { mediaType: fc.string(), digest: fc.constantFrom(digest, 'x'), size: fc.anything(), annotations: fc.anything() },
      { requiredKeys: ['mediaType', 'digest'] },
    );
    const document = fc.record(
      {
        schemaVersion: fc.constantFrom(1, 2, '2'),
        mediaType: fc.constantFrom(...TYPES, 'x', undefined),
        config: fc.oneof(descriptor, fc.anything()),
        layers: fc.oneof(fc.array(descriptor), fc.anything()),
        manifests: fc.oneof(fc.array(descriptor), fc.anything()),
        annotations: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.anything()),
      },
      { requiredKeys: ['schemaVersion'] },
    );
    const texts = fc.oneof(
      fc.json(),
      fc.string(),
      document.map((value) => toText(value)),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom(...TYPES, undefined, ''), (text, type) => {
        try {
          const manifest = parseManifest(Buffer.from(text), type, { what: 'it', byDigest: true });
          expect(['image', 'index']).toContain(manifest.kind);
        } catch (error) {
          expect(error).toBeInstanceOf(ReasonedError);
          expect(error).toMatchObject({ reason: 'ImageInvalid', retry: 'never' });
        }
      }),
      { numRuns: runsOf(3000) },
    );
  });

  test('any text as a link is an address on the same origin, an error or nothing', () => {
    const url = new URL('https://registry.example/v2/x/tags/list');
    const links = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[<>;=, "a-z:/.?&]{0,80}$/),
      fc.webUrl().map((at) => `<${at}>; rel="next"`),
    );
    fc.assert(
      fc.property(links, (link) => {
        const next = caught(() => nextPage({ url, headers: { link } }, 'the tags'));
        if (next instanceof URL) expect(next.origin).toBe(url.origin);
        else if (next !== undefined) expect(next).toMatchObject({ reason: 'RegistryUnavailable' });
      }),
      { numRuns: runsOf(2000) },
    );
  });

  test.each([
    { link: '</v2/x/tags/list?last=a&n=1>; rel="next"', want: '/v2/x/tags/list?last=a&n=1', because: 'a path' },
    { link: 'https://registry.example/y; rel=next', want: undefined, because: 'the brackets are missing' },
    { link: '<https://registry.example/y>; rel=next', want: '/y', because: 'quotes may be missing' },
    { link: '</y>; title="a"; rel="next"', want: '/y', because: 'other parameters may come first' },
    { link: '</p>; rel="prev", </n>; rel="next"', want: '/n', because: 'there may be several links' },
    { link: '</p>; rel="prev"', want: undefined, because: 'it is another link' },
    {
      link: '<https://inside:5000/v2/x?n=1>; rel="next"',
      want: '/v2/x?n=1',
      because: 'a host behind a proxy is not asked',
    },
    { link: '<http://registry.example/v2/x>; rel="next"', want: '/v2/x', because: 'nor is one without TLS' },
    { link: `<${'a'.repeat(5000)}>; rel="next"`, want: undefined, because: 'it is too long' },
    { link: `</y>${' ;'.repeat(4000)}`, want: undefined, because: 'it has no end' },
  ])('the next page of $link is $want: $because', ({ link, want }) => {
    const next = nextPage({ url: new URL('https://registry.example/v2/x/tags/list'), headers: { link } }, 'the tags');
    expect(next === undefined ? undefined : next.pathname + next.search).toBe(want);
    expect(next?.origin ?? 'https://registry.example').toBe('https://registry.example');
  });

  test.each(['https://other.example/y', 'http://registry.example/y', 'ftp://registry.example/v2/../y', 'http://['])(
    'a next page at %s is an error, since the list would be cut',
    (target) => {
      const url = new URL('https://registry.example/v2/x/tags/list');
      const next = caught(() => nextPage({ url, headers: { link: `<${target}>; rel="next"` } }, 'the tags'));
      expect(next).toMatchObject({ reason: 'RegistryUnavailable' });
    },
  );
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function toText(value: unknown): string {
  return JSON.stringify(value, (_key, child: unknown) => (typeof child === 'bigint' ? Number(child) : child));
}
