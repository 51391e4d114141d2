/**
 * A manager that starts while the watch of one kind lags: its list is older than the objects, and their events come late. It
 * asks the API server for an object that its cache lacks, before it takes or leaves others for good.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApiProxy } from '../../lib/api-proxy.ts';
import { useCluster } from '../../lib/cluster.ts';
import type { Fault, FaultFor } from '../../lib/fault-proxy.ts';
import { installSlipway, startManager } from '../../lib/manager.ts';
import {
  catalogOf,
  get,
  isReady,
  list,
  pathOf,
  runs,
  subscriptionTo,
  waitFor,
  type Judged,
} from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, isThere, makeNamespaces, startRemoval } from '../../lib/writes.ts';

const NAMESPACE = 'lag';
const GADGET = { kind: 'subscription', name: 'gadget', namespace: NAMESPACE };
const LAGS_MS = 5000;
/** Alone, so that it need not wait for the lease of the one before. */
const ALONE = { SLIPWAY_LEADER_ELECT: 'false' };

const cluster = useCluster();

beforeAll(async () => {
  await installSlipway(cluster());
  const image = await publishTiny(cluster().registry, { name: 'gadget', version: '1.0.0', kind: 'Gadget' });
  const catalog = packageDocuments('gadget', [{ version: '1.0.0', image }]);
  await makeNamespaces(cluster(), [NAMESPACE]);
  await apply(cluster(), catalogOf('lag', await publishCatalog(catalog, `${cluster().registry}/catalog:latest`)));
});

const deployment = (): Promise<Judged> => get(cluster(), 'deployment', 'gadget', NAMESPACE);

/** The list of a kind as it was then; the watch that begins with it reports every event since, late. */
async function lagging(kind: string): Promise<FaultFor> {
  const path = pathOf(kind);
  const { apiVersion, kind: listKind, metadata } = await cluster().read(path);
  const body = JSON.stringify({ apiVersion, kind: listKind, metadata, items: [] });
  const before: Fault = { kind: 'refuse', status: 200, headers: { 'content-type': 'application/json' }, body };
  return ({ method, path: asked }) => {
    if (method !== 'GET' || !asked.startsWith(`${path}?`)) return undefined;
    return /[?&]watch=/.test(asked) ? { kind: 'delay', milliseconds: LAGS_MS } : before;
  };
}

describe.each([
  { kind: 'revision', because: 'the Revisions are not reported yet' },
  { kind: 'subscription', because: 'the Subscription is not reported yet' },
])('while $because', ({ kind }) => {
  let faults: FaultFor;
  let first: Judged;

  /** A manager with the lag, once it has begun to work. */
  async function startLagging(): Promise<AsyncDisposable> {
    const proxy = await startApiProxy(cluster());
    proxy.meddle(faults);
    const manager = await startManager(cluster(), { ...ALONE, ...proxy.environment });
    return {
      async [Symbol.asyncDispose]() {
        await manager.stop();
        await proxy[Symbol.asyncDispose]();
      },
    };
  }

  beforeEach(async () => {
    faults = await lagging(kind);
    const manager = await startManager(cluster(), ALONE);
    await apply(
      cluster(),
      subscriptionTo(GADGET.name, NAMESPACE, { package: 'gadget', onFailure: { bakeTime: '0s' } }),
    );
    await waitFor(cluster(), GADGET, runs('1.0.0'));
    first = await deployment();
    await manager.stop();
    return async () => {
      const last = await startManager(cluster(), ALONE);
      if (await isThere(cluster(), pathOf(GADGET.kind, GADGET.name, NAMESPACE))) await startRemoval(cluster(), GADGET);
      await until('nothing is left', async () => (await list(cluster(), 'revision')).length === 0);
      await cluster().kubectl(['delete', 'deployment,serviceaccount', '-n', NAMESPACE, 'gadget', '--ignore-not-found']);
      await last.stop();
    };
  });

  test('an operator that is healthy stays as it is', async () => {
    await using _lagging = await startLagging();
    await pause(LAGS_MS);
    await waitFor(cluster(), GADGET, isReady);
    expect((await deployment()).metadata.uid).toBe(first.metadata.uid);
    expect(await list(cluster(), 'revision', { namespace: NAMESPACE })).toHaveLength(1);
  });

  test('an uninstall that leaves the objects leaves them', async () => {
    const path = pathOf(GADGET.kind, GADGET.name, NAMESPACE);
    await cluster().request('PATCH', path, { spec: { uninstall: { objects: 'Orphan' } } });
    await startRemoval(cluster(), GADGET);
    await using _lagging = await startLagging();
    await until('the Subscription is gone', async () => !(await isThere(cluster(), path)));
    await until('its Revisions are gone', async () => (await list(cluster(), 'revision')).length === 0);
    expect((await deployment()).metadata.uid).toBe(first.metadata.uid);
    expect((await deployment()).metadata).not.toHaveProperty('deletionTimestamp');
  });

  test('a Revision that a person deletes takes no object of the operator along', async () => {
    await cluster().request('DELETE', pathOf('revision', 'gadget-1', NAMESPACE));
    await using _lagging = await startLagging();
    await until('there is a Revision that is in use', async () => {
      const revisions = await list<Judged & { metadata: { deletionTimestamp?: string } }>(cluster(), 'revision', {
        namespace: NAMESPACE,
      });
      return revisions.length === 1 && revisions[0]!.metadata.deletionTimestamp === undefined;
    });
    await waitFor(cluster(), GADGET, isReady);
    expect((await deployment()).metadata.uid).toBe(first.metadata.uid);
  });
});
