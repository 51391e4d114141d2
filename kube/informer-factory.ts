/** One informer for each kind and selection, however many ask: one watch, one copy in memory. */
import type { Client } from './client.ts';
import { createInformer, type Informer, type InformerOptions } from './informer.ts';

export type InformerRequest = Omit<InformerOptions, 'client' | 'log' | 'clock'>;

export interface InformerFactory {
  /**
   * The informer for this selection; a further request adds its indexes. Started at once when the factory is.
   * Throws Error where two requests for the same differ in `transform`: they would not see the same objects.
   */
  informer(request: InformerRequest): Informer;
  /** Starts all, and those to come. */
  start(signal: AbortSignal): void;
  /** Resolves when all that were asked for so far have synced. */
  synced(): Promise<void>;
}

/** A factory over one client. */
export function createInformerFactory(
  shared: { readonly client: Client } & Pick<
    InformerOptions,
    'log' | 'clock' | 'random' | 'watchSeconds' | 'idleSeconds'
  >,
): InformerFactory {
  const entries = new Map<string, { readonly informer: Informer; readonly transform: InformerRequest['transform'] }>();
  let running: AbortSignal | undefined;

  function create(request: InformerRequest): Informer {
    const informer = createInformer({ ...shared, ...request });
    entries.set(identify(request), { informer, transform: request.transform });
    if (running !== undefined) informer.start(running);
    return informer;
  }

  return {
    informer(request) {
      const entry = entries.get(identify(request));
      if (entry === undefined) return create(request);
      if (entry.transform !== request.transform) throw new Error(`two transforms for the informer of ${request.kind}`);
      for (const [name, valuesOf] of Object.entries(request.indexes ?? {})) entry.informer.addIndex(name, valuesOf);
      return entry.informer;
    },
    start(signal) {
      running = signal;
      for (const { informer } of entries.values()) informer.start(signal);
    },
    async synced() {
      await Promise.all([...entries.values()].map(({ informer }) => informer.synced));
    },
  };
}

function identify(request: InformerRequest): string {
  const { apiVersion, kind, namespace, labelSelector, fieldSelector, metadataOnly } = request;
  return JSON.stringify([apiVersion, kind, namespace, labelSelector, fieldSelector, metadataOnly ?? false]);
}
