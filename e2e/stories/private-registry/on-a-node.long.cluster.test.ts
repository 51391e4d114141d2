/**
 * A registry that asks for a password, and a node that pulls from it: the Pods of an operator run only with the pull secret
 * that a policy copies to their namespace, also after the login was replaced, and with one of their ServiceAccount. After
 * the uninstall no Secret is left. ./private-registry has the same policy without a node.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildImage, pushImage } from '../../../oci/build.ts';
import { parseReference } from '../../../oci/reference.ts';
import { createRegistry } from '../../../oci/registry.ts';
import { passwordFile, REGISTRY_USER, realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, list, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments } from '../../lib/publish.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, remove } from '../../lib/writes.ts';

const obstacle = realNodeObstacle();
const LOGIN = 'registry-login';
const LABEL = 'catalogs.example/internal';
const VERSIONS = ['1.0.0', '1.1.0'] as const;
const wanted = (name: string) => ({ kind: 'subscription', name, namespace: name });

describe.skipIf(obstacle !== undefined)(obstacle ?? 'the Pods of an operator in a registry with a password', () => {
  const cluster = useCluster({ node: 'real', registry: { auth: 'basic' } });
  let manager: RunningManager;
  let user: string = REGISTRY_USER.username;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await makeNamespaces(cluster(), ['vault', 'gadget']);
    await publish(1);
    await storeLogin(SYSTEM);
    const { registry } = cluster();
    const pullSecret = { name: LOGIN, copyTo: { matchLabels: { [LABEL]: 'true' } } };
    await apply(cluster(), policy({ prefix: `${registry}/team`, pullSecret }));
    await apply(cluster(), catalogOf('internal', `${registry}/team/catalog:v1`, { interval: '10s' }));
    await waitFor(cluster(), { kind: 'catalog', name: 'internal' }, isReady);
  });
  afterAll(async () => {
    await manager?.stop();
  });

  test('are refused by the registry without a pull secret, although the bundle was pulled', async () => {
    await apply(cluster(), subscriptionTo('vault', 'vault', { package: 'vault', version: '1.0.0' }));
    await untilRefused('vault');
    expect(await copies('vault')).toEqual([]);
  });

  test('run once the namespace may have the copy of the policy', async () => {
    await kubectl('label', 'namespace', 'vault', `${LABEL}=true`);
    await waitFor(cluster(), wanted('vault'), runs('1.0.0'));
    expect(await copies('vault')).toHaveLength(1);
  });

  test('run in a namespace without a copy by the pull secret that a person gives to their ServiceAccount', async () => {
    await apply(cluster(), subscriptionTo('gadget', 'gadget', { package: 'gadget', version: '1.0.0' }));
    await untilRefused('gadget');
    await storeLogin('gadget');
    const added = JSON.stringify({ imagePullSecrets: [{ name: LOGIN }] });
    await kubectl('-n', 'gadget', 'patch', 'serviceaccount', 'gadget', '--type=merge', '-p', added);
    await kubectl('-n', 'gadget', 'delete', 'pods', '--all', '--wait=false');
    await waitFor(cluster(), wanted('gadget'), runs('1.0.0'));
    expect(await copies('gadget')).toEqual([]);
  });

  test('of the next version run after the login was replaced, with no old one left to pull with', async () => {
    await publish(2);
    user = 'rotated';
    writeFileSync(join(cluster().folder, 'htpasswd'), passwordFile(user));
    await Promise.all([storeLogin(SYSTEM), storeLogin('gadget')]);
    await until('the copy has the new login', async () => (await copies('vault'))[0]?.includes(user));
    for (const name of ['vault', 'gadget'])
      await apply(cluster(), subscriptionTo(name, name, { package: name, version: '1.1.0' }));
    for (const name of ['vault', 'gadget']) await waitFor(cluster(), wanted(name), runs('1.1.0'));
    const account = await kubectl(
      '-n',
      'gadget',
      'get',
      'serviceaccount',
      'gadget',
      '-o',
      'jsonpath={.imagePullSecrets}',
    );
    expect(account, 'an upgrade leaves the pull secrets of the account alone').toContain(LOGIN);
  });

  test('leave no Secret behind when the operator is uninstalled', async () => {
    await remove(cluster(), wanted('vault'));
    expect(await list(cluster(), 'secret', { namespace: 'vault' })).toEqual([]);
    await remove(cluster(), wanted('gadget'));
    const left = await list(cluster(), 'secret', { namespace: 'gadget' });
    expect(
      left.map(({ metadata }) => metadata.name),
      'the Secret of a person stays',
    ).toEqual([LOGIN]);
  });

  /** Two operators, each with a program of its own for each version, and the catalog of the first `count` versions. */
  async function publish(count: number): Promise<void> {
    const documents = [];
    for (const name of ['vault', 'gadget']) {
      const offered = [];
      for (const [at, version] of VERSIONS.slice(0, count).entries()) {
        const files = tinyBundle({ name, version, image: await publishProgram(name, version) });
        const image = await push(`${name}:v${version}`, files);
        offered.push({ version, image, ...(at > 0 && { replaces: VERSIONS[at - 1]! }) });
      }
      documents.push(...packageDocuments(name, offered));
    }
    const text = documents.map((document) => JSON.stringify(document)).join('\n');
    await push('catalog:v1', new Map([['configs/catalog.json', Buffer.from(text)]]));
  }

  /** The program that every Pod of these tests runs, as another image for each version, so that none is on the node. */
  async function publishProgram(name: string, version: string): Promise<string> {
    const { registry, crane } = cluster();
    const program = `${registry}/team/${name}-program`;
    await crane(['mutate', '--label', `version=${version}`, '-t', `${program}:v${version}`, `${registry}/pod:1`]);
    return `${program}@${(await crane(['digest', `${program}:v${version}`])).trim()}`;
  }

  async function push(name: string, files: ReadonlyMap<string, Uint8Array>): Promise<string> {
    const credentials = () => ({ kind: 'basic' as const, ...REGISTRY_USER, username: user });
    const client = createRegistry({ plainHttp: () => true, credentials });
    try {
      const reference = `${cluster().registry}/team/${name}`;
      const digest = await pushImage(client, parseReference(reference), buildImage({ files, labels: {} }));
      return `${reference.slice(0, reference.lastIndexOf(':'))}@${digest}`;
    } finally {
      client.close();
    }
  }

  async function storeLogin(namespace: string): Promise<void> {
    const auth = Buffer.from(`${user}:${REGISTRY_USER.password}`).toString('base64');
    const auths = { [cluster().registry]: { username: user, password: REGISTRY_USER.password, auth } };
    await apply(cluster(), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: LOGIN, namespace },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
    });
  }

  function policy(spec: object): object {
    return { apiVersion: 'slipway.dev/v1alpha1', kind: 'RegistryPolicy', metadata: { name: 'internal' }, spec };
  }

  async function untilRefused(namespace: string): Promise<void> {
    const path = 'jsonpath={.items[*].status.containerStatuses[*].state.waiting.reason}';
    await until('the node may not pull the image', async () =>
      /ErrImagePull|ImagePullBackOff/.test(await kubectl('-n', namespace, 'get', 'pods', '-o', path)),
    );
  }

  /** Contents of the copies of pull secrets in a namespace. */
  async function copies(namespace: string): Promise<readonly string[]> {
    const selector = 'app.kubernetes.io/managed-by=slipway';
    const secrets = await list<CopiedSecret>(cluster(), 'secret', { namespace, selector });
    return secrets
      .filter(({ type }) => type === 'kubernetes.io/dockerconfigjson')
      .map(({ data }) => Buffer.from(data['.dockerconfigjson'] ?? '', 'base64').toString('utf8'));
  }

  function kubectl(...args: readonly string[]): Promise<string> {
    return cluster().kubectl(args);
  }
});

interface CopiedSecret {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}
