/**
 * Builds an index in a worker thread, so that a large catalog does not hold up the event loop. The bytes go over in
 * a few shared slots: memory stays the same however large the catalog is, and a source that is faster than the
 * worker waits for it.
 */
import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { ReasonedError, type ErrorFacts } from '../../api/errors.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { chunksOf, type CatalogFile, type CatalogFiles } from '../tree.ts';
import { partialPath, type BuildOptions } from './build.ts';
import type { BuilderOptions, IndexCounts } from './builder.ts';

/** Messages to the worker; a chunk lies in the slot of that number. */
export type ToWorker =
  | { readonly do: 'beginFile'; readonly path: string }
  | { readonly do: 'push'; readonly slot: number; readonly length: number }
  | { readonly do: 'endFile' }
  | { readonly do: 'finish' };

/** Messages from the worker. */
export type FromWorker =
  | { readonly is: 'free'; readonly slot: number }
  | { readonly is: 'done'; readonly counts: IndexCounts }
  | { readonly is: 'failed'; readonly facts: ErrorFacts };

export interface WorkerSetup extends BuilderOptions {
  readonly slots: readonly SharedArrayBuffer[];
}

export interface BuildInWorkerOptions extends BuildOptions {
  /** The worker's program; by default worker.ts beside this file, or {@link BUNDLED_WORKER} beside the bundle. */
  readonly worker?: URL;
  /** How many seconds the worker may be silent while it has something to do; 120 if absent. */
  readonly stallSeconds?: number;
}

/** Name of the worker's program in a bundled build. */
const BUNDLED_WORKER = 'catalog-index-worker.js';

const SLOTS = 4;
const SLOT_BYTES = 1 << 18;
const STALL_SECONDS = 120;
/** A small young generation keeps garbage small; the old one is bounded, as documents are hostile. */
const HEAP = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 };

/** As {@link buildIndex}, in a thread of its own; aborting the signal ends the thread and leaves no file behind. */
export async function buildIndexInWorker(options: BuildInWorkerOptions): Promise<IndexCounts> {
  const { files, target, limits = DEFAULT_LIMITS, notOffered, signal, worker: program = defaultProgram() } = options;
  const { stallSeconds = STALL_SECONDS } = options;
  signal?.throwIfAborted();
  const partial = partialPath(target);
  const slots = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(SLOT_BYTES));
  const workerData: WorkerSetup = { target, partial, limits, notOffered, slots };
  const worker = new Worker(program, {
    workerData,
    name: 'catalog-index',
    resourceLimits: HEAP,
  });
  const talk = talkTo(worker, slots, { signal, stallSeconds });
  try {
    return await Promise.race([talk.outcome, send(files, talk)]);
  } finally {
    talk.end();
    await worker.terminate();
    rmSync(partial, { force: true });
  }
}

/** One side of the conversation with the worker. */
interface Talk {
  send(message: ToWorker): void;
  /** A slot that the worker has read, if there is one. */
  takeFree(): number | undefined;
  /** Waits for one; rejects when the worker has failed. */
  nextFree(): Promise<number>;
  readonly slots: readonly SharedArrayBuffer[];
  readonly outcome: Promise<IndexCounts>;
  end(): void;
}

interface TalkOptions {
  readonly signal: AbortSignal | undefined;
  readonly stallSeconds: number;
}

function talkTo(worker: Worker, slots: readonly SharedArrayBuffer[], options: TalkOptions): Talk {
  const { signal, stallSeconds } = options;
  const free = slots.map((_, slot) => slot);
  const outcome = Promise.withResolvers<IndexCounts>();
  let wake = doNothing;
  let silence: NodeJS.Timeout | undefined;
  const fail = (error: unknown): void => outcome.reject(error);
  const expectAnswer = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => fail(takesTooLong(stallSeconds)), stallSeconds * 1000);
  };
  const aborted = (): void => fail(signal?.reason);
  outcome.promise.catch(() => wake());
  signal?.addEventListener('abort', aborted, { once: true });
  worker.on('error', (error) => fail(isOutOfMemory(error) ? needsTooMuchMemory(error) : error));
  worker.on('exit', (code) => fail(new Error(`the catalog worker ended with code ${code}`)));
  worker.on('message', (answer: FromWorker) => {
    if (answer.is === 'done') outcome.resolve(answer.counts);
    else if (answer.is === 'failed') fail(new ReasonedError(answer.facts));
    else {
      free.push(answer.slot);
      if (free.length < slots.length) expectAnswer();
      else clearTimeout(silence);
      wake();
    }
  });
  return {
    slots,
    outcome: outcome.promise,
    send(message) {
      worker.postMessage(message, []);
      if (message.do === 'push' || message.do === 'finish') expectAnswer();
    },
    takeFree: () => free.pop(),
    async nextFree() {
      while (free.length === 0) {
        const woken = Promise.withResolvers<void>();
        wake = woken.resolve;
        await Promise.race([woken.promise, outcome.promise]);
      }
      return free.pop()!;
    },
    end() {
      clearTimeout(silence);
      signal?.removeEventListener('abort', aborted);
    },
  };
}

function takesTooLong(seconds: number): ReasonedError {
  return new ReasonedError({
    reason: 'CatalogInvalid',
    retry: 'never',
    message: `a part of the catalog could not be read within ${seconds} s`,
    hint: 'Check the catalog for very large documents, and .indexignore for patterns with many wildcards',
  });
}

function doNothing(): void {}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function needsTooMuchMemory(cause: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'CatalogInvalid',
    retry: 'never',
    message: `a document of the catalog needs more than ${HEAP.maxOldGenerationSizeMb} MB of memory to be read`,
    hint: 'Publish large documents as JSON, and split the catalog into files',
    cause,
  });
}

async function send(files: CatalogFiles, talk: Talk): Promise<IndexCounts> {
  for await (const { path, content } of files) {
    talk.send({ do: 'beginFile', path });
    await sendContent(content, talk);
    talk.send({ do: 'endFile' });
  }
  talk.send({ do: 'finish' });
  return talk.outcome;
}

/** Fills the slots as far as the file goes: a message costs more than its bytes. */
async function sendContent(content: CatalogFile['content'], talk: Talk): Promise<void> {
  let slot = -1;
  let filled = 0;
  for await (const chunk of chunksOf(content)) {
    for (let from = 0; from < chunk.length;) {
      if (slot < 0) slot = talk.takeFree() ?? (await talk.nextFree());
      const part = chunk.subarray(from, from + SLOT_BYTES - filled);
      new Uint8Array(talk.slots[slot]!).set(part, filled);
      from += part.length;
      filled += part.length;
      if (filled < SLOT_BYTES) continue;
      talk.send({ do: 'push', slot, length: filled });
      [slot, filled] = [-1, 0];
    }
  }
  if (slot >= 0) talk.send({ do: 'push', slot, length: filled });
}

function defaultProgram(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : `./${BUNDLED_WORKER}`, import.meta.url);
}
