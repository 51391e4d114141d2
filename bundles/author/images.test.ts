/** Every image that an operator needs is found, wherever its Deployments name it, and is pinned there. */
import { describe, expect, test } from 'vitest';
import type { Container, CsvDeployment, PodSpec } from '../bundle.ts';
import { imagesOf, withDigest, withMountedDigest } from './images.ts';

const container = (name: string, image: string, more: object = {}): Container => ({
  name,
  image,
  resources: {},
  ...more,
});

const deployment = (pod: Partial<PodSpec>): CsvDeployment => ({
  name: 'lamp',
  spec: { selector: null, template: { metadata: {}, spec: { containers: [], ...pod } } },
});

const models = { name: 'models', image: { reference: 'models:1', pullPolicy: 'Always' } };

describe('the images of an operator', () => {
  test.each([
    { because: 'a container runs it', pod: { containers: [container('lamp', 'lamp:1')] }, found: ['lamp lamp:1'] },
    { because: 'it runs first', pod: { initContainers: [container('prepare', 'a:1')] }, found: ['prepare a:1'] },
    { because: 'a volume mounts it', pod: { volumes: [models] }, found: ['models models:1'] },
    {
      because: 'a variable names it',
      pod: { containers: [container('lamp', '', { env: [{ name: 'RELATED_IMAGE_THE_BULB', value: 'bulb:1' }] })] },
      found: ['the-bulb bulb:1'],
    },
    {
      because: 'a container runs it, and a volume mounts it',
      pod: { containers: [container('lamp', 'models:1')], volumes: [models] },
      found: ['lamp models:1'],
    },
    { because: 'no volume needs one', pod: { volumes: [{ name: 'cache', emptyDir: {} }] }, found: [] },
  ])('are found: $because', ({ pod, found }) => {
    expect(imagesOf([deployment(pod)]).map(({ name, image }) => `${name} ${image}`)).toEqual(found);
  });
});

describe('an image whose digest is known', () => {
  const digests = new Map([
    ['lamp:1', 'lamp@sha256:1'],
    ['models:1', 'models@sha256:2'],
  ]);

  test('is pinned in its container', () => {
    expect(withDigest(container('lamp', 'lamp:1'), digests)).toMatchObject({ name: 'lamp', image: 'lamp@sha256:1' });
  });

  test('is pinned in its volume, whose other fields stay', () => {
    expect(withMountedDigest(models, digests)).toEqual({
      name: 'models',
      image: { reference: 'models@sha256:2', pullPolicy: 'Always' },
    });
  });

  test('changes no volume of another kind', () => {
    const cache = { name: 'cache', emptyDir: {} };
    expect(withMountedDigest(cache, digests)).toBe(cache);
  });
});
