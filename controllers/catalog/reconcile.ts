/**
 * Reconciles a Catalog: asks its registry when a check is due, builds an index of new content and takes it into
 * service. If a refresh fails, the old content stays in service. It knows nothing of Subscriptions.
 */
import type { Catalog } from '../../api/catalog.ts';
import { findCondition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Cluster } from '../../api/cluster.ts';
import type { Reconcile, Result } from '../../kube/controller/controller.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { SIGNATURE_REASONS } from '../../signatures/flaw.ts';
import type { RecordEvent } from '../events.ts';
import { writeStatus } from '../status.ts';
import type { RegistryPolicies } from '../registry-policies.ts';
import { DistrustedContent, loadCurrent, loadFound, type LoadCurrentDeps } from './load.ts';
import { intervalSeconds, isPinned, planPoll } from './poll.ts';
import { isImageDigest, isOfSource } from './source.ts';
import {
  describeLeftOut,
  describeNotOffered,
  summarizeContent,
  summarizeFailure,
  summarizeReading,
  summarizeRefusal,
  summarizeSuspension,
  type CatalogFindings,
} from './summarize.ts';
import { isCovered, mayExpire, warningOf } from './verification.ts';

export interface CatalogDeps extends LoadCurrentDeps {
  readonly catalogs: Pick<Informer<Catalog>, 'get'>;
  readonly policies: RegistryPolicies;
  readonly cluster: Pick<Cluster, 'patch'>;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** The reconcile function of the controller. */
export function createCatalogReconciler(deps: CatalogDeps): Reconcile {
  return async ({ name }, { signal }) => {
    const catalog = deps.catalogs.get(name);
    if (catalog === undefined || catalog.metadata.deletionTimestamp !== undefined) return deps.content.drop(name);
    const serving = deps.content.get(name)?.digest;
    const plan = planPoll(catalog, { serving, policies: deps.policies, now: deps.now() });
    switch (plan.kind) {
      case 'refused':
        return refuse(deps, catalog, plan.error);
      case 'restore':
        if (deps.content.restore(name, plan.digest)) return { requeueAfterSeconds: 0 };
        return catalog.spec.suspend
          ? suspend(deps, catalog, { missing: plan.digest, signal })
          : check(deps, catalog, signal);
      case 'suspended':
        return suspend(deps, catalog, { signal });
      case 'wait':
        return plan.seconds === undefined ? undefined : { requeueAfterSeconds: plan.seconds };
      case 'check':
        return check(deps, catalog, signal);
    }
  };
}

/** Asks the registry; if that fails, the last good content is put into service, if it can still be loaded. */
async function check(deps: CatalogDeps, due: Catalog, signal: AbortSignal): Promise<Result> {
  let catalog = due;
  const reportReading = async (): Promise<void> => {
    const reading = summarizeReading(catalog, { served: isServed(deps, catalog) }, deps.now());
    catalog = await writeStatus(deps.cluster, catalog, reading);
  };
  if (isNewSource(due)) await reportReading();
  // A write that fails is no failure of the content: that of the outcome fails as well, and is thrown.
  const beforePull = async (): Promise<void> =>
    mayHaveOtherRepositories(catalog) ? reportReading().catch(() => undefined) : undefined;
  const found = await attempt(signal, () => loadCurrent(deps, catalog, { signal, beforePull }));
  if (found instanceof ReasonedError) {
    if (!(found instanceof DistrustedContent)) await keepLastGood(deps, catalog, signal);
    return fail(deps, catalog, found);
  }
  await writeStatus(deps.cluster, catalog, summarizeContent(catalog, found, deps.now()));
  reportChange(deps, catalog, found);
  reportNotOffered(deps, catalog, found);
  reportUntrusted(deps, catalog, found);
  if (isPinned(catalog) && !mayExpire(catalog, deps.policies)) return undefined;
  return { requeueAfterSeconds: intervalSeconds(catalog) };
}

/** Whether the list of repositories may have changed since the status: a digest over them does not show which they are. */
function mayHaveOtherRepositories(catalog: Catalog): boolean {
  return catalog.spec.source.repositories !== undefined && !isJudged(catalog);
}

function isJudged({ metadata, status }: Catalog): boolean {
  return findCondition(status?.conditions, 'Ready')?.observedGeneration === metadata.generation;
}

/** Whether the status is about no content of the present source, nor about a failure or a defect while it was read. */
function isNewSource(catalog: Catalog): boolean {
  const { spec, status } = catalog;
  return !isJudged(catalog) && (status?.digest === undefined || !isOfSource(spec.source, status.digest));
}

/** The last good image may still exist by its digest, even if its tag is gone or now names a broken image. */
async function keepLastGood(deps: CatalogDeps, catalog: Catalog, signal: AbortSignal): Promise<void> {
  const digest = catalog.status?.digest;
  if (digest === undefined || !isImageDigest(digest) || isServed(deps, catalog)) return;
  if (!isCovered(catalog, deps.policies)) return;
  await attempt(signal, () => loadFound(deps, catalog, { digest, signal }));
}

async function fail(deps: CatalogDeps, catalog: Catalog, error: ReasonedError): Promise<Result> {
  // Content that is in service was checked against an earlier policy, or by no policy at all.
  const covered = isCovered(catalog, deps.policies) && !(error instanceof DistrustedContent);
  if (!covered) deps.content.drop(catalog.metadata.name);
  reportFailure(deps, catalog, error);
  const served = isServed(deps, catalog);
  const summary =
    served || covered
      ? summarizeFailure(catalog, { error, served }, deps.now())
      : summarizeRefusal(catalog, error, deps.now());
  await writeStatus(deps.cluster, catalog, summary);
  // An invalid image does not get better by itself, but its tag may be moved to a valid one, and it may be signed.
  const mayChange = !isPinned(catalog) || SIGNATURE_REASONS.has(error.reason);
  if (error.retry === 'never' && mayChange) return { requeueAfterSeconds: intervalSeconds(catalog) };
  throw error;
}

/**
 * Takes the Catalog out of service; requeued once, so that Subscriptions are reconciled when the caches have the
 * reason.
 */
async function refuse(deps: CatalogDeps, catalog: Catalog, error: ReasonedError): Promise<Result> {
  deps.content.drop(catalog.metadata.name);
  const written = await writeStatus(deps.cluster, catalog, summarizeRefusal(catalog, error, deps.now()));
  if (written === catalog) return undefined;
  reportFailure(deps, catalog, error);
  return { requeueAfterSeconds: 1 };
}

interface SuspendOptions {
  /** The digest that was in service and is not open in this process. */
  readonly missing?: string;
  readonly signal: AbortSignal;
}

/** Checks for nothing new; content that is missing in this process is loaded again. */
async function suspend(deps: CatalogDeps, catalog: Catalog, { missing, signal }: SuspendOptions): Promise<Result> {
  const restore = async (): Promise<void> => {
    if (missing !== undefined) await loadFound(deps, catalog, { digest: missing, signal });
  };
  const error = await attempt(signal, restore);
  if (error !== undefined) reportFailure(deps, catalog, error);
  const state = { served: isServed(deps, catalog), ...(error !== undefined && { error }) };
  await writeStatus(deps.cluster, catalog, summarizeSuspension(catalog, state, deps.now()));
  if (error !== undefined) throw error;
  return undefined;
}

/** The result of the work, or the reason why it failed. Defects are thrown, and so is any error after an abort. */
async function attempt<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value | ReasonedError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ReasonedError && !signal.aborted) return error;
    throw error;
  }
}

function isServed({ content }: CatalogDeps, { metadata }: Catalog): boolean {
  return content.get(metadata.name) !== undefined;
}

function reportChange({ record }: CatalogDeps, catalog: Catalog, found: CatalogFindings): void {
  if (catalog.status?.digest === found.digest) return;
  const note = `Serving ${found.digest}: ${found.packages} packages, ${found.bundles} bundles`;
  record(catalog, { type: 'Normal', reason: 'Succeeded', action: 'Refresh', note });
  if (found.leftOut === undefined) return;
  const leftOut = describeLeftOut(found.leftOut);
  record(catalog, { type: 'Warning', reason: 'CatalogInvalid', action: 'Refresh', note: leftOut });
}

/** Records the tags that are not offered, once for each content. */
function reportNotOffered({ record }: CatalogDeps, catalog: Catalog, { digest, notOffered }: CatalogFindings): void {
  if (catalog.status?.digest === digest || notOffered === undefined) return;
  const note = describeNotOffered(notOffered);
  record(catalog, { type: 'Warning', reason: 'BundleInvalid', action: 'Refresh', note });
}

/** Records the warning about content without a trusted signature, once for each content and each problem. */
function reportUntrusted({ record }: CatalogDeps, catalog: Catalog, found: CatalogFindings): void {
  const note = warningOf({ spec: catalog.spec, status: found });
  const before = warningOf(catalog);
  if (note === undefined || (catalog.status?.digest === found.digest && note === before)) return;
  record(catalog, { type: 'Warning', reason: 'Unsigned', action: 'Verify', note });
}

function reportFailure({ record }: CatalogDeps, catalog: Catalog, error: ReasonedError): void {
  record(catalog, { type: 'Warning', reason: error.reason, action: 'Refresh', note: error.describe() });
}
