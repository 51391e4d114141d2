/**
 * The state of a fake API server: objects with resourceVersions, the history that watches replay, and pages of
 * unfinished lists. Stores what it is given; fake-writes.ts knows which writes are refused. No I/O.
 */
import { randomUUID } from 'node:crypto';
import { groupOf, type KubeObject } from '../../api/object.ts';
import type { Resource } from '../client/resource-path.ts';
import { notFound, Refusal } from './refusal.ts';
import { isSelected, type Change, type Selection } from './selection.ts';

export interface Page {
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
  readonly continue: string;
}

/** Name and namespace of an object. */
export interface Named {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export class FakeStore {
  readonly #objects = new Map<string, { readonly resource: Resource; readonly object: KubeObject }>();
  /** The rest of each unfinished list, by its continue token. */
  readonly #pages = new Map<string, Omit<Page, 'continue'>>();
  readonly #listeners = new Set<(change: Change) => void>();
  #history: Change[] = [];
  /** The version of the empty store is 1, which so is that of no object. */
  #version = 1;
  #forgottenBefore = 0;

  get version(): number {
    return this.#version;
  }

  /** All objects, in the order of their creation. */
  objects(): readonly KubeObject[] {
    return [...this.#objects.values()].map(({ object }) => object);
  }

  find(resource: Resource, named: Named): KubeObject | undefined {
    return this.#objects.get(keyOf(resource, named))?.object;
  }

  /** Throws the Refusal 404 if the object does not exist. */
  get(resource: Resource, named: Named): KubeObject {
    const found = this.find(resource, named);
    if (found === undefined) throw notFound(resource.plural, named.name);
    return found;
  }

  /** Throws the Refusal 410 for a continue token that is forgotten. */
  list(
    selection: Selection,
    { limit, continue: token }: { readonly limit: number; readonly continue: string | null },
  ): Page {
    if (token === null) {
      const selected = [...this.#objects.values()].filter((entry) => isSelected(selection, entry));
      return this.#pageOf(
        { items: selected.map(({ object }) => object), resourceVersion: String(this.#version) },
        limit,
      );
    }
    const rest = this.#pages.get(token);
    if (rest === undefined) throw new Refusal(410, 'Expired', 'The provided continue parameter is too old');
    return this.#pageOf(rest, limit);
  }

  #pageOf({ items, resourceVersion }: Omit<Page, 'continue'>, limit: number): Page {
    if (limit <= 0 || items.length <= limit) return { items, resourceVersion, continue: '' };
    const token = randomUUID();
    this.#pages.set(token, { items: items.slice(limit), resourceVersion });
    return { items: items.slice(0, limit), resourceVersion, continue: token };
  }

  /** Stores the object in a new version. */
  put(resource: Resource, content: KubeObject): KubeObject {
    const old = this.find(resource, content.metadata);
    const object = this.#nextVersionOf(content);
    this.#objects.set(keyOf(resource, object.metadata), { resource, object });
    this.#announce({ version: this.#version, type: old === undefined ? 'ADDED' : 'MODIFIED', resource, object, old });
    return object;
  }

  /** Removes the object; its last version is one that was never stored. */
  remove(resource: Resource, content: KubeObject): KubeObject {
    const old = this.find(resource, content.metadata);
    const object = this.#nextVersionOf(content);
    this.#objects.delete(keyOf(resource, object.metadata));
    this.#announce({ version: this.#version, type: 'DELETED', resource, object, old });
    return object;
  }

  #nextVersionOf(content: KubeObject): KubeObject {
    this.#version += 1;
    return { ...content, metadata: { ...content.metadata, resourceVersion: String(this.#version) } };
  }

  #announce(change: Change): void {
    this.#history.push(change);
    for (const listener of this.#listeners) listener(change);
  }

  /** Changes after `version`; throws the Refusal 410 if they are forgotten. */
  since(after: number): readonly Change[] {
    if (after < this.#forgottenBefore) {
      throw new Refusal(410, 'Expired', `too old resource version: ${after} (${this.#version})`);
    }
    return this.#history.filter((change) => change.version > after);
  }

  /** Forgets the history and every unfinished list, as etcd's compaction does. */
  compact(): void {
    this.#version += 1;
    this.#forgottenBefore = this.#version;
    this.#history = [];
    this.#pages.clear();
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** An object is the same in all versions of its kind. */
function keyOf({ apiVersion, plural }: Resource, { namespace = '', name }: Named): string {
  return `${groupOf(apiVersion)}/${plural}/${namespace}/${name}`;
}
