/**
 * A RegistryPolicy, written with the rights of an administrator only, governs catalogs, bundles and the images of Pods by
 * their names, without a word in a Catalog or Subscription. The policy is that of the guide.
 */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Revision } from '../../../api/revision.ts';
import { isShown, stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { publicPem } from '../../../signatures/testing/instance.ts';
import type { Signer } from '../../../signatures/testing/signer.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, list, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, push } from '../../lib/publish.ts';
import { sign } from '../../lib/sign.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { apply, makeNamespaces, requestReconcile } from '../../lib/writes.ts';

const [applyPolicy, awaitPolicy, showSigners, showPolicies, ...others] = stepsOf(
  'docs/how-to/set-policies-for-registries.md',
) as readonly [Step, Step, Step, Step, ...Step[]];

const CATALOG = { kind: 'catalog', name: 'team' };
const SUBSCRIPTION = { kind: 'subscription', name: 'gadget', namespace: 'gadget' };
const POLICY = { kind: 'registrypolicy', name: 'team' };

describe('a RegistryPolicy', () => {
  const cluster = useCluster();
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const byKey: Signer = { by: 'key', privateKey };
  let manager: RunningManager;
  let catalog: string;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await makeNamespaces(cluster(), ['gadget']);
    catalog = await publish([await version('1.0.0')]);
    await apply(cluster(), catalogOf('team', `${cluster().registry}/team/catalog:v1`, { interval: '10s' }));
    await waitFor(cluster(), CATALOG, isReady);
  });
  afterAll(async () => {
    await manager?.stop();
  });

  test('says that it can be used', async () => {
    await type({ ...applyPolicy, script: withKey(applyPolicy.script) });
    const printed = await type(awaitPolicy);
    expect(isShown(printed, awaitPolicy.printed ?? ''), printed).toBe(true);
  });

  test('takes a catalog that is in service, and not signed, out of service', async () => {
    await waitFor(cluster(), CATALOG, because('Unsigned'));
    await sign(catalog, byKey);
    await ask();
    await waitFor(cluster(), CATALOG, isReady);
  });

  test('refuses a bundle, then the image that its Pod runs, until each is signed', async () => {
    await apply(cluster(), subscriptionTo('gadget', 'gadget', { package: 'gadget', config: {} }));
    const first = images.get('1.0.0')!;
    const held = await waitFor(cluster(), SUBSCRIPTION, because('Unsigned'));
    expect(condition(held, 'Ready')?.message).toContain(first.bundle);
    await sign(first.bundle, byKey);
    await requestReconcile(cluster(), SUBSCRIPTION);
    const next = await waitFor(cluster(), SUBSCRIPTION, (one) => says(one, first.program));
    expect(condition(next, 'Ready')?.reason).toBe('Unsigned');
    expect(await list(cluster(), 'revision', { namespace: 'gadget' })).toEqual([]);
    await sign(first.program, byKey, 'older form');
    await requestReconcile(cluster(), SUBSCRIPTION);
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
    const shown = await type(showSigners);
    expect(isShown(shown, showSigners.printed ?? ''), shown).toBe(true);
  });

  test('refuses an upgrade that names an image by its tag, and leaves the installed version alone', async () => {
    const bundle = await version('1.1.0', `${cluster().registry}/team/gadget-program:v1.1.0`);
    await sign(bundle.image, byKey);
    await sign(await publish([await version('1.0.0'), { ...bundle, replaces: '1.0.0' }]), byKey);
    await ask();
    const held = await waitFor(cluster(), SUBSCRIPTION, (one) => JSON.stringify(one.status).includes('ImageNotPinned'));
    expect(held.status?.installed?.version).toBe('1.0.0');
  });

  test('refuses all images of its prefix while another policy has the same, and keeps installed operators', async () => {
    await apply(cluster(), { ...twin(), spec: { prefix: `${cluster().registry}/team`, insecure: true } });
    const refused = await waitFor(cluster(), POLICY, because('RegistryPolicyInvalid'));
    expect(condition(refused, 'Ready')?.message).toContain('twin');
    await waitFor(cluster(), CATALOG, because('RegistryPolicyInvalid'));
    expect(await type(showPolicies)).toMatch(/^team +\S+ +False/m);
    const [revision] = await list<Revision & Judged>(cluster(), 'revision', { namespace: 'gadget' });
    expect(condition(revision!, 'Ready')?.status).toBe('True');
    await cluster().kubectl(['delete', 'registrypolicies.slipway.dev', 'twin']);
    await waitFor(cluster(), CATALOG, isReady);
  });

  test('pulls from a mirror when the registry is gone', async () => {
    const far = 'gone.example/team';
    const mirrors = [{ prefix: `${cluster().registry}/team` }];
    await apply(cluster(), {
      ...twin(),
      metadata: { name: 'far' },
      spec: { prefix: far, mirrors, source: 'Never', verify: byRelease() },
    });
    await apply(cluster(), catalogOf('far', `${far}/catalog:v1`));
    await waitFor(cluster(), { ...CATALOG, name: 'far' }, isReady);
  });

  test('refuses the same content from a mirror that leaves the signatures behind', async () => {
    const { registry, crane } = cluster();
    await crane(['copy', `${registry}/team/catalog:v1`, `${registry}/stripped/catalog:v1`]);
    const stripped = 'stripped.example/team';
    const spec = { prefix: stripped, mirrors: [{ prefix: `${registry}/stripped` }], source: 'Never' };
    await apply(cluster(), { ...twin(), metadata: { name: 'stripped' }, spec: { ...spec, verify: byRelease() } });
    await apply(cluster(), catalogOf('stripped', `${stripped}/catalog:v1`));
    await waitFor(cluster(), { ...CATALOG, name: 'stripped' }, because('Unsigned'));
  });

  test.each(['create', 'update', 'patch', 'delete'])(
    'a tenant who administers a namespace may not %s one',
    async (verb) => {
      const asked = ['auth', 'can-i', verb, 'registrypolicies.slipway.dev', '--as', 'tenant', '--as-group', 'tenants'];
      await cluster().kubectl([
        'create',
        'rolebinding',
        `tenant-${verb}`,
        '--clusterrole=admin',
        '--user=tenant',
        '-n',
        'gadget',
      ]);
      await expect(cluster().kubectl(asked)).rejects.toThrow(/no/);
    },
  );

  test('has a guide, of which every command ran here', () => {
    expect(others).toEqual([]);
  });

  const images = new Map<string, { readonly bundle: string; readonly program: string }>();

  async function version(number: string, program?: string) {
    const { registry } = cluster();
    const files = new Map([['program', Buffer.from(number)]]);
    const built = await push(`${registry}/team/gadget-program:v${number}`, { files, labels: {} });
    const bundle = tinyBundle({ name: 'gadget', version: number, image: program ?? built });
    const image = await push(`${registry}/team/gadget:v${number}`, { files: bundle, labels: {} });
    images.set(number, { bundle: image, program: built });
    return { version: number, image };
  }

  function publish(versions: Parameters<typeof packageDocuments>[1]): Promise<string> {
    return publishCatalog(packageDocuments('gadget', versions), `${cluster().registry}/team/catalog:v1`);
  }

  /** Requests a check of the Catalog now. */
  async function ask(): Promise<void> {
    const at = `slipway.dev/reconcile-requested-at=${Date.now()}`;
    await cluster().kubectl(['annotate', 'catalogs.slipway.dev', 'team', '--overwrite', at]);
  }

  function byRelease(): object {
    return { keys: [{ name: 'release', pem: publicPem(privateKey), transparencyLog: 'Ignore' }] };
  }

  function twin(): {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string };
  } {
    return { apiVersion: 'slipway.dev/v1alpha1', kind: 'RegistryPolicy', metadata: { name: 'twin' } };
  }

  /** The guide's policy, with the key of this test. */
  function withKey(script: string): string {
    const pem = publicPem(privateKey).trim().replaceAll('\n', '\n          ');
    return script.replace(/-----BEGIN[^]*KEY-----/, pem);
  }

  async function type(step: Step): Promise<string> {
    const { kubeconfig, registry, tools } = cluster();
    const [printed = ''] = await typeSteps([step], { registry, tools, variables: { KUBECONFIG: kubeconfig } });
    return printed;
  }
});

function because(reason: string): (object: Judged) => boolean {
  return (object) => condition(object, 'Ready')?.reason === reason;
}

function says(object: Judged, text: string): boolean {
  return condition(object, 'Ready')?.message.includes(text) === true;
}
