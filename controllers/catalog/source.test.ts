import { expect, test } from 'vitest';
import { isOfSource } from './source.ts';

const [A, B] = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];
const image = (ref: string) => ({ image: { ref } });
const repositories = { repositories: [{ repository: 'r.example/hub' }] };

test.each([
  {
    because: 'the tag was resolved to it',
    source: image('r.example/hub:v1'),
    digest: `r.example/hub:v1@${A}`,
    is: true,
  },
  { because: 'the tag is another', source: image('r.example/hub:v2'), digest: `r.example/hub:v1@${A}`, is: false },
  { because: 'the registry is another', source: image('s.example/hub:v1'), digest: `r.example/hub:v1@${A}`, is: false },
  { because: 'a short name is completed', source: image('hub'), digest: `docker.io/library/hub:latest@${A}`, is: true },
  {
    because: 'the source names that digest',
    source: image(`r.example/hub@${A}`),
    digest: `r.example/hub@${A}`,
    is: true,
  },
  {
    because: 'the source names another digest',
    source: image(`r.example/hub@${B}`),
    digest: `r.example/hub@${A}`,
    is: false,
  },
  { because: 'the digest is over repositories, like the source', source: repositories, digest: A, is: true },
  {
    because: 'the digest is over repositories, and the source is an image',
    source: image('r.example/hub'),
    digest: A,
    is: false,
  },
  {
    because: 'the digest is of an image, and the source is repositories',
    source: repositories,
    digest: `r.example/hub@${A}`,
    is: false,
  },
  { because: 'the reference cannot be read', source: image('http://hub'), digest: `r.example/hub@${A}`, is: false },
])('a digest belongs to the source ($is): $because', ({ source, digest, is }) => {
  expect(isOfSource(source, digest)).toBe(is);
});
