/** One informer for each kind and selection, shared by all users: one watch, one copy in memory. */
import type { KubeObject } from '../../api/object.ts';
import type { Client } from '../client/client.ts';
import { createInformer, type Informer, type InformerOptions } from './informer.ts';

export type InformerRequest<K extends KubeObject = KubeObject> = Omit<InformerOptions<K>, 'client' | 'log' | 'clock'>;

export interface InformerFactory {
  /**
   * The informer for this selection; a further request adds its indexes. Starts at once if the factory is started.
   * Throws Error if two requests for the same selection differ in `transform`: they would not see the same objects.
   */
  informer<K extends KubeObject = KubeObject>(request: InformerRequest<K>): Informer<K>;
  /** The caller no longer needs the informer; it ends with its last user. */
  release(informer: Informer): void;
  /** Starts all informers, including future ones. */
  start(signal: AbortSignal): void;
  /** Resolves when all informers requested so far have synced. */
  synced(): Promise<void>;
}

interface StartedInformer {
  readonly informer: Informer;
  readonly transform: InformerRequest['transform'];
  readonly over: AbortController;
  users: number;
}

/** A factory over one client. */
export function createInformerFactory(
  shared: { readonly client: Client } & Pick<
    InformerOptions,
    'log' | 'clock' | 'random' | 'watchSeconds' | 'idleSeconds'
  >,
): InformerFactory {
  const entries = new Map<string, StartedInformer>();
  let running: AbortSignal | undefined;

  function create(request: InformerRequest): StartedInformer {
    const informer = createInformer({ ...shared, ...request });
    const entry = { informer, transform: request.transform, over: new AbortController(), users: 0 };
    entries.set(identify(request), entry);
    if (running !== undefined) begin(entry, running);
    return entry;
  }

  return {
    informer<K extends KubeObject>(typed: InformerRequest<K>) {
      // Informers of all kinds are in one map; the caller vouches for the type of a kind's objects.
      const request = typed as unknown as InformerRequest;
      const entry = entries.get(identify(request)) ?? create(request);
      if (entry.transform !== request.transform) throw new Error(`two transforms for the informer of ${request.kind}`);
      for (const [name, valuesOf] of Object.entries(request.indexes ?? {})) entry.informer.addIndex(name, valuesOf);
      entry.users += 1;
      return entry.informer as unknown as Informer<K>;
    },
    release(informer) {
      const found = [...entries].find(([, entry]) => entry.informer === informer);
      if (found === undefined) return;
      const [key, entry] = found;
      entry.users -= 1;
      if (entry.users > 0) return;
      entries.delete(key);
      entry.over.abort(new Error(`nothing of kind ${informer.kind} is followed any more`));
    },
    start(signal) {
      running = signal;
      for (const entry of entries.values()) begin(entry, signal);
    },
    async synced() {
      await Promise.all([...entries.values()].map(({ informer }) => informer.synced));
    },
  };
}

function begin({ informer, over }: StartedInformer, running: AbortSignal): void {
  const forward = (): void => over.abort(running.reason);
  if (running.aborted) forward();
  running.addEventListener('abort', forward, { once: true });
  over.signal.addEventListener('abort', () => running.removeEventListener('abort', forward), { once: true });
  informer.start(over.signal);
}

function identify(request: InformerRequest): string {
  const { apiVersion, kind, namespace, labelSelector, fieldSelector, metadataOnly } = request;
  return JSON.stringify([apiVersion, kind, namespace, labelSelector, fieldSelector, metadataOnly ?? false]);
}
