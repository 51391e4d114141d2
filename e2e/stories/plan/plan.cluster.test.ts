/**
 * A Subscription in Git with the policy "minor, no new rights": a patch rolls out alone, a version with new rights waits,
 * the pull request carries its plan, the hash of the plan permits it, and a changed catalog voids an approval.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Revision } from '../../../api/revision.ts';
import type { Plan } from '../../../plan/model.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, restartCollector, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, get, list, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, type PackageVersion } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, requestReconcile } from '../../lib/writes.ts';
import { createCommandLine } from '../command-line/process.ts';

const NAMESPACE = 'gadget';
const SUBSCRIPTION = { kind: 'subscription', name: 'gadget', namespace: NAMESPACE };
const UPGRADE_POLICY = { automatic: 'Minor', rights: 'MayNotGrow' };
const RBAC = 'rbac.authorization.k8s.io';

/** A role by which the operator may read Secrets, and a ConfigMap that distinguishes builds of one version. */
function readingSecrets(build: string): readonly object[] {
  return [
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'gadget-secrets' },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'gadget-secrets' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'gadget-secrets' },
      subjects: [{ kind: 'ServiceAccount', name: 'gadget', namespace: NAMESPACE }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'gadget-build' }, data: { build } },
  ];
}

describe('an upgrade policy of a Subscription in Git', () => {
  const cluster = useCluster();
  const images = new Map<string, string>();
  const folder = mkdtempSync(join(tmpdir(), 'slipway-plan-story-'));
  let manager: RunningManager;
  /** The hash of the plan that the pull request shows. */
  let reviewed = '';

  beforeAll(async () => {
    await installSlipway(cluster());
    await restartCollector(cluster());
    manager = await startManager(cluster());
    await makeNamespaces(cluster(), [NAMESPACE]);
    await build('1.0.0');
    await publish('1.0.0');
    await apply(cluster(), catalogOf('main', `${cluster().registry}/catalog:latest`, { interval: '10s' }));
    await submit({});
  });
  afterAll(async () => {
    await manager?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the first installation does not wait for it', async () => {
    const installed = await waitFor(cluster(), SUBSCRIPTION, runs('1.0.0'));
    const revision = await revisionOf(installed);
    expect(revision.status?.plan).toBeUndefined();
  });

  test('a patch rolls out alone, after its plan was made', async () => {
    await build('1.0.1');
    await publish('1.0.0', '1.0.1');
    const { status } = await revisionOf(await waitFor(cluster(), SUBSCRIPTION, runs('1.0.1')));
    expect(status?.plan).toMatchObject({ from: '1.0.0', hash: expect.stringMatching(/^sha256:/) as string });
    expect(status?.plan?.heldBy).toBeUndefined();
    expect(status?.approvedBy).toMatchObject({ place: 'Policy', plan: status?.plan?.hash });
  });

  test('a version with new rights waits, and the rule that holds it is named', async () => {
    await build('1.1.0', readingSecrets('first'));
    await publish('1.0.0', '1.0.1', '1.1.0');
    const held = await waitFor(cluster(), SUBSCRIPTION, because('AwaitingApproval'));
    const message = 'rights: the operator may read Secrets in every namespace';
    expect(condition(held, 'UpgradeAvailable')?.message).toContain(message);
    expect(condition(held, 'Ready')).toMatchObject({
      status: 'True',
      message: expect.stringContaining(message) as string,
    });
    const waiting = await waitingRevision();
    expect(waiting.status?.plan).toMatchObject({ risk: 'high', heldBy: [{ rule: 'rights' }] });
    await until('the Revision shows why it waits', async () =>
      JSON.stringify((await waitingRevision()).status?.conditions).includes('AwaitingApproval'),
    );
  });

  test('it is in an event, a line of the log and a metric', async () => {
    const events = (): Promise<readonly { readonly reason?: string }[]> =>
      list(cluster(), 'event', { namespace: NAMESPACE });
    await until('the event is there', async () => (await events()).some(({ reason }) => reason === 'AwaitingApproval'));
    expect(manager.log()).toMatch(/"reason":"AwaitingApproval"/);
    const metrics = async (): Promise<string> => (await fetch(`${manager.url}/metrics`)).text();
    expect(await metrics()).toMatch(/slipway_events_total\{.*reason="AwaitingApproval".*\} 1/);
    await expect.poll(metrics).toMatch(/slipway_upgrades_waiting\{reason="AwaitingApproval"\} 1/);
  });

  test('nothing of it is written', async () => {
    await expect(cluster().read(`/apis/${RBAC}/v1/clusterroles/gadget-secrets`)).rejects.toThrow('404');
  });

  test('the pull request shows the plan with the hash of the one in the cluster', async () => {
    writeFileSync(join(folder, 'gadget.yaml'), subscriptionTo('gadget', NAMESPACE, spec({})));
    const args = ['--file', join(folder, 'gadget.yaml'), '--catalog', `${cluster().registry}/catalog:latest`];
    const offline = await slipway('plan', ...args, '--plain-http', '--from', '1.0.1', '-o', 'markdown');
    reviewed = (await waitingRevision()).status?.plan?.hash ?? 'none';
    expect(offline).toContain('may read Secrets in every namespace');
    expect(offline).toContain(reviewed);
    expect(await slipway('plan', `${NAMESPACE}/gadget`, '-o', 'json')).toContain(reviewed);
    expect((await storedPlan()).plan.hash).toBe(reviewed);
  });

  test('a changed catalog voids the approval of that plan', async () => {
    await build('1.1.0', readingSecrets('second'));
    await publish('1.0.0', '1.0.1', '1.1.0');
    await until('the changed bundle has a plan', async () => {
      const hash = (await waitingRevision()).status?.plan?.hash;
      return hash !== undefined && hash !== reviewed;
    });
    await submit({ approve: { version: '1.1.0', plan: reviewed } });
    const held = await waitFor(cluster(), SUBSCRIPTION, because('ApprovalVoid'));
    expect(condition(held, 'UpgradeAvailable')?.message).toContain(reviewed);
    await expect(cluster().read(`/apis/${RBAC}/v1/clusterroles/gadget-secrets`)).rejects.toThrow('404');
  });

  test('merging the hash of the present plan permits the upgrade, and shows who approved it', async () => {
    const plan = (await waitingRevision()).status?.plan?.hash;
    await submit({ approve: { version: '1.1.0', plan } });
    const { status } = await revisionOf(await waitFor(cluster(), SUBSCRIPTION, runs('1.1.0')));
    expect(status?.approvedBy).toMatchObject({ place: 'Subscription', manager: 'kubectl', plan });
    expect(await slipway('history', `${NAMESPACE}/gadget`)).toMatch(/gadget-\d+ +1\.1\.0 .*kubectl/);
  });

  test('the Secrets with plans go with the Subscription', async () => {
    await cluster().kubectl(['-n', NAMESPACE, 'delete', 'subscriptions.slipway.dev', 'gadget', '--timeout=180s']);
    const plans = async (): Promise<number> =>
      (await list<{ readonly type?: string }>(cluster(), 'secret', { namespace: NAMESPACE })).filter(
        ({ type }) => type === 'slipway.dev/plan',
      ).length;
    await until('no Secret with a plan is left', async () => (await plans()) === 0);
  });

  /** As a merge to the main branch does. */
  async function submit(more: object): Promise<void> {
    await apply(cluster(), subscriptionTo('gadget', NAMESPACE, spec(more)));
  }

  async function build(version: string, further: readonly object[] = []): Promise<void> {
    images.set(version, await publishTiny(cluster().registry, { name: 'gadget', version, further }));
  }

  async function publish(...versions: readonly string[]): Promise<void> {
    const entries = versions.map((version, at): PackageVersion => ({
      version,
      image: images.get(version) ?? '',
      ...(at > 0 && { replaces: versions[at - 1] as string }),
    }));
    await publishCatalog(packageDocuments('gadget', entries), `${cluster().registry}/catalog:latest`);
    if (versions.length > 1) await requestReconcile(cluster(), { kind: 'catalog', name: 'main' });
  }

  async function revisionOf(subscription: Judged): Promise<Revision> {
    return get<Revision>(cluster(), 'revision', subscription.status?.installed?.revision ?? '', NAMESPACE);
  }

  async function waitingRevision(): Promise<Revision> {
    const { status } = await get(cluster(), 'subscription', 'gadget', NAMESPACE);
    const { revision } = (status?.['pending'] ?? {}) as { readonly revision?: string };
    return until('a Revision waits', () =>
      get<Revision>(cluster(), 'revision', revision ?? 'none', NAMESPACE).catch(() => undefined),
    );
  }

  async function storedPlan(): Promise<{ readonly plan: Plan }> {
    const name = (await waitingRevision()).status?.plan?.secret ?? '';
    const { data } = await get<{ readonly data: { readonly plan: string } }>(cluster(), 'secret', name, NAMESPACE);
    return JSON.parse(gunzipSync(Buffer.from(data.plan, 'base64')).toString()) as { readonly plan: Plan };
  }

  async function slipway(...args: readonly string[]): Promise<string> {
    const { stdout, stderr } = await createCommandLine(cluster().kubeconfig).run(...args);
    expect(stderr).toBe('');
    return stdout;
  }
});

function spec(more: object): object {
  return { package: 'gadget', catalog: 'main', upgradePolicy: UPGRADE_POLICY, ...more };
}

function because(reason: string): (object: Judged) => boolean {
  return (object) => condition(object, 'UpgradeAvailable')?.reason === reason;
}
