/**
 * A place without internet: an operator with a dependency is taken along with its images and signatures, its registry is
 * switched off, and it is installed, upgraded and taken back from the mirror, by names and signatures of the source.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Revision } from '../../../api/revision.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { publicPem } from '../../../signatures/testing/instance.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, list, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, push } from '../../lib/publish.ts';
import { sign } from '../../lib/sign.ts';
import { runSlipway, type SlipwayRun } from '../../lib/slipway.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { apply, makeNamespaces } from '../../lib/writes.ts';

const SUBSCRIPTION = { kind: 'subscription', name: 'gadget', namespace: 'gadget' };

describe('operators in a place without internet', () => {
  const cluster = useCluster();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const folder = mkdtempSync(join(tmpdir(), 'slipway-mirror-story-'));
  let source: FakeRegistry;
  let manager: RunningManager;
  let prefix: string;

  beforeAll(async () => {
    source = await startFakeRegistry();
    prefix = `${cluster().registry}/operators`;
    await publishAll();
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await makeNamespaces(cluster(), ['gadget']);
  });
  afterAll(async () => {
    await manager?.stop();
    await source?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('are collected and pushed, and nothing is missing', async () => {
    const catalog = ['--catalog', `${source.host}/team/catalog:v1`];
    const pulled = await slipway(
      'mirror',
      'pull',
      'airgap',
      ...catalog,
      '--package',
      'gadget@>=1.0.0',
      '--whole-catalogs',
    );
    expect(pulled.text).toContain('widget.v2.0.0');
    expect(await slipway('mirror', 'verify', 'airgap')).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^0 missing/m),
    });
    expect(await slipway('mirror', 'push', 'airgap', prefix)).toMatchObject({ code: 0 });
    await source.close();
    expect(await slipway('mirror', 'verify', 'airgap', prefix)).toMatchObject({ code: 0 });
  });

  test('are installed with their dependency by the names and signatures of the source, which is switched off', async () => {
    await cluster().kubectl(['apply', '-f', '-'], readFileSync(join(folder, 'airgap/policies.yaml'), 'utf8'));
    const keys = [{ name: 'release', pem: publicPem(privateKey), transparencyLog: 'Ignore' }];
    const spec = { prefix: `${source.host}/team`, verify: { keys } };
    await apply(cluster(), {
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'RegistryPolicy',
      metadata: { name: 'team' },
      spec,
    });
    await apply(cluster(), catalogOf('team', `${source.host}/team/catalog:v1`));
    await waitFor(cluster(), { kind: 'catalog', name: 'team' }, isReady);
    await apply(cluster(), subscriptionTo('gadget', 'gadget', { package: 'gadget', version: '1.0.0' }));
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
    const revisions = await list<Revision>(cluster(), 'revision', { namespace: 'gadget' });
    expect(revisions.map(({ spec: { bundle } }) => bundle).toSorted()).toEqual(['gadget.v1.0.0', 'widget.v2.0.0']);
    for (const { spec: recorded } of revisions) {
      expect(recorded.image).toContain(`${source.host}/team/`);
      expect(recorded.signature).toMatchObject({ by: 'key release' });
      expect(recorded.imageSignatures).toMatchObject([{ by: 'key release' }]);
    }
  });

  test('are upgraded, and taken back to the version before', async () => {
    await apply(cluster(), subscriptionTo('gadget', 'gadget', { package: 'gadget', version: '1.1.0' }));
    await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
    await apply(
      cluster(),
      subscriptionTo('gadget', 'gadget', { package: 'gadget', version: '1.0.0', edges: 'Ignore' }),
    );
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
  });

  test('have a mirror in which a deleted blob is found', async () => {
    const blobs = join(folder, 'airgap/blobs/sha256');
    const [deleted = ''] = readdirSync(blobs);
    rmSync(join(blobs, deleted));
    expect(await slipway('mirror', 'verify', 'airgap')).toMatchObject({
      code: 2,
      text: expect.stringContaining(deleted),
    });
  });

  async function publishAll(): Promise<void> {
    const images = [await version('gadget', '1.0.0'), await version('gadget', '1.1.0')];
    const widgets = [await version('widget', '1.0.0'), await version('widget', '2.0.0')];
    const needs = [{ type: 'olm.package.required', value: { packageName: 'widget', versionRange: '>=1.0.0' } }];
    const documents = [
      ...packageDocuments('gadget', [
        { version: '1.0.0', image: images[0]!, properties: needs },
        { version: '1.1.0', image: images[1]!, replaces: '1.0.0', properties: needs },
      ]),
      ...packageDocuments('widget', [
        { version: '1.0.0', image: widgets[0]! },
        { version: '2.0.0', image: widgets[1]!, replaces: '1.0.0' },
      ]),
    ];
    await sign(await publishCatalog(documents, `${source.host}/team/catalog:v1`), { by: 'key', privateKey });
  }

  /** A bundle and the image that its Pod runs, each signed in one of the two forms. */
  async function version(name: string, number: string): Promise<string> {
    const files = new Map([['program', Buffer.from(`${name} ${number}`)]]);
    const program = await push(`${source.host}/team/${name}-program:v${number}`, { files, labels: {} });
    await sign(program, { by: 'key', privateKey }, 'older form');
    const bundle = tinyBundle({ name, version: number, image: program });
    const labels = { 'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1' };
    const image = await push(`${source.host}/team/${name}:v${number}`, { files: bundle, labels });
    await sign(image, { by: 'key', privateKey });
    return image;
  }

  function slipway(...args: readonly string[]): Promise<SlipwayRun> {
    return runSlipway(folder, args);
  }
});
