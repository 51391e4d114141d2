/**
 * The state of a fake API server: objects with resourceVersions, the history that watches replay, and pages of
 * unfinished lists. Follows the rules of the real one that clients rely on; no I/O.
 */
import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../api/object.ts';
import type { Resource } from '../client/resource-path.ts';

/** A refusal, as the API server words it. */
export class Refusal extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** One change; `old` is the previous object. */
export interface Change {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly old: KubeObject | undefined;
}

/** The selection of a request. */
export interface Selection {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly labelSelector: string | null;
}

export interface Page {
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
  readonly continue: string;
}

export interface FakeStore {
  readonly version: number;
  get(resource: Resource, namespace: string | undefined, name: string): KubeObject;
  list(selection: Selection, page: { readonly limit: number; readonly continue: string | null }): Page;
  create(resource: Resource, object: KubeObject): KubeObject;
  /** Stores the result of `change`; equal content changes nothing. */
  change(resource: Resource, object: Named, change: (old: KubeObject) => KubeObject): KubeObject;
  /** Marks an object that finalizers hold, removes any other. */
  delete(resource: Resource, object: Named): { readonly object: KubeObject; readonly gone: boolean };
  /** Changes after `version`; throws the Refusal 410 if they are forgotten. */
  since(version: number): readonly Change[];
  /** Forgets the history and every unfinished list, as etcd's compaction does. */
  compact(): void;
  onChange(listener: (change: Change) => void): () => void;
}

type Named = { readonly namespace?: string | undefined; readonly name: string };

/** An empty store. */
export function createFakeStore(): FakeStore {
  const objects = new Map<string, { readonly resource: Resource; readonly object: KubeObject }>();
  const pages = new Map<string, Omit<Page, 'continue'>>();
  const listeners = new Set<(change: Change) => void>();
  let history: Change[] = [];
  let version = 1;
  let forgottenBefore = 0;

  function commit(type: Change['type'], resource: Resource, content: KubeObject): KubeObject {
    version += 1;
    const object = { ...content, metadata: { ...content.metadata, resourceVersion: String(version) } };
    const key = keyOf(resource, object.metadata);
    const old = objects.get(key)?.object;
    if (type === 'DELETED') objects.delete(key);
    else objects.set(key, { resource, object });
    const change = { version, type, resource, object, old };
    history.push(change);
    for (const listener of listeners) listener(change);
    return object;
  }

  function get(resource: Resource, namespace: string | undefined, name: string): KubeObject {
    const found = objects.get(keyOf(resource, { namespace, name }));
    if (found === undefined) throw new Refusal(404, 'NotFound', `${resource.plural} "${name}" not found`);
    return found.object;
  }

  function pageOf({ items, resourceVersion }: Omit<Page, 'continue'>, limit: number): Page {
    if (limit <= 0 || items.length <= limit) return { items, resourceVersion, continue: '' };
    const token = randomUUID();
    pages.set(token, { items: items.slice(limit), resourceVersion });
    return { items: items.slice(0, limit), resourceVersion, continue: token };
  }

  return {
    get version() {
      return version;
    },
    get,
    list(selection, { limit, continue: token }) {
      if (token === null) {
        const items = [...objects.values()].filter((entry) => isSelected(selection, entry)).map(({ object }) => object);
        return pageOf({ items, resourceVersion: String(version) }, limit);
      }
      const rest = pages.get(token);
      if (rest === undefined) throw new Refusal(410, 'Expired', 'The provided continue parameter is too old');
      return pageOf(rest, limit);
    },
    create(resource, object) {
      if (objects.has(keyOf(resource, object.metadata))) {
        throw new Refusal(409, 'AlreadyExists', `${resource.plural} "${object.metadata.name}" already exists`);
      }
      const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp: new Date().toISOString() };
      return commit('ADDED', resource, { ...object, metadata });
    },
    change(resource, { namespace, name }, change) {
      const old = get(resource, namespace, name);
      const wanted = change(old);
      const given = wanted.metadata.resourceVersion;
      if (given !== undefined && given !== old.metadata.resourceVersion) {
        throw new Refusal(
          409,
          'Conflict',
          `Operation cannot be fulfilled on ${resource.plural} "${name}": the object has been modified`,
        );
      }
      const { uid, creationTimestamp, deletionTimestamp, resourceVersion } = old.metadata;
      const kept = JSON.parse(JSON.stringify({ uid, creationTimestamp, deletionTimestamp, resourceVersion })) as object;
      const next = { ...wanted, metadata: { ...wanted.metadata, ...kept } };
      if (JSON.stringify(next) === JSON.stringify(old)) return old;
      const released = deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
      return commit(released ? 'DELETED' : 'MODIFIED', resource, next);
    },
    delete(resource, { namespace, name }) {
      const old = get(resource, namespace, name);
      if ((old.metadata.finalizers ?? []).length === 0) return { object: commit('DELETED', resource, old), gone: true };
      const metadata = { ...old.metadata, deletionTimestamp: new Date().toISOString() };
      return { object: commit('MODIFIED', resource, { ...old, metadata }), gone: false };
    },
    since(after) {
      if (after < forgottenBefore) throw new Refusal(410, 'Expired', `too old resource version: ${after} (${version})`);
      return history.filter((change) => change.version > after);
    },
    compact() {
      version += 1;
      forgottenBefore = version;
      history = [];
      pages.clear();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The event that a watch sees: an object that becomes selected is ADDED, one that no longer is is DELETED. */
export function viewOf(selection: Selection, { type, resource, object, old }: Change): Change['type'] | undefined {
  const before = type !== 'ADDED' && old !== undefined && isSelected(selection, { resource, object: old });
  const now = type !== 'DELETED' && isSelected(selection, { resource, object });
  if (before) return now ? 'MODIFIED' : 'DELETED';
  return now ? 'ADDED' : undefined;
}

/** Whether an object of `resource` is in the selection; labels by equality only. */
function isSelected(
  { resource, namespace, labelSelector }: Selection,
  entry: { readonly resource: Resource; readonly object: KubeObject },
): boolean {
  const { metadata } = entry.object;
  const [label, value] = (labelSelector ?? '').split('=');
  return (
    entry.resource === resource &&
    (namespace === undefined || metadata.namespace === namespace) &&
    (label === '' || label === undefined || metadata.labels?.[label] === value)
  );
}

function keyOf({ apiVersion, plural }: Resource, { namespace = '', name }: Named): string {
  return `${apiVersion}/${plural}/${namespace}/${name}`;
}
