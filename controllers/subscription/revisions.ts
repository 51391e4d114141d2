/** Makes and switches Revisions. Every write can be repeated: names follow from numbers, contents from digests. */
import type { Cluster } from '../../api/cluster.ts';
import { labelValue } from '../../apply/prepare.ts';
import { ReasonedError } from '../../api/errors.ts';
import { formatJson } from '../../api/json.ts';
import { API_VERSION, FINALIZER, LABEL } from '../../api/names.ts';
import { refOf } from '../../api/object.ts';
import { PROPERTY_LIMITS, type Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import { revisionName } from '../genuine.ts';
import { storeManifests } from '../manifest-secrets.ts';
import { describeManifests } from '../manifests.ts';
import { isRequirement } from '../revision-properties.ts';
import type { Target } from './decide.ts';
import { activeOf } from './history.ts';
import type { PreparedBundle } from './prepare-bundle.ts';

type Writer = Pick<Cluster, 'get' | 'create' | 'patch' | 'delete'>;

export interface NewRevision {
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
  /** A number that no Revision has. */
  readonly number: number;
  readonly target: Target;
  readonly bundle: Pick<PreparedBundle, 'image' | 'manifests' | 'signature' | 'imageSignatures'>;
  readonly approved: boolean;
  /** Becomes active at once: no other one is active. */
  readonly active: boolean;
  /** Receives manifests that were stored. */
  readonly handed?: Pick<HandedManifests, 'put'>;
}

/**
 * Creates the Revision, after the Secrets that it names. Throws Conflict (retried) if its name is taken, and Collision
 * (retried) if a Secret of its name belongs to a person.
 */
export async function createRevision(cluster: Writer, facts: NewRevision): Promise<Revision> {
  const described = describeRevision(facts);
  await storeManifests(cluster, described, facts.bundle.manifests.pieces);
  facts.handed?.put(facts.bundle.manifests);
  return (await cluster.create(described)) as Revision;
}

/**
 * Makes a Revision the active one, and approves it: whatever held it back is over. The other is archived first: two are never active at the same time. Throws Conflict
 * (retried) if one of them was written since it was read: another manager may have decided otherwise.
 */
export async function activateRevision(
  cluster: Pick<Cluster, 'patch'>,
  revisions: readonly Revision[],
  chosen: Revision,
): Promise<void> {
  const active = activeOf(revisions);
  if (active !== undefined && active.metadata.name !== chosen.metadata.name) await archiveRevision(cluster, active);
  await changeSpec(cluster, chosen, { state: 'Active', ...(!chosen.spec.approved && { approved: true }) });
}

/** Archives a Revision. Throws Conflict (retried) if it was written since it was read. */
export async function archiveRevision(cluster: Pick<Cluster, 'patch'>, revision: Revision): Promise<void> {
  await changeSpec(cluster, revision, { state: 'Archived' });
}

async function changeSpec(
  cluster: Pick<Cluster, 'patch'>,
  revision: Revision,
  spec: Partial<Pick<Revision['spec'], 'state' | 'approved'>>,
): Promise<void> {
  const { resourceVersion } = revision.metadata;
  await cluster.patch(refOf(revision), { metadata: { resourceVersion }, spec });
}

function describeRevision(facts: NewRevision): Revision {
  const { subscription, revisions, number, target, bundle, approved, active } = facts;
  const name = revisionName(subscription.metadata.name, number);
  const previous = activeOf(revisions)?.metadata.name;
  const { apiVersion, kind, metadata } = subscription;
  return {
    apiVersion: API_VERSION,
    kind: 'Revision',
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: { [LABEL.package]: labelValue(subscription.spec.package) },
      finalizers: [FINALIZER],
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }],
    },
    spec: {
      subscription: metadata.name,
      number,
      package: subscription.spec.package,
      ...describeBundle(target),
      catalog: target.catalog,
      ...(target.channel !== '' && { channel: target.channel }),
      image: bundle.image,
      configHash: target.configHash,
      manifests: describeManifests(name, bundle.manifests),
      ...describeConfiguration(subscription),
      ...(bundle.signature !== undefined && { signature: bundle.signature }),
      ...describeImages(bundle),
      ...(previous !== undefined && { previous }),
      approved,
      state: active ? 'Active' : 'Archived',
    },
  };
}

/** Absent without a demand, as in Revisions of releases that knew none. */
function describeImages({ imageSignatures = [] }: NewRevision['bundle']): Pick<Revision['spec'], 'imageSignatures'> {
  return imageSignatures.length === 0 ? {} : { imageSignatures };
}

function describeBundle({ bundle }: Target): Pick<Revision['spec'], 'bundle' | 'version' | 'release' | 'properties'> {
  const { name, version, release } = bundle;
  const properties = describeProperties(bundle);
  return {
    bundle: name,
    version,
    ...(release !== undefined && { release }),
    ...(properties.length > 0 && { properties }),
  };
}

/**
 * The kinds that the bundle provides, and its requirements. Throws BundleTooLarge, not retried, if there are too many.
 */
function describeProperties({ name, properties }: Target['bundle']): NonNullable<Revision['spec']['properties']> {
  const kept = properties
    .filter(({ type }) => type === 'olm.gvk' || isRequirement(type))
    .map(({ type, value }) => ({ type, value: formatJson(value) }));
  const { count, length } = PROPERTY_LIMITS;
  if (kept.length <= count && kept.every(({ value }) => value.length <= length)) return kept;
  throw new ReasonedError({
    reason: 'BundleTooLarge',
    retry: 'never',
    message: `bundle ${name}: what it provides and depends on is more than ${count} properties of ${length} characters`,
    hint: 'Ask its author to publish it with fewer properties',
  });
}

function describeConfiguration({
  spec,
}: Subscription): Pick<Revision['spec'], 'watchNamespaces' | 'certificates' | 'serviceAccountName'> {
  const { watchNamespaces, certificates, serviceAccountName } = spec;
  return {
    certificates,
    ...(watchNamespaces !== undefined && { watchNamespaces }),
    ...(serviceAccountName !== undefined && { serviceAccountName }),
  };
}
