import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { buildImage, pushImage } from '../oci/build.ts';
import { startFakeRegistry } from '../oci/testing/fake-registry.ts';
import { pullFiles, BUNDLE_LIMITS } from '../oci/image.ts';
import { parseReference } from '../oci/reference.ts';
import { createRegistry } from '../oci/registry.ts';
import { createBundleSources, type BundleSources } from './bundle-sources.ts';
import { policiesOf, type Written } from './testing/policies.ts';

const folder = mkdtempSync(join(tmpdir(), 'bundle-sources-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const signal = new AbortController().signal;

describe('a bundle that was pulled', () => {
  test('a pulled bundle is served without the registry, after a restart too, for the same pull secret only', async () => {
    const server = await startFakeRegistry();
    const client = createRegistry();
    const image = buildImage({ files: new Map([['manifests/csv.yaml', Buffer.from('kind: X')]]), labels: {} });
    const digest = await pushImage(client, parseReference(`${server.host}/gadget:v1`), image);
    const restarted = (): BundleSources => createBundleSources(() => client, folder);
    const pull = async (secret: string | undefined, sources = restarted()): Promise<number> => {
      const source = sources(secret);
      const reference = parseReference(`${server.host}/gadget@${digest}`);
      const { files } = await pullFiles(source, reference, { folders: ['manifests/'], limits: BUNDLE_LIMITS, signal });
      return files.size;
    };
    const sources = restarted();
    // The second one reads what the first one wrote, and waits until it is on the disk.
    for (const time of [1, 2]) expect(await pull(undefined, sources), `pull ${time}`).toBe(1);
    await server.close();
    expect(await pull(undefined)).toBe(1);
    await expect(pull('other')).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    client.close();
  });

  test('that the pull secret of a policy opened is not served once the policy is gone', async () => {
    const server = await startFakeRegistry();
    const client = createRegistry();
    const image = buildImage({ files: new Map([['manifests/csv.yaml', Buffer.from('kind: Y')]]), labels: {} });
    const digest = await pushImage(client, parseReference(`${server.host}/widget:v1`), image);
    const restarted = (written: Written): BundleSources =>
      createBundleSources(() => client, folder, policiesOf(written));
    const pull = async (written: Written, sources = restarted(written)): Promise<number> => {
      const source = sources(undefined);
      const reference = parseReference(`${server.host}/widget@${digest}`);
      const { files } = await pullFiles(source, reference, { folders: ['manifests/'], limits: BUNDLE_LIMITS, signal });
      return files.size;
    };
    const policy = { team: { prefix: server.host, pullSecret: { name: 'login' } } };
    const sources = restarted(policy);
    for (const time of [1, 2]) expect(await pull(policy, sources), `pull ${time}`).toBe(1);
    await server.close();
    expect(await pull(policy)).toBe(1);
    await expect(pull({})).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
    client.close();
  });
});
