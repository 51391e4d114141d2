/**
 * Follows every object of a kind: lists, then watches from there, until its signal aborts. A store that carries out the
 * sink's calls equals the server's. reflector-state.ts decides the next step; the informer handles the objects.
 */
import { ReasonedError } from '../../api/errors.ts';
import { groupOf, type Kind, type KubeObject } from '../../api/object.ts';
import { isExpired, isForbidden, isNotFound } from '../../api/api-answers.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../client/client.ts';
import { listConsistently, listInPages } from '../client/list-objects.ts';
import type { Unread } from '../client/unread-fields.ts';
import type { ListOptions } from '../../api/cluster.ts';
import { sleep, systemClock, type Clock } from '../clock.ts';
import { silentLog, type Log } from '../log.ts';
import { INITIAL_STATE, step, type ReflectorEvent, type ReflectorState } from './reflector-state.ts';

/** Receives the objects; called in order, never concurrently. */
export interface Sink {
  /** All existing objects: missing ones have been deleted. */
  replace(objects: readonly KubeObject[]): void;
  /** The object was created or changed. */
  put(object: KubeObject): void;
  /** The object is gone; this was its last state. */
  remove(object: KubeObject): void;
}

export interface ReflectorOptions extends ListOptions, Unread, Kind {
  readonly client: Pick<Client, 'listPage' | 'watch' | 'discovery'>;
  readonly sink: Sink;
  /** Applied to each object as it arrives, before the next page is fetched, to save memory. */
  readonly transform?: (object: KubeObject) => KubeObject;
  readonly metadataOnly?: boolean;
  /** Page size for large objects: at most one page is in memory before `transform`. */
  readonly pageSize?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Log;
  /** The server ends a watch after this time, or up to twice as long. */
  readonly watchSeconds?: number;
  /** A watch that was silent for this long is dead: bookmarks come once a minute. */
  readonly idleSeconds?: number;
}

/** A watch that ends sooner than this without an event counts as a failure. */
const SHORT_SECONDS = 1;

/** Runs until `signal` aborts; never rejects for failures of the server. */
export async function reflect(options: ReflectorOptions, signal: AbortSignal): Promise<void> {
  let state: ReflectorState = INITIAL_STATE;
  const advance = (event: ReflectorEvent): void => {
    state = step(state, signal.aborted ? { kind: 'aborted' } : event);
  };
  const current = (): ReflectorState => state;
  const report = createReporter(options);
  while (current().at !== 'stopped') {
    await act(options, { state: current(), advance, report, signal });
  }
}

interface Turn {
  readonly state: ReflectorState;
  readonly advance: (event: ReflectorEvent) => void;
  readonly report: ReportState;
  readonly signal: AbortSignal;
}

async function act(options: ReflectorOptions, { state, advance, report, signal }: Turn): Promise<void> {
  const { clock = systemClock, random = Math.random } = options;
  try {
    switch (state.at) {
      case 'list':
        return advance(await list(options, signal));
      case 'watch':
        return advance(await watch(options, { from: state.resourceVersion, advance, signal }));
      case 'wait':
        return advance(await pause(options, { seconds: state.seconds, clock, signal }));
      case 'stopped':
        return undefined;
    }
  } catch (error) {
    if (!signal.aborted) report(state, error);
    advance({ kind: 'failed', ...factsOf(error), random: random() });
  }
}

/** Waits; an announcement that the kind may be served now ends the wait. */
async function pause(
  { apiVersion, client }: ReflectorOptions,
  { seconds, clock, signal }: { readonly seconds: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<ReflectorEvent> {
  const woken = new AbortController();
  const off = client.discovery.onAnnounce((group) => {
    if (group === groupOf(apiVersion)) woken.abort(new Error('the kind may be served now'));
  });
  try {
    await sleep(seconds, { clock, signal: AbortSignal.any([signal, woken.signal]) });
    return { kind: 'waited' };
  } catch (error) {
    if (signal.aborted || !woken.signal.aborted) throw error;
    return { kind: 'woken' };
  } finally {
    off();
  }
}

async function list(options: ReflectorOptions, signal: AbortSignal): Promise<ReflectorEvent> {
  const { client, sink, pageSize, transform = (object) => object } = options;
  const fetchPage: Parameters<typeof listInPages>[0] = async (page) => {
    const found = await client.listPage(options, { ...selection(options), ...page }, signal);
    return { ...found, items: found.items.map(transform) };
  };
  const { resourceVersion, items } = await (pageSize === undefined
    ? listConsistently(fetchPage)
    : listInPages(fetchPage, pageSize));
  signal.throwIfAborted();
  sink.replace(items);
  return { kind: 'listed', resourceVersion };
}

async function watch(
  options: ReflectorOptions,
  { from, advance, signal }: { readonly from: string; readonly advance: Turn['advance']; readonly signal: AbortSignal },
): Promise<ReflectorEvent> {
  const { client, clock = systemClock, random = Math.random, watchSeconds = 300, idleSeconds = 150 } = options;
  const startedAt = clock.now();
  const timeoutSeconds = Math.floor(watchSeconds * (1 + random()));
  let events = 0;
  const changes = client.watch(
    options,
    { ...selection(options), resourceVersion: from, timeoutSeconds, idleSeconds },
    signal,
  );
  for await (const { type, object } of changes) {
    signal.throwIfAborted();
    events += 1;
    deliver(options, type, object);
    advance({ kind: 'advanced', resourceVersion: object.metadata.resourceVersion ?? '' });
  }
  const short = events === 0 && clock.now() - startedAt < SHORT_SECONDS;
  return { kind: 'ended', short, random: random() };
}

function deliver({ sink, transform = (object) => object }: ReflectorOptions, type: string, object: KubeObject): void {
  if (type === 'DELETED') sink.remove(transform(object));
  else if (type !== 'BOOKMARK') sink.put(transform(object));
}

function selection({ namespace, labelSelector, fieldSelector, metadataOnly, unread }: ReflectorOptions): object {
  return {
    ...(namespace !== undefined && { namespace }),
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
    ...(metadataOnly !== undefined && { metadataOnly }),
    ...(unread !== undefined && { unread }),
  };
}

function factsOf(
  error: unknown,
): Pick<Extract<ReflectorEvent, { kind: 'failed' }>, 'expired' | 'forbidden' | 'retryAfterSeconds'> {
  const unknownVersion =
    error instanceof ApiError && error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');
  return {
    expired: isExpired(error) || unknownVersion,
    forbidden: isForbidden(error),
    retryAfterSeconds: error instanceof ApiError ? error.retryAfterSeconds : undefined,
  };
}

/** Failures in a row that are normal: servers are restarted, and watches break. */
const ORDINARY_FAILURES = 4;

type ReportState = (state: ReflectorState, error: unknown) => void;

/**
 * Logs a kind that cannot be watched for a while: anything waiting for its objects is stuck. Missing rights are logged
 * once, and again if there was another failure in between.
 */
function createReporter({ apiVersion, kind, log = silentLog }: ReflectorOptions): ReportState {
  let reported: string | undefined;
  return (state, error) => {
    const failures = 'failures' in state ? state.failures : 0;
    const facts = { apiVersion, kind, during: state.at, failures, err: error };
    if (failures === 0) reported = undefined;
    if (!(error instanceof ReasonedError))
      return log.error(facts, 'the watch of a kind has ended because of a defect of Slipway');
    const isLong = failures >= ORDINARY_FAILURES && !isNotFound(error);
    const isKnown = isForbidden(error) && reported === error.message;
    if (isLong) reported = error.message;
    if (isLong && !isKnown) log.warn(facts, 'a kind cannot be watched');
    else log.debug(facts, 'the watch of a kind was interrupted');
  };
}
