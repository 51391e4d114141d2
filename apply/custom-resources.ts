/** Counts the custom resources of CRDs that a revision brought, before a CRD is removed. */
import { CRD, isCrd } from '../api/crd-kind.ts';
import { ReasonedError } from '../api/errors.ts';
import {
  type DefinedKind,
  describeRef,
  groupKind,
  keyOfObject,
  type KubeObject,
  type ObjectRef,
  refOf,
} from '../api/object.ts';
import { isNotFound } from '../api/api-answers.ts';
import { ANNOTATION } from '../api/names.ts';
import { explainFailure, isConversionFailure, type Failure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { fieldsOf, textOf } from '../api/untyped.ts';
import { judgeOwnership } from './collision.ts';
import { identityOf } from './identity.ts';
import { indexInventory, refOfEntry, type InventoryEntry } from './inventory.ts';
import type { Owner } from './prepare.ts';
import { beginningOf } from './short-text.ts';
import { createSlots, inSlots, MOST_REQUESTS } from './slots.ts';
import type { Watched } from './watched.ts';

/** The custom resources of one CRD. */
export interface CustomResourceCount {
  /** The kind that the CRD defines, in a served version. */
  readonly resource: DefinedKind;
  /** `unknown` if they could not be listed; this never counts as none. */
  readonly count: number | 'unknown';
  /** A few of them, `namespace/name`, for messages. */
  readonly samples: readonly string[];
  readonly message?: string;
  /** At least one exists, but they cannot be counted: the API server failed to convert it. */
  readonly exist?: true;
  /** Number of them that no message may name. */
  readonly unnamed?: number;
  /** The inventory has no uid of the CRD: only the CRD's own annotation says that it is ours. */
  readonly unproven?: true;
}

/** By name of the CRD, such as `widgets.example.com`. */
export type CustomResourceCounts = ReadonlyMap<string, CustomResourceCount>;

export interface CountOptions {
  readonly owner: Owner;
  /** A watch's copy of a CRD, including names and versions, which saves the read. */
  readonly watched?: Pick<Watched, 'get'> | undefined;
  /** The only namespace whose objects messages name; absent: all are named. */
  readonly namedIn?: string | undefined;
  /** Objects that are not counted, because the inventory lists and removes them. */
  readonly isListed?: ((object: KubeObject) => boolean) | undefined;
  readonly signal: AbortSignal;
}

/** A predicate: whether an object is ours and in the inventory. */
export function listedIn(inventory: readonly InventoryEntry[], owner: Owner): (object: KubeObject) => boolean {
  const entries = indexInventory(inventory);
  return (object) => {
    const entry = entries.get(identityOf(refOf(object)));
    return entry !== undefined && judgeOwnership(object, owner, entry.uid).kind === 'ours';
  };
}

/**
 * Counts the custom resources of every CRD of an inventory that exists and is ours, except those that the inventory
 * lists itself. Two requests for each CRD, or one if a watch knows it. A list that fails is part of the result; the
 * error of a CRD that cannot be read is thrown, as the client throws it.
 */
export async function countCustomResources(
  cluster: Cluster,
  inventory: readonly InventoryEntry[],
  options: CountOptions,
): Promise<CustomResourceCounts> {
  const { owner, signal } = options;
  const counting = { ...options, isListed: listedIn(inventory, owner) };
  const counted = await inSlots({ slots: createSlots(MOST_REQUESTS), signal }, inventory.filter(isCrd), (entry) =>
    countOf(cluster, entry, counting),
  );
  return new Map(counted.flatMap((item) => (item === undefined ? [] : [item])));
}

async function countOf(
  cluster: Cluster,
  entry: InventoryEntry,
  { owner, watched, ...options }: CountOptions,
): Promise<readonly [string, CustomResourceCount] | undefined> {
  const ref = refOfEntry(entry);
  const crd = await readCrd(cluster, ref, { watched, signal: options.signal });
  const ownership = crd && judgeOwnership(crd, owner, entry.uid);
  if (crd === undefined || ownership?.kind !== 'ours') return undefined;
  const found = await countInstances(cluster, crd, options);
  return [entry.name, ownership.proven ? found : { ...found, unproven: true }];
}

/**
 * A CRD from its watch, or as it is now if the watch has not seen it served yet: a watch that lags behind its creation would
 * hide that it has custom resources by now.
 */
export async function readCrd(
  cluster: Pick<Cluster, 'get'>,
  ref: ObjectRef,
  { watched, signal }: Pick<CountOptions, 'watched' | 'signal'>,
): Promise<KubeObject | undefined> {
  const known = watched?.get(ref);
  return known !== undefined && resourceOf(known) !== undefined ? known : cluster.get(ref, signal);
}

const MOST_SAMPLES = 3;

/** For a CRD that was never served. */
const NOTHING: DefinedKind = { apiVersion: '', kind: '', served: { plural: '', namespaced: false } };

/**
 * Why it is not known whether a CRD has custom resources, so that the caller retries instead of guessing. Undefined if
 * it is known.
 */
export function doubtAbout(ref: ObjectRef, { count, exist, message = '' }: CustomResourceCount): Failure | undefined {
  if (count !== 'unknown' || exist === true) return undefined;
  return {
    reason: 'ApiUnavailable',
    retry: 'backoff',
    message: `${describeRef(ref)}: whether it has objects is not known: ${message}`,
    hint: 'It is asked again, and removed once that is known',
  };
}

export interface CountInstancesOptions extends Pick<CountOptions, 'namedIn' | 'signal'> {
  /** The text that names a sample; its namespace and name by default. */
  readonly describe?: (object: KubeObject) => string;
}

/** Counts the instances of one CRD. */
export async function countInstances(
  cluster: Cluster,
  crd: KubeObject,
  {
    namedIn,
    describe = keyOfObject,
    isListed = () => false,
    signal,
  }: CountInstancesOptions & Pick<CountOptions, 'isListed'>,
): Promise<CustomResourceCount> {
  const resource = resourceOf(crd);
  if (resource === undefined) return { resource: NOTHING, count: 0, samples: [] };
  try {
    const found = (await listServed(cluster, resource, signal)).filter((object) => !isListed(object));
    const nameable = found.filter((object) => mayName(object, namedIn));
    const samples = nameable.slice(0, MOST_SAMPLES).map((object) => describe(object));
    return { resource, count: found.length, samples, unnamed: found.length - nameable.length };
  } catch (error) {
    const { message } = explainFailure(error, describeRef({ ...CRD, name: crd.metadata.name }));
    return { resource, count: 'unknown', samples: [], message, ...(isConversionFailure(error) && { exist: true }) };
  }
}

/**
 * Every object of a kind that must be served, with the parts of its metadata by which it is counted, named and deleted: other
 * users decide how many there are, and how large. Throws ApiUnavailable if the API server does not serve the kind (yet, or
 * at the moment): a client may answer that with an empty list, which must not count as none.
 */
export async function listServed(
  cluster: Cluster,
  kind: DefinedKind,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    return await cluster.list(kind, NAMES_ONLY, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message = `${groupKind(kind)} is not served at the moment, although its CRD is there`;
    throw new ReasonedError({ reason: 'ApiUnavailable', retry: 'backoff', message, cause: error });
  }
}

/** For a list of which the names matter, and who owns or holds an object. */
export const NAMES_ONLY = { metadataOnly: true, keep: nameOf } as const;

/** By which judgeOwnership decides that an object is ours. */
const CLAIMS: ReadonlySet<string> = new Set([ANNOTATION.owner, ANNOTATION.ownerUid, ANNOTATION.adoptBy]);
/** More characters than a claim has that we wrote, or a finalizer. */
const MOST_OF_TEXT = 600;
/** Messages name them; controllers set fewer. */
const MOST_FINALIZERS = 32;

function nameOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, deletionTimestamp, finalizers, annotations = {} } = metadata;
  const claims = Object.entries(annotations).filter(([key]) => CLAIMS.has(key));
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(finalizers !== undefined && { finalizers: finalizers.slice(0, MOST_FINALIZERS).map(shorten) }),
      annotations: Object.fromEntries(claims.map(([key, value]) => [key, shorten(value)])),
    },
  };
}

function shorten(text: string): string {
  return beginningOf(text, MOST_OF_TEXT);
}

/**
 * The kind that a CRD defines, in its first served version; undefined if none is served, or it was never established.
 */
export function resourceOf(crd: KubeObject): DefinedKind | undefined {
  const { group, names, versions } = crd['spec'] as CrdSpec;
  const served =
    versions?.find((version) => version.served === true && version.storage === true) ??
    versions?.find((version) => version.served === true);
  const { kind, plural } = names ?? {};
  const isDefined = served?.name !== undefined && group !== undefined && kind !== undefined && plural !== undefined;
  if (!isDefined || !isEstablished(crd)) return undefined;
  return definedAs(crd, served.name);
}

/** The kind of a CRD in one of its versions, as the CRD defines it: a version that has just been added needs no discovery. */
export function definedAs({ spec: given }: KubeObject, version: string): DefinedKind {
  const spec = fieldsOf(given);
  const { kind, plural } = fieldsOf(spec['names']);
  return {
    apiVersion: `${textOf(spec['group'])}/${version}`,
    kind: textOf(kind),
    served: { plural: textOf(plural), namespaced: spec['scope'] !== 'Cluster' },
  };
}

function isEstablished(crd: KubeObject): boolean {
  const status = crd['status'] as { conditions?: readonly { type?: string; status?: string }[] } | undefined;
  return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
}

/** The parts of a CRD's spec that are used here. */
interface CrdSpec {
  readonly group?: string;
  readonly names?: { readonly kind?: string; readonly plural?: string };
  readonly versions?: readonly { readonly name?: string; readonly served?: boolean; readonly storage?: boolean }[];
}

/**
 * Whether a message may name an object. The manager lists objects of all namespaces; a message for a tenant names only
 * those in the tenant's namespace.
 */
export function mayName({ metadata }: Pick<KubeObject, 'metadata'>, namedIn: string | undefined): boolean {
  return namedIn === undefined || metadata.namespace === namedIn;
}

/** `ops/a, ops/b and 3 more and 2 in other namespaces`. */
export function describeSamples({ count, samples, unnamed = 0 }: CustomResourceCount): string {
  const more = count === 'unknown' ? 0 : count - samples.length - unnamed;
  const parts = [
    samples.join(', '),
    more > 0 ? `${more} more` : '',
    unnamed > 0 ? `${unnamed} in other namespaces` : '',
  ];
  return parts.filter((part) => part !== '').join(' and ');
}
