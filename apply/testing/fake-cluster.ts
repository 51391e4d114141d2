/**
 * An in-memory cluster for unit tests: optimistic locks, uids, dry runs, finalizers, field ownership as far as apply/
 * relies on it, CRDs that are served once they are Established, and faults on demand. contract.ts runs against this
 * fake and the real API server, so that both behave alike.
 */
import { refusal } from '../../api/testing/refusal.ts';
import type { ApiError } from '../../api/api-error.ts';
import { canonicalJson, mergePatch } from '../../api/json.ts';
import {
  describeRef,
  groupKind,
  groupOf,
  type Kind,
  type KubeObject,
  type ObjectRef,
  refOf,
} from '../../api/object.ts';
import type { Cluster, DeleteOptions } from '../../api/cluster.ts';
import { identityOf, knownScope } from '../identity.ts';

/** One request that the fake received. */
export interface FakeRequest {
  readonly verb: 'get' | 'list' | 'create' | 'apply' | 'patch' | 'delete';
  readonly ref: ObjectRef;
  readonly dryRun: boolean;
  /** Of a deletion. */
  readonly propagation?: DeleteOptions['propagation'];
}

export interface FakeCluster extends Cluster {
  readonly requests: readonly FakeRequest[];
  /** The objects, in the order of their creation. */
  objects(): readonly KubeObject[];
  /** Stores an object as another program would. */
  put(object: KubeObject): KubeObject;
  /** Changes an object as its controller would; the result replaces it. */
  change(ref: ObjectRef, edit: (object: KubeObject) => KubeObject): void;
}

export interface FakeOptions {
  /** Called before each request; may throw to make the request fail without effect. */
  readonly before?: (request: FakeRequest, cluster: FakeCluster) => void;
  /** Called after each request took effect; may throw so that its answer is lost. */
  readonly after?: (request: FakeRequest, cluster: FakeCluster) => void;
  /** Plays the controllers: returns a written object with its status; by default, Established and available. */
  readonly react?: (object: KubeObject) => KubeObject;
}

type Meta = Record<string, unknown> & KubeObject['metadata'];

interface Field {
  readonly manager: string;
  readonly operation: string;
}

/** An empty cluster with the namespace `default`. */
export function createFakeCluster(options: FakeOptions = {}): FakeCluster {
  const store = new Map<string, KubeObject>();
  const requests: FakeRequest[] = [];
  const react = options.react ?? settle;
  let clock = 0;

  const cluster: FakeCluster = {
    requests,
    objects: () => [...store.values()],
    put: (object) => save(stamp(object)),
    change(ref, edit) {
      const object = edit(structuredClone(require(ref)));
      store.set(identityOf(ref), withMeta(object, { resourceVersion: nextVersion() }));
      finishDeletion(ref);
    },
    get: (ref) => serve('get', ref, false, () => structuredClone(store.get(identityOf(ref)))),
    list: (kind, { namespace, labelSelector, fieldSelector, metadataOnly = false } = {}) =>
      serve('list', { ...kind, name: '*' }, false, () => {
        if (scopeOf(kind) === undefined && 'served' in kind) throw refusal(404, 'NotFound', 'no such path');
        if (scopeOf(kind) === undefined) return [];
        const found = [...store.values()].filter(
          (object) =>
            groupKind(object) === groupKind(kind) &&
            (namespace === undefined || object.metadata.namespace === namespace) &&
            matches(object, labelSelector) &&
            hasFields(object, fieldSelector),
        );
        return metadataOnly ? found.map(({ metadata }) => ({ ...kind, metadata })) : found;
      }),
    create: (object, { dryRun = false } = {}) => serve('create', refOf(object), dryRun, () => create(object, dryRun)),
    apply: (object, { dryRun = false } = {}) => serve('apply', refOf(object), dryRun, () => apply(object, dryRun)),
    patch: (ref, patch) => serve('patch', ref, false, () => patchObject(ref, patch)),
    delete: (ref, deletion = {}) =>
      serve('delete', ref, deletion.dryRun === true, () => remove(ref, deletion), deletion.propagation),
    isNamespaced: async (kind) => scopeOf(kind),
  };
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' }, status: { phase: 'Active' } });
  return cluster;

  async function serve<Result>(
    verb: FakeRequest['verb'],
    ref: ObjectRef,
    dryRun: boolean,
    answer: () => Result,
    propagation?: DeleteOptions['propagation'],
  ): Promise<Result> {
    const request = { verb, ref, dryRun, ...(propagation !== undefined && { propagation }) };
    await Promise.resolve();
    requests.push(request);
    options.before?.(request, cluster);
    const result = answer();
    options.after?.(request, cluster);
    return result;
  }

  function create(object: KubeObject, dryRun: boolean): KubeObject {
    requireServed(refOf(object));
    requireNamespace(object);
    if (store.has(identityOf(refOf(object)))) {
      throw refusal(409, 'AlreadyExists', `${describeRef(refOf(object))} already exists`);
    }
    const stamped = owned(stamp(object), [{ manager: 'slipway', operation: 'Update' }]);
    return dryRun ? stamped : save(stamped);
  }

  function apply(object: KubeObject, dryRun: boolean): KubeObject {
    requireServed(refOf(object));
    const live = store.get(identityOf(refOf(object)));
    const { uid, resourceVersion } = object.metadata;
    checkMergeable(object);
    if (live === undefined) {
      if (uid !== undefined) throw conflict(object, 'uid mismatch');
      requireNamespace(object);
      const stamped = owned(stamp(object), [{ manager: 'slipway', operation: 'Apply' }]);
      return dryRun ? stamped : save(stamped);
    }
    if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) {
      throw conflict(object, 'it was modified');
    }
    if (uid !== undefined && uid !== live.metadata.uid) throw invalid(object, 'metadata.uid: field is immutable');
    checkImmutable(live, object);
    const merged = mergeApplied(live, object);
    return dryRun || canonicalJson(merged) === canonicalJson(live) ? merged : save(merged);
  }

  function patchObject(ref: ObjectRef, patch: Readonly<Record<string, unknown>>): KubeObject {
    const live = require(ref);
    const expected = (patch['metadata'] as { resourceVersion?: string } | undefined)?.resourceVersion;
    if (expected !== undefined && expected !== live.metadata.resourceVersion) throw conflict(live, 'it was modified');
    const patched = mergePatch(live, patch) as KubeObject;
    if (patched.metadata.uid !== live.metadata.uid) throw invalid(live, 'metadata.uid: field is immutable');
    const saved = save(patched);
    finishDeletion(ref);
    return saved;
  }

  function remove(ref: ObjectRef, { uid, resourceVersion, dryRun }: DeleteOptions): KubeObject | undefined {
    const live = store.get(identityOf(ref));
    if (live === undefined) return undefined;
    if (uid !== undefined && uid !== live.metadata.uid) return undefined;
    if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion)
      throw conflict(live, 'it was modified');
    if (dryRun === true) return undefined;
    if (isCrd(live)) removeInstances(live);
    store.set(
      identityOf(ref),
      withMeta(live, { deletionTimestamp: '2000-01-01T00:00:00Z', resourceVersion: nextVersion() }),
    );
    finishDeletion(ref);
    return structuredClone(store.get(identityOf(ref)));
  }

  /** Removes an object that is being deleted with its last finalizer, and a CRD also with its last instance. */
  function finishDeletion(ref: ObjectRef): void {
    const live = store.get(identityOf(ref));
    if (live?.metadata.deletionTimestamp === undefined) return;
    if ((live.metadata.finalizers ?? []).length > 0 || (isCrd(live) && instancesOf(live).length > 0)) return;
    store.delete(identityOf(ref));
    for (const crd of [...store.values()].filter(isCrd)) finishDeletion(refOf(crd));
  }

  function removeInstances(crd: KubeObject): void {
    for (const object of instancesOf(crd)) remove(refOf(object), {});
  }

  function instancesOf(crd: KubeObject): KubeObject[] {
    return [...store.values()].filter((object) => groupKind(object) === kindOf(crd));
  }

  function scopeOf(kind: Kind): boolean | undefined {
    const crd = [...store.values()].find(
      (object) => isCrd(object) && isEstablished(object) && kindOf(object) === groupKind(kind),
    );
    if (crd !== undefined) return (crd['spec'] as { scope?: string }).scope !== 'Cluster';
    const builtIn =
      !/\.(com|io|dev|org)$/.test(groupOf(kind.apiVersion)) || groupOf(kind.apiVersion).endsWith('.k8s.io');
    const scope = builtIn ? knownScope(kind) : undefined;
    return scope === undefined ? undefined : scope === 'Namespaced';
  }

  function requireServed(ref: ObjectRef): void {
    if (scopeOf(ref) === undefined) throw refusal(404, 'NotFound', `${describeRef(ref)}: the kind is not served`);
  }

  function requireNamespace(object: KubeObject): void {
    const { namespace } = object.metadata;
    if (namespace === undefined) return;
    const found = store.get(identityOf({ apiVersion: 'v1', kind: 'Namespace', name: namespace }));
    if (found === undefined) throw refusal(404, 'NotFound', `namespaces "${namespace}" not found`);
    if (found.metadata.deletionTimestamp !== undefined) {
      throw refusal(403, 'Forbidden', `namespace ${namespace} is being terminated`, 'NamespaceTerminating');
    }
  }

  function require(ref: ObjectRef): KubeObject {
    const live = store.get(identityOf(ref));
    if (live === undefined) throw refusal(404, 'NotFound', `${describeRef(ref)} not found`);
    return live;
  }

  function stamp(object: KubeObject): KubeObject {
    return withMeta(structuredClone(object), { uid: object.metadata.uid ?? `uid-${++clock}`, generation: 1 });
  }

  function save(object: KubeObject): KubeObject {
    const reacted = withMeta(react(object), { resourceVersion: nextVersion() });
    store.set(identityOf(refOf(object)), reacted);
    return structuredClone(reacted);
  }

  function nextVersion(): string {
    return String(++clock);
  }
}

function withMeta(object: KubeObject, meta: Partial<Meta>): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...meta } };
}

function owned(object: KubeObject, managedFields: readonly Field[]): KubeObject {
  return withMeta(object, { managedFields });
}

function managersOf(object: KubeObject): readonly Field[] {
  return (object.metadata as unknown as { managedFields?: readonly Field[] }).managedFields ?? [];
}

/** Server-side apply, roughly: applied fields win; fields left out are removed, unless another manager holds fields. */
function mergeApplied(live: KubeObject, object: KubeObject): KubeObject {
  const { metadata, ...rest } = object;
  const alone = managersOf(live).every(({ manager, operation }) => manager === 'slipway' && operation === 'Apply');
  const kept = alone ? { apiVersion: live.apiVersion, kind: live.kind, status: live['status'] } : live;
  const mine = { manager: 'slipway', operation: 'Apply' };
  const managedFields = [...managersOf(live).filter((field) => canonicalJson(field) !== canonicalJson(mine)), mine];
  const merged: KubeObject = { ...(mergePatch(kept, rest) as KubeObject), metadata: live.metadata };
  const specChanged = canonicalJson(live['spec'] ?? null) !== canonicalJson(merged['spec'] ?? null);
  return withMeta(merged, {
    labels: { ...(alone ? {} : live.metadata.labels), ...metadata.labels },
    annotations: { ...(alone ? {} : live.metadata.annotations), ...metadata.annotations },
    generation: (live.metadata.generation ?? 1) + Number(specChanged),
    managedFields,
  });
}

function checkImmutable(live: KubeObject, object: KubeObject): void {
  if (object.kind !== 'Deployment' || canonicalJson(selectorOf(live)) === canonicalJson(selectorOf(object))) return;
  throw refusal(422, 'Invalid', `${describeRef(refOf(object))} is invalid: spec.selector: field is immutable`);
}

function selectorOf(object: KubeObject): unknown {
  return (object['spec'] as { selector?: unknown } | undefined)?.selector ?? null;
}

/** Server-side apply merges lists by key and rejects repeated keys; a plain create accepts them. */
function checkMergeable(object: KubeObject): void {
  const text = canonicalJson(object);
  const variables = [...text.matchAll(/"env":(\[[^\]]*\])/g)].map(
    ([, list = '[]']) => JSON.parse(list) as { name: string }[],
  );
  if (variables.every((list) => new Set(list.map(({ name }) => name)).size === list.length)) return;
  throw refusal(500, '', `failed to create typed patch object (${object.metadata.name}): env: duplicate entries`);
}

function invalid(object: KubeObject, why: string): ApiError {
  return refusal(422, 'Invalid', `${describeRef(refOf(object))} is invalid: ${why}`);
}

function conflict(object: KubeObject, why: string): ApiError {
  return refusal(409, 'Conflict', `${describeRef(refOf(object))}: ${why}`);
}

function matches({ metadata }: KubeObject, selector: string | undefined): boolean {
  return (selector ?? '').split(',').every((term) => {
    const [key = '', value] = term.split('=', 2);
    return term === '' || (value === undefined ? key in (metadata.labels ?? {}) : metadata.labels?.[key] === value);
  });
}

/** The field selectors in use: type of a Secret, and name. */
function hasFields(object: KubeObject, selector: string | undefined): boolean {
  const fields: Readonly<Record<string, unknown>> = { type: object['type'], 'metadata.name': object.metadata.name };
  return (selector ?? '').split(',').every((term) => {
    const [field = '', value] = term.split('=', 2);
    return term === '' || fields[field] === value;
  });
}

function isCrd(object: KubeObject): boolean {
  return groupKind(object) === 'CustomResourceDefinition.apiextensions.k8s.io';
}

function kindOf(crd: KubeObject): string {
  const { group, names } = crd['spec'] as { group: string; names: { kind: string } };
  return `${names.kind}.${group}`;
}

function isEstablished(crd: KubeObject): boolean {
  const status = crd['status'] as { conditions?: readonly { type: string; status: string }[] } | undefined;
  return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
}

/** The same cluster as seen by an account with limited rights; a refusal names the account as RBAC does. */
export function actingAs<Some extends Cluster>(
  cluster: Some,
  account: string,
  may: (request: Pick<FakeRequest, 'verb' | 'ref'>) => boolean,
): Some {
  const judge = (verb: FakeRequest['verb'], ref: ObjectRef): void => {
    if (may({ verb, ref })) return;
    const [resource, group] = [`${ref.kind.toLowerCase()}s`, groupOf(ref.apiVersion)];
    const right = `cannot ${verb} resource "${resource}" in API group "${group}"`;
    throw refusal(403, 'Forbidden', `${resource} "${ref.name}" is forbidden: User "${account}" ${right}`);
  };
  const judged: Omit<Cluster, 'isNamespaced'> = {
    get: async (ref, ...rest) => (judge('get', ref), cluster.get(ref, ...rest)),
    list: async (kind, ...rest) => (judge('list', { ...kind, name: '*' }), cluster.list(kind, ...rest)),
    create: async (object, ...rest) => (judge('create', refOf(object)), cluster.create(object, ...rest)),
    apply: async (object, ...rest) => (judge('apply', refOf(object)), cluster.apply(object, ...rest)),
    patch: async (ref, ...rest) => (judge('patch', ref), cluster.patch(ref, ...rest)),
    delete: async (ref, ...rest) => (judge('delete', ref), cluster.delete(ref, ...rest)),
  };
  return { ...cluster, ...judged };
}

/** Controllers that succeed immediately: CRDs are Established, Deployments available, Namespaces active. */
export function settle(object: KubeObject): KubeObject {
  const { generation } = object.metadata;
  switch (groupKind(object)) {
    case 'CustomResourceDefinition.apiextensions.k8s.io':
      return { ...object, status: { conditions: [{ type: 'Established', status: 'True' }] } };
    case 'Namespace':
      return { ...object, status: { phase: 'Active' } };
    case 'Deployment.apps': {
      const replicas = (object['spec'] as { replicas?: number } | undefined)?.replicas ?? 1;
      const counts = { replicas, updatedReplicas: replicas, availableReplicas: replicas };
      return { ...object, status: { observedGeneration: generation, ...counts } };
    }
    default:
      return object;
  }
}
