/**
 * Operators of a running OLM v0 in states in which they are not handed over, or only with an effect: the plan says which and
 * what to do, and a refused run changes nothing.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realNodeObstacle } from '../../cluster/cluster.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { isReady, waitFor } from '../../lib/objects.ts';
import { runSlipway } from '../../lib/slipway.ts';
import { tinyBundle, type TinyOperator } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces } from '../../lib/writes.ts';
import { publishAll } from '../leave-olm-corpus/install.ts';
import type { Loaded } from '../leave-olm-corpus/load.ts';
import { hasSucceeded, installByOlm } from './olm.ts';

const obstacle = realNodeObstacle();
const OLM = '/apis/operators.coreos.com';

/** Each is alone in the namespace of its name, if it is in no other. */
interface Operator extends Omit<TinyOperator, 'version'> {
  readonly namespace?: string;
  /** Of the OperatorGroup, for the first operator of a namespace. */
  readonly group?: object;
  readonly properties?: Loaded['bundles'][number]['properties'];
  readonly further?: readonly object[];
}

/** The settings of an operator, as they are published. */
const SETTINGS = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { level: 'info' } };

const OPERATORS: readonly Operator[] = [
  { name: 'plain', kind: 'Plain' },
  { name: 'crowded', kind: 'Crowded' },
  { name: 'limited', kind: 'Limited', group: { serviceAccountName: 'limited', targetNamespaces: ['limited'] } },
  { name: 'selecting', kind: 'Selecting', group: { selector: { matchLabels: { team: 'lamps' } } } },
  { name: 'alone', kind: 'Alone' },
  { name: 'edited', kind: 'Edited', further: [SETTINGS] },
  { name: 'twin-a', kind: 'Twin' },
  { name: 'twin-b', kind: 'Twin' },
  { name: 'provider', kind: 'Provided', namespace: 'family' },
  {
    name: 'dependent',
    kind: 'Dependent',
    namespace: 'family',
    properties: [{ type: 'olm.package.required', value: { packageName: 'provider', versionRange: '>=1.0.0' } }],
  },
];

const homeOf = ({ name, namespace = name }: Operator): string => namespace;

function loaded(one: Operator): Loaded {
  const { name, kind, properties = [], further = [] } = one;
  const files = tinyBundle({ name, version: '1.0.0', further, ...(kind !== undefined && { kind }) });
  const installed = { name: `${name}.v1.0.0`, version: '1.0.0', files, properties };
  const shared = { package: name, namespace: homeOf(one), mode: 'OwnNamespace', because: 'it is in a state' } as const;
  return { ...shared, source: 'made', channel: 'stable', bundles: [installed], installed };
}

interface Plan {
  readonly state: string;
  readonly reason?: string;
  readonly message?: string;
  readonly after?: readonly string[];
  readonly notes?: readonly string[];
  readonly conflicts?: readonly string[];
  readonly restarts?: readonly { readonly deployment: string; readonly why: readonly string[] }[];
  readonly overwritten?: readonly { readonly object: string }[];
  readonly code: number;
}

describe.skipIf(obstacle !== undefined)(
  `operators of OLM v0 in every state${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    const cluster = useCluster({ olm: true });
    let manager: RunningManager;

    beforeAll(async () => {
      await installSlipway(cluster());
      manager = await startManager(cluster());
      await publishAll(cluster(), OPERATORS.map(loaded)); // prettier-ignore
      await makeNamespaces(cluster(), [...new Set(OPERATORS.map(homeOf)), 'selected']);
      await cluster().kubectl(['label', 'namespace', 'selected', 'team=lamps']);
      await cluster().kubectl(['-n', 'limited', 'create', 'serviceaccount', 'limited']);
      const binding = [
        'clusterrolebinding',
        'limited',
        '--clusterrole=cluster-admin',
        '--serviceaccount=limited:limited',
      ];
      await cluster().kubectl(['create', ...binding]);
      const seen = new Set<string>();
      for (const one of OPERATORS) {
        const namespace = homeOf(one);
        const group = seen.has(namespace) ? undefined : (one.group ?? { targetNamespaces: [namespace] });
        await installByOlm(cluster(), { namespace, name: one.name }, group);
        seen.add(namespace);
      }
      for (const one of OPERATORS) await hasSucceeded(cluster(), { namespace: homeOf(one), name: one.name });
    }, 900_000);
    afterAll(async () => {
      await manager?.stop();
    });

    async function slipway(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
      return runSlipway(cluster().folder, args, { KUBECONFIG: cluster().kubeconfig });
    }

    async function planOf(namespace: string, name = namespace): Promise<Plan> {
      const { code, text } = await slipway('adopt', 'plan', `${namespace}/${name}`, '-o', 'json');
      return { ...(JSON.parse(text) as Omit<Plan, 'code'>), code };
    }

    /** The plan once it is of that state: OLM needs time to see a change. */
    async function becomes(state: string, namespace: string, name = namespace): Promise<Plan> {
      let last: Plan | undefined;
      const ask = async (): Promise<Plan | undefined> => {
        last = await planOf(namespace, name);
        return last.state === state ? last : undefined;
      };
      return until(`${name} is ${state}`, ask, { explain: () => JSON.stringify(last) });
    }

    test('an operator that works is ready, and no Pod is replaced', async () => {
      expect(await planOf('plain')).toMatchObject({ state: 'ready', restarts: [], conflicts: [], code: 0 });
    });

    test('two OperatorGroups are refused with their names, and a refused run changes nothing', async () => {
      const group = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata: { name: 'second' } };
      await cluster().request('POST', `${OLM}/v1/namespaces/crowded/operatorgroups`, { ...group, spec: {} });
      const plan = await becomes('refused', 'crowded');
      expect(plan).toMatchObject({ reason: 'OperatorGroupsConflict', code: 2 });
      expect(plan.message).toContain('(all, second)');
      const { code, text } = await slipway('adopt', 'run', 'crowded/crowded');
      expect(`${code} ${text}`).toMatch(/^[^0].*all, second/s);
      const left = await cluster().read(`${OLM}/v1alpha1/namespaces/crowded/subscriptions/crowded`);
      expect(left['metadata']).toMatchObject({ name: 'crowded' });
    });

    test('an operator that its OperatorGroup limits to an account is refused', async () => {
      const plan = await planOf('limited');
      expect(plan).toMatchObject({ state: 'refused', reason: 'LimitedByAccount', code: 2 });
      expect(plan.message).toContain('ServiceAccount limited');
    });

    test('namespaces that an OperatorGroup selects are taken over as they are now, and the plan says so', async () => {
      const { code, text } = await slipway('adopt', 'plan', 'selecting/selecting', '-o', 'json');
      const { notes, subscription } = JSON.parse(text) as Plan & { readonly subscription: { readonly spec: object } };
      expect(code).toBe(0);
      expect(notes).toContainEqual(expect.stringContaining('selects namespaces by labels'));
      expect(subscription.spec).toMatchObject({ watchNamespaces: ['selected'] });
    });

    test('an object of two operators is refused with both, and OLM keeps it', async () => {
      const plan = await planOf('twin-a');
      expect(plan).toMatchObject({ state: 'refused', code: 2 });
      expect(plan.conflicts).toContainEqual(expect.stringMatching(/twins\.tiny\.example belongs to .*twin-b/));
      const { code, text } = await slipway('adopt', 'run', 'twin-a/twin-a');
      expect(`${code} ${text}`).toMatch(/^[^0].*twins\.tiny\.example.*twin-b/s);
    });

    test('an operator that another one requires comes after it, in the list too', async () => {
      const plan = await planOf('family', 'provider');
      expect(plan).toMatchObject({ state: 'after', after: ['dependent.v1.0.0'] });
      const listed = await slipway('adopt', 'plan', '--namespace', 'family');
      expect(listed.text).toMatch(/dependent .*ready[\s\S]*provider .*after/);
      const { code, text } = await slipway('adopt', 'run', '--all', '--namespace', 'family');
      expect(`${code} ${text}`).toMatch(/^0 [\s\S]*family\/dependent[\s\S]*family\/provider/);
    });

    test('Pods that would be replaced and settings that may be set back are announced, and that only happens if it is allowed', async () => {
      const image = ['set', 'image', 'deployment/edited', 'operator=registry.example/patched:1'];
      // OLM may be at work on the Deployment for a while, and put its image back; there is no plan of restarts until it has ended.
      const planned = async (): Promise<Plan | undefined> => {
        await cluster().kubectl(['-n', 'edited', ...image]);
        const one = await planOf('edited');
        return (one.restarts ?? []).length === 0 ? undefined : one;
      };
      const plan = await until('the plan names the Pods', planned);
      expect(plan.code).toBe(2);
      expect(plan.restarts).toEqual([
        {
          deployment: 'Deployment.apps edited/edited',
          why: [expect.stringMatching(/containers\[operator\]\.image: .*patched:1.* becomes .*edited:v1\.0\.0/)],
        },
      ]);
      // The version as it is published cannot be read: a manager outside of the cluster serves no catalogs there.
      expect(plan.overwritten).toMatchObject([{ object: 'ConfigMap edited/settings' }]);
      const refused = await slipway('adopt', 'run', 'edited/edited');
      expect(`${refused.code} ${refused.text}`).toMatch(/^[^0].*Deployment\.apps edited\/edited would be replaced/s);
      const half = await slipway('adopt', 'run', 'edited/edited', '--allow-restarts');
      expect(`${half.code} ${half.text}`).toMatch(/^[^0].*ConfigMap edited\/settings cannot be compared/s);
      await hasSucceeded(cluster(), { namespace: 'edited', name: 'edited' });
      const both = ['--allow-restarts', '--allow-overwrites'];
      const { code, text } = await slipway('adopt', 'run', 'edited/edited', ...both);
      expect(`${code} ${text}`).toMatch(/^0 /);
    });

    test('a ClusterServiceVersion without a Subscription is handed over, and back', async () => {
      await cluster().request('DELETE', `${OLM}/v1alpha1/namespaces/alone/subscriptions/alone`);
      const plan = await planOf('alone', 'alone.v1.0.0');
      expect(plan).toMatchObject({ state: 'ready', restarts: [] });
      const there = await slipway('adopt', 'run', 'alone/alone.v1.0.0', '--name', 'alone');
      expect(`${there.code} ${there.text}`).toMatch(/^0 /);
      await waitFor(cluster(), { kind: 'Subscription', name: 'alone', namespace: 'alone' }, isReady);
      const back = await slipway('adopt', 'undo', 'alone/alone.v1.0.0');
      expect(`${back.code} ${back.text}`).toMatch(/^0 /);
      const path = `${OLM}/v1alpha1/namespaces/alone/clusterserviceversions/alone.v1.0.0`;
      expect((await cluster().read(path))['status']).toMatchObject({ phase: 'Succeeded' });
    });
  },
);
