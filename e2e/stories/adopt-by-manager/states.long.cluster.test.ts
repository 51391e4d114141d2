/**
 * Operators of a running OLM v0 that the manager adopts with the rights of a tenant's account, or does not adopt as they are: the
 * condition has the reason, and OLM keeps them until a person has decided. In `make test` the
 * manager refuses operators of OLM v1 (../leave-olm-v1).
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { condition, isReady, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { tinyBundle } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, remove } from '../../lib/writes.ts';
import { publishAll } from '../leave-olm-corpus/install.ts';
import type { Loaded } from '../leave-olm-corpus/load.ts';
import { leftOf } from '../leave-olm/left.ts';
import { hasSucceeded, installByOlm, marksOfOlm } from '../leave-olm/olm.ts';

const obstacle = realNodeObstacle();
const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };

/** The settings of an operator, as they are published. */
const SETTINGS = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { level: 'info' } };

/** Each watches its own namespace, which has its name unless it is in the family. */
const OPERATORS = [
  { name: 'tenant', kind: 'Tenant' },
  { name: 'edited', kind: 'Edited', further: [SETTINGS] },
  { name: 'provider', kind: 'Provided', namespace: 'family' },
  {
    name: 'dependent',
    kind: 'Dependent',
    namespace: 'family',
    properties: [{ type: 'olm.package.required', value: { packageName: 'provider', versionRange: '>=1.0.0' } }],
  },
] as const;

type Operator = (typeof OPERATORS)[number];

const homeOf = (one: Operator): string => ('namespace' in one ? one.namespace : one.name);

function loaded(one: Operator): Loaded {
  const { name, kind } = one;
  const files = tinyBundle({ name, version: '1.0.0', kind, ...('further' in one && { further: one.further }) });
  const properties = 'properties' in one ? one.properties : [];
  const installed = { name: `${name}.v1.0.0`, version: '1.0.0', files, properties };
  const shared = { package: name, namespace: homeOf(one), mode: 'OwnNamespace', because: 'it is in a state' } as const;
  return { ...shared, source: 'made', channel: 'stable', bundles: [installed], installed };
}

/** What an account needs besides all rights in its namespace. */
const RIGHTS_OF_THE_CLUSTER = [
  {
    verb: 'get,list',
    resource:
      'customresourcedefinitions.apiextensions.k8s.io,clusterroles.rbac.authorization.k8s.io,clusterrolebindings.rbac.authorization.k8s.io,validatingwebhookconfigurations.admissionregistration.k8s.io,mutatingwebhookconfigurations.admissionregistration.k8s.io,apiservices.apiregistration.k8s.io,priorityclasses.scheduling.k8s.io,clusterserviceversions.operators.coreos.com',
    names: [],
  },
  {
    verb: 'patch,delete',
    resource: 'customresourcedefinitions.apiextensions.k8s.io',
    names: ['tenants.tiny.example'],
  },
  { verb: 'get,delete', resource: 'operators.operators.coreos.com', names: ['tenant.tenant'] },
] as const;

describe.skipIf(obstacle !== undefined)(
  `operators are adopted by an account, or not as they are${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olm: true });
    let manager: RunningManager;
    let transport: Transport;
    let client: Client;
    const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);

    beforeAll(async () => {
      const { config } = await loadKubeconfig(cluster().kubeconfig);
      transport = createTransport(config);
      client = createClient(transport);
      await installSlipway(cluster());
      manager = await startManager(cluster());
      await publishAll(cluster(), OPERATORS.map(loaded)); // prettier-ignore
      await makeNamespaces(cluster(), [...new Set(OPERATORS.map(homeOf))]);
      const seen = new Set<string>();
      for (const one of OPERATORS) {
        const namespace = homeOf(one);
        const group = seen.has(namespace) ? undefined : { targetNamespaces: [namespace] };
        await installByOlm(cluster(), { namespace, name: one.name }, group);
        seen.add(namespace);
      }
      for (const one of OPERATORS) await hasSucceeded(cluster(), { namespace: homeOf(one), name: one.name });
    }, 900_000);
    afterAll(async () => {
      await manager?.stop();
      transport?.close();
    });

    function adopt(name: string, namespace: string, spec: object = {}, more: object = {}): Promise<void> {
      const adopting = { from: 'OLMv0', subscription: name, ...more };
      const wanted = { package: name, catalog: 'tested', watchNamespaces: [namespace], adopt: adopting, ...spec };
      return apply(cluster(), subscriptionTo(name, namespace, wanted));
    }

    const isAdopted = (one: Judged): boolean => isReady(one) && condition(one, 'Adopted')?.status === 'True';
    const isRefused = (one: Judged): boolean => condition(one, 'Adopted')?.reason === 'AdoptionRefused';

    describe('with the account of a tenant', () => {
      const TENANT = { kind: 'Subscription', name: 'tenant', namespace: 'tenant' };

      test('nothing is changed without rights on the objects of OLM, and the condition names the account', async () => {
        await kubectl('-n', 'tenant', 'create', 'serviceaccount', 'installer');
        await adopt('tenant', 'tenant', { serviceAccountName: 'installer' });
        const refused = await waitFor(cluster(), TENANT, (one) => condition(one, 'Adopted')?.reason === 'Forbidden');
        expect(condition(refused, 'Adopted')?.message).toContain('ServiceAccount installer');
        await hasSucceeded(cluster(), TENANT);
      });

      test('the rights of its namespace suffice for the objects there, and the manager has none on those of OLM', async () => {
        await kubectl('-n', 'tenant', 'create', 'role', 'installer', '--verb=*', '--resource=*.*');
        await kubectl('-n', 'tenant', 'create', 'rolebinding', 'installer', '--role=installer', '--serviceaccount=tenant:installer'); // prettier-ignore
        for (const [at, { verb, resource, names }] of RIGHTS_OF_THE_CLUSTER.entries()) {
          const role = `installer-${at}`;
          await kubectl('create', 'clusterrole', role, `--verb=${verb}`, `--resource=${resource}`, ...names.map((one) => `--resource-name=${one}`)); // prettier-ignore
          await kubectl(
            'create',
            'clusterrolebinding',
            role,
            `--clusterrole=${role}`,
            '--serviceaccount=tenant:installer',
          );
        }
        const pods = await client.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'tenant' });
        await waitFor(cluster(), TENANT, isAdopted);
        expect(await marksOfOlm(client, 'tenant', 'tenant')).toEqual([]);
        const after = await client.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: 'tenant' });
        expect(after.map(({ metadata }) => metadata.uid)).toEqual(pods.map(({ metadata }) => metadata.uid));
      });

      test('an uninstall leaves nothing of OLM', async () => {
        await remove(cluster(), TENANT);
        const left = (): Promise<readonly string[]> => leftOf(client, { namespace: 'tenant', prefix: 'tenant', package: 'tenant' }); // prettier-ignore
        const isOwn = (name: string): boolean => !/installer/.test(name);
        const rest = async (): Promise<readonly string[]> => (await left()).filter(isOwn);
        await until('the collector has deleted the rest', async () => (await rest()).length === 0).catch(
          () => undefined,
        );
        expect(await rest()).toEqual([]);
      });
    });

    describe('with the rights of the manager', () => {
      beforeAll(async () => {
        await kubectl('apply', '-f', join(ROOT, 'deploy/rights/adoption-olm-v0/rights.yaml'));
      });

      test('an operator that another one requires is refused, until that one is adopted', async () => {
        const provider = { kind: 'Subscription', name: 'provider', namespace: 'family' };
        await adopt('provider', 'family');
        const refused = await waitFor(cluster(), provider, isRefused);
        expect(condition(refused, 'Adopted')?.message).toContain('Required: dependent.v1.0.0');
        await adopt('dependent', 'family', { dependencies: 'Ignore' });
        await waitFor(cluster(), { ...provider, name: 'dependent' }, isAdopted);
        await waitFor(cluster(), provider, isAdopted);
      });

      test('Pods that would be replaced and settings that would be set back are named, as a person has changed both, which happens only if it is allowed', async () => {
        const edited = { kind: 'Subscription', name: 'edited', namespace: 'edited' };
        const ref = { ...CSV, namespace: 'edited', name: 'edited.v1.0.0' };
        const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'edited', name: 'edited' };
        const path = '/spec/install/spec/deployments/0/spec/template/spec/containers/0/image';
        await kubectl('-n', 'edited', 'patch', 'clusterserviceversion', ref.name, '--type=json', '-p', JSON.stringify([{ op: 'replace', path, value: 'registry.example/patched:1' }])); // prettier-ignore
        const isRolledOut = async (): Promise<boolean> =>
          JSON.stringify((await client.get(deployment))?.['spec']).includes('registry.example/patched:1');
        await until('OLM has rolled the change out', isRolledOut);
        await kubectl('-n', 'edited', 'patch', 'configmap', 'settings', '-p', '{"data":{"level":"debug"}}');
        await adopt('edited', 'edited');
        const isNamed = (one: Judged): boolean => isRefused(one) && /would be replaced/.test(condition(one, 'Adopted')?.message ?? ''); // prettier-ignore
        const refused = await waitFor(cluster(), edited, isNamed);
        expect(condition(refused, 'Adopted')?.message).toMatch(
          /Deployment\.apps edited\/edited .*image.*patched:1.*restarts to Allow/,
        );
        await hasSucceeded(cluster(), edited);
        expect(await marksOfOlm(client, 'edited', 'edited')).not.toEqual([]);
        await adopt('edited', 'edited', {}, { restarts: 'Allow' });
        const isLost = (one: Judged): boolean => /ConfigMap edited\/settings was edited.*\(data\.level\).*overwrites to Allow/.test(condition(one, 'Adopted')?.message ?? ''); // prettier-ignore
        await waitFor(cluster(), edited, (one) => isRefused(one) && isLost(one));
        await adopt('edited', 'edited', {}, { restarts: 'Allow', overwrites: 'Allow' });
        await waitFor(cluster(), edited, isAdopted);
        expect(await isRolledOut()).toBe(false);
        const level = ['get', 'configmap', 'settings', '-o', 'jsonpath={.data.level}'];
        expect(await kubectl('-n', 'edited', ...level)).toBe('info');
      });
    });
  },
);
