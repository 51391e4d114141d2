/**
 * Carries out a plan of plan-uninstall.ts wave by wave. A wave begins once all objects of the one before are gone. The
 * controller calls it until it is complete: every run reads the remaining objects again, so it may be killed at any
 * time. It deletes objects of the inventory, and no other object of the same name.
 */
import { isCrd } from '../api/crd-kind.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { explainFailure, type Failure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { isProven } from './collision.ts';
import { countInstances, describeSamples, listedIn } from './custom-resources.ts';
import { deleteInstances } from './delete-instances.ts';
import { identityOf } from './identity.ts';
import { refOfEntry, type InventoryEntry } from './inventory.ts';
import {
  wavesOf,
  type Stay,
  type UninstallPlan,
  type UninstallStep,
  type UninstallStepName,
} from './plan-uninstall.ts';
import type { Owner } from './prepare.ts';
import { keepUsedCrd } from './prune.ts';
import { describeHolders, removeObject, type Removal } from './remove.ts';
import { goingIn, retainReadable, type Retained } from './retain-readable.ts';
import { createSlots, inSlots, MOST_REQUESTS, type Slots } from './slots.ts';
import { waitUntilCrdsGone } from './stuck-crds.ts';
import { observeByPolling, waitUntilGone, type Leaving, type Observe } from './wait.ts';
import type { Watched } from './watched.ts';

export interface UninstallOptions {
  readonly owner: Owner;
  /**
   * The client of the Subscription's account, for custom resources and for objects whose uid is not in the inventory.
   * Absent: the manager's client.
   */
  readonly acting?: Cluster | undefined;
  /** Whether the manager made an object for its own work: it is always deleted as the manager. By default none. */
  readonly isOwn?: (entry: InventoryEntry) => boolean;
  /** The only namespace whose custom resources, and owners of objects, messages name; absent: all are named. */
  readonly namedIn?: string | undefined;
  readonly signal: AbortSignal;
  /**
   * Time limit for one step in this call, three times as long for CRDs; objects that remain are reported as waiting.
   */
  readonly stepSeconds?: number;
  /** The API server's clock, roughly. */
  readonly now?: () => Date;
  /** Reports changes of objects; by polling with growing pauses by default. */
  readonly observe?: Observe;
  /** A watch's copy of an object, which saves the read. */
  readonly watched?: Pick<Watched, 'get'> | undefined;
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

const STEP_SECONDS = 30;
interface UninstallRun {
  readonly cluster: Cluster;
  readonly plan: UninstallPlan;
  readonly options: UninstallOptions;
  readonly slots: Slots;
  readonly signal: AbortSignal;
}

/** The result of one step. */
interface StepResult extends Pick<UninstallStep, 'name'> {
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
  const { signal } = options;
  const run: UninstallRun = { cluster, plan, options, slots: createSlots(MOST_REQUESTS), signal };
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

/** The result of the first step that did not end; undefined if all did. */
async function runSteps(
  run: UninstallRun,
  steps: readonly UninstallStep[],
  done: Done,
): Promise<UninstallResult | undefined> {
  for (const wave of wavesOf(steps)) {
    run.signal.throwIfAborted();
    const results = await allOf(wave.map((step) => runStep(run, step)));
    for (const { removals, stays } of results) {
      done.removals.push(...removals);
      done.stays.push(...stays);
    }
    const unfinished = results.map((result) => unfinishedOf(result, done)).find((result) => result !== undefined);
    if (unfinished !== undefined) return unfinished;
  }
  return undefined;
}

/** The results of all, or the first error, once no request of any is under way. */
async function allOf<Result>(tasks: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}

function unfinishedOf({ name, removals, waiting }: StepResult, done: Done): UninstallResult | undefined {
  const failures = removals.flatMap(({ failure }) => failure ?? []);
  if (failures.length === 0 && waiting.length === 0) return undefined;
  return { state: failures.length > 0 ? 'Failed' : 'Waiting', step: name, ...done, waiting, failures };
}

/** Makes the objects of retained CRDs readable without the operator; the result if that fails. */
async function retainAll(run: UninstallRun, done: Done): Promise<UninstallResult | undefined> {
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

async function retain({ cluster, plan, options }: UninstallRun, ref: ObjectRef): Promise<Retained> {
  if (!isCrd(ref)) return {};
  const isGoing = goingIn(plan.steps.flatMap(({ entries }) => entries));
  return retainReadable(cluster, ref, { ...options, isGoing });
}

async function runStep(run: UninstallRun, step: UninstallStep): Promise<StepResult> {
  const removals = [...(await deleteEntries(run, step)), ...(await deleteOthers(run, step))];
  const deleted = removals.filter(({ outcome }) => outcome === 'deleted' || outcome === 'deleting').map(leavingOf);
  const waiting = await awaitGone(run, deleted);
  return { name: step.name, removals, waiting, stays: removals.flatMap(stayOfRemoval) };
}

/** Deletes users' objects, as the account; objects of the inventory are deleted already. */
async function deleteOthers(
  { cluster, options, slots }: UninstallRun,
  step: UninstallStep,
): Promise<readonly Removal[]> {
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
function deleteEntries(run: UninstallRun, { name, entries }: UninstallStep): Promise<Removal[]> {
  const propagation = name === 'workloads' ? 'Foreground' : 'Background';
  return inSlots(run, entries, (entry) => deleteEntry(run, entry, propagation));
}

async function deleteEntry(
  run: UninstallRun,
  entry: InventoryEntry,
  propagation: 'Foreground' | 'Background',
): Promise<Removal> {
  const { cluster, options } = run;
  const kept = isCrd(entry) ? await keepCrd(run, entry) : undefined;
  const unproven = options.isOwn?.(entry) === true ? undefined : options.acting;
  return kept ?? removeObject(cluster, entry, { ...options, unproven, propagation });
}

/**
 * Why a CRD is not deleted now: an object was created after the count. Deleting a CRD deletes all its objects, so the
 * account's right to delete them is checked again; undefined if the CRD may be deleted.
 */
async function keepCrd(run: UninstallRun, entry: InventoryEntry): Promise<Removal | undefined> {
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
async function retainLate(run: UninstallRun, kept: Removal): Promise<Removal> {
  const { message, failure } = await retain(run, kept.ref);
  if (failure !== undefined) return { ...kept, outcome: 'failed', failure };
  return message === undefined ? kept : { ...kept, message: `${kept.message}; ${message}` };
}

/** Waits until all are gone, and names the finalizers or dependents of the rest. */
async function awaitGone(run: UninstallRun, refs: readonly Leaving[]): Promise<UninstallResult['waiting']> {
  const { cluster, options } = run;
  const { stepSeconds = STEP_SECONDS, observe = observeByPolling(cluster), now = () => new Date(), signal } = options;
  const left = refs.some(isCrd)
    ? await waitUntilCrdsGone(cluster, refs, { stepSeconds, observe, look: (ref) => look(run, ref), now, signal })
    : await waitUntilGone(refs, { deadlineSeconds: stepSeconds, observe, signal });
  return explain(run, left);
}

async function look({ cluster, options }: UninstallRun, ref: ObjectRef): Promise<KubeObject | undefined> {
  return options.watched?.get(ref) ?? (await cluster.get(ref, options.signal));
}

async function explain(
  run: UninstallRun,
  unready: Awaited<ReturnType<typeof waitUntilGone>>,
): Promise<UninstallResult['waiting']> {
  return Promise.all(
    unready.map(async ({ ref, health }) => ({
      ref,
      message: isCrd(ref) ? await explainCrd(run, ref, health.message) : health.message,
    })),
  );
}

/** Names the custom resources that keep a CRD, and their finalizers. */
async function explainCrd(run: UninstallRun, ref: ObjectRef, otherwise: string): Promise<string> {
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
