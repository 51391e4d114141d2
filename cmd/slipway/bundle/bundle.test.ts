import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orderObjects } from '../../../apply/phases.ts';
import type { KubeObject } from '../../../api/object.ts';
import { makeCrd, makeFiles } from '../../../bundles/testing/bundle.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { renderBundle } from '../../../bundles/render/render.ts';
import { parseYaml } from '../../../bundles/yaml.ts';
import { pullFiles } from '../../../oci/image.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { createRegistry } from '../../../oci/registry.ts';
import { useWorkplace } from '../testing/slipway.ts';

const workplace = useWorkplace();
let registry: FakeRegistry;

const WEBHOOK = {
  type: 'ValidatingAdmissionWebhook',
  generateName: 'gadgets.example.com',
  deploymentName: 'gadget-manager',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  rules: [{ operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['gadgets'] }],
};
const GOOD = makeFiles({
  modes: ['AllNamespaces', 'SingleNamespace', 'MultiNamespace'],
  spec: {
    webhookdefinitions: [WEBHOOK],
    customresourcedefinitions: { owned: [{ name: 'gadgets.example.com', version: 'v1', kind: 'Gadget' }] },
  },
  clusterPermissions: [
    { serviceAccountName: 'gadget', rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  ],
  objects: [makeCrd(), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }],
});
const BAD = makeFiles({ deployments: [], spec: { install: { strategy: 'helm' } } });
const BROKEN = makeFiles({ files: { 'manifests/broken.yaml': 'a: [' } });

beforeAll(async () => {
  registry = await startFakeRegistry();
  workplace().write(GOOD, 'good');
  workplace().write(BAD, 'bad');
  workplace().write(BROKEN, 'broken');
});
afterAll(() => registry.close());

describe('bundle validate', () => {
  interface Report {
    readonly valid: boolean;
    readonly errors: number;
    readonly warnings: number;
    readonly findings: readonly { readonly level: string; readonly check: string; readonly file?: string }[];
  }

  test.each([
    { because: 'nothing keeps it from being installed', args: ['good', '--suite', 'install'], code: 0 },
    { because: 'warnings are advice', args: ['good', '--suite', 'operatorhub', '--suite', 'good-practices'], code: 2 },
    { because: 'advice alone is no error', args: ['good', '--suite', 'good-practices'], code: 0 },
    { because: 'warnings count where asked to', args: ['good', '--suite', 'good-practices', '--strict'], code: 2 },
    { because: 'it cannot be installed', args: ['bad', '--suite', 'install'], code: 2 },
    { because: 'it cannot be read', args: ['broken'], code: 2 },
    { because: 'nothing was judged', args: ['missing'], code: 1 },
  ])('ends with $code: $because', async ({ args, code }) => {
    expect((await workplace().run('bundle', 'validate', ...args)).code).toBe(code);
  });

  test.each([
    { because: 'it holds versions', source: 'versions', named: ['versions/1.0.0', 'versions/1.1.0'] },
    { because: 'it is a part of one', source: 'versions/1.0.0/manifests', named: ['Name ', 'versions/1.0.0\n'] },
    { because: 'nothing is near', source: 'empty', named: ['Name the folder that holds manifests/ and metadata/'] },
  ])('names the folder that may have been meant: $because', async ({ source, named }) => {
    workplace().write(GOOD, 'versions/1.0.0');
    workplace().write(GOOD, 'versions/1.1.0');
    workplace().write(new Map([['README.md', '']]), 'empty');
    const { code, stdout, stderr } = await workplace().run('bundle', 'validate', source);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`slipway: InputInvalid: ${join(workplace().folder, source)} is no folder of a bundle`);
    for (const text of named) expect(stderr).toContain(text);
  });

  test.each([
    { source: 'nonexistent/foo', isPath: false },
    { source: 'team/operator:v1.0.0', isPath: false },
    { source: 'nonexistent', isPath: false },
    { source: './nonexistent/foo', isPath: true },
    { source: '~/nonexistent', isPath: true },
    { source: 'registry.example/', isPath: true },
  ])('asks no registry that is not named: $source', async ({ source, isPath }) => {
    const { code, stderr } = await workplace().run('bundle', 'validate', source);
    expect(code).toBe(1);
    expect(stderr).toContain(`InputInvalid: there is no folder "${source}"`);
    expect(stderr.includes('it names no image with its registry')).toBe(!isPath);
    expect(stderr).toContain('registry.example/team/operator:v1.0.0');
  });

  test('judges by the rules of OpenShift where they are asked for, or its labels are given', async () => {
    workplace().write(makeFiles({ objects: [BETA] }), 'beta');
    workplace().write(new Map([['Dockerfile', 'FROM scratch\n']]));
    const checks = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await workplace().json<Report>('bundle', 'validate', 'beta', ...args)).findings.map(({ check }) => check);
    expect(await checks()).not.toContain('max-openshift-version');
    expect(await checks('--suite', 'community')).toContain('max-openshift-version');
    expect(await checks('--dockerfile', 'Dockerfile')).toContain('openshift-label');
  });

  test('reports each finding with its place and its remedy', async () => {
    const report = await workplace().json<Report>('bundle', 'validate', 'bad');
    expect(report).toMatchObject({ source: 'bad', package: 'gadget-operator', version: '1.0.0', valid: false });
    expect(report.findings).toHaveLength(report.errors + report.warnings);
    const first = report.findings.find(({ level }) => level === 'error');
    expect(first).toMatchObject({
      file: 'manifests/csv.yaml',
      message: expect.any(String),
      advice: expect.any(String),
    });
    const { stdout } = await workplace().run('bundle', 'validate', 'bad');
    for (const { check } of report.findings) expect(stdout).toContain(`(${check})`);
    expect(stdout).toMatch(/\n\d+ errors?, \d+ warnings?\n$/);
  });

  test('prints errors first, then warnings, each once, and then how many there are', async () => {
    workplace().write(makeFiles({ objects: [OLD_CRD] }), 'old-crd');
    const { stdout } = await workplace().run('bundle', 'validate', 'old-crd');
    const levels = [...stdout.matchAll(/^(error|warning): /gm)].map(([, level = '']) => level);
    expect(levels.join(' ')).toMatch(/^(?:error )+(?:warning ?)+$/);
    expect(new Set(levels)).toEqual(new Set(['error', 'warning']));
    expect(stdout.match(/apiVersion: .*1\.22/g)).toHaveLength(1);
    const { errors, warnings } = await workplace().json<Report>('bundle', 'validate', 'old-crd');
    expect({ errors, warnings }).toEqual({
      errors: levels.filter((level) => level === 'error').length,
      warnings: levels.filter((level) => level === 'warning').length,
    });
    expect(stdout.endsWith(`\n\n${errors} errors, ${warnings} warnings\n`)).toBe(true);
  });

  test.each([
    { because: 'it is a terminal', options: { columns: 100 }, args: [], coloured: true },
    { because: 'it is piped', options: {}, args: [], coloured: false },
    { because: 'NO_COLOR is set', options: { columns: 100, variables: { NO_COLOR: '1' } }, args: [], coloured: false },
    { because: 'it is asked for', options: {}, args: ['--color', 'always'], coloured: true },
  ])('colours what it prints only when that is wanted: $because', async ({ options, args, coloured }) => {
    const { stdout } = await workplace().runWith(options, 'bundle', 'validate', 'bad', ...args);
    expect(stdout).toContain('error');
    expect(stdout.includes('\u001B[')).toBe(coloured);
  });

  test('breaks long findings at the width of the terminal, and not in a pipe', async () => {
    const { stdout: wide } = await workplace().run('bundle', 'validate', 'bad');
    const { stdout: narrow } = await workplace().runWith(
      { columns: 60, variables: { NO_COLOR: '1' } },
      'bundle',
      'validate',
      'bad',
    );
    expect(wide.split('\n').some((line) => line.length > 60)).toBe(true);
    const words = narrow
      .split('\n')
      .filter((line) => line.length > 60)
      .map((line) => line.trim().split(' ').length);
    expect(words.every((number) => number === 1)).toBe(true);
    expect(narrow.split(/\s+/)).toEqual(wide.split(/\s+/));
  });

  test('an unreadable file is a finding, with its place', async () => {
    const report = await workplace().json<Report>('bundle', 'validate', 'broken');
    expect(report).toMatchObject({
      valid: false,
      errors: 1,
      warnings: 0,
      findings: [{ level: 'error', check: 'readable' }],
    });
    expect(JSON.stringify(report.findings)).toContain('manifests/broken.yaml');
  });

  test('considers the version of Kubernetes, categories and the Dockerfile', async () => {
    workplace().write(makeFiles({ metadata: { annotations: { categories: 'Toys' } }, objects: [BUDGET] }), 'old');
    workplace().write(new Map([['Dockerfile', 'FROM scratch\nLABEL com.redhat.openshift.versions="v4.6-v4.8"\n']]));
    const checks = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await workplace().json<Report>('bundle', 'validate', 'old', ...args)).findings
        .filter(({ level }) => level === 'error')
        .map(({ check }) => check);
    expect(await checks()).toContain('categories');
    expect(await checks('--category', 'Toys')).not.toContain('categories');
    expect(await checks('--kubernetes-version', '1.25')).toContain('removed-apis');
    expect((await workplace().run('bundle', 'validate', 'old', '--dockerfile', 'Dockerfile')).code).toBe(2);
    expect((await workplace().run('bundle', 'validate', 'old', '--dockerfile', 'nowhere')).code).toBe(1);
  });
});

const OLD_CRD = { ...(makeCrd() as object), apiVersion: 'apiextensions.k8s.io/v1beta1' };

const BETA = {
  apiVersion: 'rbac.authorization.k8s.io/v1beta1',
  kind: 'Role',
  metadata: { name: 'gadget' },
  rules: [],
};

const BUDGET = {
  apiVersion: 'policy/v1beta1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'gadget' },
  spec: { minAvailable: 1, selector: {} },
};

describe('an object that its CRD in the bundle refuses', () => {
  const schema = { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec: { type: 'object' } } } };
  const crd = makeCrd({ versions: [{ name: 'v1', served: true, storage: true, schema }] });
  const gadget = (name: string, fields: object): object => ({
    apiVersion: 'example.com/v1',
    kind: 'Gadget',
    metadata: { name },
    ...fields,
  });

  beforeAll(() => {
    const objects = [crd, gadget('good', { spec: {} }), gadget('bad', {})];
    workplace().write(makeFiles({ modes: ['AllNamespaces'], objects }), 'sampled');
  });

  test('is a warning of validate, with its file, and only if the installation is judged', async () => {
    const args = ['bundle', 'validate', 'sampled'] as const;
    const { findings } = await workplace().json<{ findings: { check: string; file?: string }[] }>(...args);
    const found = findings.filter(({ check }) => check === 'own-objects');
    expect(found).toMatchObject([{ level: 'warning', object: 'Gadget.example.com bad' }]);
    expect(found[0]?.file).toMatch(/^manifests\//);
    const others = await workplace().json<{ findings: { check: string }[] }>(...args, '--suite', 'good-practices');
    expect(others.findings.map(({ check }) => check)).not.toContain('own-objects');
  });

  test('render leaves it out of its output, and names it', async () => {
    const { stdout, stderr } = await workplace().run('bundle', 'render', 'sampled', '--namespace', 'ops', '-o', 'json');
    const objects = JSON.parse(stdout) as readonly KubeObject[];
    expect(objects.filter(({ kind }) => kind === 'Gadget').map(({ metadata }) => metadata.name)).toEqual(['good']);
    expect(objects.at(-1)?.kind).toBe('Gadget');
    expect(stderr).toContain('Gadget.example.com ops/bad is left out, since its CRD refuses it');
  });
});

describe('bundle render', () => {
  const render = (...args: readonly string[]): Promise<readonly KubeObject[]> =>
    workplace().json('bundle', 'render', 'good', '--namespace', 'toys', ...args);

  test.each([
    { because: 'all namespaces are watched', args: [], watch: undefined, certificates: 'none' },
    { because: 'all are, by name', args: ['--watch-namespace', ''], watch: [''], certificates: 'none' },
    { because: 'one is watched', args: ['--watch-namespace', 'a'], watch: ['a'], certificates: 'none' },
    {
      because: 'several are watched',
      args: ['--watch-namespace', 'a', '--watch-namespace', 'b'],
      watch: ['a', 'b'],
      certificates: 'none',
    },
    {
      because: 'cert-manager issues',
      args: ['--certificates', 'cert-manager'],
      watch: undefined,
      certificates: 'cert-manager',
    },
    { because: 'the manager issues', args: ['--certificates', 'manager'], watch: undefined, certificates: 'manager' },
  ] as const)(
    'prints exactly the rendered objects, in the order of application: $because',
    async ({ args, watch, certificates }) => {
      const expected = renderBundle(parseBundle(GOOD), {
        namespace: 'toys',
        certificates,
        ...(watch !== undefined && { watchNamespaces: watch }),
      });
      const printed = await render(...args);
      expect(printed).toEqual(orderObjects(expected).flatMap(({ objects }) => objects));
      expect(printed).toHaveLength(expected.length);
    },
  );

  test.each([
    { source: 'good', args: [], isSilent: false, because: 'a webhook would have no certificate' },
    { source: 'good', args: ['--certificates', 'none'], isSilent: true, because: 'none was asked for' },
    { source: 'good', args: ['--certificates', 'manager'], isSilent: true, because: 'there is one' },
    { source: 'uncalled', args: [], isSilent: true, because: 'nothing needs one' },
  ])('has a note about certificates, or none: $because', async ({ source, args, isSilent }) => {
    workplace().write(makeFiles(), 'uncalled');
    const { code, stderr } = await workplace().run('bundle', 'render', source, '--namespace', 'toys', ...args);
    expect(code).toBe(0);
    expect(stderr.includes('--certificates manager shows the objects that a Subscription installs')).toBe(!isSilent);
    expect(stderr === '').toBe(isSilent);
  });

  test('prints the same objects as YAML', async () => {
    const { stdout } = await workplace().run('bundle', 'render', 'good', '--namespace', 'toys');
    expect(parseYaml(stdout).map(({ value }) => value)).toEqual(await render());
  });

  test('changes the Deployments by the file of the configuration', async () => {
    workplace().write(
      new Map([['config.yaml', 'replicas: 3\ndeployments:\n- name: gadget-manager\n  args: [--verbose]\n']]),
    );
    const deployment = (await render('--config', 'config.yaml')).find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({
      spec: { replicas: 3, template: { spec: { containers: [{ args: ['--verbose'] }] } } },
    });
  });

  test.each([
    { because: 'a field that is not', config: 'replica: 3', reason: 'InputInvalid' },
    {
      because: 'a field that is not, deeper',
      config: 'deployments: [{name: gadget-manager, replica: 3}]',
      reason: 'InputInvalid',
    },
    { because: 'a value out of bounds', config: 'replicas: -1', reason: 'InputInvalid' },
    { because: 'broken YAML', config: 'replicas: [', reason: 'InputInvalid' },
    { because: 'a list', config: '[]', reason: 'InputInvalid' },
    {
      because: 'a Deployment that the bundle has not',
      config: 'deployments: [{name: other}]',
      reason: 'InvalidConfiguration',
    },
  ])('refuses a configuration with $because', async ({ config, reason }) => {
    workplace().write(new Map([['wrong.yaml', config]]));
    const { code, stdout, stderr } = await workplace().run(
      'bundle',
      'render',
      'good',
      '--namespace',
      'toys',
      '--config',
      'wrong.yaml',
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`slipway: ${reason}: `);
  });

  test.each([
    { because: 'it cannot be installed', source: 'bad', args: [], reason: 'Bundle' },
    { because: 'it cannot be read', source: 'broken', args: [], reason: 'BundleInvalid' },
    {
      because: 'it is to watch what is no namespace',
      source: 'good',
      args: ['--watch-namespace', 'a b'],
      reason: 'InvalidConfiguration: "a b"',
    },
    {
      because: 'it may not watch its own namespace alone',
      source: 'good',
      args: ['--watch-namespace', 'toys'],
      reason: 'InstallModeUnsupported',
    },
  ])('prints nothing of a bundle where $because', async ({ source, args, reason }) => {
    const { code, stdout, stderr } = await workplace().run('bundle', 'render', source, '--namespace', 'toys', ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`slipway: ${reason}`);
  });
});

describe('the image of a bundle', () => {
  const digestOf = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await workplace().run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^sha256:[0-9a-f]{64}\n/);
    return stdout.slice(0, 71);
  };

  test('has the same digest however it is made, and whatever lies beside the folder', async () => {
    const first = await digestOf('bundle', 'push', 'good', `${registry.host}/team/gadget:v1.0.0`);
    workplace().write(GOOD, 'copy');
    workplace().write(
      new Map([
        ['README.md', 'not a part of it'],
        ['.git/config', 'neither'],
      ]),
      'copy',
    );
    const second = await digestOf('bundle', 'push', 'copy', `${registry.host}/team/gadget:again`);
    const built = await digestOf('bundle', 'build', 'copy', 'layout', '--tag', 'v1.0.0');
    const copied = await digestOf('bundle', 'push', 'layout', `${registry.host}/team/copied:v1.0.0`);
    expect(new Set([first, second, built, copied]).size).toBe(1);
  });

  test('the image has the labels of the annotations', async () => {
    await digestOf('bundle', 'push', 'good', `${registry.host}/team/labelled:v1`);
    const client = createRegistry();
    const { labels, files } = await pullFiles(client, registry.reference('team/labelled:v1'), { folders: [''] });
    client.close();
    expect(labels).toMatchObject({
      'operators.operatorframework.io.bundle.package.v1': 'gadget-operator',
      'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
      'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
    });
    expect([...files.keys()].sort()).toEqual([...GOOD.keys()].sort());
  });

  test('is read like its folder, from a registry and from a layout', async () => {
    const digest = await digestOf('bundle', 'push', 'good', `${registry.host}/team/read:v1`);
    await digestOf('bundle', 'build', 'good', 'read-layout');
    const folder = await workplace().json<object>('bundle', 'inspect', 'good');
    for (const source of [`${registry.host}/team/read:v1`, `${registry.host}/team/read@${digest}`, 'read-layout']) {
      expect(await workplace().json('bundle', 'inspect', source)).toEqual({ ...folder, source, digest });
      const rendered = await workplace().run('bundle', 'render', source, '--namespace', 'toys');
      expect(rendered).toEqual(await workplace().run('bundle', 'render', 'good', '--namespace', 'toys'));
    }
  });

  test('is written into a folder as it was, file by file', async () => {
    const digest = await digestOf('bundle', 'push', 'good', `${registry.host}/team/pulled:v1`);
    const source = `${registry.host}/team/pulled:v1`;
    expect(await workplace().json('bundle', 'pull', source, 'pulled')).toEqual({
      package: 'gadget-operator',
      name: 'gadget-operator.v1.0.0',
      version: '1.0.0',
      reference: `${source}@${digest}`,
      digest,
      folder: 'pulled',
      files: [...GOOD.keys()].sort(),
    });
    for (const [path, bytes] of GOOD) {
      expect(readFileSync(join(workplace().folder, 'pulled', path)).equals(bytes)).toBe(true);
    }
  });

  test('pull never mixes files of the image with existing ones', async () => {
    workplace().write(new Map([['full/mine.txt', 'mine']]));
    await digestOf('bundle', 'push', 'good', `${registry.host}/team/mixed:v1`);
    const { code, stderr } = await workplace().run('bundle', 'pull', `${registry.host}/team/mixed:v1`, 'full');
    expect({ code, files: readdirSync(join(workplace().folder, 'full')) }).toEqual({ code: 1, files: ['mine.txt'] });
    expect(stderr).toContain('InputInvalid');
  });

  test.each([
    { because: 'it cannot be installed', source: 'bad', target: 'team/refused:v1', reason: 'Bundle' },
    { because: 'it cannot be read', source: 'broken', target: 'team/refused:v1', reason: 'BundleInvalid' },
    {
      because: 'a digest follows from the content',
      source: 'good',
      target: `team/refused@sha256:${'0'.repeat(64)}`,
      reason: 'InputInvalid',
    },
    {
      because: 'names of images are in lower case',
      source: 'good',
      target: 'Team/refused:v1',
      reason: 'ReferenceInvalid',
    },
    { because: 'there is nothing to push', source: 'missing', target: 'team/refused:v1', reason: 'InputInvalid' },
  ])('is not pushed: $because', async ({ source, target, reason }) => {
    const before = registry.requests.length;
    const { code, stdout, stderr } = await workplace().run('bundle', 'push', source, `${registry.host}/${target}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`slipway: ${reason}`);
    expect(registry.requests.length).toBe(before);
  });

  test.each([
    { because: 'no tag is named, and latest is not offered', target: 'registry.example/team/gadget' },
    { because: 'no tag is named behind a port', target: 'registry.example:5000/team/gadget' },
    { because: 'no registry is named, which would mean that of Docker', target: 'team/gadget:v1.0.0' },
    { because: 'the tag is another version than the bundle', target: 'registry.example/team/gadget:v1.0.1' },
    { because: 'the tag is a pre-release of the version', target: 'registry.example/team/gadget:1.0.0-rc.1' },
  ])('is not pushed to an image that no Catalog would offer: $because', async ({ target }) => {
    const { code, stderr } = await workplace().run('bundle', 'push', 'good', target);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^slipway: InputInvalid: .+\n {2}\S/) as string }); // prettier-ignore
  });

  test('of another version than its tag is pushed only when the check is left out', async () => {
    await digestOf('bundle', 'push', 'good', `${registry.host}/team/other:v2.0.0`, '--no-check');
  });

  test.each([['push'], ['build']])('is refused by %s with a remedy for each error', async (command) => {
    workplace().write(
      makeFiles({ deployments: [], spec: { install: { strategy: 'helm' } }, objects: [OLD_CRD] }),
      'faults',
    );
    const target = command === 'push' ? `${registry.host}/team/faults:v1` : 'faults-layout';
    const { code, stdout, stderr } = await workplace().run('bundle', command, 'faults', target);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const [first = '', ...lines] = stderr.trimEnd().split('\n');
    const errors = lines.filter((line) => /^ {2}\S/.test(line));
    const remedies = lines.filter((line) => /^ {4}\S/.test(line));
    expect(first).toMatch(/^slipway: Bundle\w+: \d+ errors keep the bundle from being installed$/);
    expect(errors.length).toBeGreaterThan(1);
    expect(remedies).toHaveLength(errors.length);
    expect(new Set(remedies).size).toBeGreaterThan(1);
    expect(lines).toHaveLength(errors.length * 2);
  });

  test('of a bundle that cannot be installed is pushed only when the check is left out', async () => {
    await digestOf('bundle', 'push', 'bad', `${registry.host}/team/bad:v1`, '--no-check');
  });

  test('no image is made of a folder that has an entry other than files and folders', async () => {
    workplace().write(GOOD, 'linked');
    symlinkSync('/', join(workplace().folder, 'linked/manifests/everything'));
    const { code, stderr } = await workplace().run('bundle', 'push', 'linked', `${registry.host}/team/linked:v1`);
    expect(code).toBe(1);
    expect(stderr).toContain('InputInvalid');
  });
});

describe('bundle inspect', () => {
  test('has a stable shape', async () => {
    expect(await workplace().json('bundle', 'inspect', 'good')).toEqual({
      source: 'good',
      package: 'gadget-operator',
      name: 'gadget-operator.v1.0.0',
      version: '1.0.0',
      displayName: 'Gadgets',
      channels: ['stable'],
      skips: [],
      installModes: ['AllNamespaces', 'SingleNamespace', 'MultiNamespace'],
      ownedApis: [{ group: 'example.com', version: 'v1', kind: 'Gadget' }],
      requiredApis: [],
      deployments: ['gadget-manager'],
      webhooks: [{ type: 'ValidatingAdmissionWebhook', name: 'gadgets.example.com' }],
      objects: [
        { kind: 'CustomResourceDefinition.apiextensions.k8s.io', name: 'gadgets.example.com' },
        { kind: 'ConfigMap', name: 'settings' },
      ],
      properties: [],
      dependencies: [],
      images: ['quay.io/example/gadget:v1'],
    });
  });

  test('has one line for each fact, for people', async () => {
    const { stdout } = await workplace().run('bundle', 'inspect', 'good');
    expect(stdout).toContain('Package:       gadget-operator\n');
    expect(stdout).toContain('Owns:          Gadget example.com/v1\n');
  });
});
