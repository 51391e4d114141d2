/**
 * Other tools read the images that the command line pushes, and the reverse: a real registry, and crane as a second
 * client.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFiles } from '../../bundles/testing/bundle.ts';
import { REGISTRY_USER, useCluster } from '../../e2e/lib/cluster.ts';
import { useWorkplace } from './testing/slipway.ts';

const cluster = useCluster({ only: ['registry'] });
const workplace = useWorkplace();
const FILES = makeFiles();

interface ImageConfig {
  readonly config: { readonly Labels: Readonly<Record<string, string>> };
}

describe('a bundle', () => {
  test('that is pushed is read by crane, with its files and labels', async () => {
    workplace().write(FILES, 'bundle');
    const reference = `${cluster().registry}/team/gadget:v1.0.0`;
    const { code, stdout, stderr } = await workplace().run('bundle', 'push', 'bundle', reference);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await cluster().crane(['digest', reference])).trim()).toBe(stdout.trim());
    expect(await cluster().crane(['validate', '--remote', reference])).toContain('PASS');
    const { config } = JSON.parse(await cluster().crane(['config', reference])) as ImageConfig;
    expect(config.Labels['operators.operatorframework.io.bundle.package.v1']).toBe('gadget-operator');
    const archive = await cluster().crane(['export', reference, '-']);
    for (const path of FILES.keys()) expect(archive).toContain(path);
  });

  test('that crane copied is pulled file by file', async () => {
    const copy = `${cluster().registry}/copies/gadget:v1.0.0`;
    await cluster().crane(['copy', `${cluster().registry}/team/gadget:v1.0.0`, copy]);
    expect(await workplace().run('bundle', 'pull', copy, 'pulled')).toMatchObject({ code: 0, stderr: '' });
    for (const [path, bytes] of FILES) {
      expect(readFileSync(join(workplace().folder, 'pulled', path)).equals(bytes), path).toBe(true);
    }
  });

  test('that crane made of a folder is read like one of ours', async () => {
    const reference = `${cluster().registry}/foreign/gadget:v1.0.0`;
    const layer = join(workplace().folder, 'layer.tar');
    const { create } = await import('tar');
    await create({ file: layer, cwd: join(workplace().folder, 'bundle') }, ['manifests', 'metadata']);
    await cluster().crane(['append', '-f', layer, '-t', reference]);
    const render = (source: string) => workplace().run('bundle', 'render', source, '--namespace', 'toys');
    expect(await render(reference)).toEqual(await render('bundle'));
  });
});

describe('a catalog', () => {
  test('is built from the registry, pushed, and read by crane', async () => {
    const reference = `${cluster().registry}/team/catalog:latest`;
    const image = `${cluster().registry}/team/gadget:v1.0.0`;
    expect(await workplace().run('catalog', 'build', 'catalog', image, '--pin')).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await workplace().run('catalog', 'push', 'catalog', reference);
    expect((await cluster().crane(['digest', reference])).trim()).toBe(stdout.trim());
    const { config } = JSON.parse(await cluster().crane(['config', reference])) as ImageConfig;
    expect(config.Labels).toEqual({ 'operators.operatorframework.io.index.configs.v1': '/configs' });
    expect(await cluster().crane(['export', reference, '-'])).toContain('configs/gadget-operator/catalog.json');
    expect((await workplace().run('catalog', 'list', reference)).stdout).toContain('gadget-operator.v1.0.0');
  });

  test('a missing image is reported, with its reason', async () => {
    const { code, stderr } = await workplace().run('catalog', 'list', `${cluster().registry}/team/nothing:v1`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('slipway: ImageNotFound: ') });
  });
});

describe('a registry with a password', () => {
  const guarded = useCluster({ only: ['registry'], registry: { auth: 'basic' } });

  test('takes the credentials of docker login', async () => {
    const { username, password } = REGISTRY_USER;
    const auth = Buffer.from(`${username}:${password}`).toString('base64');
    const reference = `${guarded().registry}/team/gadget:v1.0.0`;
    expect(await workplace().run('bundle', 'push', 'bundle', reference)).toMatchObject({ code: 1 });
    workplace().write(
      new Map([['home/.docker/config.json', JSON.stringify({ auths: { [guarded().registry]: { auth } } })]]),
    );
    expect(await workplace().run('bundle', 'push', 'bundle', reference)).toMatchObject({ code: 0, stderr: '' });
  });
});
