/**
 * Fields that OLM v0 left on objects which Slipway has taken over: annotations, variables, volumes, ports. OLM's field
 * managers own them, so that an apply would keep them for ever. They are dropped with the first change that replaces the Pods
 * anyway, and never before. See decision 30.
 */
import type { Cluster } from '../api/cluster.ts';
import { canonicalJson } from '../api/json.ts';
import { FIELD_MANAGER } from '../api/names.ts';
import { groupKind, refOf, type KubeObject } from '../api/object.ts';
import { fieldsOf, isRecord } from '../api/untyped.ts';
import { unsetFields } from './unset-fields.ts';

/** By the names of its programs, and the one by which it applies Services. */
const OLM: ReadonlySet<string> = new Set(['olm', 'catalog', 'olm.install', 'olm-operator', 'catalog-operator']);

/** The kinds to which OLM adds fields that outlast a new version. The certificate in a Secret is still in use. */
const KINDS: ReadonlySet<string> = new Set(['Deployment.apps', 'Service']);

interface FieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

/** The fields that OLM adds. It owns defaults of the API server too, which are the same without it. */
const ADDED =
  /\.(?:annotations|labels)\.|\.(?:env|volumes|volumeMounts|containers|ports)\[[^\]]*\]$|\.serviceAccountName$/;

/** Whether Slipway has applied an object, and OLM still owns fields of it. */
export function hasFormerFields(live: KubeObject): boolean {
  const entries = entriesOf(live);
  return KINDS.has(groupKind(live)) && entries.some(isOlms) && entries.some(isOurs);
}

/** The paths of the fields that would be dropped, for a plan: those of OLM that the new version does not set. */
export function describeFormerFields(desired: KubeObject, live: KubeObject): readonly string[] {
  if (!hasFormerFields(live)) return [];
  const owned = entriesOf(live).filter(isOlms);
  const paths = owned.flatMap(({ fieldsV1 }) => unsetFields(fieldsV1, desired)).filter((path) => ADDED.test(path));
  return [...new Set(paths)].sort();
}

/**
 * Hands OLM's fields over to Slipway, so that the apply which follows drops those that it does not set. One trial apply for
 * a Deployment with such fields. Returns the object as it is then; throws Conflict if it was written meanwhile.
 */
export async function releaseFormerFields(
  cluster: Pick<Cluster, 'apply' | 'patch'>,
  desired: KubeObject,
  live: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject> {
  if (!hasFormerFields(live) || !(await replacesPods(cluster, desired, live, signal))) return live;
  const entries = entriesOf(live);
  const ours = entries.filter(isOurs);
  const taken = [...ours, ...entries.filter(isOlms)].map(({ fieldsV1 }) => fieldsV1);
  const others = entries.filter((entry) => !isOurs(entry) && !isOlms(entry));
  const managedFields = [...others, { ...ours[0], fieldsV1: taken.reduce(union) }];
  const { resourceVersion } = live.metadata;
  return cluster.patch(refOf(live), { metadata: { resourceVersion, managedFields } }, undefined, signal);
}

/** Whether the apply itself gives a Deployment another Pod template. */
async function replacesPods(
  cluster: Pick<Cluster, 'apply'>,
  desired: KubeObject,
  live: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  if (groupKind(live) !== 'Deployment.apps') return true;
  const answer = await cluster.apply(desired, { force: true, dryRun: true }, signal);
  return canonicalJson(templateOf(answer)) !== canonicalJson(templateOf(live));
}

function templateOf(object: KubeObject): unknown {
  return fieldsOf(object['spec'])['template'];
}

function entriesOf({ metadata }: KubeObject): readonly FieldsEntry[] {
  const { managedFields } = metadata as { readonly managedFields?: readonly FieldsEntry[] };
  return managedFields ?? [];
}

function isOlms({ manager = '', subresource = '' }: FieldsEntry): boolean {
  return OLM.has(manager) && subresource === '';
}

function isOurs({ manager, operation }: FieldsEntry): boolean {
  return manager === FIELD_MANAGER && operation === 'Apply';
}

/** The fields that either set names. */
function union(some: unknown, others: unknown): unknown {
  if (!isRecord(some) || !isRecord(others)) return some ?? others;
  const keys = [...new Set([...Object.keys(some), ...Object.keys(others)])];
  return Object.fromEntries(keys.map((key) => [key, union(some[key], others[key])]));
}
