/** Which images of Pods need signatures, and which are refused. */
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import type { Reason } from '../../api/reasons.ts';
import { publicPem } from '../../signatures/testing/instance.ts';
import type { CheckSignatures } from '../signature-checks.ts';
import { policiesOf, type Written } from '../testing/policies.ts';
import { checkPodImages } from './pod-images.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const verify = { keys: [{ name: 'release', pem: publicPem(privateKey) }] };
const warning = { ...verify, enforcement: 'Warn' } as const;
const DIGEST = `sha256:${'a'.repeat(64)}`;

interface Asked {
  readonly images: readonly string[];
  readonly written: Written;
  readonly check?: CheckSignatures;
}

async function ask({ images, written, check = async () => ({ policy: 'p', by: 'key release' }) }: Asked) {
  const warnings: string[] = [];
  const users = new Map(images.map((image) => [image, new Set(['Deployment a/b: containers[c]'])]));
  const facts = { images: users, policies: policiesOf(written), warn: (note: string) => void warnings.push(note) };
  const result = await checkPodImages(check, facts, new AbortController().signal).catch((error: unknown) => error);
  return { result, warnings };
}

describe('the images of the Pods of a bundle', () => {
  test.each<{ because: string; images: readonly string[]; checked: readonly string[] }>([
    {
      because: 'an image by digest under the policy',
      images: [`quay.io/team/a@${DIGEST}`],
      checked: [`quay.io/team/a@${DIGEST}`],
    },
    {
      because: 'a tag beside a digest says nothing',
      images: [`quay.io/team/a:v1@${DIGEST}`, `quay.io/team/a@${DIGEST}`],
      checked: [`quay.io/team/a@${DIGEST}`],
    },
    {
      because: 'the usual port names the same registry',
      images: [`quay.io:443/team/a@${DIGEST}`],
      checked: [`quay.io/team/a@${DIGEST}`],
    },
    { because: 'an image of another registry', images: [`ghcr.io/team/a@${DIGEST}`, 'ghcr.io/team/b:v1'], checked: [] },
    { because: 'a text that names no image', images: ['', 'Not An Image', '$(IMAGE)'], checked: [] },
  ])('are checked if a policy is over them: $because', async ({ images, checked }) => {
    const { result } = await ask({ images, written: { a: { prefix: 'quay.io', verify } } });
    expect(result).toEqual(checked.map((image) => ({ image, policy: 'p', by: 'key release' })));
  });

  test.each([
    { image: 'quay.io/team/a:v1', because: 'a node may pull another one than was checked' },
    { image: 'quay.io:0000443/team/a:v1', because: 'a node reads the number of the port' },
    { image: `quay.io/team/a@sha384:${'a'.repeat(96)}`, because: 'a node may know the kind of digest' },
    { image: `quay.io/team/${'a'.repeat(250)}@${DIGEST}`, because: 'a node may allow longer names' },
  ])('$image without a digest that can be checked is refused, and its user is named: $because', async ({ image }) => {
    const { result } = await ask({ images: [image], written: { a: { prefix: 'quay.io', verify } } });
    expect(result).toMatchObject({ reason: 'ImageNotPinned', retry: 'never' });
    expect((result as ReasonedError).message).toContain('Deployment a/b: containers[c]');
  });

  test('an image by tag is reported and used if the policy only warns', async () => {
    const { result, warnings } = await ask({
      images: ['quay.io/team/a:v1'],
      written: { a: { prefix: 'quay.io', verify: warning } },
    });
    expect(result).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('quay.io/team/a:v1')]);
  });

  test.each<{ reason: Reason }>([{ reason: 'Unsigned' }, { reason: 'SignedByOtherKey' }, { reason: 'RegistryDenied' }])(
    'one image that is refused by $reason refuses all',
    async ({ reason }) => {
      const check: CheckSignatures = async (_, { image }) => {
        if (image.includes('/b@')) throw new ReasonedError({ reason, retry: 'never', message: image });
        return { policy: 'p', by: 'key release' };
      };
      const images = ['a', 'b', 'c'].map((name) => `quay.io/team/${name}@${DIGEST}`);
      const { result } = await ask({ images, written: { a: { prefix: 'quay.io', verify } }, check });
      expect(result).toMatchObject({ reason });
    },
  );

  test('a policy that cannot be used refuses its images', async () => {
    const written = { a: { prefix: 'quay.io' }, b: { prefix: 'quay.io' } };
    const { result } = await ask({ images: ['quay.io/team/a:v1'], written });
    expect(result).toMatchObject({ reason: 'RegistryPolicyInvalid', retry: 'backoff' });
  });
});
