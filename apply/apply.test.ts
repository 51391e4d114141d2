import { runsOf } from '../e2e/lib/sample.ts';
import { NEVER } from '../api/testing/never.ts';
import { UNWATCHED, type Watched } from './watched.ts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../api/json.ts';
import { ANNOTATION } from '../api/names.ts';
import { refOf, type KubeObject } from '../api/object.ts';
import { applyRevision, type ApplyRequest, type ApplyResult, type ApplyOutcome } from './apply.ts';
import { applyWatching } from './testing/apply-watching.ts';
import { createFakeCluster, type FakeCluster, type FakeOptions } from '../kube/testing/fake-cluster.ts';
import { refusal } from '../api/testing/refusal.ts';
import { identityOf } from './identity.ts';
import { markLeftovers, type InventoryEntry } from './inventory.ts';
import { OWNER, prepared, sample, sampleCrd, sampleDeployment, sampleOperator } from './testing/sample-objects.ts';

function clusterWithNamespace(options: FakeOptions = {}): FakeCluster {
  const cluster = createFakeCluster(options);
  cluster.put({ ...sample('v1', 'Namespace', 'ops'), status: { phase: 'Active' } });
  return cluster;
}

/** Watches that saw no change. */
const INTACT: Watched = { ...UNWATCHED, isIntact: () => true };
const objects = prepared(sampleOperator());
const request = (fields: Partial<ApplyRequest> = {}): ApplyRequest => ({
  signal: NEVER,
  objects,
  previousInventory: [],
  ...fields,
});
const outcomes = ({ phases }: ApplyResult): ApplyOutcome[] =>
  phases.flatMap((phase) => phase.objects.map(({ outcome }) => outcome));
const writes = (cluster: FakeCluster): string[] =>
  cluster.requests
    .filter(({ verb, dryRun }) => !dryRun && verb !== 'get' && verb !== 'list')
    .map(({ verb, ref }) => `${verb} ${ref.kind} ${ref.name}`);
/** The cluster's objects without the fields that differ from run to run. */
const content = (cluster: FakeCluster): string[] =>
  cluster
    .objects()
    .map(({ metadata: { name, namespace, labels, annotations }, ...rest }) =>
      canonicalJson([name, namespace ?? '', labels ?? {}, annotations ?? {}, rest]),
    )
    .sort();
const find = (cluster: FakeCluster, kind: string): KubeObject =>
  cluster.objects().find((object) => object.kind === kind && object.metadata.name.startsWith('widget')) as KubeObject;

describe('an install', () => {
  test('an install creates every object once, with at most two requests for each', async () => {
    const cluster = clusterWithNamespace();
    const result = await applyWatching(cluster, request());
    expect(result.state).toBe('Complete');
    expect(new Set(outcomes(result))).toEqual(new Set(['created']));
    expect(result.inventory.map(identityOf).sort()).toEqual(objects.map((object) => identityOf(refOf(object))).sort());
    expect(result.inventory.every(({ uid, hash }) => uid !== '' && hash !== '')).toBe(true);
    expect(result.requests).toBe(cluster.requests.length);
    expect(result.requests).toBeLessThanOrEqual(2 * objects.length);
  });

  test('later runs of a roll-out repeat no dry run of an earlier one', async () => {
    const cluster = clusterWithNamespace({
      before: ({ verb, ref, dryRun }) => {
        if (verb === 'apply' && !dryRun && ref.kind === 'ClusterRole') throw refusal(503, 'ServiceUnavailable', 'no');
      },
    });
    const tried = new Set<string>();
    const first = await applyWatching(cluster, { ...request(), tried });
    expect(first.state).not.toBe('Complete');
    const before = cluster.requests.length;
    await applyWatching(cluster, { ...request(), previousInventory: first.inventory, watched: INTACT, tried });
    expect(cluster.requests.slice(before).filter(({ verb, dryRun }) => dryRun && verb === 'apply')).toEqual([]);
  });

  test('a CRD that was established is so after a new schema, before a watch shows it', async () => {
    const cluster = clusterWithNamespace();
    const crdOf = (field: string): KubeObject[] => prepared([sampleCrd('Widget', { field })]);
    const { inventory } = await applyWatching(cluster, request({ objects: crdOf('size') }));
    const before = cluster.objects().find(({ kind }) => kind === 'CustomResourceDefinition');
    const watched: Watched = { ...INTACT, get: () => before };
    const objects = crdOf('weight');
    const asked: string[] = [];
    const holdBack: ApplyRequest['holdBack'] = async (phase, pending) => {
      asked.push(...pending.map(({ ref }) => `${phase} ${ref.name}`));
      return [];
    };
    const result = await applyRevision(cluster, request({ objects, previousInventory: inventory, watched, holdBack }));
    expect(outcomes(result)).toEqual(['configured']);
    expect(asked).toEqual([]);
  });

  test('a CRD that comes with custom resources waits until a watch shows its new schema', async () => {
    const cluster = clusterWithNamespace();
    const widget = sample('example.com/v1', 'Widget', 'first', { namespace: 'ops' });
    const crdOf = (field: string): KubeObject[] => prepared([sampleCrd('Widget', { field }), widget]);
    const { inventory } = await applyWatching(cluster, request({ objects: crdOf('size') }));
    const before = cluster.objects().find(({ kind }) => kind === 'CustomResourceDefinition');
    const watched: Watched = { ...INTACT, get: ({ kind }) => (kind === before?.kind ? before : undefined) };
    const asked: string[] = [];
    const holdBack: ApplyRequest['holdBack'] = async (phase, pending) => {
      asked.push(...pending.map(({ ref }) => `${phase} ${ref.name}`));
      return [];
    };
    const more = { objects: crdOf('weight'), previousInventory: inventory, watched, holdBack };
    await applyRevision(cluster, request(more));
    expect(asked).toEqual(['crds widgets.example.com']);
  });

  test('the first write waits until the inventory is stored', async () => {
    const cluster = clusterWithNamespace();
    const noted = Promise.withResolvers<void>();
    const running = applyWatching(cluster, { ...request(), noted: noted.promise });
    await expect.poll(() => cluster.requests.length).toBe(objects.length);
    expect(cluster.requests.every(({ verb, dryRun }) => verb === 'get' || dryRun)).toBe(true);
    noted.resolve();
    expect((await running).state).toBe('Complete');
  });

  test('every object is checked before the first write', async () => {
    const cluster = clusterWithNamespace();
    await applyWatching(cluster, request());
    const firstWrite = cluster.requests.findIndex(({ verb, dryRun }) => verb === 'apply' && !dryRun);
    expect(firstWrite).toBe(objects.length);
  });

  test('CRDs get no dry run, which would cost as much as the write', async () => {
    const cluster = clusterWithNamespace();
    await applyWatching(cluster, request());
    const tried = cluster.requests.filter(({ dryRun }) => dryRun).map(({ ref }) => ref.kind);
    expect(tried).toContain('Deployment');
    expect(tried).not.toContain('CustomResourceDefinition');
  });

  test('an install sends CRDs first, workloads after their dependencies, webhooks last', async () => {
    const cluster = clusterWithNamespace();
    await applyWatching(cluster, request({ concurrency: 1 }));
    const order = writes(cluster).map((write) => write.split(' ')[1]);
    expect(order[0]).toBe('CustomResourceDefinition');
    expect(order.indexOf('Deployment')).toBeGreaterThan(order.indexOf('ClusterRoleBinding'));
    expect(order.at(-1)).toBe('ValidatingWebhookConfiguration');
  });

  test('apply never exceeds the limit of concurrent requests', async () => {
    let underWay = 0;
    let most = 0;
    const inner = clusterWithNamespace();
    const cluster = {
      ...inner,
      apply: async (...args: Parameters<FakeCluster['apply']>) => {
        most = Math.max(most, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        return inner.apply(...args).finally(() => underWay--);
      },
    };
    await applyWatching(cluster, request({ concurrency: 3 }));
    expect(most).toBe(3);
  });

  test('custom resources of a CRD in the same set are created once that CRD is served', async () => {
    const widget = sample('example.com/v1', 'Widget', 'first', { namespace: 'ops' });
    const cluster = clusterWithNamespace();
    const result = await applyWatching(cluster, request({ objects: prepared([sampleCrd('Widget'), widget]) }));
    expect(result.state).toBe('Complete');
  });

  test('an empty bundle is refused, since it would prune everything', async () => {
    await expect(applyWatching(clusterWithNamespace(), request({ objects: [] }))).rejects.toMatchObject({
      reason: 'BundleInvalid',
    });
  });
});

describe('waiting between phases', () => {
  const establishing: FakeOptions = { react: (object) => object };

  test('workloads wait until CRDs are established, while phases that do not need the CRDs go on', async () => {
    const cluster = clusterWithNamespace(establishing);
    const result = await applyWatching(cluster, request());
    expect(result.state).toBe('Waiting');
    const states = new Map(result.phases.map(({ name, state }) => [name, state]));
    expect(states.get('crds')).toBe('NotReady');
    expect(states.get('bindings')).toBe('Done');
    expect(states.get('workloads')).toBe('Waiting');
    const waiting = result.phases.find(({ name }) => name === 'workloads')?.objects[0];
    expect(waiting?.message).toContain('CustomResourceDefinition.apiextensions.k8s.io widgets.example.com');
  });

  test('the next run goes on where the last one stopped, and sends nothing twice', async () => {
    const cluster = clusterWithNamespace(establishing);
    const first = await applyWatching(cluster, request());
    cluster.change(
      { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'widgets.example.com' },
      (crd) => ({
        ...crd,
        status: { conditions: [{ type: 'Established', status: 'True' }] },
      }),
    );
    const second = await applyWatching(cluster, request({ previousInventory: first.inventory, watched: INTACT }));
    expect(second.phases.find(({ name }) => name === 'workloads')?.state).toBe('NotReady');
    const sent = writes(cluster);
    expect(new Set(sent).size).toBe(sent.length);
  });

  test('holdBack is called with the objects of a phase that do not work yet, and may wait for them', async () => {
    const asked: string[] = [];
    const result = await applyWatching(
      clusterWithNamespace(establishing),
      request({
        holdBack: async (phase, pending) => {
          asked.push(...pending.map(({ ref: { kind } }) => `${phase} ${kind}`));
          return [];
        },
      }),
    );
    expect(result.state).toBe('Complete');
    expect(asked).toEqual(['crds CustomResourceDefinition', 'workloads Deployment']);
  });

  test("holdBack gets the API server's answers to the writes", async () => {
    const uids: (string | undefined)[] = [];
    await applyWatching(
      clusterWithNamespace(establishing),
      request({
        holdBack: async (_phase, pending) => {
          uids.push(...pending.map(({ object }) => object.metadata.uid));
          return [];
        },
      }),
    );
    expect(uids.every((uid) => uid !== undefined)).toBe(true);
    expect(uids).toHaveLength(2);
  });

  test('holdBack is called for each phase, also if it works, and its answer holds back later phases', async () => {
    const cluster = clusterWithNamespace();
    const asked: string[] = [];
    const silent = {
      ref: { apiVersion: 'v1', kind: 'Namespace', name: 'ops' },
      health: { state: 'Progressing', message: 'silent' } as const,
    };
    const { inventory } = await applyWatching(cluster, request());
    const result = await applyWatching(
      cluster,
      request({
        previousInventory: inventory,
        watched: INTACT,
        holdBack: async (phase, pending) => {
          expect(pending).toEqual([]);
          asked.push(phase);
          return phase === 'crds' ? [silent] : [];
        },
      }),
    );
    expect(asked).toContain('crds');
    expect(asked).not.toContain('workloads');
    const workloads = result.phases.find(({ name }) => name === 'workloads');
    expect(workloads?.state).toBe('Waiting');
    expect(workloads?.objects[0]?.message).toContain('silent');
  });

  test('the answer to a write outweighs a watch that has not seen the write yet', async () => {
    const cluster = clusterWithNamespace();
    const first = await applyWatching(cluster, request());
    const before = find(cluster, 'Deployment');
    const changed = prepared(sampleOperator({ image: 'registry.example/operator:2' }));
    const slow: ApplyRequest = {
      signal: NEVER,
      objects: changed,
      previousInventory: first.inventory,
      watched: { ...INTACT, get: (ref) => (ref.kind === 'Deployment' ? before : undefined) },
    };
    const stuck = {
      ...cluster,
      apply: async (...args: Parameters<FakeCluster['apply']>) => withoutStatus(await cluster.apply(...args)),
    };
    expect((await applyWatching(stuck, slow)).state).toBe('Waiting');
  });
});

function withoutStatus({ status: _status, ...object }: KubeObject): KubeObject {
  return object;
}

describe('an upgrade', () => {
  const changed = prepared(sampleOperator({ image: 'registry.example/operator:2' }), { revision: 'widgets-2' });

  test('an upgrade sends only changed objects, and nothing if no object changed', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    const before = cluster.requests.length;
    const writesBefore = writes(cluster).length;
    const get: Watched['get'] = (ref) =>
      cluster.objects().find((object) => identityOf(refOf(object)) === identityOf(ref));
    const upgrade = await applyWatching(
      cluster,
      request({ objects: changed, previousInventory: inventory, watched: { ...INTACT, get } }),
    );
    expect(outcomes(upgrade).filter((outcome) => outcome !== 'unchanged')).toEqual(['configured']);
    expect(writes(cluster).slice(writesBefore)).toEqual(['apply Deployment widget-manager']);
    expect(cluster.requests.slice(before).every(({ ref }) => ref.kind === 'Deployment')).toBe(true);
    const again = { objects: changed, previousInventory: upgrade.inventory, watched: { ...INTACT, get } };
    expect((await applyWatching(cluster, request(again))).requests).toBe(0);
  });

  test('an object that a watch has seen in its current version is not read', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    const before = cluster.requests.length;
    const get = (): KubeObject => find(cluster, 'Deployment');
    await applyWatching(
      cluster,
      request({ objects: changed, previousInventory: inventory, watched: { ...INTACT, get } }),
    );
    expect(cluster.requests.slice(before).map(({ verb, dryRun }) => `${verb}${dryRun ? ' (dry run)' : ''}`)).toEqual([
      'apply (dry run)',
      'apply',
    ]);
  });

  describe('of a Deployment with certificates', () => {
    const withVolumes = (image: string, names: readonly string[]): KubeObject[] =>
      sampleOperator({ image }).map((object) => {
        if (object.kind !== 'Deployment') return object;
        const { spec } = object as KubeObject & { readonly spec: { readonly template: { readonly spec: object } } };
        const pod = { ...spec.template.spec, volumes: names.map((name) => ({ name })) };
        return { ...object, spec: { ...spec, template: { ...spec.template, spec: pod } } };
      });
    const volumesOf = ({ spec }: KubeObject): readonly string[] =>
      (spec as { template: { spec: { volumes: { name: string }[] } } }).template.spec.volumes.map(({ name }) => name);
    const [live, rendered] = [
      ['apiservice-cert', 'webhook-cert'],
      ['webhook-cert', 'apiservice-cert'],
    ] as const;

    /** A cluster with that Deployment, and its upgrade: the watch keeps no template. */
    async function scene(hooks: Parameters<typeof clusterWithNamespace>[0] = {}) {
      const cluster = clusterWithNamespace(hooks);
      const { inventory } = await applyWatching(cluster, request({ objects: prepared(withVolumes('one', live)) }));
      const seen = find(cluster, 'Deployment');
      const get = (): KubeObject => ({ ...seen, spec: { replicas: 1 } });
      const objects = prepared(withVolumes('two', rendered), { revision: 'widgets-2' });
      const upgrade = request({ objects, previousInventory: inventory, watched: { ...INTACT, get } });
      const asked = cluster.requests.length;
      const sent = (): string[] =>
        cluster.requests.slice(asked).map(({ verb, dryRun }) => `${verb}${dryRun ? ' (dry run)' : ''}`);
      return { cluster, upgrade, sent };
    }

    test('the order of the volumes is read while the change is tried', async () => {
      const { cluster, upgrade, sent } = await scene();
      const noted = Promise.withResolvers<void>();
      const applied = applyWatching(cluster, { ...upgrade, noted: noted.promise });
      await new Promise((resolve) => setImmediate(resolve));
      expect(sent().toSorted()).toEqual(['apply (dry run)', 'get']);
      noted.resolve();
      await applied;
      expect(sent().slice(2)).toEqual(['apply']);
      expect(volumesOf(find(cluster, 'Deployment'))).toEqual(live);
    });

    test('the order is that of the Deployment that is replaced, if it changes meanwhile', async () => {
      let reads = 0;
      const { cluster, upgrade } = await scene({
        before: ({ verb, ref }, it) => {
          if (verb !== 'get' || ref.kind !== 'Deployment' || (reads += 1) > 1) return;
          it.change(ref, (object) => ({ ...object, metadata: { ...object.metadata, labels: { by: 'another' } } }));
        },
      });
      expect(outcomes(await applyWatching(cluster, upgrade))).toContain('configured');
      expect([reads, volumesOf(find(cluster, 'Deployment'))]).toEqual([2, live]);
    });
  });

  test.each([
    {
      what: 'has changed since a watch saw it',
      edit: (object: KubeObject): KubeObject => object,
      outcome: 'configured',
    },
    {
      what: 'belongs to another since a watch saw it',
      edit: (object: KubeObject): KubeObject => ({
        ...object,
        metadata: { ...object.metadata, annotations: { [ANNOTATION.owner]: 'other/one' } },
      }),
      outcome: 'collision',
    },
  ])('reads what $what, and goes by that', async ({ edit, outcome }) => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    const before = find(cluster, 'Deployment');
    cluster.change(refOf(before), edit);
    const get = (ref: { kind: string }): KubeObject | undefined =>
      ref.kind === 'Deployment' ? before : cluster.objects().find(({ kind }) => kind === ref.kind);
    const asked = cluster.requests.length;
    const result = await applyWatching(
      cluster,
      request({ objects: changed, previousInventory: inventory, watched: { ...INTACT, get } }),
    );
    expect(outcomes(result)).toContain(outcome);
    expect(cluster.requests.slice(asked).map(({ verb }) => verb)).toContain('get');
  });

  test('a CRD that was created a moment ago is not sent again because the watch lags behind', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    const before = writes(cluster).length;
    await applyWatching(
      cluster,
      request({
        previousInventory: inventory,
        watched: {
          ...UNWATCHED,
          isIntact: ({ kind }) => kind !== 'CustomResourceDefinition',
          isAbsent: ({ kind }) => kind === 'CustomResourceDefinition',
        },
      }),
    );
    expect(writes(cluster).slice(before)).toEqual([]);
  });

  test('an object that the watch saw changed is applied again', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    cluster.change(refOf(find(cluster, 'ConfigMap')), (object) => ({ ...object, data: { level: 'debug' } }));
    const repair = await applyWatching(
      cluster,
      request({
        previousInventory: inventory,
        watched: { ...UNWATCHED, isIntact: ({ kind }) => kind !== 'ConfigMap' },
      }),
    );
    expect(repair.state).toBe('Complete');
    expect(find(cluster, 'ConfigMap')['data']).toMatchObject({ level: 'info' });
  });

  test('an upgrade removes a field that the new manifest no longer has', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    const less = objects.map((object) =>
      object.kind === 'ConfigMap' ? { ...object, data: { level: 'info' } } : object,
    );
    await applyWatching(cluster, request({ objects: less, previousInventory: inventory }));
    expect(find(cluster, 'ConfigMap')['data']).toEqual({ level: 'info' });
  });

  test('a leftover that is wanted again is marked, and stays so however often the Revision applies it', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    const leftovers = markLeftovers(inventory, []);
    const marks = (): unknown[] =>
      objects.map(({ kind }) => find(cluster, kind).metadata.annotations?.[ANNOTATION.keptBy]);
    const again = await applyWatching(cluster, request({ previousInventory: leftovers, keptBy: 'widgets-1/3' }));
    expect(new Set(marks())).toEqual(new Set(['widgets-1/3']));
    const before = writes(cluster).length;
    const seen = content(cluster);
    // No watch knows the objects: every one is applied again.
    const later = await applyWatching(cluster, request({ previousInventory: again.inventory, keptBy: 'widgets-1/3' }));
    expect(writes(cluster).length).toBeGreaterThan(before);
    expect(outcomes(later)).toEqual(outcomes(later).map(() => 'unchanged'));
    expect(content(cluster)).toEqual(seen);
    await applyWatching(cluster, request({ previousInventory: later.inventory, keptBy: 'widgets-2/1' }));
    expect(find(cluster, 'ConfigMap').metadata.annotations?.[ANNOTATION.keptBy]).toBeUndefined();
  });

  test('apply keeps leftovers in the inventory, and prunes none of them', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    const less = objects.filter(({ kind }) => kind !== 'ConfigMap');
    const result = await applyWatching(cluster, request({ objects: less, previousInventory: inventory }));
    expect(result.inventory.map(({ kind }) => kind)).toContain('ConfigMap');
    expect(find(cluster, 'ConfigMap')).toBeDefined();
  });

  test('a change of an immutable field is reported before anything is written', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    const content0 = content(cluster);
    const moved = prepared([
      ...sampleOperator().filter(({ kind }) => kind !== 'Deployment' && kind !== 'ConfigMap'),
      sampleDeployment('widget-manager', { app: 'renamed' }),
      sample('v1', 'ConfigMap', 'widget-config', { namespace: 'ops', data: { level: 'debug' } }),
    ]);
    const result = await applyWatching(cluster, request({ objects: moved, previousInventory: inventory }));
    expect(result).toMatchObject({ state: 'Failed', failures: [{ reason: 'ObjectInvalid', retry: 'never' }] });
    expect(result.failures[0]?.message).toContain('Deployment.apps ops/widget-manager');
    expect(content(cluster)).toEqual(content0);
  });
});

describe('a collision', () => {
  const helm = { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 'n' };
  const foreign = (kind: string, annotations: Record<string, string> = helm): KubeObject => {
    const object = objects.find((candidate) => candidate.kind === kind) as KubeObject;
    return { ...object, metadata: { ...refOf(object), name: object.metadata.name, labels: {}, annotations } };
  };

  test('an object that the watch reports absent is not read, and still never overwritten', async () => {
    const cluster = clusterWithNamespace();
    const theirs = foreign('ClusterRole', { [ANNOTATION.owner]: 'other/sub' });
    cluster.put(theirs);
    const isAbsent = ({ kind }: { readonly kind: string }): boolean =>
      kind === 'ClusterRole' || kind === 'CustomResourceDefinition';
    const result = await applyWatching(cluster, { ...request(), watched: { ...UNWATCHED, isAbsent } });
    const looked = cluster.requests.filter(({ verb, dryRun }) => verb === 'get' || dryRun).map(({ ref }) => ref.kind);
    expect(looked).not.toContain('CustomResourceDefinition');
    expect(result.failures.map(({ reason }) => reason)).toEqual(['Collision']);
    expect((await cluster.get(refOf(theirs)))?.metadata.annotations).toEqual(theirs.metadata.annotations);
  });

  test('collisions are reported for all objects at once, each with its owner, and nothing is written', async () => {
    const cluster = clusterWithNamespace();
    cluster.put(foreign('ConfigMap'));
    cluster.put(foreign('ClusterRole', { [ANNOTATION.owner]: 'other/sub' }));
    const before = content(cluster);
    const result = await applyWatching(cluster, request());
    expect(result.state).toBe('Failed');
    expect(result.failures.map(({ reason }) => reason)).toEqual(['Collision', 'Collision']);
    expect(result.failures.map(({ message }) => message).join('\n')).toMatch(
      /Helm release n\/r[^]*Subscription other\/sub/,
    );
    expect(content(cluster)).toEqual(before);
    expect(writes(cluster)).toEqual([]);
  });

  test('an object that a person annotates for adoption is adopted', async () => {
    const cluster = clusterWithNamespace();
    cluster.put(foreign('ConfigMap', { ...helm, [ANNOTATION.adoptBy]: `${OWNER.namespace}/${OWNER.name}` }));
    expect((await applyWatching(cluster, request())).state).toBe('Complete');
    expect(find(cluster, 'ConfigMap').metadata.annotations?.[ANNOTATION.owner]).toBe('ops/widgets');
  });

  test('another writer who is faster between check and write is not overwritten', async () => {
    const cluster = clusterWithNamespace({
      before: ({ verb, ref, dryRun }, it) => {
        if (verb === 'apply' && !dryRun && ref.kind === 'ConfigMap') it.put(foreign('ConfigMap'));
      },
    });
    const result = await applyWatching(cluster, request());
    expect(result.failures).toMatchObject([{ reason: 'Collision' }]);
    expect(find(cluster, 'ConfigMap').metadata.annotations).toEqual(helm);
  });

  test.each([
    { faster: 4, state: 'Complete' },
    { faster: 5, state: 'Failed' },
  ])('another writer may be faster $faster times: $state', async ({ faster, state }) => {
    let left = 0;
    const cluster = clusterWithNamespace({
      before: ({ verb, ref, dryRun }, it) => {
        if (verb !== 'apply' || dryRun || ref.kind !== 'ConfigMap' || left === 0) return;
        left -= 1;
        it.change(ref, (object) => ({ ...object, others: left }));
      },
    });
    const { inventory } = await applyWatching(cluster, request());
    left = faster;
    const next = prepared(sampleOperator().map((it) => (it.kind === 'ConfigMap' ? { ...it, data: { x: '2' } } : it)));
    const result = await applyWatching(cluster, request({ objects: next, previousInventory: inventory }));
    expect(result).toMatchObject({ state });
    expect(left).toBe(0);
  });

  test('if two Subscriptions install the same objects at once, each object goes to one, and the other gets a collision', async () => {
    const cluster = clusterWithNamespace();
    const theirs = prepared(sampleOperator(), { owner: { namespace: 'other', name: 'sub' } });
    const results = await Promise.all([
      applyWatching(cluster, request()),
      applyWatching(cluster, request({ objects: theirs })),
    ]);
    const winners = results
      .flatMap(({ phases }) => phases.flatMap((phase) => phase.objects))
      .filter(({ outcome }) => outcome === 'created');
    expect(new Set(winners.map(({ ref }) => identityOf(ref))).size).toBe(winners.length);
    expect(results.some(({ failures }) => failures.some(({ reason }) => reason === 'Collision'))).toBe(true);
  });

  test('an object that was replaced by another since it was read is checked again', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    let replaced = false;
    const racing = {
      ...cluster,
      apply: async (...args: Parameters<FakeCluster['apply']>) => {
        if (!replaced && args[1]?.dryRun !== true && args[0].kind === 'ConfigMap') {
          replaced = true;
          await cluster.delete(refOf(args[0]));
          cluster.put(foreign('ConfigMap'));
        }
        return cluster.apply(...args);
      },
    };
    const result = await applyWatching(racing, request({ previousInventory: inventory }));
    expect(result.failures).toMatchObject([{ reason: 'Collision' }]);
    expect(find(cluster, 'ConfigMap').metadata.annotations).toEqual(helm);
  });
});

describe('an object that appears after it was checked', () => {
  const isCrd = ({ kind }: Pick<KubeObject, 'kind'>): boolean => kind === 'CustomResourceDefinition';
  const failure = { reason: 'CRDUnsafe', retry: 'never', message: 'field oldField goes' } as const;
  /** Refuses, or leaves, every CRD that exists. */
  const judge =
    (kind: 'refuse' | 'leave'): NonNullable<ApplyRequest['permit']> =>
    async (object) =>
      !isCrd(object) ? { kind: 'change' } : kind === 'refuse' ? { kind, failure } : { kind };
  /** As a backup restores it: of an earlier Subscription of the name. */
  const [restored = sampleCrd('Widget')] = prepared([sampleCrd('Widget', { field: 'oldField' })], {
    owner: { ...OWNER, uid: 'earlier' },
  });
  const established = { conditions: ['Established', 'NamesAccepted'].map((type) => ({ type, status: 'True' })) };
  const monitor = sample('monitoring.coreos.com/v1', 'ServiceMonitor', 'widget-monitor', { namespace: 'ops' });

  /** The first attempt is refused as a whole, since the kind of one object is not served yet. */
  async function refusedOnce(appearing: KubeObject): Promise<{ cluster: FakeCluster; next: ApplyRequest }> {
    const cluster = clusterWithNamespace();
    const next = request({
      objects: prepared([...sampleOperator(), monitor]),
      asManager: true,
      tried: new Set(),
      permit: judge('refuse'),
    });
    expect((await applyWatching(cluster, next)).failures).toMatchObject([{ reason: 'DependencyNotReady' }]);
    cluster.put(appearing);
    cluster.put(sampleCrd('ServiceMonitor', { group: 'monitoring.coreos.com' }));
    return { cluster, next };
  }

  test('between two attempts is judged as in the first one, if it is a CRD', async () => {
    const { cluster, next } = await refusedOnce({ ...restored, status: established });
    expect((await applyWatching(cluster, next)).failures).toMatchObject([{ reason: 'CRDUnsafe' }]);
    expect(writes(cluster)).toEqual([]);
  });

  test('between two attempts is no longer counted as absent, if a watch knows it', async () => {
    const { cluster, next } = await refusedOnce(sample('v1', 'ConfigMap', 'widget-config', { namespace: 'ops' }));
    const watched: Watched = { ...UNWATCHED, get: (ref) => cluster.objects().find((one) => identityOf(refOf(one)) === identityOf(ref)) }; // prettier-ignore
    expect((await applyWatching(cluster, { ...next, watched })).failures).toMatchObject([{ reason: 'Collision' }]);
    expect(writes(cluster)).toEqual([]);
  });

  test.each([
    { kind: 'refuse', state: 'Failed', failures: [{ reason: 'CRDUnsafe' }] },
    { kind: 'leave', state: 'Complete', failures: [] },
  ] as const)('in the moment of the write is judged too, if it is a CRD: $kind', async ({ kind, state, failures }) => {
    const cluster = clusterWithNamespace({
      before: ({ verb, ref, dryRun }, it) => {
        const isThere = it.objects().some((one) => isCrd(one));
        if (verb === 'apply' && !dryRun && isCrd(ref) && !isThere) it.put({ ...restored, status: established });
      },
    });
    const result = await applyWatching(cluster, request({ asManager: true, permit: judge(kind) }));
    expect(result).toMatchObject({ state, failures });
    expect(find(cluster, 'CustomResourceDefinition')['spec']).toEqual(restored['spec']);
  });
});

describe('a CRD that was judged', () => {
  test.each([
    { change: 'its labels', by: 'metadata', asked: 1 },
    { change: 'its schema', by: 'spec', asked: 2 },
  ] as const)('is judged again only if its schema may have changed since: $change', async ({ by, asked }) => {
    const [old = sampleCrd('Widget')] = prepared([sampleCrd('Widget', { field: 'oldField' })]);
    let changes = 0;
    let questions = 0;
    const cluster = clusterWithNamespace({
      before: ({ verb, ref, dryRun }, it) => {
        if (verb !== 'apply' || dryRun || ref.kind !== old.kind || changes++ > 0) return;
        it.change(ref, (one) =>
          by === 'spec'
            ? {
                ...one,
                metadata: { ...one.metadata, generation: 2 },
                spec: { ...(one['spec'] as object), preserveUnknownFields: false },
              }
            : { ...one, metadata: { ...one.metadata, labels: { other: 'program' } } },
        );
      },
    });
    cluster.put(old);
    const permit: NonNullable<ApplyRequest['permit']> = async ({ kind }) => {
      if (kind === old.kind) questions += 1;
      return { kind: 'change' };
    };
    expect((await applyWatching(cluster, request({ asManager: true, permit }))).failures).toEqual([]);
    expect(changes).toBeGreaterThan(1);
    expect(questions).toBe(asked);
  });
});

const unsupported = (): Error => refusal(400, 'BadRequest', 'admission webhook "x" does not support dry run');
const refuse = (): Error => refusal(422, 'Invalid', 'data: too long');

/** A cluster that refuses to create objects of a kind, in dry runs only or in real writes too. */
const refusing = (kind: string, error: () => Error, dryRun = true): FakeCluster =>
  clusterWithNamespace({
    before: (sent) => {
      if (sent.verb === 'apply' && sent.dryRun === dryRun && sent.ref.kind === kind) throw error();
    },
  });

describe('refused objects', () => {
  test('a missing right is reported with account, verb and resource', async () => {
    const text =
      'configmaps is forbidden: User "system:serviceaccount:ops:tenant" cannot create resource "configmaps" in API group "" in the namespace "ops"';
    const result = await applyWatching(
      refusing('ConfigMap', () => refusal(403, 'Forbidden', text)),
      request(),
    );
    expect(result.failures).toMatchObject([
      { reason: 'Forbidden', hint: 'Grant system:serviceaccount:ops:tenant the verb create on configmaps' },
    ]);
  });

  test('a namespace that is being deleted is reported before anything is written', async () => {
    const cluster = clusterWithNamespace();
    cluster.put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'ops', deletionTimestamp: '2000-01-01T00:00:00Z', finalizers: ['kubernetes'] },
    });
    const result = await applyWatching(cluster, request());
    expect(new Set(result.failures.map(({ reason }) => reason))).toEqual(new Set(['NamespaceTerminating']));
    expect(writes(cluster)).toEqual([]);
  });

  test('an object of ours that is being deleted is waited for, and the message names its finalizers', async () => {
    const cluster = clusterWithNamespace();
    const { inventory } = await applyWatching(cluster, request());
    const service = find(cluster, 'Service');
    cluster.put({
      ...service,
      metadata: { ...service.metadata, deletionTimestamp: '2000-01-01T00:00:00Z', finalizers: ['lb/x'] },
    });
    const result = await applyWatching(cluster, request({ previousInventory: inventory }));
    expect(result.failures).toMatchObject([{ reason: 'Conflict', retry: 'backoff' }]);
    expect(result.failures[0]?.message).toContain('lb/x');
  });

  test('a kind that the cluster does not serve is reported as a missing dependency', async () => {
    const monitor = sample('monitoring.coreos.com/v1', 'ServiceMonitor', 'm', { namespace: 'ops' });
    const result = await applyWatching(
      clusterWithNamespace(),
      request({ objects: prepared([...sampleOperator(), monitor]) }),
    );
    expect(result.failures).toMatchObject([{ reason: 'DependencyNotReady' }]);
  });

  test('a webhook that does not support dry runs does not block an install', async () => {
    expect((await applyWatching(refusing('ConfigMap', unsupported), request())).state).toBe('Complete');
  });

  test('a refusal of a real write stops the phases that depend on it, and no others', async () => {
    const result = await applyWatching(refusing('ConfigMap', refuse, false), request());
    const states = new Map(result.phases.map(({ name, state }) => [name, state]));
    expect([states.get('configuration'), states.get('bindings'), states.get('workloads')]).toEqual([
      'Failed',
      'Done',
      'Waiting',
    ]);
  });

  describe('of an operator that was applied as it is', () => {
    /** Everything is deleted, and objects of one kind can no longer be made: the kinds that are missing after the next run. */
    async function missing(refused: string, change: Partial<ApplyRequest> = {}): Promise<readonly string[]> {
      let isRefusing = false;
      const before: FakeOptions['before'] = ({ verb, ref }) => {
        if (isRefusing && verb !== 'get' && ref.kind === refused) throw refuse();
      };
      const cluster = clusterWithNamespace({ before });
      const { inventory } = await applyWatching(cluster, request());
      for (const object of objects) await cluster.delete(refOf(object));
      isRefusing = true;
      const result = await applyWatching(cluster, request({ previousInventory: inventory, ...change }));
      expect(result.failures.length).toBeGreaterThan(0);
      const there = new Set(cluster.objects().map(({ kind }) => kind));
      return [...new Set(objects.map(({ kind }) => kind))].filter((kind) => !there.has(kind)).sort();
    }

    test.each(['ServiceAccount', 'ConfigMap', 'ClusterRole', 'ClusterRoleBinding', 'ValidatingWebhookConfiguration'])(
      'the others are repaired although a %s is refused',
      async (kind) => expect(await missing(kind)).toEqual([kind]),
    );

    test('what needs a working object waits for it all the same', async () => {
      expect(await missing('Deployment')).toEqual(['Deployment', 'ValidatingWebhookConfiguration']);
      expect(await missing('CustomResourceDefinition')).toContain('Deployment');
    });

    const isRole = ({ kind }: KubeObject): boolean => kind === 'Role';
    const role = objects.find(isRole) as KubeObject;
    const changed = { ...role, metadata: { ...role.metadata, labels: { ...role.metadata.labels, next: 'true' } } };
    const others = objects.filter((object) => !isRole(object));

    test('workloads wait if another object of the run is new', async () => {
      const kinds = ['ConfigMap', 'Deployment', 'ValidatingWebhookConfiguration'];
      expect(await missing('ConfigMap', { objects: [changed, ...others] })).toEqual(kinds);
    });

    test('nothing is written if it is known before that an object of a new kind is refused', async () => {
      const monitor = sample('monitoring.coreos.com/v1', 'ServiceMonitor', 'm', { namespace: 'ops' });
      const kinds = [...new Set(objects.map(({ kind }) => kind))].sort();
      expect(await missing('ConfigMap', { objects: prepared([...sampleOperator(), monitor]) })).toEqual(kinds);
    });

    test('an object that the manager completes may be new, as with another certificate', async () => {
      const completed = new Set([identityOf(refOf(role))]);
      expect(await missing('ConfigMap', { objects: [changed, ...others], completed })).toEqual(['ConfigMap']);
    });

    test('nothing that needs it is made if such an object is refused, as the Secret of a new certificate', async () => {
      const completed = new Set([identityOf(refOf(role))]);
      expect(await missing('Role', { objects: [changed, ...others], completed })).toContain('Deployment');
    });
  });

  test('a defect is thrown, not reported as a failure of the cluster', async () => {
    await expect(
      applyWatching(
        refusing('ConfigMap', () => new TypeError('oops')),
        request(),
      ),
    ).rejects.toThrow(TypeError);
  });

  test('an abort ends the run with its reason, and nothing is written after it', async () => {
    const controller = new AbortController();
    const lost = new Error('lease lost');
    const cluster = clusterWithNamespace({
      after: ({ verb, dryRun }) => {
        if (verb === 'apply' && !dryRun) controller.abort(lost);
      },
    });
    await expect(applyWatching(cluster, request({ concurrency: 1, signal: controller.signal }))).rejects.toBe(lost);
    expect(writes(cluster)).toHaveLength(1);
  });
});

/** Runs until the request `at`, which fails before or after it took effect; stores no inventory, as after a crash. */
async function crashAt(
  at: number,
  when: 'before' | 'after',
  first: readonly KubeObject[],
  second: readonly KubeObject[],
): Promise<FakeCluster> {
  let count = 0;
  let armed = false;
  const crash = (): void => {
    if (armed && ++count === at) throw new Error('killed');
  };
  const cluster = clusterWithNamespace({ [when]: crash });
  const { inventory } = await applyWatching(cluster, request({ objects: first }));
  armed = true;
  await applyWatching(cluster, request({ objects: second, previousInventory: inventory, concurrency: 2 })).catch(
    (error: unknown) => {
      if ((error as Error).message !== 'killed') throw error;
    },
  );
  armed = false;
  const result = await applyWatching(cluster, request({ objects: second, previousInventory: inventory }));
  expect(result.state).toBe('Complete');
  expect(result.inventory.filter((entry) => entry.uid === '')).toEqual([]);
  return cluster;
}

describe('apply, killed between any two requests', () => {
  const small = prepared([sample('v1', 'ConfigMap', 'widget-first', { namespace: 'ops', data: { x: '1' } })]);
  const large = prepared([
    ...sampleOperator({ image: 'registry.example/operator:2' }),
    sample('v1', 'ConfigMap', 'widget-first', { namespace: 'ops', data: { y: '2' } }),
  ]);

  test('the run after a crash ends like an undisturbed one', async () => {
    const calm = clusterWithNamespace();
    const { inventory } = await applyWatching(calm, request({ objects: small }));
    const before = calm.requests.length;
    await applyWatching(calm, request({ objects: large, previousInventory: inventory }));
    const requests = calm.requests.length - before;
    expect(requests).toBeGreaterThan(20);
    for (let at = 1; at <= requests; at++) {
      for (const when of ['before', 'after'] as const) {
        expect(content(await crashAt(at, when, small, large)), `${when} request ${at}`).toEqual(content(calm));
      }
    }
  });
});

test('a workload that cannot be read does not count as ready, and stays in the inventory', async () => {
  let refuses = false;
  const cluster = clusterWithNamespace({
    before: ({ verb, ref }) => {
      if (refuses && verb === 'get' && ref.kind === 'Deployment') throw refusal(503, '', 'unavailable');
    },
  });
  const { inventory } = await applyWatching(cluster, request());
  refuses = true;
  const again = await applyWatching(cluster, request({ previousInventory: inventory, watched: INTACT }));
  expect(again).toMatchObject({ state: 'Waiting', inventory });
  expect(again.phases.flatMap(({ unready }) => unready).map(({ health }) => health.state)).toEqual(['Unknown']);
});

test('randomly failing requests delay the end of an install and do not change its result', async () => {
  const calm = clusterWithNamespace();
  await applyWatching(calm, request());
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 0, max: 9 })), async (dice) => {
      let left = 25;
      const fail = (): void => {
        if ((dice.next().value as number) < 2 && left-- > 0) throw refusal(503, '', 'unavailable');
      };
      const cluster = clusterWithNamespace({ before: fail, after: fail });
      let inventory: readonly InventoryEntry[] = [];
      for (let run = 0; run < 60; run++) {
        const result = await applyWatching(cluster, request({ previousInventory: inventory }));
        inventory = result.inventory;
        if (result.state === 'Complete') break;
      }
      expect(content(cluster)).toEqual(content(calm));
    }),
    { numRuns: runsOf(30) },
  );
});
