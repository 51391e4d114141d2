/**
 * Prepares the objects that a bundle renders to for the cluster: adds Slipway's labels and annotations, and removes all
 * fields that only the API server or the owner of a running object may set. Pure; the revision controller calls it
 * between rendering and applying. It does not order objects and sends no request.
 */
import { createHash } from 'node:crypto';
import { ReasonedError } from '../api/errors.ts';
import { canonicalJson } from '../api/json.ts';
import { isRecord } from '../api/untyped.ts';
import { ANNOTATION, LABEL } from '../api/names.ts';
import { groupKind, refOf, type KubeObject, type ObjectMeta } from '../api/object.ts';
import { withoutDelegated } from './delegated.ts';
import { identityOf, knownScope } from './identity.ts';
import { compareObjects } from './phases.ts';

/** The Subscription that objects belong to. Its uid distinguishes it from a later one of the same name. */
export interface Owner {
  readonly namespace: string;
  readonly name: string;
  /** Absent if there is no Subscription: then only an inventory proves that an object belongs to this owner. */
  readonly uid?: string;
}

export interface PrepareOptions {
  readonly owner: Owner;
  readonly package: string;
  /** Name of the Revision. */
  readonly revision: string;
  /** Namespace for namespaced objects that name none. */
  readonly installNamespace: string;
}

/**
 * The objects to apply, each identity once, sorted. Removed: `status` and all of `metadata` except name, namespace,
 * labels and annotations (a finalizer or owner preset by a bundle would outlive or hijack the object), and fields that a
 * controller of the cluster fills (delegated.ts).
 *
 * Of two objects with one identity the later wins, as if both were applied in turn; two ServiceAccounts are merged,
 * since the renderer creates one for every account that the bundle names, besides the bundle's own. The ServiceAccount
 * `default` is left out: every namespace has it.
 *
 * Errors: BundleInvalid (never retried) for an object without apiVersion, kind or name.
 */
export function prepareObjects(rendered: readonly KubeObject[], options: PrepareOptions): KubeObject[] {
  const byIdentity = new Map<string, KubeObject>();
  for (const object of rendered) {
    const prepared = prepareObject(object, options);
    if (isDefaultServiceAccount(prepared)) continue;
    const identity = identityOf(refOf(prepared));
    byIdentity.set(identity, mergeTwins(byIdentity.get(identity), prepared));
  }
  return [...byIdentity.values()].sort(compareObjects);
}

function prepareObject(object: KubeObject, options: PrepareOptions): KubeObject {
  requireNamed(object);
  const { status: _status, metadata, ...rest } = withoutDelegated(object);
  return {
    ...rest,
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: prepareMeta(object, metadata, options),
  };
}

function requireNamed({ apiVersion, kind, metadata }: KubeObject): void {
  const named = [apiVersion, kind, metadata?.name].every((text) => typeof text === 'string' && text !== '');
  if (named) return;
  throw new ReasonedError({
    reason: 'BundleInvalid',
    retry: 'never',
    message: `an object of the bundle lacks apiVersion, kind or metadata.name (kind ${kind || 'unknown'}, name ${metadata?.name || 'unknown'})`,
    hint: 'Every object of a bundle needs all three; generateName does not count',
  });
}

function prepareMeta(object: KubeObject, meta: ObjectMeta, options: PrepareOptions): ObjectMeta {
  const namespace = namespaceOf(object, options.installNamespace);
  return {
    name: meta.name,
    ...(namespace !== undefined && { namespace }),
    labels: { [LABEL.managedBy]: 'slipway', ...meta.labels, ...ownerLabels(options) },
    annotations: { ...withoutOwner(meta.annotations), ...ownerAnnotations(options.owner) },
  };
}

/** A bundle cannot set the owner of its objects. */
function withoutOwner(annotations: ObjectMeta['annotations'] = {}): ObjectMeta['annotations'] {
  const { [ANNOTATION.ownerUid]: _uid, ...rest } = annotations;
  return rest;
}

function ownerAnnotations(owner: Owner): Record<string, string> {
  const name = { [ANNOTATION.owner]: ownerName(owner) };
  return owner.uid === undefined ? name : { ...name, [ANNOTATION.ownerUid]: owner.uid };
}

function namespaceOf(object: KubeObject, installNamespace: string): string | undefined {
  const scope = knownScope(object);
  if (scope === 'Cluster') return undefined;
  return object.metadata.namespace || (scope === 'Namespaced' ? installNamespace : undefined);
}

function ownerLabels(options: PrepareOptions): Record<string, string> {
  return {
    [LABEL.owner]: ownerLabel(options.owner),
    [LABEL.package]: labelValue(options.package),
    [LABEL.revision]: labelValue(options.revision),
  };
}

/** `<namespace>/<name>`: the value of the owner annotation. */
export function ownerName({ namespace, name }: Owner): string {
  return `${namespace}/${name}`;
}

/** `<namespace>.<name>`, hashed if that is no valid label value: selects all objects of a Subscription. */
export function ownerLabel({ namespace, name }: Owner): string {
  return labelValue(`${namespace}.${name}`);
}

/**
 * The text itself if it is a valid label value, else a valid prefix and a hash of the whole: distinct texts give
 * distinct values.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 */
export function labelValue(text: string): string {
  if (/^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(text)) return text;
  const start = text.replaceAll(/[^\w.-]/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return `${start.slice(0, 46)}${start === '' ? '' : '-'}${sha256(text).slice(0, 16)}`;
}

/**
 * Hex sha256 over an object's canonical JSON, without the revision label: an upgrade sends only changed objects, so
 * that label names the revision that last changed the object. Also without the owner's uid, which earlier releases did
 * not write: their objects are not re-applied for it.
 */
export function hashObject(object: KubeObject): string {
  const known = HASHES.get(object) ?? computeHash(object);
  HASHES.set(object, known);
  return known;
}

/** Cached, since objects are immutable and hashed at every step of a roll-out. */
const HASHES = new WeakMap<KubeObject, string>();

function computeHash(object: KubeObject): string {
  const { [LABEL.revision]: _revision, ...labels } = object.metadata.labels ?? {};
  const { annotations, ...metadata } = object.metadata;
  const { [ANNOTATION.ownerUid]: _uid, ...others } = annotations ?? {};
  const hashed = { ...metadata, labels, ...(annotations !== undefined && { annotations: others }) };
  return sha256(canonicalJson({ ...object, metadata: hashed }));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isDefaultServiceAccount({ apiVersion, kind, metadata }: KubeObject): boolean {
  return apiVersion === 'v1' && kind === 'ServiceAccount' && metadata.name === 'default';
}

function mergeTwins(earlier: KubeObject | undefined, later: KubeObject): KubeObject {
  if (earlier === undefined || groupKind(later) !== 'ServiceAccount') return later;
  return mergeValues(earlier, later) as KubeObject;
}

/** Objects are merged by key, lists are concatenated without repeats, and the later of two scalars wins. */
function mergeValues(earlier: unknown, later: unknown): unknown {
  if (Array.isArray(earlier) && Array.isArray(later)) return joinLists(earlier, later);
  if (!isRecord(earlier) || !isRecord(later)) return later;
  const merged = new Map(Object.entries(earlier));
  for (const [key, value] of Object.entries(later)) {
    merged.set(key, merged.has(key) ? mergeValues(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

function joinLists(earlier: readonly unknown[], later: readonly unknown[]): unknown[] {
  return [...new Map([...earlier, ...later].map((item) => [canonicalJson(item), item])).values()];
}
