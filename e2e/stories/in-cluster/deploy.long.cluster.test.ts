/** What stands in deploy/ in several forms is one thing: held against each other by the tools that people use. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reaches, type Egress } from '../../../scripts/network-policy.ts';
import { provideBinaries, type Binaries } from '../../cluster/binaries.ts';
import { runTool } from '../../cluster/run-tool.ts';
import { CHECK_PROGRAMS } from '../../cluster/tools.ts';
import { ROOT } from '../../lib/manager.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Record<string, unknown>;
}

const deploy = join(ROOT, 'deploy');
let binaries: Binaries;
let folder: string;

beforeAll(async () => {
  binaries = await provideBinaries(['kubectl', ...CHECK_PROGRAMS], () => undefined);
  folder = mkdtempSync(join(tmpdir(), 'slipway-deploy-'));
}, 1_800_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, ...args: readonly string[]): Promise<string> {
  return runTool(binaries.get(program)!, { args, env: { HOME: folder, PATH: process.env['PATH'] ?? '' } });
}

function objectsOf(text: string): ReadonlyMap<string, Manifest> {
  const objects = (loadAll(text) as (Manifest | null)[]).filter((object) => object !== null);
  return new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
}

function installed(): ReadonlyMap<string, Manifest> {
  return objectsOf(readFileSync(join(deploy, 'install.yaml'), 'utf8'));
}

function without(objects: ReadonlyMap<string, Manifest>, ...kinds: readonly string[]): ReadonlyMap<string, Manifest> {
  return new Map([...objects].filter(([, { kind }]) => !kinds.includes(kind)));
}

test('install.yaml is the output of kustomize for the overlay with everything', async () => {
  expect(objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays/all')))).toEqual(installed());
});

test('the overlay with one replica replaces its Pod, and nothing else of it differs', async () => {
  const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays/single-replica')));
  expect(without(made, 'Deployment')).toEqual(without(installed(), 'Deployment', 'PodDisruptionBudget'));
  expect(made.get('Deployment/slipway-manager')?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
});

test('the overlay for a private registry takes the image from there', async () => {
  const text = await run('kubectl', 'kustomize', join(deploy, 'overlays/private-registry'));
  expect(text).toContain('image: registry.example/platform/slipway-manager:');
  expect(text).not.toContain('slipway.dev/manager:');
});

test('the strict overlay names the namespaces of clients, blocks link-local addresses, and changes nothing else', async () => {
  const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays/strict')));
  expect(without(made, 'NetworkPolicy')).toEqual(without(installed(), 'NetworkPolicy'));
  const { ingress, egress } = made.get('NetworkPolicy/slipway-manager')!.spec as {
    readonly ingress: readonly { readonly from?: readonly object[] }[];
    readonly egress: readonly Egress[];
  };
  expect(ingress.map(({ from }) => from?.length)).toEqual([1]);
  for (const port of [80, 443, 8080]) {
    expect(reaches(egress, '169.254.169.254', port)).toBe(false);
    expect(reaches(egress, '203.0.113.7', port)).toBe(true);
  }
});

test('the overlay without the policy about accounts lacks nothing else', async () => {
  const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays/without-policy')));
  const kinds = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];
  expect([...installed().values()].filter(({ kind }) => kinds.includes(kind))).toHaveLength(2);
  expect(made).toEqual(without(installed(), ...kinds));
});

test('the overlay for tokens of clients turns them on, with the right to review them, and changes nothing else', async () => {
  const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays/catalog-auth')));
  expect(made.has('ClusterRoleBinding/slipway-manager-token-review')).toBe(true);
  const rest = without(without(made, 'ClusterRoleBinding'), 'Deployment');
  expect(rest).toEqual(without(without(installed(), 'ClusterRoleBinding'), 'Deployment'));
  expect(JSON.stringify(made.get('Deployment/slipway-manager'))).toContain('"SLIPWAY_CATALOG_AUTH","value":"token"');
});

/** Of the versions of OLM whose operators the manager may adopt. */
const ADOPTIONS = [
  { overlay: 'adoption-olm-v0', value: 'adoption.olmV0' },
  { overlay: 'adoption-olm-v1', value: 'adoption.olmV1' },
];

test.each(ADOPTIONS)(
  '$overlay gives the manager rights on objects of OLM, and changes nothing else',
  async ({ overlay }) => {
    const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays', overlay)));
    expect(made.has(`ClusterRole/slipway-manager-${overlay}`)).toBe(true);
    const roles = ['ClusterRole', 'ClusterRoleBinding'];
    expect(without(made, ...roles)).toEqual(without(installed(), ...roles));
    expect(made.size).toBe(installed().size + 2);
  },
);

test('the parts of overlays are added to a kustomization beside these, each without the whole', async () => {
  const parts = ['../../console', ...ADOPTIONS.map(({ overlay }) => `../../rights/${overlay}`)];
  const mine = mkdtempSync(join(deploy, 'overlays/test-'));
  try {
    writeFileSync(join(mine, 'kustomization.yaml'), JSON.stringify({ resources: ['../single-replica', ...parts] }));
    const made = objectsOf(await run('kubectl', 'kustomize', mine));
    expect(made.has('Deployment/slipway-console')).toBe(true);
    for (const { overlay } of ADOPTIONS) expect(made.has(`ClusterRoleBinding/slipway-manager-${overlay}`)).toBe(true);
  } finally {
    rmSync(mine, { recursive: true });
  }
});

describe('the chart', () => {
  test.each(ADOPTIONS)('gives with $value the rights that $overlay gives', async ({ overlay, value }) => {
    const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays', overlay)));
    const rendered = objectsOf(await template('--include-crds', '--set', `${value}=true`));
    expect(Object.fromEntries(rendered)).toEqual(Object.fromEntries(without(made, 'Namespace')));
  });

  test('asks for tokens of clients as the overlay does', async () => {
    const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays/catalog-auth')));
    const rendered = objectsOf(await template('--include-crds', '--set', 'catalogAuth=token'));
    expect(Object.fromEntries(rendered)).toEqual(Object.fromEntries(without(made, 'Namespace')));
  });

  test('has the console of the overlay if that is wanted, and nothing of it otherwise', async () => {
    const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays/console')));
    const text = await template('--include-crds', '--set', 'console.enabled=true');
    const rendered = objectsOf(text.replace(/^ +annotations:\n(?: +#.*\n)? +checksum\/settings: \w+\n/m, ''));
    expect(Object.fromEntries(rendered)).toEqual(Object.fromEntries(without(made, 'Namespace')));
    expect([...installed().keys()].filter((key) => key.includes('console'))).toEqual([]);
    expect(await template()).not.toContain('slipway-console');
  });

  test('renders every value of the console that users can set', async () => {
    const chosen = [
      'enabled=true',
      'replicas=2',
      'sessionsSecret=mine',
      'loginSecret=other',
      'settings.SLIPWAY_CONSOLE_READ_ONLY=true',
      'clients[0].podSelector.matchLabels.app=proxy',
    ];
    const rendered = objectsOf(await template(...chosen.flatMap((choice) => ['--set', `console.${choice}`])));
    expect(rendered.get('Deployment/slipway-console')?.spec).toMatchObject({ replicas: 2 });
    const text = JSON.stringify([...rendered.values()]);
    for (const word of [
      '"secretName":"mine"',
      '"secretName":"other"',
      '"SLIPWAY_CONSOLE_READ_ONLY":"true"',
      '"app":"proxy"',
    ])
      expect(text).toContain(word);
  });

  test.each([
    { clients: [{ namespaceSelector: {} }], rules: 1, because: 'all are admitted' },
    { clients: [], rules: 0, because: 'none is, which is not the empty list of a rule' },
  ])('admits the clients of its value and no others: $because', async ({ clients, rules }) => {
    const rendered = objectsOf(await template('--set-json', `clients=${JSON.stringify(clients)}`));
    const { ingress } = rendered.get('NetworkPolicy/slipway-manager')!.spec as { readonly ingress: readonly object[] };
    expect(ingress).toHaveLength(rules);
    for (const rule of ingress) expect(rule).toMatchObject({ from: clients });
  });

  test.each([
    { values: { clients: [] }, rules: 1, because: 'browsers are, and Prometheus is not' },
    { values: { console: { clients: [] } }, rules: 1, because: 'Prometheus is, and browsers are not' },
    { values: { clients: [], console: { clients: [] } }, rules: 0, because: 'none is' },
  ])('admits no Pod to the console by an empty list: $because', async ({ values, rules }) => {
    const choices = Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    const flags = choices.flatMap((choice) => ['--set-json', choice]);
    const rendered = objectsOf(await template('--set', 'console.enabled=true', ...flags));
    const { ingress } = rendered.get('NetworkPolicy/slipway-console')!.spec as {
      readonly ingress: readonly { readonly from?: readonly object[] }[] | null;
    };
    expect(ingress ?? []).toHaveLength(rules);
    for (const rule of ingress ?? []) expect(rule.from?.length).toBeGreaterThan(0);
  });

  const template = (...args: readonly string[]): Promise<string> =>
    run('helm', 'template', 'slipway', join(deploy, 'chart'), '--namespace', 'slipway-system', ...args);

  test('is without findings of the linter', async () => {
    expect(await run('helm', 'lint', '--strict', join(deploy, 'chart'))).toContain('0 chart(s) failed');
  });

  test('renders install.yaml, but for the namespace, which Helm makes', async () => {
    const rendered = objectsOf(await template('--include-crds'));
    expect(rendered).toEqual(new Map([...without(installed(), 'Namespace')].filter(([key]) => rendered.has(key))));
    expect([...rendered.keys()].sort()).toEqual([...without(installed(), 'Namespace').keys()].sort());
  });

  test('puts everything into the namespace of the release', async () => {
    const elsewhere = await run('helm', 'template', 'x', join(deploy, 'chart'), '--namespace', 'elsewhere');
    expect(elsewhere).not.toContain('slipway-system');
    expect(elsewhere).toContain('namespace: elsewhere');
  });

  test('with one replica is the overlay with one replica', async () => {
    const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays/single-replica')));
    const rendered = objectsOf(await template('--include-crds', '--set', 'replicas=1'));
    expect(Object.fromEntries(rendered)).toEqual(Object.fromEntries(without(made, 'Namespace')));
  });

  test('has the policy about accounts, about the manager of the release', async () => {
    const namespace = 'elsewhere';
    const rendered = objectsOf(await run('helm', 'template', 'x', join(deploy, 'chart'), '--namespace', namespace));
    const text = (await run('kubectl', 'kustomize', join(deploy, 'policies'))).replaceAll('slipway-system', namespace);
    const policies = objectsOf(text);
    expect(policies.size).toBe(2);
    expect(new Map([...rendered].filter(([key]) => policies.has(key)))).toEqual(policies);
  });

  test('without the policy about accounts is the overlay without it', async () => {
    const made = objectsOf(await run('kubectl', 'kustomize', join(deploy, 'overlays/without-policy')));
    const rendered = objectsOf(await template('--include-crds', '--set', 'requireAccounts=false'));
    expect(Object.fromEntries(rendered)).toEqual(Object.fromEntries(without(made, 'Namespace')));
  });

  test('is refused if the API server has no such policies: every user who may subscribe would be an administrator', async () => {
    await expect(template('--kube-version', '1.29.9')).rejects.toThrow('chart requires kubeVersion: >=1.30.0-0');
  });

  test.each([
    { choice: 'image.tag=20241128', at: '/image/tag', because: 'a number of a file is rendered as 2.0241128e+07' },
    { choice: 'image.digest=1.2.3', at: '/image/digest', because: 'a tag is no digest' },
    { choice: 'catalogAuth=tokens', at: '/catalogAuth', because: 'the Pods would end at once' },
    { choice: 'replicas=two', at: '/replicas', because: 'it is no number' },
    { choice: 'requireAccount=false', at: "'requireAccount'", because: 'a misspelt name would do nothing' },
    { choice: 'console.enable=true', at: "'enable'", because: 'a misspelt name would do nothing' },
    { choice: 'env[0].name=SLIPWAY_PLAIN_HTTP', at: '/env/0/name', because: 'the chart sets it by plainHttp' },
  ])('refuses $choice: $because', async ({ choice, at }) => {
    await expect(template('--set', choice)).rejects.toThrow(at);
  });

  test.each(['resources', 'clients', 'env', 'dataSize', 'logLevel', 'catalogAuth', 'image.tag', 'image.digest'])(
    'takes null for %s, which means nothing, or the default',
    async (value) => expect(objectsOf(await template('--set', `${value}=null`)).size).toBeGreaterThan(5),
  );

  test('renders every value that users can set', async () => {
    const chosen = [
      'image.digest=sha256:abc',
      'image.pullSecrets[0].name=creds',
      'plainHttp={a:1,b:2}',
      'logLevel=debug',
      'nodeSelector.disk=ssd',
      'env[0].name=SLIPWAY_CONCURRENCY',
      'env[0].value=many',
    ];
    const text = await template(...chosen.flatMap((choice) => ['--set', choice]));
    const deployment = objectsOf(text).get('Deployment/slipway-manager');
    expect(deployment?.spec?.['template']).toMatchObject({
      spec: {
        imagePullSecrets: [{ name: 'creds' }],
        nodeSelector: { disk: 'ssd', 'kubernetes.io/os': 'linux' },
        containers: [
          {
            image: 'slipway.dev/manager@sha256:abc',
            env: expect.arrayContaining([
              { name: 'SLIPWAY_PLAIN_HTTP', value: 'a:1,b:2' },
              { name: 'SLIPWAY_LOG_LEVEL', value: 'debug' },
              { name: 'SLIPWAY_CONCURRENCY', value: 'many' },
            ]),
          },
        ],
      },
    });
  });
});

describe('the alerts', () => {
  beforeAll(() => {
    const { spec } = load(readFileSync(join(deploy, 'monitoring/rules.yaml'), 'utf8')) as Manifest;
    writeFileSync(join(folder, 'rules.yaml'), JSON.stringify(spec));
    writeFileSync(join(folder, 'rules.test.yaml'), readFileSync(join(deploy, 'monitoring/rules.test.yaml')));
  });

  test('are without findings of promtool', async () => {
    expect(await run('promtool', 'check', 'rules', '--lint=all', '--lint-fatal', join(folder, 'rules.yaml'))).toContain(
      'SUCCESS: 18 rules',
    );
  });

  test('fire when they should, and not before', async () => {
    expect(await run('promtool', 'test', 'rules', join(folder, 'rules.test.yaml'))).toContain('SUCCESS');
  });

  test('and the dashboard ask in a language that Prometheus understands', async () => {
    const { panels } = JSON.parse(readFileSync(join(deploy, 'monitoring/dashboard.json'), 'utf8')) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    };
    const rules = panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }, index) => ({ record: `panel_${index}`, expr }));
    writeFileSync(join(folder, 'panels.yaml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    expect(await run('promtool', 'check', 'rules', join(folder, 'panels.yaml'))).toContain(`${rules.length} rules`);
  });
});
