/**
 * A pipeline from a Git repository to the cluster, by deploy/ci/upgrade.sh: a version that is proposed, planned and
 * rolled out; one that a rule stops; one that fails and is rolled back. Exit codes, Markdown and diffs are compared, and
 * each status on the way is judged as Flux and Argo CD do.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideBinaries } from '../../cluster/binaries.ts';
import { useCluster } from '../../lib/cluster.ts';
import { kstatusFaults, kstatusOf } from '../../lib/kstatus.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, get, isReady, runs, waitFor, type Judged } from '../../lib/objects.ts';
import { programFile } from '../../../scripts/test-programs.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { COMPILE_CACHE } from '../../lib/shared.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { reconcileNow } from '../../lib/writes.ts';
import { createCommandLine, type Running } from '../command-line/process.ts';
import { argoHealthOf } from './argo-cd.ts';

const cluster = useCluster();
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0'] as const;
const FILE = 'operators/beacon.yaml';
const CATALOG = { kind: 'catalog', name: 'examples' };
let manager: RunningManager;
let watched: Running;
let repository: string;
let catalog: string;

const MANIFEST = `# The beacon of the harbour, agreed with the harbour master.
apiVersion: slipway.dev/v1alpha1
kind: Subscription
metadata:
  name: beacon
  namespace: lights
spec:
  package: beacon # from the catalog of the team
  version: "1.0.0" # raised by the pipeline
  onFailure: {bakeTime: 0s}
`;

/** Refused by the API server, at once and for good. */
const REFUSED = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'refused' },
  spec: { ports: [{ port: 70_000 }] },
};

/** Publishes the first versions; each replaces the one before it. */
async function offer(count: number): Promise<void> {
  const { registry } = cluster();
  const published = VERSIONS.slice(0, count).map(async (version, index) => ({
    version,
    image: await publishTiny(registry, {
      name: 'beacon',
      version,
      kind: 'Beacon',
      further: version === '2.0.0' ? [REFUSED] : [],
    }),
    ...(index > 0 && { replaces: VERSIONS[index - 1] as string }),
  }));
  await publishCatalog(packageDocuments('beacon', await Promise.all(published)), catalog);
}

/** The same, and the manager has read it: a version that its content does not have yet is refused at once. */
async function offerInCluster(count: number): Promise<void> {
  await offer(count);
  await reconcileNow(cluster(), CATALOG, String(count));
}

beforeAll(async () => {
  const { folder, registry, kubectl } = cluster();
  catalog = `${registry}/catalog:latest`;
  await installSlipway(cluster());
  manager = await startManager(cluster());
  await kubectl(['create', 'namespace', 'lights']);
  await offer(1);
  await kubectl(['apply', '-f', '-'], catalogOf('examples', catalog));
  await waitFor(cluster(), CATALOG, isReady);
  repository = mkdtempSync(join(folder, 'repository-'));
  mkdirSync(join(repository, 'operators'));
  writeFileSync(join(repository, FILE), MANIFEST);
  installProgram();
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', FILE);
  git('commit', '--quiet', '--message', 'Install the beacon');
  watched = createCommandLine(cluster().kubeconfig).start('get', 'subscriptions', '-n', 'lights', '-w', '-o', 'json');
});
afterAll(async () => {
  watched?.kill('SIGTERM');
  await manager?.stop();
  rmSync(repository, { recursive: true, force: true });
});

/** `slipway` on the PATH. */
function installProgram(): void {
  const program = join(cluster().folder, 'path', 'slipway');
  mkdirSync(join(cluster().folder, 'path'), { recursive: true });
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${programFile('slipway')}' "$@"\n`);
  chmodSync(program, 0o755);
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[], variables: Readonly<Record<string, string>> = {}): Ran {
  const { folder, tools, kubeconfig } = cluster();
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: repository,
    encoding: 'utf8',
    env: {
      ...COMPILE_CACHE,
      PATH: [join(folder, 'path'), tools, process.env['PATH']].join(':'),
      HOME: repository,
      KUBECONFIG: kubeconfig,
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((who) => [
          [`GIT_${who}_NAME`, 'pipeline'],
          [`GIT_${who}_EMAIL`, 'pipeline@example.com'],
        ]),
      ),
      ...variables,
    },
  });
  return { code: status, stdout, stderr };
}

function git(...args: readonly string[]): string {
  const { code, stdout, stderr } = run('git', args);
  expect({ code, stderr }, `git ${args.join(' ')}`).toMatchObject({ code: 0 });
  return stdout;
}

function pipeline(job: string, variables: Readonly<Record<string, string>> = {}): Ran {
  const given = { FILE, TARGET: 'lights/beacon', CATALOG: catalog, BASE: 'main', TIMEOUT: '5m', ...variables };
  return run('sh', [join(ROOT, 'deploy/ci/upgrade.sh'), job], given);
}

/** Compares with a file of testdata, up to the registry and digests. */
async function expectGolden(name: string, text: string): Promise<void> {
  const masked = text
    .replaceAll(cluster().registry, 'registry.example')
    .replaceAll(/sha256:[0-9a-f]{8,}/g, 'sha256:…')
    .replaceAll(/^index .*\n/gm, '');
  await expect(masked).toMatchFileSnapshot(join(import.meta.dirname, 'testdata', name));
}

describe('a version', () => {
  test('that is newest already is not proposed', () => {
    expect(pipeline('roll-out')).toMatchObject({ code: 0, stderr: '' });
    expect(pipeline('propose')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${FILE} stays as it is`) as string,
      stderr: '',
    });
    expect(git('branch', '--show-current').trim()).toBe('main');
  });

  test('that is newer is proposed as a commit of one line, planned, and rolled out', async () => {
    await offerInCluster(2);
    expect(pipeline('propose')).toMatchObject({ code: 0, stderr: '' });
    expect(git('branch', '--show-current').trim()).toBe('slipway/lights/beacon');
    await expectGolden('success.diff', git('show', '--format=%s'));
    const { code, stdout } = pipeline('check');
    expect(code).toBe(0);
    await expectGolden('success.md', stdout);
    git('switch', '--quiet', 'main');
    git('merge', '--quiet', '--ff-only', 'slipway/lights/beacon');
    git('branch', '--quiet', '--delete', 'slipway/lights/beacon');
    const rolledOut = pipeline('roll-out');
    expect(rolledOut).toMatchObject({ code: 0, stderr: '' });
    expect(rolledOut.stdout).toContain('beacon.v1.1.0 is installed and healthy');
    expect((await get(cluster(), 'subscription', 'beacon', 'lights')).status?.installed?.version).toBe('1.1.0');
  });

  test('that a rule denies is stopped with exit code 2 before the cluster knows of it', async () => {
    await offerInCluster(3);
    expect(pipeline('propose')).toMatchObject({ code: 0, stderr: '' });
    await expectGolden('denied.diff', git('show', '--format=%s'));
    const { code, stdout, stderr } = pipeline('check', { DENY: 'major,irreversible' });
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    await expectGolden('denied.md', stdout);
    expect(runs('1.1.0')(await get(cluster(), 'subscription', 'beacon', 'lights'))).toBe(true);
  });

  test('that fails is rolled back: the roll-out ends with exit code 2 and the reason', async () => {
    expect(pipeline('check').code).toBe(0);
    git('switch', '--quiet', 'main');
    git('merge', '--quiet', '--ff-only', 'slipway/lights/beacon');
    const { code, stdout } = pipeline('roll-out');
    expect(code).toBe(2);
    expect(stdout).toMatch(/beacon\.v2\.0\.0.*70000/);
    const after = await get(cluster(), 'subscription', 'beacon', 'lights');
    expect(after.status?.installed?.version).toBe('1.1.0');
    expect(kstatusOf(after)).toBe('Failed');
  });

  test('that failed is ready again after a revert in Git, and the cluster keeps it from being proposed', () => {
    git('revert', '--no-edit', 'HEAD');
    expect(pipeline('roll-out')).toMatchObject({ code: 0, stderr: '' });
    const again = run('slipway', ['outdated', '--write', FILE, '--manager-url', manager.url, '-o', 'json']);
    const { outdated, files } = JSON.parse(again.stdout) as { outdated: readonly object[]; files: readonly string[] };
    expect({ code: again.code, files }).toEqual({ code: 2, files: [] });
    expect(outdated).toMatchObject([{ version: '1.1.0', latest: '2.0.0', reason: 'Quarantined' }]);
    expect(git('status', '--porcelain', '--', FILE)).toBe('');
  });

  test('whose outcome is not known in time ends with exit code 3', () => {
    writeFileSync(join(repository, FILE), `${MANIFEST.replace('1.0.0', '1.1.0')}  suspend: true\n`);
    expect(pipeline('roll-out', { TIMEOUT: '2s' })).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('Not within 2s') as string,
    });
  });
});

test.each([
  { because: 'a file that does not exist', job: 'propose', variables: { FILE: 'missing.yaml' } },
  { because: 'a catalog that does not exist', job: 'propose', variables: { CATALOG: './missing' } },
  { because: 'no such job', job: 'deploy', variables: {} },
])('a mistake of the pipeline is exit code 1: $because', ({ job, variables }) => {
  const { code, stderr } = pipeline(job, variables);
  expect(code).toBe(1);
  expect(stderr).not.toBe('');
});

test('each status on the way keeps the conventions of kstatus, and Argo CD judges alike', async () => {
  await until('the watch has printed the last spec', () => watchedObjects().at(-1)?.spec['suspend'] === true);
  const seen = watchedObjects();
  expect(seen.length).toBeGreaterThan(10);
  expect(seen.flatMap((object) => kstatusFaults(object))).toEqual([]);
  expect(new Set(seen.map(kstatusOf))).toEqual(new Set(['InProgress', 'Current', 'Failed']));
  const glua = (await provideBinaries(['glua'], () => undefined)).get('glua')!;
  for (const object of seen.filter(({ spec }) => spec['suspend'] !== true)) {
    const { status } = await argoHealthOf(glua, cluster().folder, object);
    const judged = kstatusOf(object);
    expect(status === 'Healthy', status).toBe(judged === 'Current');
    expect(status === 'Degraded', status).toBe(judged === 'Failed');
  }
});

/** The objects that the watch has printed, one behind the other. */
function watchedObjects(): readonly Judged[] {
  return watched
    .stdout()
    .split(/^(?=\{$)/m)
    .filter((text) => text.endsWith('}\n'))
    .map((text) => JSON.parse(text) as Judged);
}
