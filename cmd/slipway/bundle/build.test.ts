import { beforeAll, describe, expect, test } from 'vitest';
import { makeFiles } from '../../../bundles/testing/bundle.ts';
import { useWorkplace } from '../testing/slipway.ts';

const workplace = useWorkplace();
const NEXT = { metadata: { name: 'gadget-operator.v2.0.0' }, spec: { version: '2.0.0' } };

beforeAll(async () => {
  workplace().write(makeFiles(), 'good');
  workplace().write(makeFiles(NEXT), 'next');
  workplace().write(new Map([['notes/readme.md', 'notes']]));
  await workplace().run('bundle', 'build', 'good', 'layout', '--tag', 'v1');
});

const refusal = { code: 1, stdout: '', stderr: expect.stringContaining('InputInvalid') as string };

describe('the image of a bundle is written', () => {
  test.each([
    { because: 'new', target: 'new/layout' },
    { because: 'a layout, which gets a further image', target: 'layout' },
  ])('into a folder that is $because', async ({ target }) => {
    expect(await workplace().run('bundle', 'build', 'next', target, '--tag', 'v2')).toMatchObject({ code: 0 });
  });

  test.each([
    { because: 'that of the bundle, which would be read as a layout from then on', target: 'good' },
    { because: 'one with other files', target: 'notes' },
    { because: 'a file', target: 'notes/readme.md' },
  ])('into no folder that is $because', async ({ target }) => {
    expect(await workplace().run('bundle', 'build', 'good', target)).toEqual(refusal);
    expect(await workplace().run('bundle', 'inspect', 'good')).toMatchObject({ code: 0 });
  });
});

describe('a folder that people read as a bundle, and programs as an image, is refused', () => {
  beforeAll(async () => {
    for (const part of ['manifests', 'metadata']) {
      await workplace().run('bundle', 'build', 'next', part, '--tag', 'v2');
      const files = [...makeFiles()].filter(([path]) => path.startsWith(part));
      workplace().write(new Map(files), part);
    }
  });

  test.each([
    { command: ['bundle', 'inspect'], more: [] },
    { command: ['bundle', 'validate'], more: [] },
    { command: ['bundle', 'push'], more: ['127.0.0.1:1/team/gadget:v1'] },
    { command: ['bundle', 'build'], more: ['elsewhere'] },
    { command: ['catalog', 'build', 'catalog'], more: ['--image-template', '127.0.0.1:1/team/gadget:v{version}'] },
  ])('by $command', async ({ command, more }) => {
    for (const part of ['manifests', 'metadata'])
      expect(await workplace().run(...command, part, ...more)).toEqual(refusal);
  });
});
