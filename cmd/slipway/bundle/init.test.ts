import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NAMESPACE, deployment, gadgetYaml } from '../../../bundles/author/testing/gadget-source.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { buildImage, pushImage } from '../../../oci/build.ts';
import { parseReference } from '../../../oci/reference.ts';
import { createRegistry } from '../../../oci/registry.ts';
import { useWorkplace, type Finished } from '../testing/slipway.ts';

const workplace = useWorkplace();

interface Report {
  readonly package: string;
  readonly name: string;
  readonly installModes: readonly string[];
  readonly files: readonly { readonly path: string; readonly change: string }[];
  readonly placements: readonly object[];
  readonly errors: number;
  readonly findings: readonly { readonly level: string; readonly check: string; readonly object: string }[];
}

/** Runs `bundle init` with YAML at stdin. */
function init(folder: string, input: string, ...args: readonly string[]): Promise<Finished> {
  return workplace().runWith({ input }, 'bundle', 'init', folder, '--from', '-', ...args);
}

async function report(folder: string, input: string, ...args: readonly string[]): Promise<Report> {
  const { stdout, stderr } = await init(folder, input, ...args, '-o', 'json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Report;
}

const changesOf = ({ files }: Report): readonly string[] => [...new Set(files.map(({ change }) => change))];
const read = (path: string): string => readFileSync(join(workplace().folder, path), 'utf8');
const write = (path: string, text: string): void => writeFileSync(join(workplace().folder, path), text);
const MINE = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\ndata:\n  by: hand\n';
const CSV = 'manifests/gadget.clusterserviceversion.yaml';

describe('bundle init', () => {
  test('writes a bundle that can be validated and pushed, from stdin', async () => {
    const first = await init('plain/gadget', gadgetYaml());
    expect({ ...first, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(first.stdout).toContain('gadget.v1.2.0, for AllNamespaces: wrote to plain/gadget 8 files: 8 created');
    const { code } = await workplace().run(
      'bundle',
      'validate',
      'plain/gadget',
      '--suite',
      'install',
      '--suite',
      'format',
    );
    expect(code).toBe(0);
    expect((await workplace().run('bundle', 'build', 'plain/gadget', 'plain/image')).code).toBe(0);
    expect(read('plain/gadget/Dockerfile')).toContain(
      'LABEL operators.operatorframework.io.bundle.package.v1=gadget\n',
    );
  });

  test('reads every file of a folder, and of its folders', async () => {
    workplace().write(
      new Map([
        ['one.yaml', gadgetYaml({ settings: undefined })],
        ['deep/two.json', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two"}}'],
        ['README.md', '# {{'],
      ]),
      'config',
    );
    const { code, stdout } = await workplace().run('bundle', 'init', 'from-folder', '--from', 'config');
    expect(code).toBe(0);
    expect(stdout).toMatch(/ConfigMap two +manifests\//);
  });

  test('changes nothing in a second run, not even the times of files', async () => {
    await init('again/gadget', gadgetYaml());
    const before = timesOf('again/gadget');
    expect(changesOf(await report('again/gadget', gadgetYaml()))).toEqual(['unchanged']);
    expect(timesOf('again/gadget')).toEqual(before);
  });

  test('keeps edits, comments and names of files where the source says nothing else', async () => {
    await init('edited/gadget', gadgetYaml());
    const csv = `# reviewed by the team\n${read(`edited/gadget/${CSV}`).replace('displayName: Gadget\n', 'displayName: The gadgets\n')}`;
    write(`edited/gadget/${CSV}`, csv);
    write('edited/gadget/manifests/mine.yaml', read('edited/gadget/manifests/settings.configmap.yaml'));
    rmSync(join(workplace().folder, 'edited/gadget/manifests/settings.configmap.yaml'));
    write('edited/gadget/Dockerfile', `# ours\n${read('edited/gadget/Dockerfile')}COPY tests /tests/\n`);
    expect(changesOf(await report('edited/gadget', gadgetYaml()))).toEqual(['unchanged']);
    expect(read(`edited/gadget/${CSV}`)).toBe(csv);
    const changed = await report('edited/gadget', gadgetYaml(), '--channel', 'fast', '--channel', 'stable');
    expect(changed.files.filter(({ change }) => change === 'changed').map(({ path }) => path)).toEqual([
      'metadata/annotations.yaml',
      'Dockerfile',
    ]);
    expect(read('edited/gadget/Dockerfile')).toMatch(/^# ours\n[^]*channels.v1=fast,stable\n[^]*COPY tests/);
  });

  test('makes the next version replace the one in the folder', async () => {
    await init('next/gadget', gadgetYaml());
    const { name } = await report('next/gadget', gadgetYaml(), '--version', '1.3.0');
    expect(name).toBe('gadget.v1.3.0');
    expect(read(`next/gadget/${CSV}`)).toContain('replaces: gadget.v1.2.0');
    await init('next/gadget', gadgetYaml());
    expect(read(`next/gadget/${CSV}`)).toMatch(
      /replaces: gadget.v1.2.0[^]*version: 1.3.0|version: 1.3.0[^]*replaces: gadget.v1.2.0/,
    );
    await init('next/gadget', gadgetYaml(), '--replaces', '');
    expect(read(`next/gadget/${CSV}`)).not.toContain('replaces');
  });

  test('names manifests that the source no longer has, and removes them on request', async () => {
    await init('fewer/gadget', gadgetYaml());
    const less = gadgetYaml({ settings: undefined });
    const kept = await report('fewer/gadget', less);
    expect(kept.findings).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        check: 'leftover-file',
        object: 'manifests/settings.configmap.yaml',
      }),
    );
    const pruned = await report('fewer/gadget', less, '--prune');
    expect(pruned.files).toContainEqual({ path: 'manifests/settings.configmap.yaml', change: 'removed' });
    expect(existsSync(join(workplace().folder, 'fewer/gadget/manifests/settings.configmap.yaml'))).toBe(false);
  });

  test.each<{ because: string; file: string; change: (text: string) => string; names: string }>([
    {
      because: 'behind the object of the source',
      file: 'settings.configmap.yaml',
      change: (text) => `${text}---\n${MINE}`,
      names: 'manifests/settings.configmap.yaml: ConfigMap mine',
    },
    {
      because: 'before it, and the source changes its object',
      file: 'settings.configmap.yaml',
      change: (text) => `${MINE}---\n${text.replace('kind: ConfigMap', 'kind: ConfigMap\nimmutable: true')}`,
      names: 'manifests/settings.configmap.yaml: ConfigMap mine',
    },
    {
      because: 'with the ClusterServiceVersion',
      file: CSV.slice('manifests/'.length),
      change: (text) => `${text}---\n${MINE}`,
      names: `${CSV}: ConfigMap mine`,
    },
    {
      because: 'in place of it, under the name that its file would have',
      file: 'settings.configmap.yaml',
      change: () => MINE,
      names: 'manifests/settings.configmap.yaml',
    },
  ])('keeps an object that a person has added, and names it: $because', async ({ because, file, change, names }) => {
    const folder = `added/${because.length}/gadget`;
    await init(folder, gadgetYaml());
    const path = `${folder}/manifests/${file}`;
    write(path, change(read(path)));
    const { findings } = await report(folder, gadgetYaml());
    expect(read(path)).toContain('by: hand');
    expect(findings).toContainEqual(expect.objectContaining({ check: 'leftover-file', object: names }));
    const all = readdirSync(join(workplace().folder, folder, 'manifests')).map((one) =>
      read(`${folder}/manifests/${one}`),
    );
    expect(all.join('').match(/^  name: settings$/gm), 'the object of the source, once').toHaveLength(1);
    expect(all.join('')).not.toContain('immutable');
    expect(changesOf(await report(folder, gadgetYaml())), 'in the run after that').toEqual(['unchanged']);
  });

  test.each(['{x: 1}', '[1, 2]'])('refuses an annotation that is no text rather than rewrite it: %s', async (value) => {
    const path = 'odd/gadget/metadata/annotations.yaml';
    await init('odd/gadget', gadgetYaml());
    const text = `${read(path)}  mine: ${value}\n`;
    write(path, text);
    const { code, stderr } = await init('odd/gadget', gadgetYaml());
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('BundleInvalid') });
    expect(read(path)).toBe(text);
    rmSync(join(workplace().folder, path));
  });

  test('writes nothing through a link of the folder', async () => {
    workplace().write(new Map([['kept', 'x']]), 'linked/gadget');
    symlinkSync('../../made-outside', join(workplace().folder, 'linked/gadget/Dockerfile'));
    const { code, stderr } = await init('linked/gadget', gadgetYaml());
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('InputInvalid') });
    expect(existsSync(join(workplace().folder, 'made-outside'))).toBe(false);
  });

  test('writes nothing in a dry run', async () => {
    const { code, stdout } = await init('dry/gadget', gadgetYaml(), '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('would write to dry/gadget 8 files');
    expect(existsSync(join(workplace().folder, 'dry'))).toBe(false);
  });

  test('puts the words of the author into the ClusterServiceVersion', async () => {
    workplace().write(new Map([['icon.svg', '<svg/>']]));
    const words = [
      '--display-name',
      'Gadgets',
      '--description',
      'Ticks.',
      '--icon',
      'icon.svg',
      '--provider',
      'Workshop',
      '--maintainer',
      'Ada <ada@example.com>',
      '--maturity',
      'beta',
      '--min-kube-version',
      '1.29.0',
    ];
    await init('words/gadget', gadgetYaml(), ...words);
    const csv = read(`words/gadget/${CSV}`);
    for (const text of [
      'displayName: Gadgets',
      'description: Ticks.',
      'mediatype: image/svg+xml',
      'name: Workshop',
      'email: ada@example.com',
      'maturity: beta',
      'minKubeVersion: 1.29.0',
    ])
      expect(csv).toContain(text);
    expect((await report('words/gadget', gadgetYaml())).files.every(({ change }) => change === 'unchanged')).toBe(true);
  });

  test('takes examples from a folder of their own', async () => {
    workplace().write(new Map([['one.yaml', gadgetYaml().split('---\n').at(-1)!]]), 'samples');
    const { placements } = await report('samples-of/gadget', gadgetYaml({ sample: undefined }), '--samples', 'samples');
    expect(placements.at(-1)).toMatchObject({
      object: 'Gadget.example.com first',
      field: 'metadata.annotations[alm-examples]',
    });
  });

  test.each([
    { because: 'advice is no error', changes: {}, args: [], code: 0 },
    { because: 'warnings count if asked to', changes: {}, args: ['--strict'], code: 2 },
    {
      because: 'an object has no place',
      changes: { x: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate' } } },
      args: [],
      code: 2,
    },
    {
      because: 'that object is left out on purpose',
      changes: { x: { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate' } } },
      args: ['--leave-out', 'Job.batch/migrate'],
      code: 0,
    },
    {
      because: 'the bundle cannot be published: its name is too long',
      changes: {},
      args: ['--version', `1.0.0-${'a'.repeat(60)}`],
      code: 2,
    },
    {
      because: 'the bundle cannot be installed: the name of the Deployment is too long',
      changes: { deployment: deployment('c'.repeat(300)), webhooks: undefined, crd: undefined, sample: undefined },
      args: ['--leave-out', 'Certificate.cert-manager.io'],
      code: 2,
    },
  ])('ends with $code: $because', async ({ changes, args, code }) => {
    const { code: actual, stdout } = await init('codes/gadget', gadgetYaml(changes), ...args, '--dry-run');
    expect(actual).toBe(code);
    expect(stdout.includes('error:')).toBe(code === 2 && !args.includes('--strict'));
  });

  test.each([
    { because: 'a text is no YAML', input: 'a: [', args: [], says: ['stdin: ', 'Correct the YAML'] },
    {
      because: 'a template is no YAML',
      input: 'kind: {{ .Values.kind }\n  x',
      args: [],
      says: ['stdin: ', '--from chart'],
    },
    {
      because: 'a document is no object',
      input: '- a\n- b',
      args: [],
      says: ['stdin, document 1 is no Kubernetes object'],
    },
    {
      because: 'an object has no kind',
      input: 'apiVersion: v1\nmetadata: {name: a}',
      args: [],
      says: ['it has no kind'],
    },
    {
      because: 'an object has no name',
      input: 'apiVersion: v1\nkind: Secret\nmetadata: {generateName: a}',
      args: [],
      says: ['of the kind Secret, it has no metadata.name'],
    },
    {
      because: 'no version is known',
      input: gadgetYaml({ deployment: deployment('controller', { containers: [{ name: 'm', image: 'a/b:latest' }] }) }),
      args: [],
      says: ['the version of the bundle is unknown', '--version 1.0.0'],
    },
    { because: 'the version is none', input: gadgetYaml(), args: ['--version', 'one'], says: ['"one" is no version'] },
    {
      because: 'the package cannot have the name',
      input: gadgetYaml(),
      args: ['--package', 'Gadget Operator'],
      says: ['cannot be the name of a package'],
    },
    { because: 'the icon is none', input: gadgetYaml(), args: ['--icon', 'icon.txt'], says: ['icon.txt is no icon'] },
    {
      because: 'a maintainer has no address',
      input: gadgetYaml(),
      args: ['--maintainer', 'Ada'],
      says: ['Name <address@example.com>'],
    },
  ])('refuses its input, with the remedy, and writes nothing: $because', async ({ input, args, says }) => {
    const { code, stdout, stderr } = await init('refused/gadget', input, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: InputInvalid: /);
    for (const text of says) expect(stderr).toContain(text);
    expect(existsSync(join(workplace().folder, 'refused'))).toBe(false);
  });
});

describe('a kustomization', () => {
  beforeAll(() => {
    workplace().write(
      new Map([
        ['kustomization.yaml', 'resources: [x.yaml]'],
        ['x.yaml', 'not: an object'],
      ]),
      'kustomized',
    );
    workplace().write(
      new Map([['kubectl', `#!/bin/sh\n[ "$*" = "kustomize kustomized" ] && cat <<'END'\n${gadgetYaml()}END\n`]]),
      'bin',
    );
    workplace().write(new Map([['kubectl', '#!/bin/sh\necho "no such resource: x.yaml" >&2; exit 1\n']]), 'broken-bin');
    for (const folder of ['bin', 'broken-bin']) chmodSync(join(workplace().folder, folder, 'kubectl'), 0o755);
  });

  const build = (bin: string): Promise<Finished> =>
    workplace().runWith(
      { variables: { PATH: `${join(workplace().folder, bin)}:/bin:/usr/bin` } },
      'bundle',
      'init',
      'built/gadget',
      '--from',
      'kustomized',
    );

  test('is built by kubectl', async () => {
    const { code, stdout } = await build('bin');
    expect(code).toBe(0);
    expect(stdout).toContain('8 files: 8 created');
  });

  test('that cannot be built is refused with the words of kubectl', async () => {
    const { code, stderr } = await build('broken-bin');
    expect(code).toBe(1);
    expect(stderr).toContain('no such resource: x.yaml');
    expect(stderr).toContain('kubectl kustomize kustomized');
  });

  test('without kubectl, the other way is named', async () => {
    const { code, stderr } = await workplace().runWith(
      { variables: { PATH: join(workplace().folder, 'empty') } },
      'bundle',
      'init',
      'built/gadget',
      '--from',
      'kustomized',
    );
    expect(code).toBe(1);
    expect(stderr).toContain('the program kubectl is not installed');
    expect(stderr).toContain('kustomize build kustomized | slipway bundle init');
  });
});

describe('a Helm chart', () => {
  const helm = (folder: string, script: string): string => {
    workplace().write(new Map([['helm', `#!/bin/sh\n${script}\n`]]), folder);
    chmodSync(join(workplace().folder, folder, 'helm'), 0o755);
    return `${join(workplace().folder, folder)}:/bin:/usr/bin`;
  };
  const init = (PATH: string, ...args: readonly string[]): Promise<Finished> =>
    workplace().runWith(
      { variables: { PATH } },
      'bundle',
      'init',
      'charted/gadget',
      '--from',
      'chart',
      'my-chart',
      ...args,
    );

  test('is rendered by helm with its CRDs, version and values, on two days', async () => {
    const log = join(workplace().folder, 'helm.log');
    const path = helm('helm-bin', `echo "$TZ $*" >> ${log}\ncat <<'END'\n${gadgetYaml()}END`);
    const { code, stdout } = await init(path, '--chart-version', '1.2.0', '--values', 'v.yaml', '--set', 'a=b');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('8 files: 8 created') });
    const runs = readFileSync(log, 'utf8').trim().split('\n');
    const args = 'template gadget my-chart --namespace gadget --include-crds --values v.yaml --set a=b --version 1.2.0';
    expect(runs).toEqual([`Etc/GMT+12 ${args}`, `Etc/GMT-14 ${args}`]);
  });

  test('that shows the time is refused, and nothing is written', async () => {
    const path = helm(
      'clock-bin',
      `printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: built}\\ndata: {at: "%s"}\\n' "$(date +%s)"`,
    );
    const { code, stderr } = await init(path, '--version', '9.0.0');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ConfigMap built (data.at)') });
  });

  test('without helm, the other way is named', async () => {
    const { code, stderr } = await init(join(workplace().folder, 'empty'));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('helm template … | slipway bundle init'),
    });
  });

  test('in a folder is not taken for plain YAML', async () => {
    workplace().write(new Map([['Chart.yaml', 'name: x']]), 'a-chart');
    const { code, stderr } = await workplace().run('bundle', 'init', 'charted/gadget', '--from', 'a-chart');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Say --from chart a-chart') });
  });
});

describe('with --pin', () => {
  let registry: FakeRegistry;
  beforeAll(async () => {
    registry = await startFakeRegistry();
  });
  afterAll(() => registry.close());

  const source = (image: string): string =>
    gadgetYaml({
      deployment: deployment('controller', {
        containers: [{ name: 'm', image }],
        volumes: [{ name: 'data', image: { reference: image } }],
      }),
    });

  test('images of containers and volumes are named by the digest that their registry has', async () => {
    const image = `${registry.host}/gadget:v1.2.0`;
    const client = createRegistry({ plainHttp: () => true });
    const digest = await pushImage(
      client,
      parseReference(image),
      buildImage({ files: new Map([['a', Buffer.from('')]]), labels: {} }),
    );
    client.close();
    const { findings } = await report('pinned/gadget', source(image), '--pin');
    expect(findings).toEqual([]);
    expect(read(`pinned/gadget/${CSV}`).split(`${image}@${digest}`)).toHaveLength(4);
    expect(changesOf(await report('pinned/gadget', source(image), '--pin'))).toEqual(['unchanged']);
  });

  test('an image that is not there is refused', async () => {
    const { code, stderr } = await init('pinned-none/gadget', source(`${registry.host}/none:v1.0.0`), '--pin');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('slipway: ImageNotFound: ') });
  });
});

test('the namespace of the source is suggested', async () => {
  await init('suggested/gadget', gadgetYaml());
  expect(read(`suggested/gadget/${CSV}`)).toContain(`suggested-namespace: ${NAMESPACE}`);
});

/** Times of the last change, by file. */
function timesOf(folder: string): ReadonlyMap<string, number> {
  const root = join(workplace().folder, folder);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return new Map(files.map((path) => [path, statSync(join(root, path)).mtimeMs]));
}
