/**
 * The steps of a hand-over from OLM v0 that concern Slipway's own Subscription, and the OperatorCondition that goes with it: one
 * that is created for it, or one with `spec.adopt`, whose spec is never written. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { ANNOTATION } from '../../api/names.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { adoptedByManager } from '../refusal.ts';
import { isAdopting, pinOf, type Successor } from '../successor.ts';
import type { Backup, BackupName } from './backup.ts';
import { OLM, olmRef } from './kinds.ts';
import { refusal } from './refusal.ts';
import { tieObjects } from './tie.ts';

export interface SlipwaySideOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  /** Absent: Slipway's Subscription is created, and its pin is taken out of its spec. */
  readonly successor?: Successor;
  readonly signal: AbortSignal;
}

/** Slipway's side of one hand-over. */
export class SlipwaySide {
  readonly #options: SlipwaySideOptions;

  constructor(options: SlipwaySideOptions) {
    this.#options = options;
  }

  /** @throws ReasonedError Collision if the Subscription exists and was not made for this; the errors of a dry run */
  async requireFree(wanted: KubeObject): Promise<void> {
    const { cluster, name, successor, signal } = this.#options;
    if (successor !== undefined) return;
    if ((await cluster.get(refOf(wanted), signal)) !== undefined)
      throw refusal(name, { why: `${describeRef(refOf(wanted))} exists already. Choose another name by --name` });
    await cluster.create(wanted, { dryRun: true }, signal);
  }

  /** @param live The OperatorCondition. It is handed over at last: it keeps its owner until OLM is out. */
  async subscribe(backup: Backup, live: KubeObject | undefined): Promise<void> {
    const { cluster, signal } = this.#options;
    if (live !== undefined) {
      const { resourceVersion } = live.metadata;
      const annotations = adoptedBy(backup);
      await cluster.patch(refOf(live), { metadata: { resourceVersion, annotations } }, {}, signal);
    }
    await this.#begin(backup);
  }

  /** The version that runs needs no approval; `unpin` sets the one that is wanted. */
  async #begin(backup: Backup): Promise<void> {
    const { cluster, name, successor, signal } = this.#options;
    if (successor !== undefined) return successor.begin(pinOf(backup));
    const { wanted } = backup;
    const live = await cluster.get(refOf(wanted), signal);
    if (live !== undefined) requireNotAdopting(name, live);
    const spec = { ...fieldsOf(wanted['spec']), approval: 'Automatic' };
    await cluster.create({ ...wanted, spec }, {}, signal);
  }

  /** With the report of the operator and the overrides of people; also if Slipway has created an empty one meanwhile. */
  async restoreCondition(backup: Backup, live: KubeObject | undefined): Promise<void> {
    const { operatorCondition } = backup;
    if (operatorCondition === undefined) return;
    const { cluster, signal } = this.#options;
    const { apiVersion, kind, metadata, spec } = operatorCondition;
    const { name, namespace = '' } = metadata;
    const annotations = adoptedBy(backup);
    if (live === undefined) {
      await cluster.create({ apiVersion, kind, metadata: { name, namespace, annotations }, spec }, {}, signal);
      return;
    }
    const { resourceVersion } = live.metadata;
    const { conditions, overrides } = fieldsOf(spec);
    const report = { ...(conditions !== undefined && { conditions }), ...(overrides !== undefined && { overrides }) };
    await cluster.patch(refOf(live), { metadata: { resourceVersion, annotations }, spec: report }, {}, signal);
  }

  async unpin(backup: Backup, subscription: KubeObject | undefined): Promise<void> {
    if (subscription === undefined) return;
    const { cluster, name, successor, signal } = this.#options;
    await tieObjects(cluster, backup, subscription, signal);
    if (successor !== undefined) return successor.free();
    requireNotAdopting(name, subscription);
    const { resourceVersion } = subscription.metadata;
    const spec = { version: null, approval: fieldsOf(backup.wanted['spec'])['approval'] };
    await cluster.patch(refOf(subscription), { metadata: { resourceVersion }, spec }, {}, signal);
  }
}

/** The annotation by which an object is handed over to Slipway's Subscription. */
function adoptedBy({ operator, adoptedBy: name }: Backup): Readonly<Record<string, string>> {
  return { [ANNOTATION.adoptBy]: `${operator.namespace}/${name}` };
}

/** @throws ReasonedError Collision if the manager hands the operator over to this Subscription */
function requireNotAdopting({ namespace, subscription: name }: BackupName, live: KubeObject): void {
  if (isAdopting(live, { from: 'OLMv0', name }))
    throw adoptedByManager(olmRef(OLM.subscription, namespace, name), live);
}
