import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SubscriptionStatus } from '../../../api/subscription-status.ts';
import { startFakeApi, type FakeApi } from '../../../kube/testing/fake-api.ts';
import { formatData } from '../../../report/data.ts';
import { useWorkplace, type Finished } from '../testing/slipway.ts';
import type { WhyAnswer } from '../../../report/why-answer.ts';

const workplace = useWorkplace();
let api: FakeApi;

const lastTransitionTime = '2026-01-01T00:00:00Z';
const condition = (type: string, status: 'True' | 'False' | 'Unknown', reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime,
});

const INSTALLED = {
  bundle: 'gadget.v1.0.0',
  version: '1.0.0',
  image: `registry.example/gadget@sha256:${'a'.repeat(64)}`,
  catalog: 'team',
  revision: 'gadget-1',
};

const BUSY: SubscriptionStatus = {
  installed: INSTALLED,
  available: { bundle: 'gadget.v2.0.0', version: '2.0.0' },
  pending: { bundle: 'gadget.v1.1.0', version: '1.1.0', reason: 'ApprovalRequired' },
  path: ['1.1.0', '1.2.0', '2.0.0'],
  quarantined: [
    {
      bundle: 'gadget.v1.0.5',
      version: '1.0.5',
      reason: 'WorkloadUnhealthy',
      message: 'it crashes',
      since: lastTransitionTime,
    },
  ],
  refused: [{ version: '3.0.0', reason: 'ChannelNotFound', message: 'it is only in channel fast' }],
  conditions: [
    condition('Ready', 'True', 'Succeeded', 'gadget.v1.0.0 is installed and healthy'),
    condition('UpgradeAvailable', 'True', 'ApprovalRequired', 'gadget.v1.1.0 waits for approval'),
    condition('Deprecated', 'True', 'BundleDeprecated', 'it has a fault'),
  ],
};
const FAILED: SubscriptionStatus = {
  installed: INSTALLED,
  available: { bundle: 'gadget.v2.0.0', version: '2.0.0' },
  quarantined: [
    {
      bundle: 'gadget.v2.0.0',
      version: '2.0.0',
      reason: 'WorkloadUnhealthy',
      message: 'it crashes',
      since: lastTransitionTime,
    },
  ],
  conditions: [
    condition('Ready', 'True', 'Succeeded', 'gadget.v1.0.0 is installed and healthy; the upgrade failed'),
    condition('UpgradeFailed', 'True', 'WorkloadUnhealthy', 'The upgrade to gadget.v2.0.0 failed: it crashes'),
    condition('UpgradeAvailable', 'True', 'Quarantined', 'gadget.v2.0.0 failed and is not tried again'),
  ],
};
/** Its Catalog was deleted: the installed version is all that is available. */
const ALONE: SubscriptionStatus = {
  installed: INSTALLED,
  available: { bundle: 'gadget.v1.0.0', version: '1.0.0' },
  conditions: [
    condition('Ready', 'True', 'Succeeded', 'gadget.v1.0.0 is installed and healthy, but no upgrade can be found'),
    condition('UpgradeAvailable', 'Unknown', 'CatalogNotFound', 'its catalog of origin team does not exist'),
  ],
};
const STUCK: SubscriptionStatus = {
  conditions: [
    condition('Ready', 'False', 'PackageNotFound', 'Package "lamp": catalog team does not have it'),
    condition('UpgradeAvailable', 'Unknown', 'PackageNotFound', 'Package "lamp": catalog team does not have it'),
  ],
};

beforeAll(async () => {
  api = await startFakeApi();
  api.serve({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    plural: 'subscriptions',
    namespaced: true,
    verbs: ['list'],
    subresources: [],
  });
  subscribe('gadget', 'gadget', BUSY);
  subscribe('lamp', 'lamp', STUCK);
  subscribe('failed', 'failed', FAILED);
  subscribe('alone', 'alone', ALONE);
  subscribe('fresh', 'fresh');
  subscribe('twin-a', 'twin', BUSY);
  subscribe('twin-b', 'twin', STUCK);
  workplace().write(new Map([['kubeconfig', kubeconfig()]]));
});
afterAll(() => api.close());

function subscribe(name: string, packageName: string, status?: SubscriptionStatus): void {
  api.put({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    metadata: { name, namespace: 'lights' },
    spec: { package: packageName },
    ...(status !== undefined && { status }),
  });
}

function kubeconfig(): string {
  const { server, ca } = api.config;
  return formatData({
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'lights' } }],
    clusters: [
      { name: 'c', cluster: { server, 'certificate-authority-data': Buffer.from(ca as string).toString('base64') } },
    ],
    users: [{ name: 'u', user: { token: 'secret' } }],
  });
}

const run = (...args: readonly string[]): Promise<Finished> => workplace().run(...args, '--kubeconfig', 'kubeconfig');
const ask = async (...args: readonly string[]): Promise<WhyAnswer> =>
  JSON.parse((await run(...args, '-o', 'json')).stdout) as WhyAnswer;

describe('a Subscription is asked', () => {
  test('the chosen version, and the reason why it waits', async () => {
    const { code, stdout } = await run('why', 'gadget');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'gadget.v1.1.0 waits for approval',
        'Deprecated:',
        '  it has a fault',
        'The way:',
        '  1.1.0',
        '  1.2.0',
        '  2.0.0',
        'Passed over:',
        '  3.0.0: it is only in channel fast',
        '',
      ].join('\n'),
    });
  });

  test('which upgrade failed, and why', async () => {
    const { code, stdout } = await run('why', 'failed');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'The upgrade to gadget.v2.0.0 failed: it crashes\n' });
    const answer = await ask('why', 'failed@2.0.0');
    expect(answer).toMatchObject({ chosen: false, standing: 'Refused', reason: 'WorkloadUnhealthy' });
    expect((await run('why-not', 'failed@2.0.0')).code).toBe(2);
  });

  test.each([
    { because: 'it is available', version: '2.0.0', standing: 'Chosen', causes: [] },
    { because: 'it comes next', version: 'gadget.v1.1.0', standing: 'OnTheWay', causes: [] },
    { because: 'it comes later on the way', version: '1.2.0', standing: 'OnTheWay', causes: [] },
    {
      because: 'it is installed',
      version: '1.0.0',
      standing: 'Installed',
      causes: ['gadget.v1.0.0 is installed, and gadget.v2.0.0 follows it'],
    },
    {
      because: 'it failed',
      version: '1.0.5',
      standing: 'Refused',
      causes: ['gadget.v1.0.5 failed before and is quarantined: it crashes'],
    },
    {
      because: 'it is refused',
      version: '3.0.0',
      standing: 'Refused',
      causes: ['3.0.0 is not chosen: it is only in channel fast'],
    },
    {
      because: 'the status says nothing of it',
      version: '0.9.0',
      standing: 'NotMentioned',
      causes: [expect.stringContaining('--catalog')],
    },
  ])('how a version stands: $because', async ({ version, standing, causes }) => {
    const chosen = causes.length === 0;
    expect((await run('why-not', `gadget@${version}`)).code).toBe(chosen ? 0 : 2);
    expect(await ask('why-not', `gadget@${version}`)).toMatchObject({
      subscription: { namespace: 'lights', name: 'gadget' },
      chosen,
      standing,
      causes,
    });
  });

  test('why there is nothing', async () => {
    const { code, stdout } = await run('why', 'lamp', '--namespace', 'lights');
    expect(code).toBe(2);
    expect(stdout).toBe(
      'Nothing of lamp is chosen (PackageNotFound).\nBecause:\n  Package "lamp": catalog team does not have it\n',
    );
  });

  test('without its Catalog, nothing is chosen, and the installed version stands as installed', async () => {
    expect(await ask('why', 'alone')).toMatchObject({
      chosen: false,
      reason: 'CatalogNotFound',
      causes: ['its catalog of origin team does not exist'],
    });
    expect(await ask('why-not', 'alone@1.0.0')).toMatchObject({
      chosen: false,
      standing: 'Installed',
      causes: ['its catalog of origin team does not exist'],
    });
  });

  test('before the manager has reconciled it', async () => {
    expect(await ask('why', 'fresh')).toMatchObject({ chosen: false, reason: 'Progressing' });
  });

  test('by its name, if there are several for the package', async () => {
    expect(await ask('why', 'twin', '--subscription', 'twin-a')).toMatchObject({ chosen: true });
    expect(await ask('why', 'twin', '--subscription', 'twin-b')).toMatchObject({ chosen: false });
  });
});

describe('a kubeconfig', () => {
  test('is found as kubectl finds it', async () => {
    const variables = { KUBECONFIG: 'kubeconfig' };
    expect((await workplace().runWith({ variables }, 'why', 'gadget')).code).toBe(0);
    workplace().write(new Map([['home/.kube/config', kubeconfig()]]));
    expect((await workplace().run('why', 'gadget', '--context', 'here')).code).toBe(0);
  });

  test.each([
    { because: 'no Subscription is for the package', args: ['gizmo'], reason: 'InputInvalid' },
    { because: 'none is in that namespace', args: ['gadget', '--namespace', 'other'], reason: 'InputInvalid' },
    { because: 'none has that name', args: ['gadget', '--subscription', 'lamp'], reason: 'InputInvalid' },
    { because: 'several are for the package', args: ['twin'], reason: 'InputInvalid' },
    { because: 'the context is not there', args: ['gadget', '--context', 'x'], reason: 'KubeconfigInvalid' },
    { because: 'a flag is about catalogs', args: ['gadget', '--installed', '1.0.0'], reason: 'InputInvalid' },
  ])('leads to no answer: $because', async ({ args, reason }) => {
    const { code, stdout, stderr } = await run('why', ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^slipway: ${reason}: .*\\n {2}\\S`));
  });

  test.each([
    { because: 'all that exist are read', files: 'none:kubeconfig', code: 0 },
    { because: 'one of them has to exist', files: 'none:nothing', code: 1 },
  ])('may be several files: $because', async ({ files, code }) => {
    const variables = { KUBECONFIG: files };
    const { code: ended, stderr } = await workplace().runWith({ variables }, 'why', 'gadget');
    expect({ ended, stderr }).toEqual({
      ended: code,
      stderr: code === 0 ? '' : expect.stringContaining('KubeconfigInvalid'),
    });
  });
});

test('no text of a status makes a terminal act', async () => {
  const evil = '\u001b[31mred\nsecond line\u202E';
  subscribe('evil', 'evil', {
    conditions: [condition('Ready', 'False', 'ApplyFailed', evil)],
    refused: [{ version: '1.0.0', reason: 'VersionNotFound', message: evil }],
  });
  for (const args of [
    ['why', 'evil'],
    ['why-not', 'evil@1.0.0'],
    ['why', 'evil', '-o', 'json'],
  ]) {
    const { stdout } = await run(...args);
    expect(stdout).toContain('red');
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(stdout).not.toMatch(/^second/m);
  }
});
