/**
 * Published operators in a place without internet: five packages, of which one depends on three others, are taken to an
 * empty registry in two runs, their own registry is switched off, and a manager that has seen nothing of it installs,
 * upgrades and takes back. The plan of the upgrade is the one that was made with the source. ./mirror has operators
 * that are made for it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Revision } from '../../../api/revision.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, list, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { hasShared } from '../../lib/shared.ts';
import { runSlipway } from '../../lib/slipway.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces } from '../../lib/writes.ts';
import { publishPackages, PUBLISHED } from './published.ts';

const KAIROS = { kind: 'subscription', name: 'kairos', namespace: 'kairos' };
const kairos = (spec: object): string => subscriptionTo('kairos', 'kairos', { package: 'kairos-operator', ...spec });

describe.skipIf(!hasShared)('published operators in a place without internet', () => {
  const cluster = useCluster();
  let folder: string;
  let source: FakeRegistry;
  let manager: RunningManager;
  let prefix: string;
  let planned: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-published-'));
    source = await startFakeRegistry();
    prefix = `${cluster().registry}/operators`;
    await publishPackages(source.host, { ...PUBLISHED, 'kairos-operator': ['2.1.1'] });
    await installSlipway(cluster());
    await makeNamespaces(cluster(), ['kairos', 'kuadrant']);
  });
  afterAll(async () => {
    await manager?.stop();
    await source?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('are collected with the packages that one depends on', async () => {
    const { bundles } = await pull('first');
    expect(bundles).toEqual([
      'authorino-operator.v0.12.0',
      'dns-operator.v0.6.0',
      'kairos-operator.v2.1.1',
      'kuadrant-operator.v0.10.0',
      'limitador-operator.v0.10.0',
    ]);
  });

  test('with a new version transfer at most a tenth more than the changed content', async () => {
    await publishPackages(source.host, PUBLISHED);
    const sent = source.sent;
    const { bundles } = await pull('second', '--since', 'first');
    expect(bundles).toContain('kairos-operator.v2.2.0');
    const blobs = readdirSync(join(folder, 'second/blobs/sha256'));
    const changed = blobs.reduce((sum, name) => sum + statSync(join(folder, 'second/blobs/sha256', name)).size, 0);
    expect(changed).toBeGreaterThan(500_000);
    expect((source.sent - sent) / changed, 'bytes that the registry sent, of those that changed').toBeLessThan(1.1);
  });

  test('are pushed to an empty registry, and nothing is missing there when the source is switched off', async () => {
    planned = await planFromSource();
    expect(await slipway('mirror', 'push', 'second', prefix, '--since', 'first')).toMatchObject({ code: 0 });
    await source.close();
    expect(await slipway('mirror', 'verify', 'second', prefix)).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^0 missing/m),
    });
  });

  test('are installed from there, with dependencies, by a manager that has seen nothing of the source', async () => {
    manager = await startManager(cluster());
    await cluster().kubectl(['apply', '-f', '-'], readFileSync(join(folder, 'second/policies.yaml'), 'utf8'));
    await apply(cluster(), catalogOf('published', `${source.host}/published/catalog:v1`));
    await waitFor(cluster(), { kind: 'catalog', name: 'published' }, isReady);
    await apply(cluster(), subscriptionTo('kuadrant', 'kuadrant', { package: 'kuadrant-operator' }));
    await apply(cluster(), kairos({ version: '2.1.1' }));
    await waitFor(cluster(), KAIROS, runs('2.1.1'));
    await waitFor(cluster(), { ...KAIROS, name: 'kuadrant', namespace: 'kuadrant' }, runs('0.10.0'));
    const revisions = await list<Revision>(cluster(), 'revision');
    expect(revisions.map(({ spec }) => spec.package).toSorted()).toEqual(Object.keys(PUBLISHED).toSorted());
    for (const { spec } of revisions) expect(spec.image).toContain(`${source.host}/published/`);
  });

  test('have the plan of an upgrade that was made with the source, by its hash', async () => {
    await apply(cluster(), kairos({ approval: 'Manual' }));
    const waiting = await until('the upgrade has a plan', async () => {
      const revisions = await list<Revision>(cluster(), 'revision', { namespace: 'kairos' });
      return revisions.find(({ spec, status }) => spec.version === '2.2.0' && status?.plan?.hash !== undefined);
    });
    expect(waiting.status?.plan?.hash).toBe(planned);
  });

  test('are upgraded, and taken back to the version before', async () => {
    await apply(cluster(), kairos({ version: '2.2.0', approval: 'Automatic' }));
    await waitFor(cluster(), KAIROS, runs('2.2.0'));
    await apply(cluster(), kairos({ version: '2.1.1', edges: 'Ignore' }));
    await waitFor(cluster(), KAIROS, runs('2.1.1'));
  });

  test('have a mirror in which a blob that was deleted from the registry is found, with its image', async () => {
    const list = JSON.parse(readFileSync(join(folder, 'second/mirror.json'), 'utf8')) as MirrorList;
    const image = list.images.find(({ role }) => role === 'Image')!;
    const blobs = join(cluster().folder, 'registry/docker/registry/v2/blobs/sha256');
    const manifest = contentOf(blobs, image.digest);
    const [layer] = (JSON.parse(manifest) as { layers: { digest: string }[] }).layers;
    rmSync(join(blobs, pathOf(layer!.digest)), { recursive: true });
    const { code, text } = await slipway('mirror', 'verify', 'second', prefix);
    expect(code).toBe(2);
    expect(text).toContain(`missing: ${image.name}@${image.digest}`);
  });

  /** The hash that a person reviews where there is internet. */
  async function planFromSource(): Promise<string> {
    writeFileSync(join(folder, 'kairos.yaml'), kairos({ approval: 'Manual' }));
    const args = ['--file', 'kairos.yaml', '--catalog', `${source.host}/published/catalog:v1`, '--from', '2.1.1'];
    const { text } = await slipway('plan', ...args, '-o', 'json');
    const { plans } = JSON.parse(text) as { plans: { hash: string }[] };
    return plans[0]!.hash;
  }

  async function pull(target: string, ...flags: readonly string[]): Promise<{ readonly bundles: readonly string[] }> {
    const packages = ['--package', 'kuadrant-operator', '--package', 'kairos-operator@>=2.1.1'];
    const catalog = ['--catalog', `${source.host}/published/catalog:v1`, '--whole-catalogs'];
    const { code, text } = await slipway('mirror', 'pull', target, ...catalog, ...packages, ...flags, '-o', 'json');
    expect(code, text).toBe(0);
    return JSON.parse(text) as { bundles: string[] };
  }

  function slipway(...args: readonly string[]): ReturnType<typeof runSlipway> {
    return runSlipway(folder, args);
  }
});

interface MirrorList {
  readonly images: readonly { readonly name: string; readonly digest: string; readonly role: string }[];
}

/** Where the registry keeps a blob. */
function pathOf(digest: string): string {
  const hex = digest.slice('sha256:'.length);
  return join(hex.slice(0, 2), hex);
}

function contentOf(blobs: string, digest: string): string {
  return readFileSync(join(blobs, pathOf(digest), 'data'), 'utf8');
}
