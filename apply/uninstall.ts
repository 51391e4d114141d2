/**
 * Carries out a plan of plan-uninstall.ts step by step. A step begins once all objects of the one before are gone. The
 * controller calls it until it is complete: every run reads the remaining objects again, so it may be killed at any
 * time. It deletes objects of the inventory, and no other object of the same name.
 */
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { explainFailure, type Failure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { isProven } from './collision.ts';
import { countInstances, describeSamples, isCrdEntry, listedIn } from './custom-resources.ts';
import { deleteInstances } from './delete-instances.ts';
import { identityOf } from './identity.ts';
import { refOfEntry, type InventoryEntry } from './inventory.ts';
import type { Stay, UninstallPlan, UninstallStep, UninstallStepName } from './plan-uninstall.ts';
import type { Owner } from './prepare.ts';
import { keepUsedCrd } from './prune.ts';
import { describeHolders, removeObject, type Removal } from './remove.ts';
import { retainReadable, type IsGoing, type Retained } from './retain-readable.ts';
import { createSlots, inSlots, type Slots } from './slots.ts';
import { fieldsOf, listOf, textOf } from '../api/untyped.ts';
import { observeByPolling, waitUntilGone, type Leaving, type Observe } from './wait.ts';

export interface UninstallOptions {
  readonly owner: Owner;
  /**
   * The client of the Subscription's account, for custom resources and for objects whose uid is not in the inventory.
   * Absent: the manager's client.
   */
  readonly acting?: Cluster | undefined;
  /** The only namespace whose custom resources messages name; absent: all are named. */
  readonly namedIn?: string | undefined;
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /**
   * Time limit for one step in this call, three times as long for CRDs; objects that remain are reported as waiting.
   */
  readonly stepSeconds?: number;
  /** The API server's clock, roughly. */
  readonly now?: () => Date;
  /** Reports changes of objects; by polling with growing pauses by default. */
  readonly observe?: Observe;
  /** A watch's copy of an object, which saves the read. */
  readonly observed?: (ref: ObjectRef) => KubeObject | undefined;
  readonly onProgress?: (step: UninstallStepName, removal: Removal) => void;
}

export interface UninstallResult {
  /** `Complete`: only the objects in `stays` are left. `Waiting`, `Failed`: call again. */
  readonly state: 'Complete' | 'Waiting' | 'Failed';
  /** The step that did not end. */
  readonly step?: UninstallStepName;
  readonly removals: readonly Removal[];
  /** Objects that are being deleted and not gone yet, with their finalizers or dependents. */
  readonly waiting: readonly { readonly ref: ObjectRef; readonly message: string }[];
  readonly stays: readonly Stay[];
  readonly failures: readonly Failure[];
}

interface Run {
  readonly cluster: Cluster;
  readonly plan: UninstallPlan;
  readonly options: UninstallOptions;
  readonly slots: Slots;
  readonly signal: AbortSignal | undefined;
}

/** The result of one step. */
interface StepResult {
  readonly removals: readonly Removal[];
  readonly waiting: UninstallResult['waiting'];
  readonly stays: readonly Stay[];
}

/**
 * Carries out a plan. Refusals and stuck objects are part of the result; throws the signal's reason when aborted. A
 * blocked plan does nothing and is `Waiting`.
 */
export async function runUninstall(
  cluster: Cluster,
  plan: UninstallPlan,
  options: UninstallOptions,
): Promise<UninstallResult> {
  const { concurrency = 8, signal } = options;
  const run: Run = { cluster, plan, options, slots: createSlots(concurrency), signal };
  const done: Done = { removals: [], stays: [] };
  if (plan.state === 'Unknown') return { state: 'Failed', ...done, waiting: [], failures: plan.doubts ?? [] };
  if (plan.state === 'Blocked') return { state: 'Waiting', ...done, waiting: [], stays: plan.stays, failures: [] };
  // Custom resources are deleted first: the operator converts and finalizes them.
  const early = plan.steps.filter(({ name }) => name === 'customResources');
  const late = plan.steps.filter(({ name }) => name !== 'customResources');
  const stopped =
    (await runSteps(run, early, done)) ?? (await retainAll(run, done)) ?? (await runSteps(run, late, done));
  return stopped ?? { state: 'Complete', ...done, waiting: [], failures: [] };
}

/** Progress so far; each step adds to it. */
interface Done {
  readonly removals: Removal[];
  readonly stays: Stay[];
}

/** The result of a step that did not end; undefined if all did. */
async function runSteps(run: Run, steps: readonly UninstallStep[], done: Done): Promise<UninstallResult | undefined> {
  for (const step of steps) {
    run.signal?.throwIfAborted();
    const { removals, waiting, stays } = await runStep(run, step);
    done.removals.push(...removals);
    done.stays.push(...stays);
    const failures = removals.flatMap(({ failure }) => failure ?? []);
    if (failures.length === 0 && waiting.length === 0) continue;
    return { state: failures.length > 0 ? 'Failed' : 'Waiting', step: step.name, ...done, waiting, failures };
  }
  return undefined;
}

/** Makes the objects of retained CRDs readable without the operator; the result if that fails. */
async function retainAll(run: Run, done: Done): Promise<UninstallResult | undefined> {
  const retained = await inSlots(run, run.plan.stays, async (stay) => ({
    stay,
    ...(stay.unproven === true ? {} : await retain(run, stay.ref)),
  }));
  done.stays.push(...retained.map(({ stay, message }) => (message === undefined ? stay : withMore(stay, message))));
  const failures = retained.flatMap(({ failure }) => failure ?? []);
  return failures.length === 0 ? undefined : { state: 'Failed', ...done, waiting: [], failures };
}

function withMore(stay: Stay, message: string): Stay {
  return { ...stay, message: `${stay.message}; ${message}` };
}

async function retain({ cluster, plan, options }: Run, ref: ObjectRef): Promise<Retained> {
  if (!isCrdEntry(ref)) return {};
  const { observed, signal } = options;
  return retainReadable(cluster, ref, { isGoing: (service) => isServiceOf(plan, service), observed, signal });
}

function isServiceOf({ steps }: UninstallPlan, { namespace, name }: Parameters<IsGoing>[0]): boolean {
  return steps.some(({ entries }) =>
    entries.some(
      (entry) =>
        entry.apiVersion === 'v1' && entry.kind === 'Service' && entry.namespace === namespace && entry.name === name,
    ),
  );
}

async function runStep(run: Run, step: UninstallStep): Promise<StepResult> {
  const removals = [...(await deleteEntries(run, step)), ...(await deleteOthers(run, step))];
  for (const removal of removals) run.options.onProgress?.(step.name, removal);
  const deleted = removals.filter(({ outcome }) => outcome === 'deleted' || outcome === 'deleting').map(leavingOf);
  const waiting = await awaitGone(run, deleted);
  return { removals, waiting, stays: removals.flatMap(stayOfRemoval) };
}

/** Deletes users' objects, as the account; objects of the inventory are deleted already. */
async function deleteOthers({ cluster, options, slots }: Run, step: UninstallStep): Promise<readonly Removal[]> {
  if (step.resources.length === 0) return [];
  const ours = new Set(step.entries.map(identityOf));
  const removals = await deleteInstances(options.acting ?? cluster, step.resources, { ...options, slots });
  return removals.filter(({ ref, failure }) => failure !== undefined || !ours.has(identityOf(ref)));
}

function leavingOf({ ref, uid }: Removal): Leaving {
  return uid === undefined ? ref : { ...ref, uid };
}

/**
 * Workloads are deleted with foreground propagation: they are gone only when their Pods are, and RBAC outlives them.
 */
function deleteEntries(run: Run, { name, entries }: UninstallStep): Promise<Removal[]> {
  const propagation = name === 'workloads' ? 'Foreground' : 'Background';
  return inSlots(run, entries, (entry) => deleteEntry(run, entry, propagation));
}

async function deleteEntry(
  run: Run,
  entry: InventoryEntry,
  propagation: 'Foreground' | 'Background',
): Promise<Removal> {
  const { cluster, options } = run;
  const kept = isCrdEntry(entry) ? await keepCrd(run, entry) : undefined;
  return kept ?? removeObject(cluster, entry, { ...options, unproven: options.acting, propagation });
}

/**
 * Why a CRD is not deleted now: an object was created after the count. Deleting a CRD deletes all its objects, so the
 * account's right to delete them is checked again; undefined if the CRD may be deleted.
 */
async function keepCrd(run: Run, entry: InventoryEntry): Promise<Removal | undefined> {
  const { cluster, plan, options } = run;
  const ref = refOfEntry(entry);
  try {
    const proven = isProven(await look(run, ref), entry.uid);
    const deletes = plan.policy === 'Delete' && proven;
    if (deletes && options.acting === undefined) return undefined;
    const listed = plan.steps.flatMap(({ entries }) => entries);
    const kept = await keepUsedCrd(cluster, entry, { ...options, isListed: listedIn(listed, options.owner) });
    if (kept?.outcome !== 'kept' || !proven) return kept;
    return deletes ? { ...kept, outcome: 'failed', failure: madeMeanwhile(kept) } : await retainLate(run, kept);
  } catch (error) {
    return { ref, outcome: 'failed', failure: explainFailure(error, describeRef(ref)) };
  }
}

function madeMeanwhile({ ref, message = '' }: Removal): Failure {
  return { reason: 'CustomResourcesExist', retry: 'backoff', message: `${describeRef(ref)}: ${message}` };
}

/** Its first object was created after the count. */
async function retainLate(run: Run, kept: Removal): Promise<Removal> {
  const { message, failure } = await retain(run, kept.ref);
  if (failure !== undefined) return { ...kept, outcome: 'failed', failure };
  return message === undefined ? kept : { ...kept, message: `${kept.message}; ${message}` };
}

const STEP_SECONDS = 30;

/**
 * Waits until all are gone; writes to a CRD whose deletion hangs, and names the finalizers or dependents of the rest.
 */
async function awaitGone(run: Run, refs: readonly Leaving[]): Promise<UninstallResult['waiting']> {
  const { cluster, options } = run;
  const { stepSeconds = STEP_SECONDS, observe = observeByPolling(cluster), signal } = options;
  const rest = { observe, ...(signal !== undefined && { signal }) };
  if (!refs.some(isCrdEntry)) return explain(run, await waitUntilGone(refs, { deadlineSeconds: stepSeconds, ...rest }));
  const patience = Math.min(stepSeconds, CRD_PATIENCE_SECONDS);
  const first = await waitUntilGone(refs, { deadlineSeconds: patience, ...rest });
  await touchCrds(run, first, isLikelyStuck);
  const pending = new Set(first.map(({ ref }) => identityOf(ref)));
  const left = await waitUntilGone(
    refs.filter((ref) => pending.has(identityOf(ref))),
    { deadlineSeconds: stepSeconds * CRD_STEPS - patience, ...rest },
  );
  const now = (options.now?.() ?? new Date()).getTime();
  await touchCrds(run, left, (crd) => isLikelyStuck(crd) || isForgotten(crd, now));
  return explain(run, left);
}

/** The API server deletes CRDs a few at a time, so this can take long, and starting over would cost more. */
const CRD_STEPS = 3;
/** The deletion of a new CRD can hang in Terminating until the CRD is written to. */
const CRD_PATIENCE_SECONDS = 3;
const YOUNG_SECONDS = 10;
const FORGOTTEN_SECONDS = 60;
const TOUCHED = 'slipway.dev/touched';

async function touchCrds(
  run: Run,
  left: readonly { readonly ref: ObjectRef }[],
  isMeant: (crd: KubeObject) => boolean,
): Promise<void> {
  const crds = left.map(({ ref }) => ref).filter(isCrdEntry);
  await Promise.all(crds.map((ref) => touchCrd(run, ref, isMeant)));
}

/** Any write makes the API server process a CRD again. It may be gone already. */
async function touchCrd(run: Run, ref: ObjectRef, isMeant: (crd: KubeObject) => boolean): Promise<void> {
  const { cluster, options } = run;
  const crd = await look(run, ref);
  if (crd?.metadata.deletionTimestamp === undefined || !isMeant(crd)) return;
  const { resourceVersion = '' } = crd.metadata;
  const patch = { metadata: { resourceVersion, annotations: { [TOUCHED]: resourceVersion } } };
  try {
    await cluster.patch(ref, patch, undefined, options.signal);
  } catch (error) {
    explainFailure(error, describeRef(ref)); // throws a defect; a refusal means that another writer touched it
  }
}

/**
 * Whether a deletion hangs in the API server: it does if it came soon after the creation, and it is retried with
 * growing pauses if it failed. Any other CRD waits for its turn, and a write puts it back in the queue.
 */
function isLikelyStuck({ metadata, status }: KubeObject): boolean {
  const { creationTimestamp = '', deletionTimestamp = '' } = metadata;
  const seconds = (Date.parse(deletionTimestamp) - Date.parse(creationTimestamp)) / 1000;
  const conditions = listOf(fieldsOf(status)['conditions']);
  const failed = conditions.some(({ type, reason }) => type === 'Terminating' && STUCK_REASONS.has(textOf(reason)));
  return failed || !(seconds > YOUNG_SECONDS);
}

/** Whether a deletion takes so long that one write can do no harm. */
function isForgotten({ metadata }: KubeObject, now: number): boolean {
  const { deletionTimestamp = '', annotations } = metadata;
  return annotations?.[TOUCHED] === undefined && !(now - Date.parse(deletionTimestamp) < FORGOTTEN_SECONDS * 1000);
}

const STUCK_REASONS: ReadonlySet<string> = new Set(['InstanceDeletionFailed', 'InstanceDeletionCheck']);

async function look({ cluster, options }: Run, ref: ObjectRef): Promise<KubeObject | undefined> {
  return options.observed?.(ref) ?? (await cluster.get(ref, options.signal));
}

async function explain(
  run: Run,
  unready: Awaited<ReturnType<typeof waitUntilGone>>,
): Promise<UninstallResult['waiting']> {
  return Promise.all(
    unready.map(async ({ ref, health }) => ({
      ref,
      message: isCrdEntry(ref) ? await explainCrd(run, ref, health.message) : health.message,
    })),
  );
}

/** Names the custom resources that keep a CRD, and their finalizers. */
async function explainCrd(run: Run, ref: ObjectRef, otherwise: string): Promise<string> {
  const { cluster, options } = run;
  const crd = await look(run, ref);
  if (crd === undefined) return otherwise;
  const describe = (object: KubeObject): string => `${describeRef(refOf(object))} (${describeHolders(object)})`;
  const found = await countInstances(cluster, crd, { ...options, describe });
  if (found.count === 0 || found.count === 'unknown') return `${otherwise}; the API server has not finished it`;
  return `${found.count} of its objects are left: ${describeSamples(found)}`;
}

function stayOfRemoval({ ref, outcome, message = '' }: Removal): Stay[] {
  const text = `${describeRef(ref)} stays: ${message}`;
  if (outcome === 'kept') return [{ ref, reason: 'CustomResourcesExist', message: text }];
  if (outcome === 'refused') return [{ ref, reason: 'Forbidden', message: text }];
  return outcome === 'foreign' ? [{ ref, reason: 'Collision', message: text }] : [];
}
