/**
 * A tenant who has every right in his namespace, beside a platform that an administrator runs in another one: the
 * tenant's objects neither stop the platform, nor hold it, nor remove anything of it. If the policy refuses an object,
 * the administrator writes it here in the tenant's place, so that the manager itself is put to the test.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import {
  catalogOf,
  condition,
  get,
  isReady,
  list,
  runs,
  subscriptionTo,
  waitFor,
  type Judged,
} from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, type PackageVersion } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';

const cluster = useCluster();
const PLATFORM = 'platform';
const TEAM = 'team-a';
const TENANT = ['--as', 'tina', '--as-group', 'tenants'];
const STORE = { kind: 'subscription', name: 'store', namespace: PLATFORM };
/** Takes effect within the tenant's namespace only. */
const OWN = { serviceAccountName: 'installer', watchNamespaces: [TEAM] };
let manager: RunningManager;

beforeAll(async () => {
  await installSlipway(cluster());
  await kubectl('apply', '-f', join(ROOT, 'deploy/policies/accounts.yaml'));
  for (const name of [PLATFORM, TEAM]) await kubectl('create', 'namespace', name);
  await kubectl('create', 'serviceaccount', 'installer', '-n', TEAM);
  const inTeam = ['-n', TEAM, '--clusterrole=cluster-admin'];
  await kubectl('create', 'rolebinding', 'installer', ...inTeam, `--serviceaccount=${TEAM}:installer`);
  await kubectl('create', 'rolebinding', 'tenants', ...inTeam, '--group=tenants');
  await publish();
  manager = await startManager(cluster());
  await apply(catalogOf('main', `${cluster().registry}/main:latest`));
  await waitFor(cluster(), { kind: 'catalog', name: 'main' }, isReady);
});
afterAll(async () => {
  await manager?.stop();
});

async function publish(): Promise<void> {
  const stores = await versionsOf('store', ['1.0.0', '2.0.0'], { kind: 'Store' });
  const needers = await Promise.all(
    ['needer', 'shop', 'pin'].map(async (name) => {
      const [first] = await versionsOf(name, ['1.0.0']);
      return packageDocuments(name, [{ ...(first as PackageVersion), properties: [needsStore(RANGES[name] ?? '')] }]);
    }),
  );
  const plain = await versionsOf('plain', ['1.0.0', '2.0.0']);
  const tenants = await Promise.all(
    ['nested', 'wide'].map(async (name) => packageDocuments(name, await versionsOf(name, ['1.0.0']))),
  );
  const others = [...packageDocuments('plain', plain), ...tenants.flat()];
  const documents = [...packageDocuments('store', stores), ...needers.flat(), ...others];
  await publishCatalog(documents, `${cluster().registry}/main:latest`);
}

const RANGES: Readonly<Record<string, string>> = { needer: '>=1.0.0', shop: '>=1.0.0', pin: '<1.5.0' };

async function versionsOf(name: string, versions: readonly string[], more = {}): Promise<readonly PackageVersion[]> {
  return Promise.all(
    versions.map(async (version, at) => ({
      version,
      image: await publishTiny(cluster().registry, { name, version, ...more }),
      ...(at > 0 && { replaces: versions[at - 1] as string }),
    })),
  );
}

function needsStore(versionRange: string): { readonly type: string; readonly value: object } {
  return { type: 'olm.package.required', value: { packageName: 'store', versionRange } };
}

function kubectl(...args: readonly string[]): Promise<string> {
  return cluster().kubectl(args);
}

async function apply(manifest: string, as: readonly string[] = []): Promise<void> {
  await cluster().kubectl([...as, 'apply', '-f', '-'], manifest);
}

/** A Subscription of the tenant. */
async function subscribe(name: string, spec: object = {}): Promise<void> {
  await apply(subscriptionTo(name, TEAM, { package: name, ...OWN, ...spec }), TENANT);
}

/** A Revision that only the administrator could create now, with properties of a stranger's choice. */
function forged(subscription: string, properties: readonly object[]): string {
  const zeros = `sha256:${'0'.repeat(64)}`;
  return JSON.stringify({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Revision',
    metadata: { name: `${subscription}-1`, namespace: TEAM },
    spec: {
      subscription,
      number: 1,
      package: 'ghost',
      bundle: 'ghost.v1.0.0',
      version: '1.0.0',
      catalog: 'main',
      image: `${cluster().registry}/ghost@${zeros}`,
      properties,
      configHash: 'x',
      manifests: { secrets: ['none'], digest: zeros, objects: 1 },
      certificates: 'Manager',
      serviceAccountName: 'installer',
      approved: true,
      state: 'Archived',
    },
  });
}

async function removeStore(): Promise<void> {
  await kubectl('-n', PLATFORM, 'delete', 'subscription', 'store', '--timeout=180s');
}

interface Held {
  readonly metadata: { readonly finalizers: readonly string[] };
}

interface Event {
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly namespace?: string; readonly name: string };
}

/** Notes of the events of a reason about a Subscription. */
async function notesAbout(namespace: string, name: string, reason: string): Promise<readonly string[]> {
  const events = await list<Event>(cluster(), 'event', { namespace });
  return events.filter((event) => event.reason === reason && event.regarding.name === name).map(({ note }) => note);
}

describe('a Revision with properties that are no JSON (s11), or that ask for a version that does not exist (s4)', () => {
  const nested = '['.repeat(5000) + ']'.repeat(5000);

  test('stops no other: an install, an upgrade and a removal of others continue', async () => {
    await subscribe('ghost', { package: 'ghost', suspend: true });
    await subscribe('deep', { package: 'ghost', suspend: true });
    const impossible = { type: 'olm.package.required', value: '{"packageName":"store","versionRange":">9.0.0"}' };
    await apply(forged('ghost', [impossible, { type: 'olm.gvk', value: 'not json' }]));
    await apply(forged('deep', [{ type: 'olm.constraint', value: nested }]));
    await apply(subscriptionTo('store', PLATFORM, { package: 'store', version: '1.0.0' }));
    await waitFor(cluster(), STORE, runs('1.0.0'));
    await apply(subscriptionTo('store', PLATFORM, { package: 'store' }));
    await waitFor(cluster(), STORE, runs('2.0.0'));
    await removeStore();
    expect(manager.log()).not.toContain('InternalError');
    await kubectl('-n', TEAM, 'delete', 'revision', 'ghost-1', '--wait=false');
    await apply(forged('ghost', [impossible]).replace('ghost-1', 'ghost-2').replace('"number":1', '"number":2'));
    await apply(subscriptionTo('store', PLATFORM, { package: 'store' }));
    await waitFor(cluster(), STORE, runs('2.0.0'));
    await removeStore();
  });
});

describe("a tenant's operator that needs a lower version (s2)", () => {
  test('does not keep the platform from upgrading, and both have an event', async () => {
    await apply(subscriptionTo('store', PLATFORM, { package: 'store', version: '1.0.0' }));
    await waitFor(cluster(), STORE, runs('1.0.0'));
    await subscribe('pin');
    await waitFor(cluster(), { kind: 'subscription', name: 'pin', namespace: TEAM }, runs('1.0.0'));
    await apply(subscriptionTo('store', PLATFORM, { package: 'store' }));
    await waitFor(cluster(), STORE, runs('2.0.0'));
    const notes = await until('both have an event', async () => {
      const ours = await notesAbout(PLATFORM, 'store', 'RequirementOverruled');
      const theirs = await notesAbout(TEAM, 'pin', 'RequirementOverruled');
      return ours.length > 0 && theirs.length > 0 ? [ours, theirs] : undefined;
    });
    expect(notes).toEqual([
      [expect.stringMatching(/store\.v2\.0\.0 .*Subscription team-a\/pin needs store in "<1\.5\.0"/)],
      [expect.stringMatching(/store in "<1\.5\.0".*Subscription platform\/store/)],
    ]);
  });

  test('does not keep it from being removed, although it is being deleted and a finalizer holds it (s3)', async () => {
    const hold = (finalizers: readonly string[]): Promise<string> =>
      kubectl(
        '-n',
        TEAM,
        'patch',
        'revision',
        'pin-1',
        '--type=merge',
        '-p',
        JSON.stringify({ metadata: { finalizers } }),
      );
    await hold(['slipway.dev/cleanup', 'example.com/never']);
    await kubectl(...TENANT, '-n', TEAM, 'delete', 'subscription', 'pin', '--wait=false');
    await removeStore();
    await until('the manager is done with it', async () => {
      const { metadata } = await get<Held>(cluster(), 'revision', 'pin-1', TEAM);
      return metadata.finalizers.length === 1;
    });
    await hold([]);
    await kubectl('-n', TEAM, 'wait', '--for=delete', 'subscription/pin', '--timeout=180s');
  });
});

describe('what was made as a dependency in another namespace (s1)', () => {
  test('is not deleted with the objects that a tenant removes', async () => {
    await apply(subscriptionTo('needer', PLATFORM, { package: 'needer' }));
    await waitFor(cluster(), { kind: 'subscription', name: 'needer', namespace: PLATFORM }, runs('1.0.0'));
    await kubectl('-n', PLATFORM, 'delete', 'subscription', 'needer', '--timeout=180s');
    const store = await waitFor(cluster(), STORE, runs('2.0.0'));
    await subscribe('shop', { uninstall: { dependencies: 'Delete' } });
    await waitFor(cluster(), { kind: 'subscription', name: 'shop', namespace: TEAM }, runs('1.0.0'));
    await kubectl(...TENANT, '-n', TEAM, 'delete', 'subscription', 'shop', '--timeout=180s');
    const after = await waitFor(cluster(), STORE, isReady);
    expect(after.metadata).toMatchObject({ uid: store.metadata.uid });
    expect(after.metadata).not.toHaveProperty('deletionTimestamp');
  });
});

describe('a Catalog for namespaces with a label', () => {
  const CLOSED = { kind: 'subscription', name: 'needer', namespace: TEAM };
  const allowedNamespaces = { matchLabels: { tier: 'gold' } };

  test('is not used elsewhere, and the message names the missing label', async () => {
    await apply(catalogOf('main', `${cluster().registry}/main:latest`, { allowedNamespaces }));
    await subscribe('needer', { catalog: 'main' });
    const refused = await waitFor(cluster(), CLOSED, (one) => condition(one, 'Ready')?.reason === 'CatalogNotAllowed');
    expect(condition(refused, 'Ready')?.message).toMatch(/labels tier=gold, which namespace team-a does not have/);
  });

  test('is used as soon as the namespace has it', async () => {
    await kubectl('label', 'namespace', TEAM, 'tier=gold');
    await waitFor(cluster(), CLOSED, runs('1.0.0'));
  });

  test('upgrades nothing any more when the namespace has lost it, and leaves in place what is installed', async () => {
    await kubectl('label', 'namespace', TEAM, 'tier-');
    const kept = await waitFor(
      cluster(),
      CLOSED,
      (one) => condition(one, 'UpgradeAvailable')?.reason === 'CatalogNotAllowed',
    );
    expect(runs('1.0.0')(kept)).toBe(true);
    // The Subscription of the platform is not allowed either, and as little disturbed.
    expect(isReady(await get(cluster(), 'subscription', 'store', PLATFORM))).toBe(true);
  });

  test('is used again as soon as it selects all', async () => {
    await apply(catalogOf('main', `${cluster().registry}/main:latest`));
    await waitFor(cluster(), CLOSED, (one) => condition(one, 'UpgradeAvailable')?.reason === 'UpToDate');
  });
});

describe('a configuration as deep or as wide as the API server takes', () => {
  const PLAIN = { kind: 'subscription', name: 'plain', namespace: PLATFORM };
  const CRD = 'crd/subscriptions.slipway.dev';
  const AFFINITY = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/config/properties/affinity';
  const of = (name: string): { kind: string; name: string; namespace: string } => ({ ...PLAIN, name, namespace: TEAM });
  const isInvalid = (one: Judged): boolean => condition(one, 'Stalled')?.reason === 'InvalidSpec';
  // Under the older CRD the API server itself takes a minute for 9,900.
  const levels = 6000;
  const deep = `{"spec":{"config":{"affinity":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}}}`;
  const wide = { affinity: { x: Array.from({ length: 440_000 }, () => []) } };

  const deepen = (): Promise<string> =>
    kubectl(...TENANT, '-n', TEAM, 'patch', 'subscription', 'nested', '--type=merge', '-p', deep);
  const affinityOf = async (name: string): Promise<string> =>
    kubectl('-n', TEAM, 'get', 'subscription', name, '-o', 'jsonpath={.spec.config.affinity}');

  test('the API server drops it', async () => {
    await subscribe('nested');
    await waitFor(cluster(), of('nested'), runs('1.0.0'));
    await deepen();
    expect(await affinityOf('nested')).toBe('{}');
    await waitFor(cluster(), of('nested'), isReady);
  });

  test('under an older CRD its Subscription alone is InvalidSpec and can be removed, while others are upgraded', async () => {
    await apply(subscriptionTo('plain', PLATFORM, { package: 'plain', version: '1.0.0' }));
    await waitFor(cluster(), PLAIN, runs('1.0.0'));
    const value = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const older = JSON.stringify([{ op: 'replace', path: AFFINITY, value }]);
    await kubectl('patch', CRD, '--type=json', '-p', older);
    await until('the older CRD is in force', async () => {
      await deepen();
      return (await affinityOf('nested')) !== '{}';
    });
    const tenants = JSON.parse(subscriptionTo('wide', TEAM, { package: 'wide', ...OWN, config: wide })) as object;
    await cluster().kubectl([...TENANT, 'create', '-f', '-'], JSON.stringify(tenants));
    for (const name of ['nested', 'wide']) await waitFor(cluster(), of(name), isInvalid);
    await manager.stop();
    manager = await startManager(cluster());
    await apply(subscriptionTo('plain', PLATFORM, { package: 'plain' }));
    await waitFor(cluster(), PLAIN, runs('2.0.0'));
    for (const name of ['nested', 'wide'])
      await kubectl(...TENANT, '-n', TEAM, 'delete', 'subscription', name, '--timeout=180s');
    expect(await kubectl('-n', TEAM, 'get', 'deployment', 'nested', '--ignore-not-found')).toBe('');
    expect(manager.log()).not.toContain('InternalError');
    await kubectl('apply', '--server-side', '--force-conflicts', '-f', join(ROOT, 'deploy/crds'));
  });
});
