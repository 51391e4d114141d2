import { beforeAll, describe, expect, test } from 'vitest';
import { makeCrd, makeDeployment, makeFiles, WEBHOOK, type BundleParts } from '../../../bundles/testing/bundle.ts';
import { DENY_RULE_NAMES } from '../../../plan/deny.ts';
import { useWorkplace } from '../testing/slipway.ts';
import { DENY_NAMES } from './commands.ts';
import type { PlanReport } from './report.ts';

const workplace = useWorkplace();

const secrets = { serviceAccountName: 'gadget', rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }] };

function crdOf(properties: object): object {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } };
  return makeCrd({ versions: [{ name: 'v1', served: true, storage: true, schema }] }) as object;
}

/** A bundle of the version, in a folder of its name. */
function bundle(version: string, parts: BundleParts = {}): void {
  const metadata = { name: `gadget-operator.v${version}` };
  workplace().write(makeFiles({ ...parts, metadata, spec: { version, ...parts.spec } }), `v${version}`);
}

beforeAll(() => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'gadget' } };
  bundle('1.0.0', { objects: [crdOf({ size: { type: 'integer' }, colour: { type: 'string' } }), account] });
  bundle('1.1.0', {
    objects: [crdOf({ size: { type: 'integer' }, colour: { type: 'string' } })],
    clusterPermissions: [secrets],
  });
  bundle('2.0.0', {
    objects: [crdOf({ size: { type: 'integer' } })],
    clusterPermissions: [secrets],
    deployments: [makeDeployment('gadget-manager', { hostNetwork: true })],
  });
  workplace().write(
    new Map([
      ['catalog/catalog.yaml', CATALOG],
      ['sub.yaml', subscription()],
      ['pinned.yaml', subscription('version: 1.1.0')],
      ['nameless.yaml', subscription().replace('namespace: ops', 'labels: {}')],
      ['two.yaml', `${subscription()}---\n${subscription()}`],
      ['wrong.yaml', subscription('approval: Never')],
      ['none.yaml', 'kind: ConfigMap\n'],
    ]),
  );
});

const ENTRIES = [
  ['1.0.0', undefined],
  ['1.1.0', '1.0.0'],
  ['2.0.0', '1.1.0'],
] as const;
const CATALOG = [
  { schema: 'olm.package', name: 'gadget-operator', defaultChannel: 'stable' },
  {
    schema: 'olm.channel',
    package: 'gadget-operator',
    name: 'stable',
    entries: ENTRIES.map(([version, before]) => ({
      name: `gadget-operator.v${version}`,
      ...(before !== undefined && { replaces: `gadget-operator.v${before}` }),
    })),
  },
  ...ENTRIES.map(([version]) => ({
    schema: 'olm.bundle',
    package: 'gadget-operator',
    name: `gadget-operator.v${version}`,
    image: `registry.invalid/gadget:v${version}`,
    properties: [{ type: 'olm.package', value: { packageName: 'gadget-operator', version } }],
  })),
]
  .map((document) => JSON.stringify(document))
  .join('\n---\n');

function subscription(more = ''): string {
  return `apiVersion: slipway.dev/v1alpha1
kind: Subscription
metadata:
  name: gadget
  namespace: ops
spec:
  package: gadget-operator
  catalog: team
  ${more}
`;
}

const BUNDLES = ['1.0.0', '1.1.0', '2.0.0'].flatMap((version) => ['--bundle', `v${version}`]);
const planArgs = (file: string, ...more: readonly string[]): readonly string[] => [
  'plan',
  '-f',
  file,
  '--catalog',
  'catalog',
  ...BUNDLES,
  ...more,
];
const report = (file: string, ...more: readonly string[]): Promise<PlanReport> =>
  workplace().json<PlanReport>(...planArgs(file, ...more));

test('--deny knows every rule of the closed list', () => {
  expect(DENY_NAMES).toEqual(DENY_RULE_NAMES);
});

describe('plan from a file', () => {
  test('prints the change in words, with its risk and its hash', async () => {
    const { code, stdout, stderr } = await workplace().run(...planArgs('pinned.yaml', '--from', '1.0.0'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.replace(/sha256:\w+/, 'HASH').replaceAll(/gadget-operator\.v1\.-\w+/g, 'ROLE')).toBe(
      [
        'gadget-operator 1.0.0 → 1.1.0 for ops/gadget',
        'Risk: high',
        '  high: the operator may read Secrets in every namespace, so it can read passwords and tokens (DangerousRights)',
        '  low: 2 created objects (ObjectsChanged)',
        'Way back: back to 1.0.0',
        'Rights gained:',
        '  critical: the operator may read Secrets in every namespace, so it can read passwords and tokens',
        'Objects (2 created, 3 unchanged):',
        '  + ClusterRole.rbac.authorization.k8s.io ROLE',
        '  + ClusterRoleBinding.rbac.authorization.k8s.io ROLE',
        'Not known:',
        '  whether objects that are to be created exist already (NotKnown)',
        'Hash: HASH',
        '',
      ].join('\n'),
    );
  });

  test('has one plan for each step on the way, and each begins where the one before it ends', async () => {
    const { plans } = await report('sub.yaml', '--from', '1.0.0');
    expect(plans.map(({ from, to }) => [from?.version, to?.version])).toEqual([
      ['1.0.0', '1.1.0'],
      ['1.1.0', '2.0.0'],
    ]);
    expect(plans.map(({ risk }) => risk.level)).toEqual(['high', 'irreversible']);
  });

  test('plans an installation if nothing is installed', async () => {
    const { plans } = await report('pinned.yaml');
    expect(plans).toHaveLength(1);
    expect(plans[0]?.from).toBeUndefined();
    expect(plans[0]?.objects.created.map(({ kind }) => kind)).toContain('Deployment');
  });

  test('takes versions from the catalog, as the manager does, if a bundle states another one', async () => {
    workplace().write(new Map([['other/catalog.yaml', CATALOG.replace('"version":"1.1.0"', '"version":"1.1.5"')]]));
    const args = ['plan', '-f', 'sub.yaml', '--catalog', 'other', ...BUNDLES, '--from', '1.0.0'];
    const { plans } = await workplace().json<PlanReport>(...args);
    expect(plans.map(({ to }) => to?.version)).toEqual(['1.1.5', '2.0.0']);
  });

  test('is empty if the installed version stays', async () => {
    const { code, stdout } = await workplace().run(...planArgs('pinned.yaml', '--from', '1.1.0'));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Nothing changes: gadget-operator\.v1\.1\.0 is the newest/) as string,
    });
  });

  test('is the same in every run', async () => {
    expect(await report('sub.yaml', '--from', '1.0.0')).toEqual(
      await report('sub.yaml', '--from', 'gadget-operator.v1.0.0'),
    );
  });

  test.each([
    { rules: 'rights-growth', from: '1.0.0', hit: ['rights-growth'] },
    { rules: 'rights-growth', from: '1.1.0', hit: ['rights-growth'] },
    { rules: 'major', from: '1.1.0', hit: ['major'] },
    { rules: 'unsafe-crd', from: '1.1.0', hit: ['unsafe-crd'] },
    { rules: 'irreversible,major', from: '1.1.0', hit: ['major', 'irreversible'] },
    { rules: 'other-registry', from: '1.1.0', hit: [] },
  ])('--deny $rules from $from hits $hit', async ({ rules, from, hit }) => {
    const { code } = await workplace().run(...planArgs('sub.yaml', '--from', from, '--deny', rules));
    const { denied } = await report('sub.yaml', '--from', from, '--deny', rules);
    expect({ code, denied: denied.map(({ rule }) => rule) }).toEqual({ code: hit.length > 0 ? 2 : 0, denied: hit });
  });

  test('as Markdown is short on top, and folds the details', async () => {
    const { stdout } = await workplace().run(...planArgs('pinned.yaml', '--from', '1.0.0', '-o', 'markdown'));
    const [top = '', ...folded] = stdout.split('<details>');
    expect(top.split('\n').filter((line) => line !== '')).toEqual([
      '### Slipway plan: `gadget-operator 1.0.0 → 1.1.0`, risk high',
      'For `ops/gadget`. Objects: 2 created, 3 unchanged. Way back: `back to 1.0.0`.',
      '- **high**: `the operator may read Secrets in every namespace, so it can read passwords and tokens`',
    ]);
    expect(folded.map((part) => /<summary>(.*)<\/summary>/.exec(part)?.[1])).toEqual([
      'Further risks: 1',
      'Rights gained: 1',
      'Objects: 2 created, 3 unchanged',
      'Not known: 1',
    ]);
    expect(stdout.match(/<details>/g)).toHaveLength((stdout.match(/<\/details>/g) ?? []).length);
  });

  test.each([
    { because: 'neither a file nor a Subscription is named', args: ['plan'] },
    { because: 'no catalog is named', args: ['plan', '-f', 'sub.yaml'] },
    { because: 'a cluster needs no catalog', args: ['plan', 'ops/gadget', '--catalog', 'catalog'] },
    { because: 'a file is not uninstalled', args: planArgs('sub.yaml', '--uninstall') },
    { because: 'a file and a Subscription are two subjects', args: [...planArgs('sub.yaml'), 'ops/gadget'] },
    { because: 'the file has no Subscription', args: planArgs('none.yaml') },
    { because: 'the file has two Subscriptions', args: planArgs('two.yaml') },
    { because: 'no namespace is known', args: planArgs('nameless.yaml') },
    { because: 'the installed version is no version', args: planArgs('sub.yaml', '--from', 'newest') },
  ])('refuses with InputInvalid: $because', async ({ args }) => {
    const { code, stderr } = await workplace().run(...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^slipway: InputInvalid: /) as string });
  });

  test.each([
    { because: 'a value that the API server rejects', args: planArgs('wrong.yaml'), reason: 'InvalidSpec' },
    {
      because: 'following the graph never goes down',
      args: planArgs('pinned.yaml', '--from', '2.0.0'),
      reason: 'NoUpgradePath',
    },
  ])('reports the reason $reason: $because', async ({ args, reason }) => {
    const { code, stderr } = await workplace().run(...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`slipway: ${reason}: `) as string });
  });
});

describe('rights', () => {
  test('of a bundle are listed in words', async () => {
    const { stdout } = await workplace().run('rights', 'v1.1.0');
    expect(stdout).toBe(
      'critical: the operator may read Secrets in every namespace, so it can read passwords and tokens\n',
    );
  });

  test.each([
    {
      args: ['v2.0.0', '--from', 'v1.1.0'],
      says: '+ high: the operator uses the network of its nodes, so its Pods are not confined to their containers\n',
    },
    {
      args: ['v1.0.0', '--from', 'v1.1.0'],
      says: '- critical: the operator may read Secrets in every namespace, so it can read passwords and tokens\n',
    },
    { args: ['v1.1.0', '--from', 'v1.1.0'], says: 'The rights are the same\n' },
    { args: ['v1.0.0'], says: 'It gets no rights\n' },
  ])('$args', async ({ args, says }) => {
    expect(await workplace().run('rights', ...args)).toEqual({ code: 0, stdout: says, stderr: '' });
  });
});

describe('crd diff', () => {
  test('names the rules that speak, and ends with 2 if objects could be hurt', async () => {
    expect(await workplace().run('crd', 'diff', 'v1.0.0', 'v2.0.0')).toEqual({
      code: 2,
      stdout:
        'gadgets.example.com is changed: unsafe\n  loses: v1: ^.spec.colour: existingFieldRemoval: the field is gone\n',
      stderr: '',
    });
  });

  test('compares files, too', async () => {
    workplace().write(
      new Map([
        ['old.yaml', JSON.stringify(crdOf({ a: { type: 'string' } }))],
        ['new.yaml', `# comment\n---\n${JSON.stringify(crdOf({ a: { type: 'string' }, b: { type: 'string' } }))}`],
      ]),
    );
    expect((await workplace().run('crd', 'diff', 'old.yaml', 'new.yaml')).code).toBe(0);
    expect((await workplace().run('crd', 'diff', 'new.yaml', 'old.yaml')).code).toBe(2);
    expect((await workplace().run('crd', 'diff', 'old.yaml', 'old.yaml')).stdout).toBe('The CRDs are the same\n');
  });

  test('counts the conversion that a webhook of the bundle serves', async () => {
    const versions = (storage: string): object =>
      makeCrd({
        versions: ['v1', 'v2'].map((name) => ({
          name,
          served: true,
          storage: name === storage,
          schema: { openAPIV3Schema: { type: 'object', properties: { [name]: { type: 'string' } } } },
        })),
      }) as object;
    const webhook = { ...WEBHOOK, type: 'ConversionWebhook', conversionCRDs: ['gadgets.example.com'] };
    for (const [name, webhookdefinitions] of Object.entries({ alone: [], converted: [webhook] })) {
      workplace().write(makeFiles({ objects: [versions('v1')], spec: { webhookdefinitions } }), `${name}-old`);
      workplace().write(makeFiles({ objects: [versions('v2')], spec: { webhookdefinitions } }), `${name}-new`);
    }
    const codeOf = async (name: string): Promise<number> =>
      (await workplace().run('crd', 'diff', `${name}-old`, `${name}-new`)).code;
    expect([await codeOf('alone'), await codeOf('converted')]).toEqual([2, 0]);
  });

  test('refuses a file without a CRD', async () => {
    expect((await workplace().run('crd', 'diff', 'none.yaml', 'v1.0.0')).stderr).toMatch(/^slipway: InputInvalid: /);
  });
});
