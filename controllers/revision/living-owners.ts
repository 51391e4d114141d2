/**
 * Whether an object that carries our label says that it belongs to a Subscription that there is. The label alone costs
 * nothing: who may write Deployments in one namespace may write it on thousands of large ones.
 */
import { ANNOTATION, LABEL } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { ownerLabel } from '../../apply/prepare.ts';
import type { Informer } from '../../kube/watch/informer.ts';

const BY_LABEL = 'owner-label';

/**
 * By the annotations with the owner's name and uid, or by the label where an earlier release wrote no annotation; an object
 * that names another uid than that of the living one was left by an earlier Subscription of the name.
 */
export function createLivingOwners(
  subscriptions: Pick<Informer, 'get' | 'byIndex' | 'addIndex'>,
): (object: KubeObject) => boolean {
  subscriptions.addIndex(BY_LABEL, ({ metadata: { namespace = '', name } }) => [ownerLabel({ namespace, name })]);
  return ({ metadata: { annotations, labels } }) => {
    const [owner, uid] = [annotations?.[ANNOTATION.owner], annotations?.[ANNOTATION.ownerUid]];
    const label = labels?.[LABEL.owner] ?? '';
    const found = owner === undefined ? subscriptions.byIndex(BY_LABEL, label) : [subscriptions.get(owner)];
    return found.some((one) => one !== undefined && (uid === undefined || one.metadata.uid === uid));
  };
}
