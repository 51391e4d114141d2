/**
 * Whether an object with our label names an existing Subscription as its owner that can have it. The label alone proves
 * nothing, nor does the name of a Subscription of another namespace: a user who may write Deployments in one namespace may
 * put both on thousands of large ones.
 */
import { ANNOTATION, LABEL } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { ownerLabel } from '../../apply/prepare.ts';
import type { Informer } from '../../kube/watch/informer.ts';

const BY_LABEL = 'owner-label';

/**
 * Decides by the annotations with the owner's name and uid, or by the label if an earlier release wrote no annotation;
 * an object with another uid than the existing Subscription was left by an earlier Subscription of that name. In other
 * namespaces than its own, such as those that the operator watches, a Subscription has only objects with its uid: the
 * manager writes it on each.
 */
export function createLivingOwners(
  subscriptions: Pick<Informer, 'get' | 'byIndex' | 'addIndex'>,
): (object: KubeObject) => boolean {
  subscriptions.addIndex(BY_LABEL, ({ metadata: { namespace = '', name } }) => [ownerLabel({ namespace, name })]);
  return ({ metadata: { namespace, annotations, labels } }) => {
    const [owner, uid] = [annotations?.[ANNOTATION.owner], annotations?.[ANNOTATION.ownerUid]];
    const label = labels?.[LABEL.owner] ?? '';
    const found = owner === undefined ? subscriptions.byIndex(BY_LABEL, label) : [subscriptions.get(owner)];
    return found.some(
      (one) => one !== undefined && (uid === undefined ? isNear(namespace, one) : one.metadata.uid === uid),
    );
  };
}

/** Whether an object of the namespace may be one of an earlier release, which wrote no uid. */
function isNear(namespace: string | undefined, subscription: KubeObject): boolean {
  return namespace === undefined || namespace === subscription.metadata.namespace;
}
