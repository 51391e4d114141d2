/**
 * Catalogs that require signatures: content without one is refused by name and changes nothing, and is accepted by itself
 * once it is signed. The Catalog is that of the guide.
 */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Revision } from '../../../api/revision.ts';
import { stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { createInstance, publicPem, type SigstoreInstance } from '../../../signatures/testing/instance.ts';
import type { Signer } from '../../../signatures/testing/signer.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { condition, isReady, list, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { isSample } from '../../lib/sample.ts';
import { sign } from '../../lib/sign.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { apply, makeNamespaces } from '../../lib/writes.ts';

const [, applyCatalog, showSigner, ...others] = stepsOf('docs/how-to/require-signatures.md') as readonly [
  Step,
  Step,
  Step,
  ...Step[],
];

const CATALOG = { kind: 'catalog', name: 'signed' };
const SUBSCRIPTION = { kind: 'subscription', name: 'gadget', namespace: 'gadget' };
const IDENTITY = { subject: 'https://ci.example/team/release.yml@refs/tags/v1', issuer: 'https://issuer.example' };

describe('a Catalog that requires signatures', () => {
  const cluster = useCluster();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const byKey: Signer = { by: 'key', privateKey };
  const images = new Map<string, string>();
  let manager: RunningManager;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await makeNamespaces(cluster(), ['gadget', 'widget']);
  });
  afterAll(async () => {
    await manager?.stop();
  });

  test('serves nothing of an image without a signature, and says so', async () => {
    await publish(['1.0.0']);
    await type({ ...applyCatalog, script: withKey(applyCatalog.script) });
    const refused = await waitFor(cluster(), CATALOG, because('Ready', 'Unsigned'));
    expect(condition(refused, 'Ready')).toMatchObject({ status: 'False' });
    expect(condition(refused, 'Ready')?.message).toContain('signed/catalog');
  });

  test('serves it within an interval of its being signed', async () => {
    await sign(images.get('catalog')!, byKey);
    await waitFor(cluster(), CATALOG, isReady);
    expect(await type(showSigner)).toContain('key release');
  });

  test('installs no bundle without a signature, names it, and applies nothing', async () => {
    await apply(cluster(), subscriptionTo('gadget', 'gadget', { package: 'gadget', config: {} }));
    const refused = await waitFor(cluster(), SUBSCRIPTION, because('Ready', 'Unsigned'));
    expect(condition(refused, 'Ready')?.message).toContain(images.get('1.0.0'));
    expect(await list(cluster(), 'revision', { namespace: 'gadget' })).toEqual([]);
    expect(await list(cluster(), 'deployment', { namespace: 'gadget' })).toEqual([]);
  });

  test('installs the bundle by itself once it is signed, and records the signer', async () => {
    await sign(images.get('1.0.0')!, byKey, 'older form');
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
    const [revision] = await list<Revision>(cluster(), 'revision', { namespace: 'gadget' });
    expect(revision?.spec.signature).toMatchObject({ by: 'key release' });
  });

  test.skipIf(isSample)('leaves the installed version untouched while an upgrade is signed by a stranger', async () => {
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const [before] = await list(cluster(), 'deployment', { namespace: 'gadget' });
    await publish(['1.0.0', '1.1.0']);
    await sign(images.get('1.1.0')!, { by: 'key', privateKey: stranger });
    await sign(images.get('catalog')!, byKey);
    const held = await waitFor(cluster(), SUBSCRIPTION, (one) =>
      JSON.stringify(one.status?.conditions).includes('SignedByOtherKey'),
    );
    expect(held.status?.installed?.version).toBe('1.0.0');
    const [after] = await list(cluster(), 'deployment', { namespace: 'gadget' });
    expect(after?.metadata).toMatchObject({ uid: before?.metadata.uid, generation: before?.metadata.generation });
  });

  test.skipIf(isSample)('upgrades by itself once the publisher has signed the new version', async () => {
    await sign(images.get('1.1.0')!, byKey);
    await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0'));
  });

  test('trusts an identity of a Sigstore instance whose root a ConfigMap holds', async () => {
    const instance = await createInstance();
    await storeRoot(instance);
    const image = await publishTiny(cluster().registry, { name: 'widget', version: '1.0.0' });
    const catalog = await publishCatalog(
      packageDocuments('widget', [{ version: '1.0.0', image }]),
      `${cluster().registry}/community/catalog:latest`,
    );
    await apply(cluster(), catalogByIdentity());
    await sign(catalog, await certified(instance));
    await sign(image, await certified(instance));
    await apply(cluster(), subscriptionTo('widget', 'widget', { package: 'widget', catalog: 'community' }));
    const wanted = { kind: 'subscription', name: 'widget', namespace: 'widget' };
    await waitFor(cluster(), wanted, runs('1.0.0'));
  });

  test('has a guide, of which every command but that of the signer ran here', () => {
    expect(others).toEqual([]);
  });

  async function publish(versions: readonly string[]): Promise<void> {
    const { registry } = cluster();
    const entries = [];
    for (const [at, version] of versions.entries()) {
      const image = await publishTiny(registry, { name: 'gadget', version });
      images.set(version, image);
      entries.push({ version, image, ...(at > 0 && { replaces: versions[at - 1]! }) });
    }
    const documents = packageDocuments('gadget', entries);
    images.set('catalog', await publishCatalog(documents, `${registry}/signed/catalog:latest`));
  }

  async function storeRoot(instance: SigstoreInstance): Promise<void> {
    const metadata = { name: 'sigstore', namespace: SYSTEM };
    const data = { 'trusted_root.json': instance.root };
    await apply(cluster(), { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }

  async function certified(instance: SigstoreInstance): Promise<Signer> {
    return { by: 'certificate with Rekor v2', certified: await instance.certify(IDENTITY), instance };
  }

  function catalogByIdentity(): object {
    const identities = [{ ...IDENTITY, subject: 'https://ci.example/team/release.yml@refs/tags/*', match: 'Glob' }];
    return {
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Catalog',
      metadata: { name: 'community' },
      spec: {
        source: { image: { ref: `${cluster().registry}/community/catalog:latest` } },
        interval: '10s',
        verify: { identities, trustedRoot: { name: 'sigstore' } },
      },
    };
  }

  /** The guide's Catalog, with the key of this test. */
  function withKey(script: string): string {
    const pem = publicPem(privateKey).trim().replaceAll('\n', '\n          ');
    return script.replace(/-----BEGIN[^]*KEY-----/, pem);
  }

  async function type(step: Step): Promise<string> {
    const { kubeconfig, registry, tools } = cluster();
    const [printed = ''] = await typeSteps([step], {
      registry,
      tools,
      variables: { KUBECONFIG: kubeconfig },
    });
    return printed;
  }
});

function because(type: 'Ready', reason: string): (object: Judged) => boolean {
  return (object) => condition(object, type)?.reason === reason;
}
