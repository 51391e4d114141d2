/** Types the guides for administrators against a real API server, and compares the output. */
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useCluster } from '../e2e/lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../e2e/lib/manager.ts';
import { until } from '../e2e/lib/until.ts';
import { codeSpans, parseMarkdown } from './markdown.ts';
import { isShownByLine, stepsOf, typeSteps, type Step } from './shell-steps.ts';
import { readText } from './source-files.ts';

const cluster = useCluster();
let manager: RunningManager | undefined;
/** Whether the Catalog has what the guides begin with. */
let isOffered = false;

beforeAll(async () => {
  await installSlipway(cluster(), { policy: false });
  manager = await startManager(cluster());
  await type([`${SLIPWAY}\n${publish('1.0.0')}`, 'kubectl create namespace lights']);
});
afterAll(async () => {
  await manager?.stop();
});

const SLIPWAY = 'slipway() { npm run -s slipway -- "$@"; }';
const CATALOG = `${SLIPWAY}
sed "s|ref: .*|ref: registry.example/team/catalog:latest|" deploy/samples/catalog.yaml | kubectl apply -f -`;

describe('the guides for administrators', () => {
  beforeEach(async () => {
    rmSync(resolve(import.meta.dirname, '../.cache/adopt'), { recursive: true, force: true });
    if (!isOffered) await type([offer('1.0.0')]);
    isOffered = true;
    return async () => {
      await type([EMPTY, 'kubectl delete crd beacons.example.slipway.dev --ignore-not-found']);
    };
  });

  test('installing an operator shows that it works, and its kinds', async () => {
    const [, ...steps] = stepsOf('docs/how-to/install-an-operator.md');
    await typeAndCompare(steps);
  });

  test('adopting what kubectl installed keeps the Pods, the CRD and its objects', async () => {
    await type([`${SLIPWAY}\n${INSTALLED_BY_HAND}`]);
    const before = await identities();
    await typeGuide('docs/how-to/adopt-installed-operators.md');
    expect(await identities()).toEqual(before);
  });

  test('approving by hand shows the command that approves, and it works', async () => {
    await type([subscribe('beacon'), ready('beacon')]);
    isOffered = false;
    await type([MANUAL, `${SLIPWAY}\n${publish('1.1.0')}`, offer('1.0.0', '1.1.0'), WAITS_FOR_APPROVAL]);
    await typeGuide('docs/how-to/approve-by-hand.md');
    await type([upgraded('1.1.0')]);
  });

  test('the smallest bundle can be published and installed', async () => {
    const steps = stepsOf('docs/how-to/publish-a-bundle.md');
    const last = steps.findIndex(({ script }) => script.includes('bundle push .cache/how-to/lamp'));
    expect(last).toBe(2);
    isOffered = false;
    await typeAll([
      ...steps.slice(0, last + 1),
      { script: OFFER_LAMPS },
      { script: subscribe('lamp') },
      { script: ready('lamp') },
    ]);
    const printed = await cluster().kubectl(['-n', 'lights', 'get', 'deployment', 'lamp-operator', '-o', 'name']);
    expect(printed.trim()).toBe('deployment.apps/lamp-operator');
    await type(['kubectl -n lights delete subscriptions.slipway.dev lamp']);
    expect(await cluster().kubectl(['get', 'crd', '-o', 'name'])).not.toContain('lamps.example.com');
  });

  test('the commands that find a cause work, those of the table too', async () => {
    await type([subscribe('beacon'), ready('beacon')]);
    const path = 'docs/how-to/see-why-nothing-happens.md';
    const [first, again] = stepsOf(path);
    const questions = codeSpans(parseMarkdown(readText(path) ?? '').prose).filter((code) => code.startsWith('kubectl'));
    expect(questions.length).toBeGreaterThan(4);
    const outputs = await type([first?.script ?? '', ...questions, again?.script ?? '']);
    expect(outputs.join('')).toMatch(/is installed and healthy[^]*newest[^]*annotated/);
    const [, , ...others] = stepsOf(path);
    // needs a manager that runs in a Pod
    expect(others).toMatchObject([{ script: expect.stringContaining('port-forward') as string }]);
  });

  test('an uninstall keeps custom resources, hands a CRD over, deletes both, or leaves everything', async () => {
    const [remove, events, handOver, rewrite, removeAll, orphan, state, move, ...others] = stepsOf(
      'docs/how-to/uninstall-an-operator.md',
    );
    expect(move?.script.trim()).toBe(handOver?.script.trim());
    expect(rewrite?.script).toContain('storedVersions'); // needs a CRD with two versions: e2e/stories/webhooks
    expect(others).toEqual([]);
    const scripts = (...steps: readonly (Step | undefined)[]): readonly Step[] => steps.flatMap((step) => step ?? []);
    const again = [subscribe('beacon'), ready('beacon')].map((script) => ({ script }));
    await typeAll([...again, { script: BEACON }, ...scripts(remove)]);
    // the operator is gone before the event about it is sent
    await until('an event names the CRD that stays', async () =>
      (await typeAll(scripts(events))).join('').includes('beacons.example.slipway.dev'),
    );
    expect(await crds()).toContain('beacons.example.slipway.dev');
    await typeAll([...scripts(handOver), ...again, ...scripts(orphan)]);
    const kept = 'kubectl -n lights get deployments,subscriptions.slipway.dev,revisions.slipway.dev -o name';
    expect((await typeAll([{ script: kept }])).join('').trim()).toBe('deployment.apps/beacon-operator');
    await typeAll([...again, ...scripts(state, removeAll)]);
    expect(await crds()).not.toContain('beacons.example.slipway.dev');
  });
});

/** The namespace is kept: the controller of namespaces takes five seconds and more to delete one. */
const EMPTY = `kubectl -n lights delete subscriptions.slipway.dev --all
kubectl -n lights delete deployments,services,pods --all
kubectl -n lights delete events --all`;

const BEACON = `kubectl -n lights apply -f - <<END
apiVersion: example.slipway.dev/v1
kind: Beacon
metadata: {name: north}
spec: {colour: white}
END`;

/** Applies the objects of the bundle as a person would, without anything of Slipway. */
const INSTALLED_BY_HAND = `slipway bundle render registry.example/team/beacon-operator:v1.0.0 --namespace lights > .cache/by-hand.yaml
kubectl apply -f .cache/by-hand.yaml
kubectl wait --for=condition=Established crd/beacons.example.slipway.dev
kubectl -n lights wait --for=condition=Available deployment/beacon-operator --timeout=2m
kubectl get clusterrole,clusterrolebinding -o name | grep /beacon-operator | xargs kubectl delete
${BEACON}`;

const MANUAL = `kubectl -n lights patch subscriptions.slipway.dev beacon --type merge -p '{"spec":{"approval":"Manual"}}'`;
const WAITS_FOR_APPROVAL = `kubectl annotate catalogs.slipway.dev examples --overwrite slipway.dev/reconcile-requested-at="$(date)"
kubectl -n lights wait --for=create revisions.slipway.dev/beacon-2 --timeout=2m
kubectl -n lights wait --for=jsonpath='{.status.pending.reason}'=ApprovalRequired subscriptions.slipway.dev/beacon --timeout=2m
kubectl -n lights wait --for=condition=Ready=False revisions.slipway.dev/beacon-2 --timeout=2m`;

function upgraded(version: string): string {
  return `kubectl -n lights wait --for=jsonpath='{.status.installed.version}'=${version} subscriptions.slipway.dev/beacon --timeout=2m`;
}

function publish(version: string): string {
  return `slipway bundle push bundles/examples/beacon-operator/${version} registry.example/team/beacon-operator:v${version}`;
}

/** A catalog with these versions, in service. */
function offer(...versions: readonly string[]): string {
  const images = versions.map((version) => `registry.example/team/beacon-operator:v${version}`).join(' ');
  return `${CATALOG}
slipway catalog build .cache/guides-catalog ${images}
slipway catalog push .cache/guides-catalog registry.example/team/catalog:latest
kubectl annotate catalogs.slipway.dev examples --overwrite slipway.dev/reconcile-requested-at="$(date +%s%N)"
kubectl wait --for=jsonpath='{.status.bundles}'=${versions.length} catalogs.slipway.dev/examples --timeout=2m`;
}

/** Makes the Subscription of this name for the package that is called after it. */
function subscribe(name: string): string {
  return `kubectl apply -f - <<END
apiVersion: slipway.dev/v1alpha1
kind: Subscription
metadata: {name: ${name}, namespace: lights}
spec: {package: ${name}-operator}
END`;
}

function ready(name: string): string {
  return `kubectl -n lights wait --for=condition=Ready subscriptions.slipway.dev/${name} --timeout=2m`;
}

function crds(): Promise<string> {
  return cluster().kubectl(['get', 'crd', '-o', 'name']);
}

/** Reaches the registry once more, since the catalog of beacons is replaced by one of lamps. */
const OFFER_LAMPS = `slipway catalog build .cache/guides-lamps registry.example/team/lamp-operator-bundle:v1.0.0
slipway catalog push .cache/guides-lamps registry.example/team/catalog:latest
kubectl annotate catalogs.slipway.dev examples --overwrite slipway.dev/reconcile-requested-at="$(date +%s%N)"`;

/** The uids of the objects that an adoption must not replace, and the names of the Pods. */
async function identities(): Promise<string> {
  const what = ['crd/beacons.example.slipway.dev', 'deployment/beacon-operator', 'beacon/north'];
  const parts = await Promise.all(
    what.map((one) => cluster().kubectl(['-n', 'lights', 'get', one, '-o', 'jsonpath={.metadata.uid}'])),
  );
  const pods = await cluster().kubectl(['-n', 'lights', 'get', 'pods', '-o', 'name']);
  return [...parts, pods].join('\n');
}

/** Types a guide from its first command to its last; it must print the outputs that the guide shows. */
function typeGuide(path: string): Promise<void> {
  return typeAndCompare(stepsOf(path));
}

async function typeAndCompare(steps: readonly Step[]): Promise<void> {
  const outputs = await typeAll(steps);
  expect(outputs).toHaveLength(steps.length);
  for (const [index, { script, printed }] of steps.entries()) {
    if (printed === undefined) continue;
    const actual = outputs[index] ?? '';
    expect(isShownByLine(actual, printed), `${script}\nprints\n${actual}`).toBe(true);
  }
}

function type(scripts: readonly string[]): Promise<readonly string[]> {
  return typeAll(scripts.map((script) => ({ script })));
}

function typeAll(steps: readonly Step[]): Promise<readonly string[]> {
  const { registry, tools, kubeconfig } = cluster();
  return typeSteps(steps, { registry, tools, variables: { KUBECONFIG: kubeconfig } });
}
