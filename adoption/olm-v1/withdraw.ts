/** Takes back the writes of a way back to OLM v1 as long as Slipway has the operator. Sends requests. */
import type { Cluster } from '../../api/cluster.ts';
import { refOf, type KubeObject } from '../../api/object.ts';
import { backupRef, type BackupName } from './backup.ts';
import { isOffer } from './offer.ts';
import { forgetWayBack, withoutPin, type WayBack } from './way-back.ts';

/** The objects that a way back has changed. */
export interface Withdrawal {
  readonly wayBack: WayBack | undefined;
  /** Slipway's Subscription. */
  readonly subscription: KubeObject | undefined;
  readonly extension: KubeObject | undefined;
}

/**
 * Gives Slipway's Subscription its fields back, and deletes the ClusterExtension that OLM was offered, without its objects.
 * The list goes last: it holds an uninstall as long as OLM would install the operator again. Throws the errors of the client.
 */
export async function withdraw(
  { cluster, name, signal }: { readonly cluster: Cluster; readonly name: BackupName; readonly signal: AbortSignal },
  { wayBack, subscription, extension }: Withdrawal,
): Promise<void> {
  if (wayBack !== undefined && subscription !== undefined) {
    const { resourceVersion } = subscription.metadata;
    const { version = null, objects = null } = withoutPin(subscription, wayBack);
    const patch = { metadata: { resourceVersion }, spec: { version, uninstall: { objects } } };
    await cluster.patch(refOf(subscription), patch, {}, signal);
  }
  const { uid = '' } = extension?.metadata ?? {};
  // Another program may have taken the annotation off.
  const isOffered = isOffer(extension) || (uid !== '' && uid === wayBack?.extension);
  if (extension !== undefined && isOffered)
    await cluster.delete(refOf(extension), { uid, propagation: 'Orphan' }, signal);
  if (wayBack !== undefined) await cluster.patch(backupRef(name), forgetWayBack(), {}, signal);
}
