/**
 * The steps of a hand-over from OLM v1 that concern Slipway's own Subscription: one that is created for it, or one with
 * `spec.adopt`, whose spec is never written. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { adoptedByManager, notHandedOver } from '../refusal.ts';
import { isAdopting, pinOf, type Successor } from '../successor.ts';
import type { Backup, BackupName } from './backup.ts';
import { extensionRef } from './kinds.ts';

export interface SlipwaySideOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  /** Absent: Slipway's Subscription is created, and its pin is taken out of its spec. */
  readonly successor?: Successor;
  readonly signal: AbortSignal;
}

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
      throw notHandedOver(extensionRef(name.extension), {
        why: `${describeRef(refOf(wanted))} exists already. Choose another name by --name`,
      });
    await cluster.create(wanted, { dryRun: true }, signal);
  }

  async subscribe(backup: Backup): Promise<void> {
    const { cluster, successor, signal } = this.#options;
    if (successor !== undefined) return successor.begin(pinOf(backup));
    const live = await cluster.get(refOf(backup.wanted), signal);
    if (live !== undefined) this.#requireNotAdopting(live);
    await cluster.create(backup.wanted, {}, signal);
  }

  async unpin({ range = null }: { readonly range?: string | null | undefined }, live: KubeObject): Promise<void> {
    const { cluster, successor, signal } = this.#options;
    if (successor !== undefined) return successor.free();
    this.#requireNotAdopting(live);
    const { resourceVersion } = live.metadata;
    await cluster.patch(refOf(live), { metadata: { resourceVersion }, spec: { version: range } }, {}, signal);
  }

  #requireNotAdopting(live: KubeObject): void {
    const { extension: name } = this.#options.name;
    if (isAdopting(live, { from: 'OLMv1', name })) throw adoptedByManager(extensionRef(name), live);
  }
}
