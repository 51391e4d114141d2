/**
 * The guide about verifying a release of Slipway, with keys and a Sigstore instance of this test: each of its commands ends
 * well for the image that was signed, and with exit code 2 for one that a stranger signed.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildImage, buildIndex } from '../../../oci/build.ts';
import { pushIndex } from '../../../oci/testing/push-built.ts';
import { createRegistry } from '../../../oci/registry.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { stepsOf } from '../../../scripts/shell-steps.ts';
import { createInstance, publicPem } from '../../../signatures/testing/instance.ts';
import type { Signer } from '../../../signatures/testing/signer.ts';
import { sign } from '../../lib/sign.ts';
import { runSlipway, type SlipwayRun } from '../../lib/slipway.ts';

const WORKFLOW = 'https://ci.example/slipway/release.yml@refs/tags/v1.0.0';
const ISSUER = 'https://token.actions.githubusercontent.com';
const steps = stepsOf('docs/how-to/verify-a-release.md').filter(({ script }) => script.startsWith('slipway verify'));

describe('a release of Slipway', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-release-'));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  let registry: FakeRegistry;
  const images = new Map<string, string>();

  beforeAll(async () => {
    registry = await startFakeRegistry();
    const instance = await createInstance();
    const certified = await instance.certify({ subject: WORKFLOW, issuer: ISSUER });
    writeFileSync(join(folder, 'release.pub'), publicPem(privateKey));
    writeFileSync(join(folder, 'trusted_root.json'), instance.root);
    await release('signed', [byKey(privateKey), { by: 'certificate', certified, instance }]);
    await release('foreign', [byKey(stranger)]);
  }, 60_000);
  afterAll(async () => {
    await registry?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('has commands in its guide', () => {
    expect(steps).toHaveLength(2);
  });

  test.each(steps)('is verified as the guide says: $script', async ({ script }) => {
    expect(await type(script, 'signed')).toMatchObject({
      code: 0,
      text: expect.stringContaining(images.get('signed')!),
    });
    expect(await type(script, 'foreign')).toMatchObject({ code: 2, text: expect.stringContaining('Not trusted') });
  });

  function byKey(key: KeyObject): Signer {
    return { by: 'key', privateKey: key };
  }

  /** As the build makes it: an index over two platforms, of which the digest is signed. */
  async function release(name: string, signers: readonly Signer[]): Promise<void> {
    const built = ['amd64', 'arm64'].map((architecture) =>
      buildImage({
        files: new Map([['manager', Buffer.from(`${name} ${architecture}`)]]),
        platform: { os: 'linux', architecture },
      }),
    );
    const client = createRegistry();
    const digest = await pushIndex(client, registry.reference(`slipway/${name}:v1.0.0`), buildIndex(built));
    client.close();
    images.set(name, `${registry.host}/slipway/${name}@${digest}`);
    for (const signer of signers) await sign(images.get(name)!, signer);
  }

  function type(script: string, name: string): Promise<SlipwayRun> {
    const image = `${registry.host}/slipway/${name}:v1.0.0`;
    const words = script.trim().replace('"$IMAGE"', image).replace('"$WORKFLOW"', WORKFLOW).split(/\s+/).slice(1);
    return runSlipway(folder, words);
  }
});
