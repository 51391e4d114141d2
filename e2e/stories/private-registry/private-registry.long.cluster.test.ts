/**
 * A registry that asks for a password: every fault of the pull secret is reported, and once it is correct the catalog
 * and the bundles come through it. The commands are those of the guide.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isShown, stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { REGISTRY_USER, useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, list, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';
import { publishPrivately } from './publish.ts';

const SECRET = 'registry-login';
/** A Secret is used for half a minute, and delays grow up to as long as something has failed. */
const CATALOG = { kind: 'catalog', name: 'internal' };
/** For a busy machine, and well below the half a minute. */
const AT_ONCE_SECONDS = 15;
const SUBSCRIPTION = { kind: 'subscription', name: 'vault', namespace: 'default' };

const [makeSecret, applyCatalog, awaitCatalog, explain, replaceSecret, lookAgain, ...others] = stepsOf(
  'docs/how-to/use-a-private-registry.md',
) as readonly [Step, Step, Step, Step, Step, Step, ...Step[]];

describe('a Catalog in a registry that asks for a password', () => {
  const cluster = useCluster({ registry: { auth: 'basic' } });
  let manager: RunningManager;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await publishPrivately(cluster().registry, 'vault', '1.0.0');
  });
  afterAll(async () => {
    await manager?.stop();
  });

  test('reports that its Secret is missing', async () => {
    await type(applyCatalog);
    await expectTold('PullSecretInvalid', /Secret slipway-system\/registry-login does not exist\. Create it/);
  });

  test('reports that the Secret is of another type', async () => {
    await kubectl('-n', SYSTEM, 'create', 'secret', 'generic', SECRET, '--from-literal=password=open');
    await expectTold('PullSecretInvalid', /Secret slipway-system\/registry-login has no \.dockerconfigjson/);
  });

  test('reports that the Secret is malformed', async () => {
    await kubectl('-n', SYSTEM, 'delete', 'secret', SECRET);
    await kubectl('-n', SYSTEM, 'create', 'secret', 'generic', SECRET, '--from-literal=.dockerconfigjson={"auths":');
    await expectTold('PullSecretInvalid', /Secret slipway-system\/registry-login: .*not JSON/);
  });

  test('reports that the password is wrong', async () => {
    await kubectl('-n', SYSTEM, 'delete', 'secret', SECRET);
    await type(makeSecret, 'guessed');
    const catalog = await expectTold('RegistryDenied', /team\/catalog/);
    expect(JSON.stringify(catalog.status)).not.toContain('guessed');
    expect(await type(explain)).toMatch(/^Ready=False RegistryDenied: /m);
  });

  test('is served at once when the password is right and a person asks for it', async () => {
    await type(replaceSecret);
    await type(lookAgain);
    const catalog = await waitFor(cluster(), { ...CATALOG, timeoutSeconds: AT_ONCE_SECONDS }, isReady);
    expect(condition(catalog, 'Reconciling')).toBeUndefined();
    const printed = await type(awaitCatalog);
    expect(isShown(printed, awaitCatalog.printed ?? ''), printed).toBe(true);
  });

  test('has its bundles pulled through the Secret too', async () => {
    await apply(subscriptionTo('vault', 'default', { package: 'vault' }));
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
  });

  describe('with a policy that offers a Secret to namespaces', () => {
    const copies = (namespace: string): Promise<readonly KubeSecret[]> =>
      list<KubeSecret>(cluster(), 'secret', { namespace, selector: 'app.kubernetes.io/managed-by=slipway' }).then(
        (all) => all.filter(({ type }) => type === 'kubernetes.io/dockerconfigjson'),
      );
    const passwordIn = ({ data }: KubeSecret): string =>
      Buffer.from(data['.dockerconfigjson'] ?? '', 'base64').toString('utf8');

    test('no namespace gets a copy before it has the label', async () => {
      const pullSecret = { name: SECRET, copyTo: { matchLabels: { 'catalogs.example/internal': 'true' } } };
      const spec = { prefix: 'registry.example/vault', pullSecret };
      const metadata = { name: 'internal' };
      await apply(JSON.stringify({ apiVersion: 'slipway.dev/v1alpha1', kind: 'RegistryPolicy', metadata, spec }));
      await waitFor(cluster(), { kind: 'registrypolicy', name: 'internal' }, isReady);
      expect(await copies('default')).toEqual([]);
    });

    test('an installed operator gets a copy, and its Pods name it, once the namespace has the label', async () => {
      await kubectl('label', 'namespace', 'default', 'catalogs.example/internal=true');
      const [copy] = await until('the copy exists', async () => {
        const found = await copies('default');
        return found.length === 1 ? found : undefined;
      });
      expect(passwordIn(copy!)).toContain(REGISTRY_USER.password);
      await until('the Deployment names it', async () => {
        const path = 'jsonpath={.items[*].spec.template.spec.imagePullSecrets[*].name}';
        return (await kubectl('-n', 'default', 'get', 'deployments', '-o', path)).includes(copy!.metadata.name);
      });
    });

    test('the copy follows its source', async () => {
      await type(replaceSecret, 'rotated');
      await until('the copy has the new password', async () =>
        passwordIn((await copies('default'))[0]!).includes('rotated'),
      );
      await type(replaceSecret);
    });

    test('a namespace that loses the label loses the copy', async () => {
      await kubectl('label', 'namespace', 'default', 'catalogs.example/internal-');
      await until('the copy is gone', async () => (await copies('default')).length === 0);
      await kubectl('label', 'namespace', 'default', 'catalogs.example/internal=true');
      await until('the copy is back', async () => (await copies('default')).length === 1);
    });
  });

  test('opens nothing for a Catalog without the Secret', async () => {
    await apply(catalogOf('stranger', `${cluster().registry}/team/catalog:v1`));
    await expectTold('RegistryDenied', /team\/catalog/, 'stranger');
    await kubectl('delete', 'catalog', 'stranger');
  });

  test('keeps its last content in service when the password is changed, and reports it', async () => {
    await type(replaceSecret, 'changed');
    const stale = await until('the new Secret counts', async () => {
      await type(lookAgain);
      return waitFor(cluster(), { ...CATALOG, timeoutSeconds: 2 }, isStale);
    });
    expect(condition(stale, 'Ready')).toMatchObject({ status: 'True' });
    expect(condition(stale, 'Reconciling')).toMatchObject({ reason: 'RegistryDenied' });
    await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
  });

  test('leaves no copy of the Secret behind when the operator is uninstalled', async () => {
    await kubectl('delete', 'subscriptions.slipway.dev', SUBSCRIPTION.name, '-n', 'default', '--timeout=180s');
    const left = await list<KubeSecret>(cluster(), 'secret', { namespace: 'default' });
    expect(left.filter(({ type }) => type === 'kubernetes.io/dockerconfigjson')).toEqual([]);
  });

  test('has a guide, of which every command ran here', () => {
    expect(others).toEqual([]);
  });

  /** Waits until the Catalog and an event about it say that, and why. */
  async function expectTold(reason: string, says: RegExp, name = CATALOG.name): Promise<Judged> {
    const isReported = (one: Judged): boolean => {
      const ready = condition(one, 'Ready');
      return ready?.status === 'False' && ready.reason === reason && says.test(ready.message);
    };
    const catalog = await waitFor(cluster(), { ...CATALOG, name }, isReported);
    await until(`an event reports ${reason} about ${name}`, async () => {
      const text = await kubectl('get', 'events.events.k8s.io', '-o', 'json');
      const { items } = JSON.parse(text) as { readonly items: readonly Told[] };
      return items.some(
        (event) =>
          event.regarding.uid === catalog.metadata.uid &&
          event.reason === reason &&
          event.type === 'Warning' &&
          says.test(event.note),
      );
    });
    return catalog;
  }

  /** Runs a command of the guide, with the correct password unless another is given; resolves with its output. */
  async function type(step: Step, password: string = REGISTRY_USER.password): Promise<string> {
    const { kubeconfig, registry, tools } = cluster();
    const variables = { KUBECONFIG: kubeconfig, USERNAME: REGISTRY_USER.username, PASSWORD: password };
    const [printed = ''] = await typeSteps([step], { registry, tools, variables });
    return printed;
  }

  function apply(text: string): Promise<string> {
    return cluster().kubectl(['apply', '-f', '-'], text);
  }

  function kubectl(...args: readonly string[]): Promise<string> {
    return cluster().kubectl(args);
  }
});

function isStale(catalog: Judged): boolean {
  return condition(catalog, 'Ready')?.reason === 'CatalogStale';
}

interface KubeSecret {
  readonly metadata: { readonly name: string };
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

interface Told {
  readonly regarding: { readonly uid: string };
  readonly reason: string;
  readonly type: string;
  readonly note: string;
}
