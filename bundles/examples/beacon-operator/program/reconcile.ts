/**
 * Keeps the light of every Beacon as its spec says, and deletes it before the Beacon is removed. Reads Beacons in the
 * version that this release uses, and handles them in version 2.
 */
import type { KubeObject } from '../../../../api/object.ts';
import type { Client } from '../../../../kube/client/client.ts';
import { formatKey, type ObjectKey, type Reconcile } from '../../../../kube/controller/controller.ts';
import type { EventRecorder } from '../../../../kube/events/events.ts';
import type { Informer } from '../../../../kube/watch/informer.ts';
import { FINALIZER, KIND, V2, type Beacon } from './beacon.ts';
import { convertBeacon } from './convert.ts';
import { lightName, lightOf } from './light.ts';

export interface ReconcileDeps {
  readonly client: Pick<Client, 'apply' | 'delete' | 'patch' | 'patchStatus'>;
  /** The informer of the namespace. */
  readonly beacons: (namespace: string) => Informer | undefined;
  readonly recorder?: EventRecorder;
  readonly release: string;
  /** Version of the API to write. */
  readonly apiVersion: string;
  readonly now: () => Date;
}

/** The reconcile function of the controller. */
export function createReconciler(deps: ReconcileDeps): Reconcile {
  return async (key, { signal }) => {
    const found = deps.beacons(key.namespace ?? '')?.get(formatKey(key));
    if (found === undefined) return;
    const ref = { apiVersion: deps.apiVersion, kind: KIND, ...key };
    if (found.metadata.deletionTimestamp !== undefined) return extinguish(deps, { found, ref, signal });
    const finalizers = found.metadata.finalizers ?? [];
    if (!finalizers.includes(FINALIZER)) {
      const { resourceVersion } = found.metadata;
      await deps.client.patch(
        ref,
        { metadata: { resourceVersion, finalizers: [...finalizers, FINALIZER] } },
        {},
        signal,
      );
    }
    const beacon = convertBeacon(found, V2) as Beacon;
    await deps.client.apply(lightOf(beacon, deps.release), { force: true }, signal);
    await report(deps, { found, ref, signal });
  };
}

interface Subject {
  readonly found: KubeObject;
  readonly ref: ObjectKey & { readonly apiVersion: string; readonly kind: string };
  readonly signal: AbortSignal;
}

async function extinguish({ client }: ReconcileDeps, { found, ref, signal }: Subject): Promise<void> {
  const finalizers = found.metadata.finalizers ?? [];
  if (!finalizers.includes(FINALIZER)) return;
  await client.delete({ ...ref, apiVersion: 'v1', kind: 'ConfigMap', name: lightName(ref.name) }, {}, signal);
  const kept = finalizers.filter((name) => name !== FINALIZER);
  const { resourceVersion } = found.metadata;
  await client.patch(ref, { metadata: { resourceVersion, finalizers: kept } }, {}, signal);
}

/** Writes the status if it differs; the first lighting of a Beacon is an event. */
async function report(deps: ReconcileDeps, { found, ref, signal }: Subject): Promise<void> {
  const before = (found['status'] ?? {}) as BeaconStatus;
  const { generation = 0 } = found.metadata;
  if (before.lit === true && before.release === deps.release && before.observedGeneration === generation) return;
  const lit = before.conditions?.find(({ type }) => type === 'Ready');
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Lit',
    message: `beacon-operator ${deps.release} keeps it lit`,
    observedGeneration: generation,
    lastTransitionTime:
      lit?.lastTransitionTime ??
      deps
        .now()
        .toISOString()
        .replace(/\.\d+Z$/, 'Z'),
  };
  const status = { lit: true, release: deps.release, observedGeneration: generation, conditions: [condition] };
  await deps.client.patchStatus(ref, { status }, signal);
  if (before.lit === true) return;
  deps.recorder?.record({
    regarding: found,
    type: 'Normal',
    reason: 'Lit',
    action: 'Light',
    note: 'The beacon is lit',
  });
}

interface BeaconStatus {
  readonly lit?: boolean;
  readonly release?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime: string }[];
}
