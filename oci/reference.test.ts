import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { ReasonedError } from '../api/errors.ts';
import {
  formatReference,
  identifierOf,
  nameIn,
  parseReference,
  withDigest,
  withTag,
  withoutScheme,
} from './reference.ts';

const A = 'a'.repeat(64);

describe('an image reference', () => {
  test.each([
    { text: 'nginx', full: 'docker.io/library/nginx:latest', because: 'one name is an official image' },
    {
      text: 'org/app',
      full: 'docker.io/org/app:latest',
      because: 'two names without a dot are on the default registry',
    },
    {
      text: 'docker.io/nginx:1',
      full: 'docker.io/library/nginx:1',
      because: 'official images have a folder of their own',
    },
    { text: 'index.docker.io/org/app', full: 'docker.io/org/app:latest', because: 'the old name is the same registry' },
    {
      text: 'registry-1.docker.io/org/app',
      full: 'docker.io/org/app:latest',
      because: 'the name of its API is the same registry',
    },
    { text: 'quay.io/org/app:v1.2.3', full: 'quay.io/org/app:v1.2.3', because: 'a dot makes a registry' },
    { text: 'localhost/app', full: 'localhost/app:latest', because: 'localhost is a registry' },
    { text: 'localhost:5000/a/b/c', full: 'localhost:5000/a/b/c:latest', because: 'a port makes a registry' },
    { text: 'Quay.IO/org/app', full: 'quay.io/org/app:latest', because: 'host names have no case' },
    { text: 'quay.io:443/org/app', full: 'quay.io/org/app:latest', because: '443 is the port of https' },
    { text: 'quay.io:0443/org/app', full: 'quay.io/org/app:latest', because: 'zeros before a number count nothing' },
    { text: 'quay.io:8443/org/app', full: 'quay.io:8443/org/app:latest', because: 'another port is another registry' },
    { text: 'quay.io:80/org/app', full: 'quay.io:80/org/app:latest', because: 'https does not use this port' },
    { text: 'quay.io./org/app', full: 'quay.io/org/app:latest', because: 'a dot at the end makes a name complete' },
    { text: 'QUAY.io.:00443/org/app', full: 'quay.io/org/app:latest', because: 'all of that may come together' },
    {
      text: 'index.docker.io:443/nginx',
      full: 'docker.io/library/nginx:latest',
      because: 'the port takes nothing from the name',
    },
    {
      text: 'docker.io./nginx',
      full: 'docker.io/library/nginx:latest',
      because: 'the dot takes nothing from the name',
    },
    { text: 'registry:443/app', full: 'registry:443/app:latest', because: 'the port makes one word a registry' },
    { text: 'localhost:80/app', full: 'localhost/app:latest', because: 'this machine is spoken to without TLS' },
    { text: 'localhost:443/app', full: 'localhost:443/app:latest', because: 'without TLS this is another port' },
    { text: '10.1:5000/app', full: '10.0.0.1:5000/app:latest', because: 'a part left out of an address is zeros' },
    { text: '0xa.0.0.1/app', full: '10.0.0.1/app:latest', because: 'an address may be in hexadecimal' },
    { text: '[0:0::1]:5000/app', full: '[::1]:5000/app:latest', because: 'zeros of an address have many spellings' },
    { text: '[2001:DB8::A]/app', full: '[2001:db8::a]/app:latest', because: 'an address has no case' },
    { text: '[::1]:5000/app:x', full: '[::1]:5000/app:x', because: 'an address of version 6 is a host' },
    { text: `quay.io/a@sha256:${A}`, full: `quay.io/a@sha256:${A}`, because: 'with a digest there is no default tag' },
    { text: `quay.io/a:v1@sha256:${A}`, full: `quay.io/a:v1@sha256:${A}`, because: 'both are kept' },
    { text: `quay.io/a@sha512:${A}${A}`, full: `quay.io/a@sha512:${A}${A}`, because: 'sha512 is registered too' },
    {
      text: `quay.io/a:${'t'.repeat(128)}`,
      full: `quay.io/a:${'t'.repeat(128)}`,
      because: '128 characters are the longest tag',
    },
    { text: 'quay.io/a:V1.0_x-y', full: 'quay.io/a:V1.0_x-y', because: 'tags may have upper case' },
    { text: 'quay.io/a__b/c--d', full: 'quay.io/a__b/c--d:latest', because: 'these separators may be doubled' },
    {
      text: 'xn--bcher-kva.example/app',
      full: 'xn--bcher-kva.example/app:latest',
      because: 'punycode is a plain host',
    },
  ])('the reference $text is $full, because $because', ({ text, full }) => {
    expect(formatReference(parseReference(text))).toBe(full);
  });

  test.each([
    { text: '', because: 'it is empty' },
    { text: 'HOST/app', because: 'a host of one word, written in lower case, would be a repository' },
    { text: 'Org/App', because: 'repositories are in lower case' },
    { text: 'quay.io/', because: 'the repository is missing' },
    { text: 'quay.io/a//b', because: 'a part is empty' },
    { text: 'quay.io/../b', because: 'dots alone are no name' },
    { text: 'quay.io/a:', because: 'the tag is empty' },
    { text: `quay.io/a:${'t'.repeat(129)}`, because: 'the tag is too long' },
    { text: 'quay.io/a:-x', because: 'a tag does not begin with a dash' },
    { text: 'quay.io/a:x/y', because: 'a tag has no slash' },
    { text: 'quay.io/a@', because: 'the digest is empty' },
    { text: `quay.io/a@sha256:${A.toUpperCase()}`, because: 'digests are in lower case' },
    { text: `quay.io/a@sha256:${A}a`, because: 'the digest is too long' },
    { text: `quay.io/a@sha256:${A.slice(1)}`, because: 'the digest is too short' },
    { text: `quay.io/a@sha512:${A}`, because: 'the length is that of sha256' },
    { text: `quay.io/a@md5:${A.slice(32)}`, because: 'md5 proves nothing' },
    { text: `quay.io/a@sha256:${A}@sha256:${A}`, because: 'two digests' },
    { text: 'quay.io:99999/a', because: 'there is no such port' },
    { text: 'quay.io:0/a', because: 'port 0 cannot be reached' },
    { text: 'quay.io:/a', because: 'the port is empty' },
    { text: 'registry./a', because: 'a host of one word, written without the dot, would be a repository' },
    { text: 'quay.io../a', because: 'two dots end no name' },
    { text: '1.2.3.4.5/a', because: 'an address has four numbers' },
    { text: '[:::]/a', because: 'no address has three colons' },
    { text: '-quay.io/a', because: 'host names do not begin with a dash' },
    { text: 'quay_x.io/a', because: 'host names have no underscore' },
    { text: 'qu\u0430y.io/a', because: 'a look-alike letter is not ASCII' },
    { text: '\uFF11\uFF12\uFF17.0.0.1/a', because: 'wide digits are not ASCII' },
    { text: 'user:pass@quay.io/a', because: 'credentials do not belong here' },
    { text: 'docker://quay.io/a', because: 'a scheme does not belong here' },
    { text: 'https://quay.io/a', because: 'no other scheme belongs here' },
    { text: 'quay.io/a b', because: 'spaces' },
    { text: 'quay.io/a\u001b[31m', because: 'control characters' },
    { text: 'quay.io/a\n', because: 'a line end' },
    { text: `quay.io/${'a'.repeat(256)}`, because: 'the name is longer than 255 characters' },
    { text: `quay.io/${'a/'.repeat(1000)}a`, because: 'the text is longer than 1024 characters' },
  ])('the reference $text is refused, because $because', ({ text }) => {
    expect(() => parseReference(text)).toThrow(expect.objectContaining({ reason: 'ReferenceInvalid', retry: 'never' }));
  });

  test.each([
    {
      text: `quay.io/team/app@sha384:${A}`,
      name: 'quay.io/team/app',
      because: 'the digest is of a kind that is refused',
    },
    { text: 'Quay.io.:0000443/team/app:v1', name: 'quay.io/team/app', because: 'the port has too many digits' },
    {
      text: `quay.io/team/${'a'.repeat(250)}`,
      name: `quay.io/team/${'a'.repeat(250)}`,
      because: 'the name is too long',
    },
    { text: 'nginx:v1', name: 'docker.io/library/nginx', because: 'it is a reference' },
    {
      text: '$(IMAGE)',
      name: 'docker.io/library/$(IMAGE)',
      because: 'a text without a host is on the default registry',
    },
  ])('the name in $text is found, although $because', ({ text, name }) => {
    expect(nameIn(text)).toBe(name);
  });

  test.each([
    { text: `quay.io:${'0'.repeat(200_000)}x/a`, because: 'of its zeros' },
    { text: `[${':'.repeat(200_000)}/a`, because: 'of its colons' },
    { text: `${'a.'.repeat(100_000)}/a`, because: 'of its dots' },
  ])('the name in a hostile text is found at once, in spite $because', ({ text }) => {
    const before = process.threadCpuUsage();
    nameIn(text);
    expect(process.threadCpuUsage(before).user / 1e6).toBeLessThan(1);
  });

  test('a digest has precedence over a tag', () => {
    expect(identifierOf(parseReference(`quay.io/a:v1@sha256:${A}`))).toBe(`sha256:${A}`);
    expect(identifierOf(parseReference('quay.io/a:v1'))).toBe('v1');
  });

  test('tag and digest can be exchanged', () => {
    const reference = parseReference('quay.io/a:v1');
    expect(formatReference(withDigest(reference, `sha256:${A}`))).toBe(`quay.io/a:v1@sha256:${A}`);
    expect(formatReference(withTag(withDigest(reference, `sha256:${A}`), 'v2'))).toBe('quay.io/a:v2');
    expect(() => withTag(reference, 'a b')).toThrow(ReasonedError);
  });

  test('any text is either refused or read the same again after printing', () => {
    const texts = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.stringMatching(/^[a-zA-Z0-9.:/@_[\]-]{1,60}$/),
      fc
        .tuple(
          fc.constantFrom('quay.io', 'localhost:5000', 'a', 'A.b', 'Quay.io.:443', '0xa.1:443', '[::0]:0443', 'a:443'),
          fc.stringMatching(/^[a-z0-9._/-]{1,20}$/),
          fc.constantFrom('', ':v1', `@sha256:${A}`),
        )
        .map(([host, path, end]) => `${host}/${path}${end}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = tryParse(text);
        if (parsed !== undefined) expect(parseReference(formatReference(parsed))).toEqual(parsed);
      }),
      { numRuns: runsOf(2000) },
    );
  });
});

function tryParse(text: string) {
  try {
    return parseReference(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ReasonedError);
    return undefined;
  }
}

test.each<{ because: string; text: string; expected: string }>([
  { because: 'oci:// is a scheme', text: 'oci://quay.io/org/app:v1', expected: 'quay.io/org/app:v1' },
  { because: 'docker:// is a scheme', text: 'docker://quay.io/org/app:v1', expected: 'quay.io/org/app:v1' },
  { because: 'a name has none', text: 'oci/docker:v1', expected: 'oci/docker:v1' },
  { because: 'another scheme is no address of an image', text: 'https://quay.io/app', expected: 'https://quay.io/app' },
  { because: 'a scheme stands at the beginning', text: 'quay.io/oci://app', expected: 'quay.io/oci://app' },
])('the address of an image becomes its name: $because', ({ text, expected }) => {
  expect(withoutScheme(text)).toBe(expected);
});
