/**
 * Distinguishes the Revisions that the manager made from those that a person wrote by hand. A Revision is carried out
 * with the rights of the manager or of an account, so one that the manager cannot have made is ignored: nothing of it
 * is applied, and nothing that it names is deleted. Pure; called by the controllers of Subscriptions and Revisions.
 *
 * The checks cover derived values: the names of the Revision and of its Secrets, its owner, and the account. A policy
 * that reserves the creation of Revisions for the manager is the first defence, this is the second.
 */
import type { Revision } from '../api/revision.ts';
import type { Subscription } from '../api/subscription.ts';
import { configHash } from './config-hash.ts';
import { secretNames } from './manifest-secrets.ts';
import { controllerOf, ownerUidOf } from './owner.ts';
import { propertyProblem } from './revision-properties.ts';

/** The name of a Revision with that number. */
export function revisionName(subscription: string, number: number): string {
  return `${subscription.slice(0, 200)}-${number}`;
}

/**
 * Why the manager cannot have made a Revision as it is, as a sentence without its end; undefined if it can have.
 *
 * @param subscription The live Subscription of the name that the Revision gives. Without one, the Revision is judged by
 * itself: its Subscription may be gone while its objects still have to be removed.
 */
export function problemOf(revision: Revision, subscription: Subscription | undefined): string | undefined {
  const known = JUDGED.get(revision);
  if (known !== undefined && known.subscription === subscription) return known.problem;
  const problem =
    problemOfOwner(revision, subscription) ??
    problemOfNames(revision) ??
    propertyProblem(revision) ??
    problemOfContent(revision, subscription);
  JUDGED.set(revision, { subscription, problem });
  return problem;
}

/**
 * Memoized, since every Subscription asks about the Revisions of all others; objects of the caches are never changed.
 */
const JUDGED = new WeakMap<
  Revision,
  { readonly subscription: Subscription | undefined; readonly problem: string | undefined }
>();

/** The Revisions that the manager made for this Subscription. */
export function genuineOf(revisions: readonly Revision[], subscription: Subscription): readonly Revision[] {
  return revisions.filter((revision) => problemOf(revision, subscription) === undefined);
}

function problemOfOwner(revision: Revision, subscription: Subscription | undefined): string | undefined {
  const owner = controllerOf(revision);
  const { subscription: named } = revision.spec;
  if (owner === undefined || ownerUidOf(revision) === undefined)
    return `metadata.ownerReferences names no Subscription as its controller`;
  if (owner.name !== named) return `its controller is Subscription ${owner.name}, and spec.subscription is ${named}`;
  if (subscription !== undefined && subscription.metadata.uid !== owner.uid)
    return `its controller is another Subscription ${named} than the one that exists, by its uid`;
  return undefined;
}

function problemOfNames({ metadata, spec }: Revision): string | undefined {
  const name = revisionName(spec.subscription, spec.number);
  if (metadata.name !== name) return `number ${spec.number} of Subscription ${spec.subscription} is named ${name}`;
  const { secrets, digest } = spec.manifests;
  const expected = secretNames(name, digest, secrets.length);
  const wrong = secrets.find((secret, index) => secret !== expected[index]);
  if (wrong === undefined) return undefined;
  return `spec.manifests.secrets names ${wrong}, which is not the name that follows from the digest`;
}

/** Checks the fields that the Subscription fixes: the package, and for its current configuration the account. */
function problemOfContent({ spec }: Revision, subscription: Subscription | undefined): string | undefined {
  if (subscription === undefined) return undefined;
  if (spec.package !== subscription.spec.package)
    return `spec.package is ${spec.package}, and that of the Subscription is ${subscription.spec.package}`;
  const account = subscription.spec.serviceAccountName;
  if (spec.serviceAccountName === account || spec.configHash !== configHash(subscription)) return undefined;
  return `spec.serviceAccountName is ${spec.serviceAccountName ?? 'absent'}, and that of the Subscription with the same configuration is ${account ?? 'absent'}`;
}
