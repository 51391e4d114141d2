/** An author tries a bundle in a cluster before any catalog offers it: `bundle test` and `try`, to good and bad ends. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finished, RunOptions } from '../../../cmd/slipway/testing/slipway.ts';
import { useWorkplace } from '../../../cmd/slipway/testing/slipway.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { until } from '../../lib/until.ts';

const cluster = useCluster();
const workplace = useWorkplace();
let manager: RunningManager;
const EXAMPLES = join(ROOT, 'bundles/examples/beacon-operator');

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  for (const version of ['1.0.0', '1.1.0'])
    cpSync(join(EXAMPLES, version), join(workplace().folder, version), { recursive: true });
  cpSync(join(EXAMPLES, '1.1.0'), join(workplace().folder, 'broken'), { recursive: true });
  const csv = join(workplace().folder, 'broken/manifests/beacon-operator.clusterserviceversion.yaml');
  const text = readFileSync(csv, 'utf8');
  writeFileSync(csv, text.replace(' labels: {', ' labels: {slipway.dev/test-pod: crash, '));
  expect(readFileSync(csv, 'utf8')).not.toBe(text);
});
afterAll(async () => {
  await manager?.stop();
});

function slipway(options: RunOptions, ...args: readonly string[]): Promise<Finished> {
  return workplace().runWith(
    options,
    ...args,
    '--kubeconfig',
    cluster().kubeconfig,
    '--to',
    `${cluster().registry}/trial/beacon`,
  );
}

interface Leftover {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
}

/** Everything that a trial could leave, but for namespaces that are being deleted, which takes seconds: see the last test. */
async function leftovers({ going = false } = {}): Promise<readonly string[]> {
  const kinds =
    'subscriptions.slipway.dev,catalogs.slipway.dev,revisions.slipway.dev,clusterroles,clusterrolebindings,crd,namespaces,roles,rolebindings';
  const { items } = JSON.parse(await cluster().kubectl(['get', kinds, '-A', '-o', 'json'])) as {
    readonly items: readonly Leftover[];
  };
  return items
    .filter(({ kind, metadata }) => going || kind !== 'Namespace' || metadata.deletionTimestamp === undefined)
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    .filter((one) => /beacon|slipway-test|try-/.test(one));
}

const nothingLeft = (): Promise<unknown> => until('nothing is left', async () => (await leftovers()).length === 0);

/** Refuses each Deployment that the smallest account writes. */
const REFUSAL = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'refuse-account' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
        ],
      },
      validations: [
        {
          expression: "!request.userInfo.username.endsWith(':smallest-account')",
          message: 'this account has no say',
          reason: 'Forbidden',
        },
      ],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'refuse-account' },
    spec: { policyName: 'refuse-account', validationActions: ['Deny'] },
  },
];

describe('bundle test', () => {
  test('installs, upgrades, keeps the examples and leaves nothing', async () => {
    const { code, stdout, stderr } = await slipway(
      {},
      'bundle',
      'test',
      '1.1.0',
      '--upgrade-from',
      '1.0.0',
      '--junit',
      'good.xml',
    );
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/\nthe bundle is offered +passed /);
    expect(stdout).toMatch(/\n1\.0\.0 is upgraded to 1\.1\.0 +passed /);
    expect(stdout).toMatch(/\nthe examples are kept +passed /);
    expect(stdout).toMatch(/\nnothing is left +passed /);
    expect(stdout).toMatch(/\nthe smallest account is sufficient +passed /);
    expect(stdout).toMatch(/\n9 passed, 0 failed, 0 skipped\n$/);
    const xml = readFileSync(join(workplace().folder, 'good.xml'), 'utf8');
    expect(xml).toContain('failures="0"');
    expect(xml).toContain('name="the smallest account is sufficient"');
    await nothingLeft();
  });

  test('fails if the smallest account cannot install the bundle, and leaves nothing', async () => {
    for (const object of REFUSAL) await cluster().kubectl(['apply', '-f', '-'], JSON.stringify(object));
    await until('the policy is enforced', async () => {
      const as = ['--as', 'system:serviceaccount:default:smallest-account', '--as-group', 'system:masters'];
      const args = ['create', 'deployment', 'x', '--image', 'x', '--dry-run=server', ...as];
      return cluster().kubectl(args).then(() => false, (error: Error) => error.message.includes('no say'));
    }); // prettier-ignore
    const { code, stdout } = await slipway({}, 'bundle', 'test', '1.0.0', '--timeout', '90s', '--junit', 'refused.xml');
    expect(code, stdout).toBe(2);
    expect(stdout).toMatch(/\nnothing is left +passed /);
    expect(stdout).toMatch(/\nthe smallest account is sufficient +failed .*no say/);
    expect(readFileSync(join(workplace().folder, 'refused.xml'), 'utf8')).toContain('failures="1"');
    for (const { kind, metadata } of REFUSAL) await cluster().kubectl(['delete', kind, metadata.name]);
    await nothingLeft();
  });

  test('names the step that fails, and leaves nothing', async () => {
    const { code, stdout } = await slipway({}, 'bundle', 'test', 'broken', '--timeout', '10s', '--junit', 'bad.xml');
    expect(code, stdout).toBe(2);
    expect(stdout).toMatch(/\n1\.1\.0 is installed +failed .*(?:crash|CrashLoop|beacon-operator)/i);
    expect(stdout).toMatch(/\nnothing is left +skipped +.*since this failed: 1\.1\.0 is installed\n/);
    expect(readFileSync(join(workplace().folder, 'bad.xml'), 'utf8')).toContain('failures="1"');
    await nothingLeft();
  });

  test('that is interrupted leaves nothing', async () => {
    const abort = new AbortController();
    const run = slipway({ signal: abort.signal }, 'bundle', 'test', 'broken', '--timeout', '5m');
    await until('the Subscription exists', async () =>
      (await leftovers()).some((one) => one.startsWith('Subscription slipway-test')),
    );
    abort.abort(new Error('SIGINT'));
    const { code, stderr } = await run;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: 'slipway: the objects of the trial are deleted; interrupt again to keep them\nslipway: interrupted\n',
    });
    await nothingLeft();
  });
});

describe('try', () => {
  test('installs a bundle, and deletes it in the end with --rm', async () => {
    const { code, stdout } = await slipway({}, 'try', '1.1.0', '-n', 'trials', '--rm');
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(
      /beacon-operator\.v1\.1\.0 runs\nSubscription trials\/try-beacon-operator and Catalog .* are deleted\n$/,
    );
    await nothingLeft();
  });

  test('leaves the operator for the author to inspect, and names the command that removes it', async () => {
    const { code, stdout } = await slipway({}, 'try', '1.0.0', '-n', 'stays');
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('remove it by: slipway uninstall stays/try-beacon-operator');
    expect(await leftovers()).toEqual(
      expect.arrayContaining(['Subscription try-beacon-operator', 'Catalog try-beacon-operator']),
    );
    const again = await slipway({}, 'try', '1.0.0', '-n', 'stays');
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Catalog try-beacon-operator exists already'),
    });
    await cluster().kubectl([
      'delete',
      'subscription.slipway.dev',
      'try-beacon-operator',
      '-n',
      'stays',
      '--timeout=180s',
    ]);
    await cluster().kubectl(['delete', 'catalog.slipway.dev', 'try-beacon-operator']);
    await nothingLeft();
  });
});

test('the namespaces of all trials go', async () => {
  await until('none is left', async () => (await leftovers({ going: true })).length === 0);
});
