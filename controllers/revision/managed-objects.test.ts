import { describe, expect, it } from 'vitest';
import { ANNOTATION, LABEL } from '../../api/names.ts';
import { keyOfObject, type KubeObject } from '../../api/object.ts';
import type { InformerRequest } from '../../kube/watch/informer-factory.ts';
import type { Handlers, Informer } from '../../kube/watch/informer.ts';
import { createManualClock } from '../../kube/testing/manual-clock.ts';
import {
  createManagedObjects,
  type ManagedObjects,
  type ManagedObjectsOptions,
  type TidyManagedObjects,
} from './managed-objects.ts';
import { KeptBytes } from './kept-bytes.ts';
import { allOf } from './managed-selections.ts';

const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' } as const;
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const SERVICE = { apiVersion: 'v1', kind: 'Service' } as const;
const never = new AbortController().signal;

/** Informers over a fixed set of objects, and the requests for them. */
function follow(
  objects: readonly KubeObject[],
  options: ManagedObjectsOptions = {},
): { managed: ManagedObjects; requests: InformerRequest[] } {
  const requests: InformerRequest[] = [];
  const managed = createManagedObjects((request) => {
    requests.push(request);
    const { transform = (object: KubeObject) => object } = request;
    const held = objects
      .filter(({ kind }) => kind === request.kind)
      .filter(({ metadata }) => request.labelSelector === undefined || metadata.labels?.[LABEL.owner] !== undefined)
      .map(transform);
    let index: (object: KubeObject) => readonly string[] = () => [];
    return {
      ...request,
      hasSynced: true,
      synced: Promise.resolve(),
      get: (key: string) => held.find((object) => keyOfObject(object) === key),
      addIndex: (_name: string, valuesOf: (object: KubeObject) => readonly string[]) => void (index = valuesOf),
      byIndex: (_name: string, value: string) => held.filter((object) => index(object).includes(value)),
      on: ({ added }: Handlers) => (held.forEach((object) => added?.(object)), () => undefined),
    } as unknown as Informer;
  }, options);
  return { managed, requests };
}

const ours = { [LABEL.owner]: 'ops.widgets' };
const theirs: KubeObject = { ...ROLE, metadata: { name: 'theirs', uid: 'u', annotations: { long: 'x'.repeat(1000) } } };

describe('whether an object is absent', () => {
  it('an object is absent if its kind is cluster-scoped and no object has its name', async () => {
    const { managed } = follow([theirs, { ...ROLE, metadata: { name: 'ours', labels: ours } }]);
    await managed.follow([ROLE], never);
    const absent = ['theirs', 'ours', 'nobodys'].map((name) => managed.isAbsent({ ...ROLE, name }));
    expect(absent).toEqual([false, false, true]);
  });

  it.each([
    { because: 'the kind is not followed yet', kind: CRD },
    { because: 'for namespaced kinds only our objects are followed', kind: SERVICE },
  ])('an object does not count as absent if $because', async ({ kind }) => {
    const { managed } = follow([]);
    await managed.follow([SERVICE], never);
    expect(managed.isAbsent({ ...kind, namespace: 'a', name: 'x' })).toBe(false);
  });
});

describe('a kind that the manager may not watch', () => {
  it('a kind that the manager may not watch is not followed, and the others sync without it', async () => {
    const { managed, requests } = follow([]);
    await managed.follow([{ apiVersion: 'v1', kind: 'Pod' }, SERVICE], never);
    expect(requests.map(({ kind }) => kind)).toEqual(['Service']);
    expect(managed.isFollowed({ apiVersion: 'v1', kind: 'Pod' })).toBe(false);
  });
});

describe('the kept parts', () => {
  it('only the name of a foreign object is kept', async () => {
    const { managed } = follow([theirs]);
    await managed.follow([ROLE], never);
    expect(managed.get({ ...ROLE, name: 'theirs' })).toEqual({ ...ROLE, metadata: { name: 'theirs', uid: 'u' } });
  });

  it('of a namespace, the name and the labels are kept, by which Catalogs select it', () => {
    const namespace: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'a', labels: { team: 'b' } },
    };
    const { transform = (one) => one } = allOf(namespace);
    expect(transform(namespace)).toEqual(namespace);
    expect(transform({ ...theirs, metadata: { ...theirs.metadata, labels: { team: 'b' } } }).metadata).toEqual({
      name: 'theirs',
      uid: 'u',
    });
  });

  it('of CRDs, the health of ours and the names of all are kept, by one watch each', async () => {
    const { managed, requests } = follow([{ ...CRD, metadata: { name: 'theirs' } }]);
    await managed.follow([CRD, CRD], never);
    await managed.follow([CRD], never);
    expect(requests.map(({ labelSelector, metadataOnly }) => [labelSelector, metadataOnly])).toEqual([
      [undefined, true],
      [LABEL.owner, undefined],
    ]);
    expect([managed.get({ ...CRD, name: 'theirs' }), managed.isAbsent({ ...CRD, name: 'theirs' })]).toEqual([
      undefined,
      false,
    ]);
  });
});

describe('a workload with our label', () => {
  const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;
  const metadata = { name: 'a', namespace: 'b', uid: 'u', generation: 1, labels: ours };
  const spec = { replicas: 3, template: { spec: { containers: [{ name: 'x'.repeat(1000) }] } } };
  const deployment: KubeObject = { ...DEPLOYMENT, metadata, spec, status: { replicas: 2 } };
  const ref = { ...DEPLOYMENT, namespace: 'b', name: 'a' };

  it('a workload with our label is kept without its template if its owner exists', async () => {
    const { managed } = follow([deployment], { hasOwner: () => true });
    await managed.follow([DEPLOYMENT], never);
    expect(managed.get(ref)).toEqual({ ...DEPLOYMENT, metadata, spec: { replicas: 3 }, status: { replicas: 2 } });
  });

  it('a workload with our label is kept by name if its owner is no Subscription', async () => {
    const { managed } = follow([deployment], { hasOwner: () => false });
    await managed.follow([DEPLOYMENT], never);
    expect(managed.get(ref)).toEqual({ ...DEPLOYMENT, metadata });
  });

  it('a workload with our label is kept by name if its namespace has too much already', async () => {
    const bytes = new KeptBytes();
    const full = Array.from({ length: 600 }, (_, at) => ({ name: `b${at}`, uid: 'x'.repeat(at < 500 ? 10_000 : 10) }));
    for (const one of full) bytes.admit({ ...DEPLOYMENT, metadata: { ...metadata, ...one } });
    const { managed } = follow([deployment], { bytes });
    await managed.follow([DEPLOYMENT], never);
    expect(managed.get(ref)).toEqual({ ...DEPLOYMENT, metadata });
  });

  it.each([
    { hasOwner: true, annotations: { [ANNOTATION.letIn]: 'abc' } },
    { hasOwner: false, annotations: {} },
  ])('an object of a kind without health is kept in the same way, if its owner exists: $hasOwner', async (row) => {
    const noted = { ...metadata, annotations: { [ANNOTATION.letIn]: 'abc' } };
    const { managed } = follow([{ ...SERVICE, metadata: noted }], { hasOwner: () => row.hasOwner });
    await managed.follow([SERVICE], never);
    expect(managed.get({ ...SERVICE, namespace: 'b', name: 'a' })?.metadata.annotations).toEqual(row.annotations);
  });

  it('kinds with a body are listed in small pages, and only kinds without one in large pages', async () => {
    const { managed, requests } = follow([]);
    await managed.follow([DEPLOYMENT, SERVICE], never);
    expect(requests.map(({ pageSize = Infinity }) => pageSize <= 25)).toEqual([true, false]);
  });
});

it('a CRD is kept with its served versions and its conversion, and without its schemas', async () => {
  const names = { kind: 'Widget', plural: 'widgets' };
  const version = { name: 'v1', served: true, storage: true };
  const spec = { group: 'example.com', names, scope: 'Namespaced', conversion: { strategy: 'None' } };
  const crd: KubeObject = {
    ...CRD,
    metadata: { name: 'widgets.example.com', labels: ours },
    spec: { ...spec, versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object' } } }] },
  };
  const { managed } = follow([crd]);
  await managed.follow([CRD], never);
  expect(managed.get({ ...CRD, name: 'widgets.example.com' })?.['spec']).toEqual({ ...spec, versions: [version] });
});

it('follow waits half a minute, not for ever, for a kind whose objects cannot be listed', async () => {
  const clock = createManualClock();
  const silent = { addIndex: () => undefined, on: () => () => undefined };
  const unlisted = { hasSynced: false, synced: new Promise<void>(() => undefined), ...silent };
  const managed = createManagedObjects((request) => ({ ...unlisted, ...request }) as unknown as Informer, { clock });
  const following = managed.follow([SERVICE], never);
  clock.advance(30);
  await expect(following).rejects.toMatchObject({ reason: 'ApiUnavailable', retry: 'backoff' });
});

describe('a kind that no Revision names any longer', () => {
  function scene(): {
    clock: ReturnType<typeof createManualClock>;
    managed: TidyManagedObjects;
    asked: string[];
    released: string[];
  } {
    const clock = createManualClock();
    const [asked, released]: [string[], string[]] = [[], []];
    const create = (request: InformerRequest): Informer => {
      asked.push(request.kind);
      const silent = { get: () => undefined, addIndex: () => undefined, on: () => () => undefined };
      return { ...request, hasSynced: true, ...silent } as unknown as Informer;
    };
    const release = ({ kind }: Informer): void => void released.push(kind);
    return { clock, managed: createManagedObjects(create, { clock, release }), asked, released };
  }

  it('a kind that no Revision names is followed no longer after some minutes, and again on request', async () => {
    const { clock, managed, asked, released } = scene();
    await managed.follow([SERVICE], never);
    managed.tidy(() => false);
    expect(released).toEqual([]);
    clock.advance(600);
    expect([released, managed.isFollowed(SERVICE)]).toEqual([['Service'], false]);
    await managed.follow([SERVICE], never);
    expect(asked).toEqual(['Service', 'Service']);
  });

  it('a kind is followed in the version that its CRD serves now', async () => {
    const { managed, asked, released } = scene();
    const own = { apiVersion: 'example.com/v1', kind: 'Widget', served: { plural: 'widgets', namespaced: true } };
    const next = { ...own, apiVersion: 'example.com/v2' };
    await managed.followOwn([own], never);
    await managed.followOwn([own], never);
    expect([managed.followsVersion(own), managed.followsVersion(next)]).toEqual([true, false]);
    await managed.followOwn([next], never);
    expect([managed.followsVersion(own), managed.followsVersion(next)]).toEqual([false, true]);
    expect([asked, released]).toEqual([['Widget', 'Widget'], ['Widget']]);
  });

  it('a kind that a bundle defined is followed no longer at once: its right was removed with it', async () => {
    const { managed, asked, released } = scene();
    const own = { apiVersion: 'example.com/v1', kind: 'Widget', served: { plural: 'widgets', namespaced: true } };
    await managed.followOwn([own], never);
    expect([asked, managed.isFollowed(own)]).toEqual([['Widget'], true]);
    managed.tidy(() => true);
    expect(released).toEqual([]);
    managed.tidy(() => false);
    expect([released, managed.isFollowed(own)]).toEqual([['Widget'], false]);
  });

  it('is followed no longer at once if a bundle defined it and only accounts apply it now: the right has gone', async () => {
    const { managed, released } = scene();
    const own = { apiVersion: 'example.com/v1', kind: 'Widget', served: { plural: 'widgets', namespaced: true } };
    await managed.followOwn([own], never);
    managed.tidy(
      () => true,
      () => false,
    );
    expect([released, managed.isFollowed(own)]).toEqual([['Widget'], false]);
  });

  it.each([
    { because: 'another Revision has objects of the kind', again: false, isInUse: () => true },
    {
      because: 'a roll-out has asked for it a moment ago, and has not written its inventory yet',
      again: true,
      isInUse: () => false,
    },
  ])('a kind is still followed if $because', async ({ again, isInUse }) => {
    const { clock, managed, released } = scene();
    await managed.follow([SERVICE], never);
    managed.tidy(isInUse);
    clock.advance(599);
    if (again) await managed.follow([SERVICE], never);
    clock.advance(1);
    expect(released).toEqual([]);
  });
});
