import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { pullFiles } from '../../../oci/image.ts';
import { createRegistry } from '../../../oci/registry.ts';
import { useWorkplace } from '../testing/slipway.ts';

const workplace = useWorkplace();
let registry: FakeRegistry;
beforeAll(async () => {
  registry = await startFakeRegistry();
});
afterAll(() => registry.close());

const CATALOG = `
schema: olm.package
name: gadget
defaultChannel: stable
---
schema: olm.channel
package: gadget
name: stable
entries: [{name: gadget.v1.0.0}]
---
schema: olm.bundle
package: gadget
name: gadget.v1.0.0
image: registry.example/gadget@sha256:${'a'.repeat(64)}
properties: [{type: olm.package, value: {packageName: gadget, version: 1.0.0}}]
`;

async function publishedPaths(name: string): Promise<readonly string[]> {
  const client = createRegistry();
  const { files } = await pullFiles(client, registry.reference(name), { folders: ['configs'] });
  client.close();
  return [...files.keys()];
}

test.each([
  { because: 'as it is', flags: [] },
  { because: 'unchecked', flags: ['--no-check'] },
])('only the files that count are published: $because', async ({ flags }) => {
  workplace().write(
    new Map([
      ['root/gadget/catalog.yaml', CATALOG],
      ['root/.indexignore', 'secrets\n*.env\n'],
      ['root/secrets/key.yaml', 'token: ghp_secret'],
      ['root/gadget/production.env', 'TOKEN=ghp_secret'],
      ['root/.git/config', 'token: ghp_secret'],
      ['root/gadget/.catalog.yaml.swp', 'token: ghp_secret'],
    ]),
  );
  const target = `${registry.host}/team/root:v1`;
  expect(await workplace().run('catalog', 'push', 'root', target, ...flags)).toMatchObject({ code: 0, stderr: '' });
  expect(await publishedPaths('team/root:v1')).toEqual(['configs/gadget/catalog.yaml']);
});

test('a catalog of which every file is left out is not published', async () => {
  workplace().write(
    new Map([
      ['hidden/catalog.yaml', CATALOG],
      ['hidden/.indexignore', '*\n'],
    ]),
  );
  const { code, stderr } = await workplace().run(
    'catalog',
    'push',
    'hidden',
    `${registry.host}/team/hidden:v1`,
    '--no-check',
  );
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('InputInvalid') });
});
