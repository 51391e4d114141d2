/** How the objects of a Revision are prepared for the cluster, for its roll-out and for its plan. Pure. */
import type { Owner, PrepareOptions } from '../apply/prepare.ts';
import type { Revision } from '../api/revision.ts';
import { ownerUidOf } from './owner.ts';

/** The labels, annotations and namespace for every object of a Revision. */
export function prepareFor(revision: Revision): PrepareOptions {
  const { metadata, spec } = revision;
  const installNamespace = metadata.namespace ?? '';
  return { owner: ownerOf(revision), package: spec.package, revision: metadata.name, installNamespace };
}

/** The Subscription that a Revision belongs to, by the reference that its controller wrote. */
export function ownerOf(revision: Revision): Owner {
  const { metadata, spec } = revision;
  const uid = ownerUidOf(revision);
  return { namespace: metadata.namespace ?? '', name: spec.subscription, ...(uid !== undefined && { uid }) };
}
