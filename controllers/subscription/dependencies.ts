/** Requests the dependencies of a bundle: each missing package gets a Subscription beside the one that needs it. */
import { ReasonedError } from '../../api/errors.ts';
import { ANNOTATION, API_VERSION, LABEL } from '../../api/names.ts';
import { describeRef, keyOfObject, refOf, type KubeObject, type OwnerReference } from '../../api/object.ts';
import { MAX_NAME, type Subscription, type SubscriptionManifest, SUBSCRIPTION } from '../../api/subscription.ts';
import { isAlreadyExists } from '../../api/api-answers.ts';
import type { Cluster } from '../../api/cluster.ts';
import type { DependencyStep } from '../../resolver/decision.ts';
import type { RecordEvent } from '../events.ts';
import { hasFinalizer } from '../finalizer.ts';
import { mayHold } from './trust.ts';

export interface RequestDeps {
  readonly cluster: Pick<Cluster, 'create' | 'get'>;
  readonly record: RecordEvent;
}

/**
 * Creates the Subscriptions, with an event about both; one that exists is left as it is. Throws Collision (retried) if the name is taken by a
 * Subscription for another package, or by one that acts as another account and may never install the package.
 */
export async function requestDependencies(
  { cluster, record }: RequestDeps,
  subscription: Subscription,
  missing: readonly DependencyStep[],
): Promise<void> {
  for (const step of missing) {
    const wanted = describeDependency(subscription, step);
    try {
      reportRequest(record, subscription, await cluster.create(wanted));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await requireUsable(cluster, wanted);
    }
  }
}

function reportRequest(record: RecordEvent, subscription: Subscription, created: KubeObject): void {
  const about = { type: 'Normal', reason: 'Installing', action: 'Install' } as const;
  record(subscription, {
    ...about,
    note: `Subscription ${keyOfObject(created)} is created, as a dependency of this one`,
  });
  record(created, { ...about, note: `Created for Subscription ${keyOfObject(subscription)}, as its dependency` });
}

async function requireUsable(cluster: Pick<Cluster, 'get'>, wanted: SubscriptionManifest): Promise<void> {
  const existing = (await cluster.get(refOf(wanted))) as Subscription | undefined;
  const obstacle = existing === undefined ? undefined : obstacleIn(existing, wanted);
  if (obstacle === undefined) return;
  throw new ReasonedError({
    reason: 'Collision',
    retry: 'backoff',
    message: `${describeRef(refOf(wanted))} is needed for the package ${wanted.spec.package}, and ${obstacle}`,
    hint: `Create a Subscription for ${wanted.spec.package} under another name`,
  });
}

function obstacleIn(existing: Subscription, wanted: SubscriptionManifest): string | undefined {
  const { package: name, serviceAccountName } = existing.spec;
  if (name !== wanted.spec.package) return `exists for ${name}`;
  return mayHold(existing, wanted) ? undefined : `exists with another ServiceAccount, ${serviceAccountName}`;
}

/**
 * The Subscription for a dependency. It may do no more than the one that needs it: it acts as the same account and
 * waits for approval alike, by hand or by the upgrade policy. It stays within the channel that was chosen, and upgrades by itself.
 */
export function describeDependency(
  { metadata, spec }: Subscription,
  { package: name, catalog, channel }: DependencyStep,
): SubscriptionManifest {
  const { approval, certificates, serviceAccountName, onFailure, crdUpgradeSafety, webhookSafety } = spec;
  const { upgradePolicy, windows } = spec;
  return {
    apiVersion: API_VERSION,
    kind: 'Subscription',
    metadata: {
      name: nameFor(name),
      namespace: metadata.namespace ?? '',
      labels: { [LABEL.dependency]: 'true' },
      ...(metadata.uid !== undefined && requestedBy(metadata.name, metadata.uid)),
    },
    spec: {
      package: name,
      catalog,
      ...(channel !== '' && { channel }),
      approval,
      certificates,
      onFailure,
      crdUpgradeSafety: { enforcement: crdUpgradeSafety.enforcement },
      webhookSafety,
      ...(upgradePolicy !== undefined && { upgradePolicy }),
      ...(windows !== undefined && { windows }),
      ...(serviceAccountName !== undefined && { serviceAccountName }),
    },
  };
}

/**
 * Names the requester. If the Subscription is created too late, when the requester is gone, the garbage collector
 * deletes it by the reference; the first reconcile takes the reference off, since a dependency outlives its requester.
 */
function requestedBy(
  name: string,
  uid: string,
): Pick<SubscriptionManifest['metadata'], 'annotations' | 'ownerReferences'> {
  return {
    annotations: { [ANNOTATION.requestedBy]: uid },
    ownerReferences: [{ apiVersion: API_VERSION, kind: SUBSCRIPTION.kind, name, uid }],
  };
}

/** The reference to the requester of a dependency that was just created; undefined for all other Subscriptions. */
export function requesterOf(subscription: Subscription): OwnerReference | undefined {
  const { annotations, ownerReferences = [] } = subscription.metadata;
  const uid = annotations?.[ANNOTATION.requestedBy];
  return hasFinalizer(subscription) ? undefined : ownerReferences.find((one) => one.uid === uid);
}

/** The package's name, changed into a valid object name. */
function nameFor(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9.-]+/g, '-')
      // Every part between dots begins and ends with a letter or digit.
      .replaceAll(/[.-]*\.[.-]*/g, '.')
      .slice(0, MAX_NAME)
      .replace(/[.-]+$/, '')
  );
}
