/**
 * The writes of a fake API server, with the rules that clients rely on: names, versions and uids as preconditions, dry
 * runs, field ownership, namespaces, finalizers, and CRDs that go with their objects. There is no validation.
 */
import { randomUUID } from 'node:crypto';
import { isCrd } from '../../api/crd-kind.ts';
import { canonicalJson, mergePatch } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Resource } from '../client/resource-path.ts';
import { checkConversion, checkImmutable, checkMergeable } from './checked-fields.ts';
import type { FakeStore, Named } from './fake-store.ts';
import { isInstanceOf, NAMESPACES, type FakeKinds } from './fake-kinds.ts';
import { applyFields, ownChanges } from './field-ownership.ts';
import { conflict, invalid, notFound, Refusal } from './refusal.ts';

/** Plays the controllers of a cluster: returns a written object with its status. */
export type React = (object: KubeObject) => KubeObject;

export interface WriteOptions {
  readonly manager: string;
  readonly dryRun?: boolean;
  readonly subresource?: string;
  readonly force?: boolean;
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

interface Parts {
  readonly store: FakeStore;
  readonly kinds: FakeKinds;
  readonly react: React;
  readonly now: () => Date;
}

export class FakeWrites {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  create(resource: Resource, object: KubeObject, { manager, dryRun = false }: WriteOptions): KubeObject {
    return this.#create(resource, ownChanges(undefined, object, { manager, operation: 'Update' }), dryRun);
  }

  #create(resource: Resource, object: KubeObject, dryRun: boolean): KubeObject {
    this.#requireNamespace(object);
    const { name } = object.metadata;
    if (this.#parts.store.find(resource, object.metadata) !== undefined) {
      throw new Refusal(409, 'AlreadyExists', `${resource.plural} "${name}" already exists`);
    }
    const { resourceVersion: _, ...given } = object.metadata;
    const metadata = { ...given, uid: randomUUID(), creationTimestamp: this.#now(), generation: 1 };
    return this.#save(resource, { ...object, metadata }, dryRun);
  }

  apply(resource: Resource, object: KubeObject, { manager, dryRun = false, force = false }: WriteOptions): KubeObject {
    checkMergeable(object);
    const live = this.#parts.store.find(resource, object.metadata);
    if (live === undefined) {
      const { plural } = resource;
      if (object.metadata.uid !== undefined) throw conflict(plural, object.metadata.name, 'uid mismatch: it is gone');
      const empty = { apiVersion: object.apiVersion, kind: object.kind, metadata: { name: object.metadata.name } };
      const owned = applyFields(empty, object, { manager, force });
      const { namespace } = object.metadata;
      return this.#create(
        resource,
        { ...owned, metadata: { ...owned.metadata, ...(namespace !== undefined && { namespace }) } },
        dryRun,
      );
    }
    requireVersion(resource, live, object.metadata);
    const { uid } = object.metadata;
    if (uid !== undefined && uid !== live.metadata.uid) throw immutableUid(resource, live);
    return this.#change(resource, { live, next: applyFields(live, object, { manager, force }), dryRun });
  }

  /** A JSON merge patch. */
  patch(
    resource: Resource,
    named: Named,
    { patch, ...options }: WriteOptions & { readonly patch: unknown },
  ): KubeObject {
    const live = this.#parts.store.get(resource, named);
    const { metadata = {} } = patch as { readonly metadata?: Preconditions };
    requireVersion(resource, live, metadata);
    if (metadata.uid !== undefined && metadata.uid !== live.metadata.uid) throw immutableUid(resource, live);
    return this.#write(resource, live, mergePatch(live, patch) as KubeObject, options);
  }

  /** Replaces an object. */
  update(resource: Resource, object: KubeObject, options: WriteOptions): KubeObject {
    const live = this.#parts.store.get(resource, object.metadata);
    requireVersion(resource, live, object.metadata);
    const { managedFields } = live.metadata as { managedFields?: unknown };
    return this.#write(
      resource,
      live,
      { ...object, metadata: { managedFields, ...object.metadata } as KubeObject['metadata'] },
      options,
    );
  }

  #write(
    resource: Resource,
    live: KubeObject,
    next: KubeObject,
    { manager, subresource, dryRun = false }: WriteOptions,
  ): KubeObject {
    const writer = { manager, operation: 'Update', ...(subresource !== undefined && { subresource }) };
    return this.#change(resource, { live, next: ownChanges(live, next, writer), dryRun });
  }

  /** The change of an object keeps its identity, and one that changes nothing keeps its version. */
  #change(
    resource: Resource,
    { live, next, dryRun }: { readonly live: KubeObject; readonly next: KubeObject; readonly dryRun: boolean },
  ): KubeObject {
    const { uid, creationTimestamp, deletionTimestamp, resourceVersion, generation = 1 } = live.metadata;
    const isChanged = canonicalJson(next['spec'] ?? null) !== canonicalJson(live['spec'] ?? null);
    const kept = {
      uid,
      creationTimestamp,
      deletionTimestamp,
      resourceVersion,
      generation: generation + Number(isChanged),
    };
    const merged = { ...next, metadata: { ...next.metadata, ...defined(kept) } as KubeObject['metadata'] };
    checkImmutable(resource, live, merged);
    checkConversion(resource, merged);
    if (canonicalJson(merged) === canonicalJson(live)) return live;
    const saved = this.#save(resource, merged, dryRun);
    if (!dryRun) this.#finishDeletion(resource, saved.metadata);
    return saved;
  }

  #save(resource: Resource, object: KubeObject, dryRun: boolean): KubeObject {
    return dryRun ? object : this.#parts.store.put(resource, this.#parts.react(object));
  }

  /** Marks an object that finalizers hold, removes any other; answers the object that is left. */
  delete(
    resource: Resource,
    named: Named,
    { dryRun = false, ...wanted }: Preconditions & { readonly dryRun?: boolean },
  ): KubeObject | undefined {
    const { store } = this.#parts;
    const live = store.get(resource, named);
    if (wanted.uid !== undefined && wanted.uid !== live.metadata.uid) {
      const why = `the UID in the precondition (${wanted.uid}) does not match the UID in record (${live.metadata.uid})`;
      throw conflict(resource.plural, named.name, why);
    }
    requireVersion(resource, live, wanted);
    if (dryRun) return undefined;
    if (isCrd(live)) for (const instance of this.#instancesOf(live)) this.#deleteInstance(instance);
    const metadata = { ...live.metadata, deletionTimestamp: live.metadata.deletionTimestamp ?? this.#now() };
    if (this.#isHeld(live)) return store.put(resource, { ...live, metadata });
    this.#remove(resource, live);
    return undefined;
  }

  #deleteInstance(instance: KubeObject): void {
    const resource = this.#parts.kinds.of(instance);
    if (resource !== undefined) this.delete(resource, instance.metadata, {});
  }

  /** Removes an object that is being deleted with its last finalizer, and a CRD also with its last instance. */
  finishDeletions(): void {
    const { store, kinds } = this.#parts;
    for (const object of store.objects()) {
      const resource = kinds.of(object);
      if (object.metadata.deletionTimestamp !== undefined && resource !== undefined)
        this.#finishDeletion(resource, object.metadata);
    }
  }

  #finishDeletion(resource: Resource, named: Named): void {
    const { store } = this.#parts;
    const live = store.find(resource, named);
    if (live?.metadata.deletionTimestamp !== undefined && !this.#isHeld(live)) this.#remove(resource, live);
  }

  /** By its finalizers, or, a CRD, by its instances. */
  #isHeld(object: KubeObject): boolean {
    const { finalizers = [] } = object.metadata;
    return finalizers.length > 0 || (isCrd(object) && this.#instancesOf(object).length > 0);
  }

  /** Removes an object, and then a CRD that waited for it. */
  #remove(resource: Resource, object: KubeObject): void {
    this.#parts.store.remove(resource, object);
    this.finishDeletions();
  }

  #instancesOf(crd: KubeObject): readonly KubeObject[] {
    return this.#parts.store.objects().filter((object) => isInstanceOf(crd, object));
  }

  #requireNamespace({ metadata: { namespace } }: KubeObject): void {
    if (namespace === undefined) return;
    const found = this.#parts.store.find(NAMESPACES, { name: namespace });
    if (found === undefined) throw notFound('namespaces', namespace);
    if (found.metadata.deletionTimestamp === undefined) return;
    const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw new Refusal(403, 'Forbidden', message, [
      { reason: 'NamespaceTerminating', message, field: 'metadata.namespace' },
    ]);
  }

  #now(): string {
    return this.#parts
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
  }
}

function requireVersion({ plural }: Resource, live: KubeObject, { resourceVersion }: Preconditions): void {
  if (resourceVersion === undefined || resourceVersion === live.metadata.resourceVersion) return;
  throw conflict(
    plural,
    live.metadata.name,
    'the object has been modified; please apply your changes to the latest version',
  );
}

function immutableUid({ plural }: Resource, { metadata }: KubeObject): Refusal {
  return invalid(plural, metadata.name, { field: 'metadata.uid', why: 'field is immutable' });
}

function defined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
