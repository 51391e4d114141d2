/**
 * The reports to users by every means: column, condition, event, log line and metric. An upgrade that fails, is rolled
 * back and superseded; the reason why an upgrade waits; changes of an operator's objects by others, and the losses that
 * they cause.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stepsOf, typeSteps } from '../../../scripts/shell-steps.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import {
  catalogOf,
  condition,
  get,
  isReady,
  list,
  pathOf,
  runs,
  subscriptionTo,
  waitFor,
  type Judged,
} from '../../lib/objects.ts';
import { OperationLog } from '../../lib/operation-log.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { isSample } from '../../lib/sample.ts';
import { crdNameOf, publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { reconcileNow, requestReconcile } from '../../lib/writes.ts';

const cluster = useCluster();
const NAMESPACE = 'lights';
const BEACON = { kind: 'subscription', name: 'beacon', namespace: NAMESPACE };
const CRD = crdNameOf('Beacon');
let manager: RunningManager;

const kubectl = (...args: readonly string[]): Promise<string> => cluster().kubectl(args);
const apply = (manifest: string): Promise<string> => cluster().kubectl(['apply', '-f', '-'], manifest);

interface Pending {
  readonly pending: { readonly revision: string };
}

interface Published {
  readonly version: string;
  /** Refused by the API server, at once and for good. */
  readonly broken?: true;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly needs?: string;
}

async function publish(name: string, versions: readonly Published[]): Promise<readonly object[]> {
  const { registry } = cluster();
  const images = await Promise.all(
    versions.map(({ version, broken }) =>
      publishTiny(registry, {
        name,
        version,
        ...(name === 'beacon' && { kind: 'Beacon' }),
        ...(broken && { further: [REFUSED] }),
      }),
    ),
  );
  const packages = versions.map(({ version, replaces, skips, needs }, at) => ({
    version,
    image: images[at] as string,
    ...(replaces !== undefined && { replaces }),
    ...(skips !== undefined && { skips }),
    ...(needs !== undefined && {
      properties: [{ type: 'olm.package.required', value: { packageName: needs, versionRange: '>=1.0.0' } }],
    }),
  }));
  return packageDocuments(name, packages);
}

const REFUSED = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'refused' },
  spec: { ports: [{ port: 70_000 }] },
};

async function offer(...versions: readonly Published[]): Promise<void> {
  const documents = [...(await publish('beacon', versions)), ...(await publish('lens', [{ version: '1.0.0' }]))];
  await publishCatalog(documents, `${cluster().registry}/examples:latest`);
  await requestReconcile(cluster(), { kind: 'catalog', name: 'examples' }).catch(() => undefined);
}

/** `Warning RollingBack: …` of all events about an object. */
async function eventsOf({ metadata: { uid } }: Judged): Promise<readonly string[]> {
  const events = await list<{ type: string; reason: string; note: string; regarding: { uid: string } }>(
    cluster(),
    'event',
  );
  return events
    .filter((event) => event.regarding.uid === uid)
    .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

async function eventOf(object: Judged, text: RegExp): Promise<string> {
  return until(`an event like ${text}`, async () => (await eventsOf(object)).find((one) => text.test(one)), {
    explain: async () => (await eventsOf(object)).join('\n'),
  });
}

async function row(): Promise<string> {
  return kubectl('-n', NAMESPACE, 'get', 'subscriptions.slipway.dev', 'beacon', '--no-headers');
}

async function metric(line: string): Promise<number> {
  const text = await (await fetch(`${manager.url}/metrics`)).text();
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return Number(found?.slice(line.length));
}

/** For numbers that are counted from a cache: the API server has an object before the watch has reported it. */
async function becomes(line: string, wanted: number): Promise<void> {
  await expect.poll(() => metric(line)).toBe(wanted);
}

const lines = (level: number): readonly string[] =>
  manager
    .log()
    .split('\n')
    .filter((line) => line.includes(`"level":${level},`));

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  await kubectl('create', 'namespace', NAMESPACE);
  await offer({ version: '1.0.0' });
  await apply(catalogOf('examples', `${cluster().registry}/examples:latest`));
  await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
});
afterAll(async () => {
  await manager?.stop();
});

const spec = { package: 'beacon', onFailure: { bakeTime: '0s' } };
const [ONE, TWO] = [{ version: '1.0.0' }, { version: '2.0.0', broken: true, replaces: '1.0.0' }] as const;
const THREE = { version: '3.0.0', replaces: '1.0.0', skips: ['2.0.0'] };

describe('an upgrade that fails', () => {
  test('is reported by every means after the rollback, and the failed Revision has the cause', async () => {
    await apply(subscriptionTo('beacon', NAMESPACE, spec));
    await waitFor(cluster(), BEACON, runs('1.0.0'));
    const log = new OperationLog(manager, NAMESPACE);
    log.next();
    await offer(ONE, TWO);
    const told = await waitFor(
      cluster(),
      BEACON,
      (one) => isReady(one) && condition(one, 'UpgradeFailed')?.message.includes('beacon.v1.0.0 runs again') === true,
    );
    expect(told.status).toMatchObject({ installed: { version: '1.0.0' }, available: { version: '2.0.0' } });
    expect(condition(told, 'UpgradeFailed')).toMatchObject({ status: 'True', reason: 'ObjectInvalid' });
    const columns = await row();
    expect(columns).toMatch(/beacon\s+beacon\s+1\.0\.0\s+2\.0\.0\s+True/);
    expect(columns).toMatch(/1\.0\.0 is installed and healthy; the upgrade to beacon\.v2\.0\.0 failed: .*port/);
    await eventOf(told, /^Warning RollingBack: beacon\.v2\.0\.0 failed and is quarantined: .*port/);
    await eventOf(told, /^Normal RolledBack: beacon\.v1\.0\.0 works again \d+ s after beacon\.v2\.0\.0 failed/);
    const logged = log.next();
    expect(logged.map(({ level, reason }) => `${level} ${reason}`)).toEqual([
      '30 Upgrading',
      '40 RollingBack',
      '30 RolledBack',
    ]);
    await becomes('slipway_subscriptions_with_condition{condition="UpgradeFailed"}', 1);
    const [, failed] = await list(cluster(), 'revision', { namespace: NAMESPACE });
    expect(failed?.status?.['failure']).toMatchObject({ reason: 'ObjectInvalid' });
    expect(condition(failed as Judged, 'Ready')?.message).toMatch(/^Kept as history; it failed: .*port/);
  });

  test('is reported no longer once a newer version is installed', async () => {
    await offer(ONE, TWO, THREE);
    const told = await waitFor(cluster(), BEACON, runs('3.0.0'));
    expect(condition(told, 'UpgradeFailed')).toBeUndefined();
    expect(condition(told, 'UpgradeAvailable')).toMatchObject({ status: 'False', reason: 'UpToDate' });
    await becomes('slipway_subscriptions_with_condition{condition="UpgradeFailed"}', 0);
  });
});

describe.skipIf(isSample)('an upgrade that becomes unhealthy within the bake time', () => {
  const LAMP = { kind: 'subscription', name: 'lamp', namespace: 'lamps' };
  const [OLD, NEW] = [{ version: '1.0.0' }, { version: '1.1.0', replaces: '1.0.0' }];

  async function offerLamps(...versions: readonly Published[]): Promise<void> {
    const image = await publishCatalog(await publish('lamp', versions), `${cluster().registry}/lamps:latest`);
    await apply(catalogOf('lamps', image));
    // a Subscription that is made before has one event more
    await waitFor(cluster(), { kind: 'catalog', name: 'lamps' }, isReady);
  }

  test('is rolled back and given up, although objects of the version before still wait to be pruned', async () => {
    await kubectl('create', 'namespace', LAMP.namespace);
    await offerLamps(OLD);
    await apply(subscriptionTo(LAMP.name, LAMP.namespace, { package: 'lamp', onFailure: { bakeTime: '1h' } }));
    await waitFor(cluster(), LAMP, runs(OLD.version));
    await offerLamps(OLD, NEW);
    const { status } = await waitFor(cluster(), LAMP, runs(NEW.version));
    const revision = { ...LAMP, kind: 'revision', name: status?.installed?.revision ?? '' };
    await waitFor(cluster(), revision, (one) => isReady(one) && isBaking(one));
    await makeUnready(NEW.version);
    const told = await waitFor(
      cluster(),
      LAMP,
      (one) => isReady(one) && condition(one, 'UpgradeFailed')?.message.includes('lamp.v1.0.0 runs again') === true,
    );
    expect(condition(told, 'UpgradeFailed')?.reason).toBe('WorkloadUnhealthy');
    expect(told.status).toMatchObject({
      installed: { version: OLD.version },
      quarantined: [{ version: NEW.version, reason: 'WorkloadUnhealthy' }],
    });
    await eventOf(told, /^Warning RollingBack: lamp\.v1\.1\.0 failed and is quarantined: .*lamps\/lamp/);
    await eventOf(told, /^Normal RolledBack: lamp\.v1\.0\.0 works again/);
    const reported = (await eventsOf(told)).map((event) => event.replace(/:.*/, ''));
    expect(reported.toSorted()).toEqual([
      'Normal Installing',
      'Normal RolledBack',
      'Normal Succeeded',
      'Normal Succeeded',
      'Normal Upgrading',
      'Warning RollingBack',
      // until the grace within the bake time is over
      'Warning WorkloadUnhealthy',
    ]);
    await waitFor(cluster(), revision, (one) => one.status?.['firstReadyTime'] === undefined);
  });

  test('is judged as a new version when a person has it tried again, and rolled back again', async () => {
    const quarantinedAt = async (): Promise<unknown> => {
      const { status } = await get(cluster(), 'subscription', LAMP.name, LAMP.namespace);
      return (status?.['quarantined'] as readonly { readonly since: string }[] | undefined)?.[0]?.since;
    };
    const before = await quarantinedAt();
    await requestReconcile(cluster(), LAMP);
    await waitFor(cluster(), LAMP, runs(NEW.version));
    await makeUnready(NEW.version);
    await waitFor(cluster(), LAMP, (one) => isReady(one) && one.status?.installed?.version === OLD.version);
    expect(await quarantinedAt()).not.toBe(before);
    await kubectl('-n', LAMP.namespace, 'delete', 'subscriptions.slipway.dev', LAMP.name);
  });

  function isBaking(one: Judged): boolean {
    return condition(one, 'Reconciling')?.message.includes('for spec.onFailure.bakeTime') === true;
  }

  /** As a kubelet does when the program in the Pod hangs. */
  async function makeUnready(version: string): Promise<void> {
    const pods = await list(cluster(), 'pod', { namespace: LAMP.namespace, selector: 'app=lamp' });
    const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'False' }));
    const patch = JSON.stringify({ status: { conditions } });
    for (const { metadata } of pods.filter((pod) => JSON.stringify(pod.spec).includes(`v${version}"`)))
      await kubectl('-n', LAMP.namespace, 'patch', 'pod', metadata.name, '--subresource=status', '-p', patch);
  }
});

describe('what others do to the objects', () => {
  const deployment = (): Promise<Judged> => get(cluster(), 'deployment', 'beacon', NAMESPACE);
  const repaired = (cause: string): Promise<number> => metric(`slipway_repaired_objects_total{cause="${cause}"}`);

  test.each([
    {
      because: 'someone scaled it to 0, and the API server remembers no field manager for that',
      act: () => kubectl('-n', NAMESPACE, 'scale', 'deployment/beacon', '--replicas=0'),
      says: /Deployment\.apps lights\/beacon is as it should be again: spec\.replicas was changed/,
      cause: 'Changed',
    },
    {
      because: 'someone swapped the image',
      act: () => kubectl('-n', NAMESPACE, 'set', 'image', 'deployment/beacon', 'operator=registry.example/other:v1'),
      says: /spec\.template\.spec\.containers\[operator\]\.image was changed by kubectl-set/,
      cause: 'Changed',
    },
    {
      because: 'someone deleted it',
      act: () => kubectl('-n', NAMESPACE, 'delete', 'deployment/beacon'),
      says: /Deployment\.apps lights\/beacon was deleted, and the manager has created it again/,
      cause: 'Deleted',
    },
  ])('is repaired and reported: $because', async ({ act, says, cause }) => {
    const before = await repaired(cause);
    await act();
    const told = await waitFor(
      cluster(),
      BEACON,
      (one) =>
        isReady(one) && says.test((one.status?.['lastRepair'] as { message?: string } | undefined)?.message ?? ''),
    );
    await eventOf(told, new RegExp(`^Normal Repaired: .*${says.source}`));
    expect(await repaired(cause)).toBe(before + 1);
    expect(lines(30).filter((line) => line.includes('"reason":"Repaired"') && says.test(line))).toHaveLength(1);
    expect((await deployment()).spec['replicas']).toBe(1);
  });

  test.skipIf(isSample)(
    'is a fight if it happens repeatedly, which is reported with advice and not in every round',
    async () => {
      for (let round = 0; round < 6; round += 1) {
        const before = await repaired('Changed');
        await kubectl('-n', NAMESPACE, 'scale', 'deployment/beacon', '--replicas=7');
        await until('it is put right', async () => (await repaired('Changed')) > before);
      }
      const told = await waitFor(cluster(), BEACON, (one) => condition(one, 'Contested') !== undefined);
      expect(condition(told, 'Contested')?.message).toMatch(
        /kubectl changed spec\.replicas back each time\. Configure kubectl not to change it/,
      );
      await eventOf(told, /^Warning Contested: /);
      expect(await row()).toContain('was repaired');
      await becomes('slipway_subscriptions_with_condition{condition="Contested"}', 1);
      expect(lines(40).filter((line) => line.includes('"reason":"Contested"'))).toHaveLength(1);
    },
  );

  test('is shouted if all custom resources are lost by it, until a person acknowledges that', async () => {
    for (const name of ['north', 'south'])
      await apply(
        JSON.stringify({ apiVersion: 'tiny.example/v1', kind: 'Beacon', metadata: { name, namespace: NAMESPACE } }),
      );
    await kubectl('delete', 'crd', CRD);
    const told = await waitFor(
      cluster(),
      BEACON,
      (one) => isReady(one) && condition(one, 'CustomResourcesLost') !== undefined,
    );
    const message = condition(told, 'CustomResourcesLost')?.message ?? '';
    expect(message).toContain(`CustomResourceDefinition ${CRD} was deleted`);
    expect(message).toContain('restore its objects from a backup');
    expect(await row()).toContain(`the custom resources of ${CRD} were lost`);
    await eventOf(told, /^Warning CustomResourcesLost: /);
    expect(lines(50).filter((line) => line.includes('"reason":"CustomResourcesLost"'))).toHaveLength(1);
    const lost = 'slipway_subscriptions_with_condition{condition="CustomResourcesLost"}';
    await becomes(lost, 1);
    expect(await repaired('Deleted')).toBe(2);
    const [command = ''] = /kubectl -n \S+ annotate .*$/.exec(message) ?? [];
    expect(command).not.toBe('');
    await kubectl(...command.split(' ').slice(1));
    await waitFor(cluster(), BEACON, (one) => isReady(one) && condition(one, 'CustomResourcesLost') === undefined);
    await becomes(lost, 0);
  });
});

describe('an upgrade that waits', () => {
  /** Takes what waits out of the catalog, so that another spec cannot have it installed. */
  async function withdraw(): Promise<void> {
    await offer(ONE, TWO, THREE);
    const { pending } =
      (await waitFor(cluster(), BEACON, (one) => isReady(one) && one.status?.available?.version === '3.0.0')).status ??
      {};
    expect(pending).toBeUndefined();
  }
  const window = new Date(Date.now() + 12 * 3600_000);
  const windows = [{ cron: `0 ${window.getUTCHours()} * * *`, duration: '1h', timeZone: 'UTC' }];

  test.each([
    { version: '4.0.0', more: { windows }, reason: 'OutsideWindow', says: /beacon\.v4\.0\.0 waits for the next/ },
    { version: '4.1.0', more: { approval: 'Manual' }, reason: 'ApprovalRequired', says: /waits for approval: kubectl/ },
  ])('says so: $reason', async ({ version, more, reason, says }) => {
    await withdraw();
    await apply(subscriptionTo('beacon', NAMESPACE, { ...spec, ...more }));
    await waitFor(cluster(), BEACON, runs('3.0.0'));
    await offer(ONE, TWO, THREE, { version, replaces: '3.0.0' });
    const told = await waitFor(
      cluster(),
      BEACON,
      (one) => isReady(one) && condition(one, 'UpgradeAvailable')?.reason === reason,
    );
    expect(await row()).toMatch(says);
    await eventOf(told, new RegExp(`^Normal ${reason}: `));
    const waiting = await waitFor(
      cluster(),
      { kind: 'revision', name: (told.status as unknown as Pending).pending.revision, namespace: NAMESPACE },
      (one) => condition(one, 'Ready')?.reason === reason,
    );
    expect(condition(waiting, 'Ready')?.status).toBe('False');
    const again = (await eventsOf(told)).filter((text) => text.startsWith(`Normal ${reason}: `));
    expect(again).toHaveLength(1);
  });

  test('keeps no new configuration from the installed version', async () => {
    const config = { env: [{ name: 'LEVEL', value: 'debug' }] };
    await apply(subscriptionTo('beacon', NAMESPACE, { ...spec, approval: 'Manual', config }));
    await until('the Deployment has the variable', async () =>
      JSON.stringify(await get(cluster(), 'deployment', 'beacon', NAMESPACE)).includes(
        '"name":"LEVEL","value":"debug"',
      ),
    );
    const told = await waitFor(
      cluster(),
      BEACON,
      (one) => runs('3.0.0')(one) && condition(one, 'UpgradeAvailable')?.reason === 'ApprovalRequired',
    );
    expect(told.status).toMatchObject({ pending: { version: '4.1.0', reason: 'ApprovalRequired' } });
    await eventOf(
      told,
      /^Normal Succeeded: Revision beacon-\d+ of beacon\.v3\.0\.0 replaces beacon-\d+, and is healthy/,
    );
    await eventOf(
      told,
      /^Normal Superseded: beacon-\d+ with beacon\.v4\.1\.0 was not approved, and is deleted: beacon-/,
    );
  });

  test('is reported, with the dependency, and with the current one of several steps', async () => {
    const later = [
      { version: '4.2.0', replaces: '3.0.0', needs: 'lens' },
      { version: '5.0.0', replaces: '4.2.0' },
    ];
    await withdraw();
    await apply(subscriptionTo('beacon', NAMESPACE, spec));
    await waitFor(cluster(), BEACON, runs('3.0.0'));
    await offer(ONE, TWO, THREE, ...later);
    const told = await waitFor(cluster(), BEACON, runs('5.0.0'));
    await eventOf(told, /^Normal DependencyNotReady: beacon\.v4\.2\.0 waits for its dependencies: lens/);
    await eventOf(told, /^Normal Upgrading: beacon\.v4\.2\.0 is to follow beacon\.v3\.0\.0, step 1 of 2/);
    await eventOf(told, /^Normal Upgrading: beacon\.v5\.0\.0 is to follow beacon\.v4\.2\.0, step 2 of 2/);
  });
});

describe('a pipeline that waits as the guide says', () => {
  const GUIDE = stepsOf('docs/how-to/upgrade-from-a-pipeline.md');
  const LATER = [
    { version: '6.0.0', replaces: '5.0.0', broken: true as const },
    { version: '6.1.0', replaces: '5.0.0' },
  ];
  const [ask, wait, published] = GUIDE.map(({ script }) => script);

  /** Exit code 0, or the output before another one. */
  async function pipeline(version: string, ...scripts: readonly (string | undefined)[]): Promise<string> {
    const typed = scripts.map((script = '') => ({ script: script.replaceAll('2.0.0', version) }));
    const settings = { tools: cluster().tools, variables: { KUBECONFIG: cluster().kubeconfig } };
    return typeSteps(typed, settings).then(
      () => 'succeeds',
      ({ stdout, code }: { readonly stdout?: string; readonly code?: number }) => `exit code ${code}: ${stdout}`,
    );
  }

  beforeAll(async () => {
    const all = [ONE, TWO, THREE, { version: '4.2.0', replaces: '3.0.0' }, { version: '5.0.0', replaces: '4.2.0' }];
    // Without a pin it would move to the newest version as soon as the catalog has that.
    const pin = { spec: { version: '5.0.0' } };
    await cluster().request('PATCH', pathOf('subscription', 'beacon', NAMESPACE), pin);
    await waitFor(cluster(), BEACON, runs('5.0.0'));
    await offer(...all, ...LATER);
    // Ready it was before; a version that its content does not have yet is refused at once.
    await reconcileNow(cluster(), { kind: 'catalog', name: 'examples' });
  });

  test('ends with an error after a version that fails, and not before its outcome is known', async () => {
    expect(await pipeline('6.0.0', ask, wait)).toMatch(/^exit code 1: [^]*The upgrade to beacon\.v6\.0\.0 failed: /);
    expect((await get(cluster(), 'subscription', 'beacon', NAMESPACE)).status?.installed?.version).toBe('5.0.0');
  });

  test.skipIf(isSample)('ends with an error if there is no such version', async () => {
    expect(await pipeline('9.9.9', ask, wait)).toMatch(/^exit code 1: /);
  });

  test('succeeds with a version that succeeds', async () => {
    expect(await pipeline('6.1.0', ask, wait)).toBe('succeeds');
    expect((await get(cluster(), 'subscription', 'beacon', NAMESPACE)).status?.installed?.version).toBe('6.1.0');
  });

  const FAILING = {
    version: '7.1.0-rc.1',
    broken: true as const,
    outcome: /^exit code 1: [^]*The upgrade to beacon\.v7\.1\.0-rc\.1 failed: /,
  };
  const WORKING = { version: '7.1.0', outcome: /^succeeds$/ };

  test.each(isSample ? [WORKING] : [FAILING, WORKING])(
    'ends as well where a version is published: $version',
    async ({ version, outcome, ...more }) => {
      const remove = JSON.stringify({ spec: { version: null } });
      await kubectl('-n', NAMESPACE, 'patch', 'subscriptions.slipway.dev', 'beacon', '--type=merge', '-p', remove);
      const all = [{ version: '6.1.0' }, { version, replaces: '6.1.0', ...more }];
      const documents = await publish('beacon', all);
      await publishCatalog(documents, `${cluster().registry}/examples:latest`);
      expect(await pipeline(version, published)).toMatch(outcome);
    },
  );
});
