/** Makes and switches Revisions. Every write can be repeated: names follow from numbers, contents from digests. */
import { isConflictOrReplaced } from '../../api/api-answers.ts';
import type { Cluster } from '../../api/cluster.ts';
import { labelValue } from '../../apply/prepare.ts';
import { ReasonedError } from '../../api/errors.ts';
import { formatJson } from '../../api/json.ts';
import { API_VERSION, FINALIZER, LABEL } from '../../api/names.ts';
import { refOf } from '../../api/object.ts';
import type { Reason } from '../../api/reasons.ts';
import { PROPERTY_LIMITS, type Revision, activeOf } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import { revisionName } from '../genuine.ts';
import { storeManifests } from '../manifest-secrets.ts';
import { describeManifests } from '../manifests.ts';
import { isRequirement } from '../revision-properties.ts';
import type { Target } from './action.ts';
import type { Announcement } from './attempt.ts';
import type { PreparedBundle } from './prepare-bundle.ts';

type Writer = Pick<Cluster, 'get' | 'create' | 'patch' | 'delete'>;

export interface NewRevision {
  readonly subscription: Subscription;
  readonly revisions: readonly Revision[];
  /** The Revision that works now; the active one unless that failed, or a crash has left none active. */
  readonly installed?: Revision | undefined;
  /** A number that no Revision has. */
  readonly number: number;
  readonly target: Target;
  readonly bundle: Pick<PreparedBundle, 'image' | 'manifests' | 'signature' | 'imageSignatures'>;
  readonly approved: boolean;
  /** Whether it becomes active at once; the one that is active now is archived for it. */
  readonly active: boolean;
  /** If the attempt is repeated, the active Revision is archived only once the new one exists. */
  readonly announcement?: Announcement;
  /** Receives the manifests while they are stored. */
  readonly handed?: Pick<HandedManifests, 'put' | 'drop'>;
}

/**
 * Creates the Revision, after the Secrets that it names; if it becomes active at once, the active one is archived
 * before: two are never active at the same time. Throws Conflict (retried) if its name is taken or the active one was
 * written since it was read, and Collision (retried) if a Secret of its name belongs to a person; the Revision that
 * worked is active then.
 */
export async function createRevision(cluster: Writer, facts: NewRevision): Promise<Revision> {
  const { handed, bundle, active } = facts;
  const described = describeRevision(facts);
  handed?.put(bundle.manifests, active ? { readNextBy: described } : {});
  try {
    return await storeAndCreate(cluster, facts, described);
  } catch (error) {
    handed?.drop(bundle.manifests.digest);
    throw error;
  }
}

async function storeAndCreate(cluster: Writer, facts: NewRevision, described: Revision): Promise<Revision> {
  const replaced = facts.active ? activeOf(facts.revisions) : undefined;
  if (replaced !== undefined && facts.announcement?.isRepeated === true) return createBeside(cluster, facts, described);
  const archived = await makeReady(cluster, facts, { described, replaced });
  try {
    return (await cluster.create(described)) as Revision;
  } catch (error) {
    if (isRefusal(error)) await serveAgain(cluster, archived);
    throw error;
  }
}

/**
 * Whether nothing was written. After a lost answer, or if the name is taken, the next Revision may exist and be active:
 * the one that worked must not become active beside it. Then the next reconcile decides.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof ReasonedError && !UNKNOWN_OUTCOME.has(error.reason);
}

const UNKNOWN_OUTCOME: ReadonlySet<Reason> = new Set(['ApiUnavailable', 'Conflict', 'LeaderLost']);

/** After an attempt that failed: the active Revision is archived only once the new one exists. */
async function createBeside(cluster: Writer, facts: NewRevision, described: Revision): Promise<Revision> {
  await makeReady(cluster, facts, { described, replaced: undefined });
  const created = (await cluster.create({ ...described, spec: { ...described.spec, state: 'Archived' } })) as Revision;
  await activateRevision(cluster, facts.revisions, created);
  return created;
}

interface NextRevision {
  readonly described: Revision;
  /** The active Revision, if it is archived now. */
  readonly replaced: Revision | undefined;
}

/** Stores the manifests, and archives the active Revision meanwhile. Returns the archived one. */
async function makeReady(
  cluster: Writer,
  { bundle, announcement }: NewRevision,
  { described, replaced }: NextRevision,
): Promise<Revision | undefined> {
  const stored = storeManifests(cluster, described, bundle.manifests.pieces);
  const archived = replaced === undefined ? undefined : archiveRevision(cluster, replaced);
  const outcomes = await Promise.allSettled([stored, announcement?.written, archived]);
  const failure = outcomes.find(({ status }) => status === 'rejected');
  if (failure?.status !== 'rejected') return archived;
  await serveAgain(cluster, await archived?.catch(() => undefined));
  throw failure.reason;
}

/** Its objects are to be kept as they are while the next Revision cannot be made. */
async function serveAgain(cluster: Writer, archived: Revision | undefined): Promise<void> {
  if (archived === undefined) return;
  // The cause of the failure is thrown; if another manager has written the Revision, the next reconcile decides.
  await changeSpec(cluster, archived, { state: 'Active' }).catch((error: unknown) => {
    if (!isConflictOrReplaced(error)) throw error;
  });
}

/**
 * Makes a Revision the active one, and approves it: whatever held it back is over. The other is archived first: two are
 * never active at the same time. Throws Conflict (retried) if one of them was written since it was read: another
 * manager may have decided otherwise.
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
export function archiveRevision(cluster: Pick<Cluster, 'patch'>, revision: Revision): Promise<Revision> {
  return changeSpec(cluster, revision, { state: 'Archived' });
}

async function changeSpec(
  cluster: Pick<Cluster, 'patch'>,
  revision: Pick<Revision, 'apiVersion' | 'kind' | 'metadata'>,
  spec: Partial<Pick<Revision['spec'], 'state' | 'approved'>>,
): Promise<Revision> {
  const { resourceVersion } = revision.metadata;
  return (await cluster.patch(refOf(revision), { metadata: { resourceVersion }, spec })) as Revision;
}

function describeRevision(facts: NewRevision): Revision {
  const { subscription, revisions, installed, number, target, bundle, approved, active } = facts;
  const name = revisionName(subscription.metadata.name, number);
  const previous = (activeOf(revisions) ?? installed)?.metadata.name;
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
    message: `bundle ${name} has more than ${count} properties for the kinds it provides and its dependencies, or one of more than ${length} characters`,
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
