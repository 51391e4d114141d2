/**
 * The chart in a cluster, by the commands of the guides: installed as the release before, upgraded to this checkout,
 * rolled back and forth, and removed without a trace. Pods are kwok's, and the manager is a process with the account of
 * the chart, so it works with the rights of the chart.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stepsOf, typeSteps, type Step } from '../../../scripts/shell-steps.ts';
import { provideBinaries } from '../../cluster/binaries.ts';
import { useCluster } from '../../lib/cluster.ts';
import { ROOT, startManager, SYSTEM, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { asPrevious, NEW_COLUMN, PREVIOUS_VERSION, type Manifest } from '../own-life/previous.ts';
import { DEPLOYMENT } from './deployed.ts';

const CHART = join(ROOT, 'deploy/chart');
const UPGRADE = 'docs/how-to/upgrade-slipway.md';
/** Without it Helm forgets the image if another setting is given, as the guide says. */
const KEEPING = '--reset-then-reuse-values';
/** The guide installs this image, and the release keeps it; no Pod of kwok pulls it. */
const IMAGE = 'registry.example/platform/slipway-manager';
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };

describe('the chart', () => {
  const cluster = useCluster();
  const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
  const subscription = { kind: 'subscription', name: 'gadget', namespace: 'shop' };
  const [upgrading, goingBack] = [/^helm upgrade/, /^helm rollback/].map((verb) =>
    helmSteps(UPGRADE).filter(({ script }) => verb.test(script)),
  );
  let home: string;
  let tools: string;
  let empty: ReadonlySet<string>;
  let manager: RunningManager | undefined;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'slipway-helm-'));
    tools = dirname((await provideBinaries(['helm'], () => undefined)).get('helm')!);
    const { registry } = cluster();
    const image = await publishTiny(registry, { name: 'gadget', version: '1.0.0', kind: 'Gadget' });
    await publishCatalog(packageDocuments('gadget', [{ version: '1.0.0', image }]), `${registry}/catalog:latest`);
    empty = await snapshot(cluster());
  });
  afterAll(async () => {
    await manager?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  test('of the release before is installed as the guide says', async () => {
    const steps = helmSteps('docs/how-to/install-slipway.md');
    expect(steps).toHaveLength(1);
    const chart = previousChart(home);
    const [step, flag] = [steps[0]!.script, '--set image.repository='];
    expect(step).toContain(flag);
    // With a tag, as many set one: the release keeps it, unless the upgrade names another.
    const tagged = step.replace(flag, `--set image.tag=${PREVIOUS_VERSION} ${flag}`);
    await type([{ script: tagged.replace('deploy/chart', chart) }]);
    await rolledOut(PREVIOUS_VERSION);
    expect(await columns()).not.toContain(NEW_COLUMN);
    expect(await policies()).toBe('');
  });

  test('is admitted under restricted Pod Security, as the namespace says then', async () => {
    const label = `jsonpath={.metadata.labels.pod-security\\.kubernetes\\.io/enforce}`;
    expect(await kubectl('get', 'namespace', SYSTEM, '-o', label)).toBe('restricted');
    await kubectl('-n', SYSTEM, 'delete', 'pods', '--all', '--wait=false');
    await rolledOut(PREVIOUS_VERSION);
  });

  test('has rights with which an operator is installed', async () => {
    manager = await startManager(cluster());
    await kubectl('create', 'namespace', 'shop');
    await apply(catalogOf('shop', `${cluster().registry}/catalog:latest`));
    await waitFor(cluster(), { kind: 'catalog', name: 'shop' }, isReady);
    await apply(subscriptionTo('gadget', 'shop', { package: 'gadget' }));
    await waitFor(cluster(), subscription, runs('1.0.0'));
  });

  test('is upgraded as the guide says: CRDs by hand, then the rest, and no operator notices', async () => {
    const before = await operator();
    const [crds] = stepsOf(UPGRADE);
    expect(crds?.script).toContain('deploy/crds');
    await type([crds!, ...upgrading!]);
    await rolledOut(version);
    expect(await columns()).toContain(NEW_COLUMN);
    expect(await policies()).toContain('slipway-accounts');
    expect(await operator()).toBe(before);
    await waitFor(cluster(), subscription, runs('1.0.0'));
  });

  test('goes back, and forward again with another setting', async () => {
    expect(readFileSync(join(ROOT, UPGRADE), 'utf8')).toContain(KEEPING);
    await type(goingBack!);
    await rolledOut(PREVIOUS_VERSION);
    expect(await policies()).toBe('');
    await type([
      {
        script: `helm upgrade slipway deploy/chart --namespace ${SYSTEM} ${KEEPING} --set replicas=1,image.tag=${version}`,
      },
    ]);
    await rolledOut(version);
    expect(await kubectl('-n', SYSTEM, 'get', 'poddisruptionbudgets', '-o', 'name')).toBe('');
    expect(await kubectl('-n', SYSTEM, 'get', DEPLOYMENT, '-o', 'jsonpath={.spec.replicas}')).toBe('1');
  });

  test('is removed as the guide says, and nothing is left', async () => {
    const guide = stepsOf('docs/how-to/remove-slipway.md');
    const own = guide.findIndex(({ script }) => script.startsWith('helm'));
    expect(own).toBeGreaterThan(1);
    await type(guide.slice(0, own).filter(({ script }) => !script.includes('install.yaml')));
    await kubectl('delete', 'namespace', 'shop', '--wait=false'); // takes seconds
    await manager?.stop();
    await type(guide.slice(own, own + 1));
    await expectUnchanged(cluster(), empty);
  });

  function type(steps: readonly Step[]): Promise<readonly string[]> {
    const { kubeconfig } = cluster();
    const folders = ['HELM_CACHE_HOME', 'HELM_CONFIG_HOME', 'HELM_DATA_HOME', 'HOME'].map(
      (name) => [name, home] as const,
    );
    const variables = { KUBECONFIG: kubeconfig, ...Object.fromEntries(folders) };
    return typeSteps(steps, { tools: `${cluster().tools}:${tools}`, variables });
  }

  function apply(text: string): Promise<string> {
    return cluster().kubectl(['apply', '-f', '-'], text);
  }

  async function rolledOut(wanted: string): Promise<void> {
    await kubectl('-n', SYSTEM, 'rollout', 'status', DEPLOYMENT, '--timeout=180s');
    const image = 'jsonpath={.spec.template.spec.containers[*].image}';
    expect(await kubectl('-n', SYSTEM, 'get', DEPLOYMENT, '-o', image)).toBe(`${IMAGE}:${wanted}`);
  }

  async function columns(): Promise<readonly string[]> {
    const path = '{.spec.versions[0].additionalPrinterColumns[*].name}';
    return (await kubectl('get', 'crd', 'subscriptions.slipway.dev', '-o', `jsonpath=${path}`)).split(' ');
  }

  function policies(): Promise<string> {
    return kubectl('get', 'validatingadmissionpolicies,validatingadmissionpolicybindings', '-o', 'name');
  }

  /** Its Deployment, and how often that was written. */
  function operator(): Promise<string> {
    const path = '{.items[*].metadata.uid} {.items[*].metadata.generation}';
    return kubectl('-n', 'shop', 'get', 'deployments', '-o', `jsonpath=${path}`);
  }
});

function helmSteps(guide: string): readonly Step[] {
  return stepsOf(guide).filter(({ script }) => script.startsWith('helm'));
}

/** The chart of the release before, in a folder of its own. */
function previousChart(home: string): string {
  const chart = join(home, 'chart');
  cpSync(CHART, chart, { recursive: true });
  for (const name of readdirSync(join(chart, 'crds'))) {
    const path = join(chart, 'crds', name);
    writeFileSync(path, JSON.stringify(asPrevious(load(readFileSync(path, 'utf8')) as Manifest)));
  }
  const values = join(chart, 'values.yaml');
  writeFileSync(values, readFileSync(values, 'utf8').replace('requireAccounts: true', 'requireAccounts: false'));
  const about = join(chart, 'Chart.yaml');
  writeFileSync(about, readFileSync(about, 'utf8').replaceAll(version, PREVIOUS_VERSION));
  return chart;
}
