/**
 * An administrator's day with the command line alone, and each command without a cluster, without rights and on a closed pipe:
 * `make stories` tries each command in each of these, as a process each; `make test` every second one in one of them, and has
 * processes for the ends that only they have: exit codes, pipes and signals.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useWorkplace } from '../../../cmd/slipway/testing/slipway.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, waitFor } from '../../lib/objects.ts';
import { programFile } from '../../../scripts/test-programs.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../../lib/publish.ts';
import { isSample, sampleOf } from '../../lib/sample.ts';
import { until } from '../../lib/until.ts';
import { isShownByLine, stepsOf, typeSteps } from '../../../scripts/shell-steps.ts';
import { createCommandLine, type Ended } from './process.ts';

const cluster = useCluster();
const workplace = useWorkplace();
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0'];
let manager: RunningManager | undefined;

type Run = (...args: readonly string[]) => Promise<Pick<Ended, 'code' | 'stdout' | 'stderr'>>;
const asProcess: Run = (...args) => createCommandLine(cluster().kubeconfig).run(...args);
const slipway: Run = (...args) => commandLine(cluster().kubeconfig)(...args);

/** The start of a process takes many times as long as most commands. */
function commandLine(kubeconfig: string): Run {
  return isSample
    ? (...args) => workplace().runWith({ variables: { KUBECONFIG: kubeconfig } }, ...args)
    : createCommandLine(kubeconfig).run;
}

beforeAll(async () => {
  const { registry, kubectl } = cluster();
  const published = VERSIONS.map(async (version, index) => ({
    version,
    image: await publishBundle(
      join(ROOT, 'bundles/examples/beacon-operator', version),
      `${registry}/beacon-operator:v${version}`,
    ),
    ...(index > 0 && { replaces: VERSIONS[index - 1] as string }),
  }));
  await publishCatalog(packageDocuments('beacon-operator', await Promise.all(published)), `${registry}/catalog:latest`);
  await kubectl(['create', 'namespace', 'lights']);
  await kubectl(['-n', 'lights', 'create', 'serviceaccount', 'powerless']);
});
afterAll(async () => {
  await manager?.stop();
});

/** What a command prints if it succeeds; fails with stderr if it does not. */
async function printed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await slipway(...args);
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Every command with arguments that are right in this cluster. */
const COMMANDS: readonly (readonly string[])[] = [
  ['get'],
  ['status', 'lights/beacon'],
  ['tree', 'lights/beacon'],
  ['events', 'lights/beacon'],
  ['history', 'lights/beacon'],
  ['outdated', '-n', 'lights'],
  ['wait', 'lights/beacon'],
  ['install', 'beacon-operator', '-n', 'lights'],
  ['upgrade', 'lights/beacon', '--version', '1.1.0'],
  ['approve', 'lights/beacon'],
  ['rollback', 'lights/beacon'],
  ['suspend', 'lights/beacon'],
  ['resume', 'lights/beacon'],
  ['reconcile', 'lights/beacon'],
  ['uninstall', 'lights/beacon', '--preview'],
  ['logs', 'lights/beacon'],
  ['list'],
  ['search', 'beacon'],
];

/** All of them, or those whose turn it is; half of the turns have a test. */
const TURNS = 6;
function commandsOf(turn: number): readonly (readonly string[])[] {
  const isMine = (at: number): boolean => at % TURNS === turn;
  return sampleOf(COMMANDS, { every: COMMANDS.length + 1, also: (command) => isMine(COMMANDS.indexOf(command)) });
}

const WITHOUT_CLUSTER: readonly (readonly string[])[] = [...commandsOf(2), ['doctor']];
/** Each tries again for seconds, in which it does nothing, so they run beside the other tests. */
const withoutCluster = new Map<string, Promise<Ended>>();
beforeAll(() => {
  const { folder, kubeconfig } = cluster();
  const nowhere = join(folder, 'nowhere.kubeconfig');
  writeFileSync(nowhere, readFileSync(kubeconfig, 'utf8').replace(/https:\/\/[^\s"]+/, 'https://127.0.0.1:1'));
  const { run } = createCommandLine(nowhere);
  for (const args of WITHOUT_CLUSTER) withoutCluster.set(args.join(' '), run(...args));
});

test('doctor without Slipway in the cluster names the missing CRDs, which is exit code 2', async () => {
  const { code, stdout } = await asProcess('doctor');
  expect(code).toBe(2);
  expect(stdout).toContain('error: CRDs: CRD catalogs.slipway.dev does not exist');
});

test.each(commandsOf(0))('%s without Slipway in the cluster says so', async (...args) => {
  const { code, stdout, stderr } = await slipway(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^slipway: InputInvalid: Slipway is not installed in this cluster/);
});

describe('with a manager', () => {
  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await cluster().kubectl(['apply', '-f', '-'], catalogOf('examples', `${cluster().registry}/catalog:latest`));
    await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
  });

  test('an operator is installed, and each command shows it', async () => {
    expect(
      await printed('install', 'beacon-operator', '--name', 'beacon', '-n', 'lights', '--version', '~1.0'),
    ).toMatch(/^Subscription lights\/beacon is created/);
    expect(await printed('wait', 'lights/beacon', '--timeout', '3m')).toContain('installed and healthy');
    expect(await printed('get', '-A')).toMatch(/^NAMESPACE +NAME .*\nlights +beacon +beacon-operator +1\.0\.0 /);
    expect(await printed('get', 'revisions', '-n', 'lights', '-o', 'name')).toBe('revision.slipway.dev/beacon-1\n');
    expect(await printed('status', 'lights/beacon')).toMatch(/^Subscription lights\/beacon: Ready\n/);
    const tree = await printed('tree', 'lights/beacon');
    expect(tree).toMatch(/\n├─ .*CustomResourceDefinition|\n {3}├─ CustomResourceDefinition/);
    expect(tree).toMatch(/Deployment\.apps lights\/.*: Ready\n.*└─ Pod .*: Ready\n/);
    expect(tree).not.toMatch(/Missing|Unreadable/);
    // an event is sent after the status is written
    await until('the event is printed', async () =>
      /Normal +Succeeded +Subscription beacon/.test(await printed('events', 'lights/beacon')),
    );
    expect(await printed('history', 'beacon', '-n', 'lights')).toMatch(
      /beacon-1 +1\.0\.0 +Active .* automatic .* is installed\n/,
    );
  });

  test('a newer version that the range excludes makes it outdated, which is exit code 2', async () => {
    const { code, stdout } = await slipway('outdated', '-A');
    expect(code).toBe(2);
    expect(stdout).toMatch(/lights +beacon +beacon-operator +1\.0\.0 .*VersionNotFound/);
  });

  test('doctor finds no fault in a manager that works', async () => {
    const { findings } = JSON.parse(await printed('doctor', '-o', 'json')) as { findings: readonly { check: string; level: string; message: string }[] }; // prettier-ignore
    const others = findings.filter(({ check, level }) => check !== 'Manager' && level !== 'ok');
    expect(others).toEqual([]);
    expect(findings.find(({ check }) => check === 'Manager')?.message).toContain('has no Deployment');
  });

  test('doctor names a right that the manager lacks', async () => {
    const { kubectl } = cluster();
    const before = await kubectl(['get', 'clusterrolebinding', 'slipway-manager', '-o', 'yaml']);
    await kubectl(['delete', 'clusterrolebinding', 'slipway-manager']);
    await until('the right is gone', async () =>
      (await slipway('doctor')).stdout.includes('may not: list catalogs.slipway.dev'),
    );
    await kubectl(['create', '-f', '-'], before.replace(/^ {2}(?:uid|resourceVersion|creationTimestamp): .*\n/gm, ''));
    await until('the right is back', async () => (await slipway('doctor')).code === 0);
  });

  test('packages and versions are listed from the content that the manager serves', async () => {
    const url = ['--manager-url', manager?.url ?? ''];
    expect(await printed('list', ...url)).toMatch(
      /\nbeacon-operator +stable +beacon-operator\.v2\.0\.0 +examples +lights\/beacon 1\.0\.0/,
    );
    expect(await printed('list', 'beacon-operator', ...url)).toMatch(/^VERSION .*\n2\.0\.0 .*\n1\.1\.0 .*\n1\.0\.0 /);
    expect(await printed('search', 'BEACON', ...url)).toContain('beacon-operator');
  });

  test('names of the cluster are completed', async () => {
    expect(await printed('__complete', '--', 'status', 'lights/')).toBe('lights/beacon\n');
    expect(await printed('__complete', '--', 'rollback', 'lights/beacon', '--to', '')).toBe('1.0.0\n');
  });

  test('an upgrade and a rollback reach their versions, and the history names both', async () => {
    await printed('upgrade', 'lights/beacon', '--version', '1.1.0');
    expect(await printed('wait', 'lights/beacon', '--version', '1.1.0', '--timeout', '3m')).toContain('v1.1.0');
    await printed('rollback', 'lights/beacon');
    expect(await printed('wait', 'lights/beacon', '--version', '1.0.0', '--timeout', '3m')).toContain('v1.0.0');
    const history = await printed('history', 'lights/beacon', '-o', 'json');
    const { revisions } = JSON.parse(history) as { revisions: readonly { version: string; outcome: string }[] };
    expect(revisions.map(({ version }) => version)).toContain('1.1.0');
    expect(revisions.find(({ version }) => version === '1.1.0')?.outcome).toContain('was replaced by');
  });

  test('with manual approval, approve names the program that approved', async () => {
    const manual = '{"spec":{"approval":"Manual","version":"2.0.0","edges":"Follow"}}';
    await cluster().kubectl(['-n', 'lights', 'patch', 'subscriptions.slipway.dev', 'beacon', '--type', 'merge', '-p', manual]); // prettier-ignore
    await until('the upgrade waits', async () =>
      (await printed('status', 'lights/beacon')).includes('slipway approve'),
    );
    expect(await printed('approve', 'lights/beacon', '--version', '2.0.0')).toContain('is approved');
    await printed('wait', 'lights/beacon', '--version', '2.0.0', '--timeout', '3m');
    expect(await printed('history', 'lights/beacon')).toMatch(/2\.0\.0 +Active .*slipway-cli/);
  });

  test('a suspended Subscription is resumed, and a reconcile is carried out', async () => {
    await printed('suspend', 'lights/beacon');
    expect((await asProcess('wait', 'lights/beacon', '--timeout', '2s')).code).toBe(3);
    expect(await printed('status', 'lights/beacon')).toContain('slipway resume lights/beacon');
    await printed('resume', 'lights/beacon');
    await printed('reconcile', 'lights/beacon');
    await printed('reconcile', 'catalog/examples');
    await printed('wait', 'lights/beacon', '--timeout', '3m');
  });

  test('the object of a dry run is one that kubectl applies', async () => {
    const args = ['install', 'beacon-operator', '--name', 'other', '-n', 'lights', '--dry-run=client', '-o', 'yaml'];
    const applied = await cluster().kubectl(['apply', '--dry-run=server', '-f', '-'], await printed(...args));
    expect(applied).toContain('subscription.slipway.dev/other');
    const patch = await printed('upgrade', 'lights/beacon', '--version', '1.1.0', '--dry-run=client', '-o', 'json');
    await cluster().kubectl(['-n', 'lights', 'patch', 'subscriptions.slipway.dev', 'beacon', '--type', 'merge', '--dry-run=server', '-p', patch]); // prettier-ignore
  });

  test.each(commandsOf(1))('%s without rights names the missing one', async (...args) => {
    const run = commandLine(await cluster().kubeconfigFor('lights', 'powerless'));
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: Forbidden: .*system:serviceaccount:lights:powerless/);
  });

  test.each(commandsOf(0).filter((args) => args.some((word) => word.includes('/'))))(
    '%s of a name that does not exist suggests the right one',
    async (...args) => {
      const { code, stdout, stderr } = await slipway(
        ...args.map((word) => word.replace('lights/beacon', 'lights/becaon')),
      );
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('Did you mean beacon?');
    },
  );

  test.each([
    ['get', '-n', 'lights', '-w'],
    ['get', '-n', 'lights', '-w', '-o', 'json'],
    ['status', 'lights/beacon', '-w'],
  ])('%s ends without a complaint when the reader of its pipe is gone', async (...args) => {
    const running = createCommandLine(cluster().kubeconfig).start(...args);
    await until('the first line is printed', () => running.stdout().includes('beacon'));
    running.closePipe();
    const label = `pipe=${Date.now()}`;
    await cluster().kubectl(['-n', 'lights', 'label', 'subscriptions.slipway.dev', 'beacon', '--overwrite', label]);
    await cluster().kubectl(['-n', 'lights', 'patch', 'subscriptions.slipway.dev', 'beacon', '--type', 'merge', '-p', '{"spec":{"suspend":true}}']); // prettier-ignore
    expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    await printed('resume', 'lights/beacon');
    await printed('wait', 'lights/beacon', '--timeout', '3m');
  });

  test.each([
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
  ] as const)('$signal ends a command that watches with $code', async ({ signal, code }) => {
    const running = createCommandLine(cluster().kubeconfig).start('events', '-n', 'lights', '-w');
    await until('the events are printed', () => running.stdout().includes('Subscription beacon'));
    running.kill(signal);
    expect((await running.ended).code).toBe(code);
  });

  test('an uninstall does what its preview says', async () => {
    const preview = await printed('uninstall', 'lights/beacon', '--preview', '-o', 'json');
    const { state, stays, steps } = JSON.parse(preview) as { state: string; stays: unknown[]; steps: { objects: number }[] }; // prettier-ignore
    expect({ state, stays }).toEqual({ state: 'Ready', stays: [] });
    expect(steps.reduce((sum, { objects }) => sum + objects, 0)).toBeGreaterThan(4);
    await printed('uninstall', 'lights/beacon');
    // The uninstall may be over before: then the command does not know what became of the operator.
    expect(await printed('wait', 'lights/beacon', '--for', 'deleted', '--timeout', '3m')).toContain('is deleted');
    expect(await printed('get', '-A')).toBe('There are no subscriptions\n');
  });
});

test.skipIf(isSample)('the guide does what it says', async () => {
  const path = 'docs/how-to/use-the-command-line.md';
  const steps = stepsOf(path);
  const define = { script: `slipway() { '${process.execPath}' '${programFile('slipway')}' "$@"; }` };
  const variables = { KUBECONFIG: cluster().kubeconfig };
  const outputs = await typeSteps([define, ...steps], { ...cluster(), variables });
  expect(outputs).toHaveLength(steps.length + 1);
  const shown = steps.flatMap(({ printed: told }, index) =>
    told === undefined ? [] : [{ told, actual: outputs[index + 1] ?? '' }],
  );
  expect(shown).toHaveLength(3);
  for (const { told, actual } of shown) expect(isShownByLine(actual, told), actual).toBe(true);
});

test.each(WITHOUT_CLUSTER)('%s without a cluster names the address that it tried', async (...args) => {
  const { code, stdout, stderr } = (await withoutCluster.get(args.join(' ')))!;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^slipway: ApiUnavailable: /);
  expect(stderr).toContain('127.0.0.1:1 is refused');
});
