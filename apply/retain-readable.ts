/**
 * Keeps the objects of a CRD that outlives its operator readable. Its conversion webhook is deleted with the operator,
 * and the API server would then refuse to read objects in another version than the stored one, and to delete a
 * namespace that has some. Called by uninstall.ts before it deletes anything, and by prune.ts for a CRD that stays.
 */
import { canonicalJson } from '../api/json.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../api/object.ts';
import { explainFailure, type Failure } from './api-failure.ts';
import type { Cluster } from '../api/cluster.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../api/untyped.ts';
import type { InventoryEntry } from './inventory.ts';
import type { Watched } from './watched.ts';

export type Retention =
  /** No deleted Service converts the objects. */
  | { readonly kind: 'fine' }
  /** Conversion is turned off: each served version can show the stored objects unchanged. */
  | { readonly kind: 'change'; readonly spec: Fields; readonly message: string }
  /** Without conversion an object could be read wrong, and written back so: the CRD is left alone. */
  | { readonly kind: 'unreadable'; readonly message: string };

/** The Service behind a conversion webhook. */
export interface Converter {
  readonly namespace: string;
  readonly name: string;
}

/** Whether a Service is about to be deleted. */
export type IsGoing = (service: Converter) => boolean;

/** A predicate: whether a Service is one of these entries. */
export function goingIn(entries: readonly InventoryEntry[]): IsGoing {
  const services = entries.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Service');
  return ({ namespace, name }) => services.some((entry) => entry.namespace === namespace && entry.name === name);
}

/**
 * The change that a retained CRD needs, from its full spec. Versions with the schema of the stored objects stay served;
 * the others are no longer served, since their clients would get unexpected content. If objects may be stored with
 * different schemas, no version can show them all.
 */
export function planRetention(crd: KubeObject, isGoing: IsGoing): Retention {
  if (!isConvertedBy(crd, isGoing)) return { kind: 'fine' };
  const versions = listOf(fieldsOf(crd['spec'])['versions']);
  const storage = versions.find((version) => version['storage'] === true) ?? {};
  const fits = (version: Fields): boolean =>
    canonicalJson(version['schema'] ?? {}) === canonicalJson(storage['schema'] ?? {});
  const stored = fieldsOf(crd['status'])['storedVersions'];
  const names: readonly unknown[] = Array.isArray(stored) ? stored : [];
  const strange = versions.filter((version) => names.includes(version['name']) && !fits(version)).map(nameOf);
  const served = versions.filter((version) => version['served'] === true);
  const kept = served.filter(fits).map(nameOf);
  if (strange.length > 0) return { kind: 'unreadable', message: unreadable(strange) };
  if (kept.length === 0) return { kind: 'unreadable', message: unreadable([nameOf(storage)]) };
  const conversion = { strategy: 'None', webhook: null };
  if (kept.length === served.length) {
    return {
      kind: 'change',
      spec: { conversion },
      message: 'its conversion webhook is deleted, and the API server no longer converts its objects',
    };
  }
  const left = versions.map((version) => (fits(version) ? version : { ...version, served: false }));
  const message = `its conversion webhook is deleted, so its objects are served as ${kept.join(', ')} only`;
  return { kind: 'change', spec: { conversion, versions: left }, message };
}

function unreadable(stored: readonly string[]): string {
  return (
    `its conversion webhook is deleted, and some objects may be stored as ${stored.join(', ')}: until the webhook exists again, ` +
    'reading these objects or deleting their namespace can fail'
  );
}

/** Whether a CRD, or a watch's copy of it, names a conversion webhook that is deleted. */
export function isConvertedBy(crd: KubeObject, isGoing: IsGoing): boolean {
  const service = converterOf(crd);
  return service !== undefined && isGoing(service);
}

/** The Service that converts the objects of a CRD, or of a watch's copy of it; undefined if none does. */
export function converterOf({ spec }: KubeObject): Converter | undefined {
  const { strategy, webhook } = fieldsOf(fieldsOf(spec)['conversion']);
  const service = fieldsOf(fieldsOf(fieldsOf(webhook)['clientConfig'])['service']);
  const [namespace, name] = [textOf(service['namespace']), textOf(service['name'])];
  return strategy === 'Webhook' && name !== '' ? { namespace, name } : undefined;
}

/** Whether the Service does not exist. One request. */
export async function isMissing(
  cluster: Pick<Cluster, 'get'>,
  service: Converter,
  signal: AbortSignal,
): Promise<boolean> {
  return (await cluster.get({ apiVersion: 'v1', kind: 'Service', ...service }, signal)) === undefined;
}

function nameOf({ name }: Fields): string {
  return textOf(name);
}

export interface RetainOptions {
  readonly isGoing: IsGoing;
  /** A watch's copy of the CRD, including its conversion. */
  readonly watched?: Pick<Watched, 'get'> | undefined;
  /** The only namespace of which a message may show whether a Service exists; absent: of all. */
  readonly namedIn?: string | undefined;
  readonly signal: AbortSignal;
}

/** A message about a retained CRD, or the failure to make it readable. */
export type Retained = { readonly message?: string; readonly failure?: Failure };

/**
 * Turns off a conversion whose webhook is deleted, or has lost its Service before. No request if a watch shows that there
 * is none, one if its Service stays, else up to four. A refusal is part of the result: as a message if it is final, so that it does not block a removal.
 */
export async function retainReadable(cluster: Cluster, ref: ObjectRef, options: RetainOptions): Promise<Retained> {
  const { watched, signal } = options;
  try {
    const known = watched?.get(ref);
    if (known !== undefined && !(await losesConverter(cluster, known, options))) return {};
    const crd = await cluster.get(ref, signal);
    if (crd === undefined || !(await losesConverter(cluster, crd, options))) return {};
    const plan = planRetention(crd, () => true);
    if (plan.kind === 'fine') return {};
    if (plan.kind === 'change') await cluster.patch(refOf(crd), patchOf(crd, plan.spec), undefined, signal);
    return { message: plan.message };
  } catch (error) {
    const failure = explainFailure(error, describeRef(ref));
    return failure.retry === 'never' ? { message: failure.message } : { failure };
  }
}

async function losesConverter(
  cluster: Pick<Cluster, 'get'>,
  crd: KubeObject,
  { isGoing, namedIn, signal }: RetainOptions,
): Promise<boolean> {
  const service = converterOf(crd);
  if (service === undefined || isGoing(service)) return service !== undefined;
  return (namedIn === undefined || namedIn === service.namespace) && isMissing(cluster, service, signal);
}

/** Bound to the version of the CRD that was read. */
function patchOf({ metadata: { resourceVersion } }: KubeObject, spec: Fields): Fields {
  return { metadata: { ...(resourceVersion !== undefined && { resourceVersion }) }, spec };
}
