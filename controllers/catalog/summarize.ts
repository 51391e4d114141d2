/** The status of a Catalog. Pure. */
import type { Catalog, CatalogStatus } from '../../api/catalog.ts';
import { findCondition, formatTime, replaceConditions, type NextCondition } from '../../api/conditions.ts';
import type { ReasonedError } from '../../api/errors.ts';
import { nameFirst } from '../../api/name-some.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Signature } from '../../api/signature.ts';
import type { LeftOut, NotOffered } from '../../catalog/index/left-out.ts';
import { requestOf } from '../request-of.ts';
import { isOfSource } from './source.ts';
import { warningOf } from './verification.ts';

/** The result of a check of the registry. */
export interface CatalogFindings {
  /** The content in service now, as a reference by digest. */
  readonly digest: string;
  readonly packages: number;
  readonly channels: number;
  readonly bundles: number;
  /** When the image was built, if it says so. */
  readonly created?: string;
  /** Result of the check of its signatures; absent if the Catalog requires none. */
  readonly signature?: Signature;
  /** Defective values that it is served without; absent if there are none. */
  readonly leftOut?: LeftOut;
  /** Tags of repositories that are versions and are not offered; absent if there are none. */
  readonly notOffered?: NotOffered;
}

/**
 * The content of a source is being read for the first time, which may take many minutes. The spec is not judged yet, so its
 * generation is not observed.
 */
export function summarizeReading(catalog: Catalog, { served }: Pick<LoadFailure, 'served'>, now: Date): CatalogStatus {
  const meanwhile = served ? '. Content from before the spec was changed is in service meanwhile' : '';
  const facts = { reason: 'Progressing', message: `The content of ${describeSource(catalog)} is being read` } as const;
  return judged(catalog.status ?? {}, catalog, {
    conditions: [
      { type: 'Ready', status: 'Unknown', ...facts, message: `${facts.message}${meanwhile}` },
      { type: 'Reconciling', status: 'True', ...facts },
    ],
    now,
  });
}

function describeSource({ spec: { source } }: Catalog): string {
  if (source.image !== undefined) return source.image.ref;
  const [first = '', ...others] = (source.repositories ?? []).map(({ repository }) => repository);
  return others.length === 0 ? first : `${first} and ${count(others.length, 'other repository', 'other repositories')}`;
}

export function summarizeContent(
  catalog: Catalog,
  { leftOut, notOffered, ...found }: CatalogFindings,
  now: Date,
): CatalogStatus {
  const changed = catalog.status?.digest !== found.digest;
  const { created: _c, signature: _s, ...before } = handled(catalog);
  const status = {
    ...before,
    ...found,
    lastChecked: formatTime(now),
    ...(changed && { lastChanged: formatTime(now) }),
  };
  const message = [
    `${count(found.packages, 'package')} with ${count(found.bundles, 'bundle')} in service`,
    ...(leftOut === undefined ? [] : [describeLeftOut(leftOut)]),
    ...(notOffered === undefined ? [] : [describeNotOffered(notOffered)]),
  ].join('. ');
  return judged(status, catalog, {
    conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message }],
    now,
  });
}

export interface LoadFailure {
  readonly error: ReasonedError;
  /** Whether this process still serves content of the Catalog. */
  readonly served: boolean;
}

/**
 * After a failure the last good content stays in service, and the condition says so; if there is none, the catalog is
 * not ready.
 */
export function summarizeFailure(catalog: Catalog, { error, served }: LoadFailure, now: Date): CatalogStatus {
  const { reason } = error;
  const message = error.describe();
  const ready = served ? stale(catalog, reason, message) : down(reason, message);
  // Content that is in service is checked again after the interval, whatever the error is.
  const type = error.retry === 'never' && ready.status !== 'True' ? 'Stalled' : 'Reconciling';
  return judged(observed(catalog), catalog, { conditions: [ready, { type, status: 'True', reason, message }], now });
}

function stale(catalog: Catalog, reason: Reason, why: string): NextCondition {
  const status = isOfPresentSpec(catalog) ? 'True' : 'False';
  const which = status === 'True' ? 'the last good content' : 'content from before the spec was changed';
  return { type: 'Ready', status, reason: 'CatalogStale', message: `Serving ${which}. ${reason}: ${why}` };
}

/** Whether the content in service is of the present source, and no check of the present spec has failed since a change. */
function isOfPresentSpec({ metadata, spec, status }: Catalog): boolean {
  if (status?.digest === undefined || !isOfSource(spec.source, status.digest)) return false;
  const ready = findCondition(status.conditions, 'Ready');
  const hasFailed = ready?.status === 'False' && ready.reason === 'CatalogStale';
  return status.observedGeneration === metadata.generation && !hasFailed;
}

function down(reason: Reason, why: string): NextCondition {
  return { type: 'Ready', status: 'False', reason, message: `Nothing is in service. ${why}` };
}

export interface Suspension {
  /** Whether this process serves content of the Catalog. */
  readonly served: boolean;
  /** Why this process does not serve it, if the reason is an error. */
  readonly error?: ReasonedError;
}

export function summarizeSuspension(catalog: Catalog, { served, error }: Suspension, now: Date): CatalogStatus {
  const because = error === undefined ? '' : `. ${error.reason}: ${error.describe()}`;
  const message = served
    ? `Suspended: the manager asks the registry for no new content, and the content that was read last stays in service${because}`
    : `Suspended, and nothing is in service${because}`;
  return judged(observed(catalog), catalog, {
    conditions: [{ type: 'Ready', status: served ? 'True' : 'False', reason: 'Suspended', message }],
    now,
  });
}

/** Nothing may be served: the status no longer names any content. */
export function summarizeRefusal(catalog: Catalog, error: ReasonedError, now: Date): CatalogStatus {
  const {
    digest: _d,
    packages: _p,
    channels: _c,
    bundles: _b,
    created: _t,
    signature: _s,
    ...before
  } = observed(catalog);
  const { reason } = error;
  const message = error.describe();
  return judged(before, catalog, {
    conditions: [
      { type: 'Ready', status: 'False', reason, message },
      { type: 'Stalled', status: 'True', reason, message },
    ],
    now,
  });
}

/**
 * The earlier status with the observed generation. A person's request is repeated in it only once it was carried out.
 */
function observed({ metadata, status }: Catalog): CatalogStatus {
  return { ...status, observedGeneration: metadata.generation ?? 0 };
}

function handled(catalog: Catalog): CatalogStatus {
  const { lastHandledReconcileAt: _, ...before } = observed(catalog);
  const requested = requestOf(catalog);
  return { ...before, ...(requested !== undefined && { lastHandledReconcileAt: requested }) };
}

interface CatalogVerdict {
  readonly conditions: readonly NextCondition[];
  readonly now: Date;
}

function judged(status: CatalogStatus, catalog: Catalog, { conditions, now }: CatalogVerdict): CatalogStatus {
  const observedGeneration = catalog.metadata.generation ?? 0;
  const warning = warningOf({ spec: catalog.spec, status });
  const judgements = conditions.map((one) => (one.type === 'Ready' ? withWarning(warning, one) : one));
  return {
    ...status,
    conditions: replaceConditions(catalog.status?.conditions, judgements, { observedGeneration, now }),
  };
}

/** The warning about content without a trusted signature is part of every Ready message. */
function withWarning(warning: string | undefined, ready: NextCondition): NextCondition {
  return warning === undefined ? ready : { ...ready, message: `${ready.message}. ${warning}` };
}

/** Which values of the content are not used, and what to do about it. */
export function describeLeftOut(leftOut: LeftOut): string {
  const advice = 'Ask the author of the catalog to correct them: slipway catalog validate names them all';
  return `Left out, as they cannot be parsed: ${listFirst(leftOut)}. ${advice}`;
}

/** Which tags are not offered, and what to do about it. */
export function describeNotOffered(notOffered: NotOffered): string {
  const advice = 'Push a corrected bundle under each tag, or delete the tag';
  const { disputed } = notOffered;
  const claims = disputed === undefined ? '' : `${describeDisputed(disputed)}. `;
  return `${claims}These tags are not offered as versions: ${listFirst(notOffered)}. ${advice}`;
}

/** Which packages several repositories claim, and how to decide. */
function describeDisputed(disputed: LeftOut): string {
  const advice = 'To decide, set package in spec.source.repositories beside the repository that is to offer it';
  return `Several repositories claim one package: ${listFirst(disputed)}. ${advice}`;
}

function listFirst({ count: all, first }: LeftOut): string {
  return nameFirst(first, all, '; ');
}

function count(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`;
}
