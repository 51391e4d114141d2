/** The input of a plan from our own objects: the Subscription, and Revisions with their stored manifests. */
import type { Cluster } from '../../api/cluster.ts';
import { keyOfObject, type KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { prepareObjects } from '../../apply/prepare.ts';
import type { PlanInput, PlannedSide } from '../../plan/input.ts';
import { loadManifests } from '../manifests.ts';
import { prepareFor } from '../prepare-for.ts';
import { propertiesOf } from '../revision-properties.ts';

/** The parts that the Subscription decides. */
export function inputOf(subscription: Subscription): PlanInput {
  const { package: packageName, crdUpgradeSafety, uninstall, serviceAccountName } = subscription.spec;
  return {
    package: packageName,
    subscription: keyOfObject(subscription),
    waivers: crdUpgradeSafety.waivers ?? [],
    crdEnforcement: crdUpgradeSafety.enforcement,
    customResources: uninstall.customResources,
    ...(serviceAccountName !== undefined && { account: serviceAccountName }),
  };
}

/** One side of the change. Throws as loadManifests does. */
export async function sideOfRevision(cluster: Pick<Cluster, 'get'>, revision: Revision): Promise<PlannedSide> {
  return sideOf(revision, await loadManifests(cluster, revision));
}

/** The side of a Revision with these manifests. */
export function sideOf(revision: Revision, manifests: readonly KubeObject[]): PlannedSide {
  const { bundle, version, image, signature } = revision.spec;
  return {
    bundle,
    version,
    image,
    // Of two demands one may be met and the other not.
    ...(signature?.by !== undefined && signature.problem === undefined && { signedBy: signature.by }),
    ...(signature?.problem !== undefined && { unsigned: signature.problem }),
    objects: prepareObjects(manifests, prepareFor(revision)),
    properties: propertiesOf(revision),
  };
}
