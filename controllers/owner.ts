/** Finds the Subscription that an object of ours belongs to, by the reference that the garbage collector follows. Pure. */
import { GROUP } from '../api/names.ts';
import { groupOf, type KubeObject, type OwnerReference } from '../api/object.ts';
import { SUBSCRIPTION } from '../api/subscription.ts';

/** The reference to the Subscription that controls an object; undefined if no Subscription does. */
export function controllerOf({ metadata }: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, controller }) =>
      controller === true && groupOf(apiVersion) === GROUP && kind === SUBSCRIPTION.kind,
  );
}

/** uid of the Subscription that controls an object; undefined if no Subscription does. */
export function ownerUidOf(object: Pick<KubeObject, 'metadata'>): string | undefined {
  return controllerOf(object)?.uid || undefined;
}
