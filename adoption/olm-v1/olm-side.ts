/**
 * The writes of a hand-over to the ClusterExtension, and to the release of Helm that it leaves. Each is bound to the version that was
 * read. Sends requests.
 */
import type { Cluster } from '../../api/cluster.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { HOLD } from '../olm-v0/kinds.ts';
import { pinOf } from '../successor.ts';
import { backupRef, type Backup, type BackupName } from './backup.ts';
import { refusal } from './refusal.ts';
import { installedBundle } from './extension.ts';

export interface OlmSideOptions {
  readonly cluster: Cluster;
  readonly name: BackupName;
  readonly signal: AbortSignal;
}

/** OLM's side of one hand-over. */
export class OlmSide {
  readonly #options: OlmSideOptions;

  constructor(options: OlmSideOptions) {
    this.#options = options;
  }

  /** With one version to choose from, OLM begins no upgrade. */
  async pause(backup: Backup, extension: KubeObject | undefined): Promise<void> {
    if (extension === undefined) return;
    const { cluster, signal } = this.#options;
    const { resourceVersion } = extension.metadata;
    const spec = { source: { catalog: { version: pinOf(backup) } } };
    await cluster.patch(refOf(extension), { metadata: { resourceVersion }, spec }, {}, signal);
  }

  /** OLM had begun an upgrade before the pause: it gets its versions back, and the hand-over has to begin again. */
  async resume({ range }: Backup, extension: KubeObject | undefined): Promise<void> {
    if (extension === undefined) return;
    const { cluster, name, signal } = this.#options;
    const { resourceVersion, finalizers = [] } = extension.metadata;
    const metadata = { resourceVersion, finalizers: finalizers.filter((one) => one !== HOLD) };
    await cluster.patch(
      refOf(extension),
      { metadata, spec: { source: { catalog: { version: range ?? null } } } },
      {},
      signal,
    );
    await cluster.delete(backupRef(name), {}, signal);
    const { version } = installedBundle(extension);
    throw refusal(name, `OLM has gone on to version ${version} since the hand-over began`, 'The ClusterExtension is as before. Begin again'); // prettier-ignore
  }

  hold(extension: KubeObject | undefined): Promise<void> {
    return this.#setFinalizers(extension, (all) => [...all, HOLD]);
  }

  release(extension: KubeObject | undefined): Promise<void> {
    return this.#setFinalizers(extension, (all) => all.filter((one) => one !== HOLD));
  }

  /** Bound to the version that has the finalizer of Slipway: a finalizer cannot be added to an object that is being deleted. */
  async delete(extension: KubeObject | undefined): Promise<void> {
    if (extension === undefined) return;
    const { cluster, signal } = this.#options;
    const { uid = '', resourceVersion = '' } = extension.metadata;
    await cluster.delete(refOf(extension), { uid, resourceVersion, propagation: 'Orphan' }, signal);
  }

  /** The further Secrets of a release have the first one as their owner. */
  async cleanUp(leftovers: readonly ObjectRef[]): Promise<void> {
    const { cluster, signal } = this.#options;
    for (const ref of leftovers) await cluster.delete(ref, { propagation: 'Background' }, signal);
  }

  async #setFinalizers(
    extension: KubeObject | undefined,
    change: (finalizers: readonly string[]) => readonly string[],
  ): Promise<void> {
    if (extension === undefined) return;
    const { cluster, signal } = this.#options;
    const { resourceVersion, finalizers = [] } = extension.metadata;
    await cluster.patch(
      refOf(extension),
      { metadata: { resourceVersion, finalizers: change(finalizers) } },
      {},
      signal,
    );
  }
}
