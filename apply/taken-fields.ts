/**
 * Finds the fields of a manifest that belong to another field manager in the cluster: another writer has changed them
 * since they were applied, and the API server records which. Pure.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
import { FIELD_MANAGER } from '../api/names.ts';
import { canonicalJson } from '../api/json.ts';
import { isRecord } from '../api/untyped.ts';
import type { KubeObject } from '../api/object.ts';

export interface TakenField {
  /** `spec.replicas`, `spec.template.spec.containers[manager].image`. */
  readonly path: string;
  /**
   * `kubectl`, `kube-controller-manager`; undefined if no manager owns it, as after a removal or `kubectl scale
   * --replicas=0`.
   */
  readonly manager: string | undefined;
}

/** Limit of listed fields: a writer that replaces a whole object takes all of them. */
const MOST_FIELDS = 20;
const MOST_MANAGER = 64;

/**
 * The fields of the manifest that the live object's `metadata.managedFields` attribute to others and not to us, and
 * those with a different value and no owner.
 */
export function takenFields(desired: KubeObject, live: KubeObject): readonly TakenField[] {
  const entries = managedFieldsOf(live);
  const ours = entries.filter(({ manager }) => manager === FIELD_MANAGER).map(({ fields }) => fields);
  const others = entries.filter(({ manager }) => manager !== FIELD_MANAGER);
  const taken = others.flatMap(({ manager, fields }) =>
    leavesIn(fields, { desired, ours, path: '' }).map((path) => ({ path, manager: manager.slice(0, MOST_MANAGER) })),
  );
  const known = new Set(taken.map(({ path }) => path));
  const orphaned = ours
    .flatMap((fields) => orphansIn(fields, { desired, live, path: '' }))
    .filter((path) => ![...known].some((one) => one.startsWith(path)));
  return [...taken, ...orphaned.map((path) => ({ path, manager: undefined }))].slice(0, MOST_FIELDS);
}

interface OwnedFields {
  readonly manager: string;
  readonly fields: unknown;
}

/** Without what is written as a status. */
function managedFieldsOf({ metadata }: KubeObject): readonly OwnedFields[] {
  const { managedFields } = metadata as { readonly managedFields?: unknown };
  if (!Array.isArray(managedFields)) return [];
  return managedFields.flatMap((entry: unknown): readonly OwnedFields[] => {
    if (!isRecord(entry) || entry['subresource'] === 'status') return [];
    const { manager, fieldsV1 } = entry;
    return typeof manager === 'string' ? [{ manager, fields: fieldsV1 }] : [];
  });
}

interface FieldPlace {
  /** What the manifest has here. */
  readonly desired: unknown;
  /** What we own from here on, of each entry of ours that owns something here. */
  readonly ours: readonly unknown[];
  readonly path: string;
}

/** Paths below this node that another manager owns, the manifest sets, and we do not own. */
function leavesIn(fields: unknown, { desired, ours, path }: FieldPlace): readonly string[] {
  if (!isRecord(fields)) return [];
  return Object.entries(fields).flatMap(([key, below]) => {
    const step = stepTo(key, desired);
    if (step === undefined) return [];
    const mine = ours.flatMap((tree) => (isRecord(tree) && key in tree ? [tree[key]] : []));
    const place = {
      desired: step.value,
      ours: mine,
      path: joinPath(path, step.name),
    };
    if (!isLeaf(below)) return mine.some(isLeaf) ? [] : leavesIn(below, place);
    return mine.length > 0 ? [] : [place.path];
  });
}

interface FieldPair {
  readonly desired: unknown;
  readonly live: unknown;
  readonly path: string;
}

/**
 * Paths that the manifest sets, that we no longer own, and whose live value differs; only beside fields that we own.
 */
function orphansIn(fields: unknown, { desired, live, path }: FieldPair): readonly string[] {
  if (!isRecord(fields) || isLeaf(fields)) return [];
  const lost = isRecord(desired) ? Object.keys(desired).filter((name) => !isOwned(fields, name, path)) : [];
  const differing = lost.filter((name) => isOtherwise(desired, live, name)).map((name) => joinPath(path, `.${name}`));
  const below = Object.entries(fields).flatMap(([key, tree]) => {
    const [mine, theirs] = [stepTo(key, desired), stepTo(key, live)];
    if (mine === undefined || theirs === undefined) return [];
    return orphansIn(tree, { desired: mine.value, live: theirs.value, path: joinPath(path, mine.name) });
  });
  return [...differing, ...below];
}

/** Identifying fields have no owner, and the apply corrects metadata with the rest. */
function isOwned(fields: Readonly<Record<string, unknown>>, name: string, path: string): boolean {
  return `f:${name}` in fields || (path === '' && ['apiVersion', 'kind', 'metadata', 'status'].includes(name));
}

function isOtherwise(desired: unknown, live: unknown, name: string): boolean {
  const [wanted, found] = [desired, live].map((object) => (isRecord(object) ? object[name] : undefined));
  return wanted !== null && canonicalJson(wanted) !== canonicalJson(found);
}

function joinPath(path: string, name: string): string {
  return path === '' ? name.replace(/^\./, '') : `${path}${name}`;
}

function isLeaf(fields: unknown): boolean {
  return isRecord(fields) && Object.keys(fields).length === 0;
}

interface FieldStep {
  readonly name: string;
  readonly value: unknown;
}

/** `f:name` is a field, `k:{…}` a list entry by its keys; undefined if the manifest does not set it. */
function stepTo(key: string, value: unknown): FieldStep | undefined {
  if (key.startsWith('f:') && isRecord(value)) {
    const name = key.slice(2);
    return Object.hasOwn(value, name) ? { name: `.${name}`, value: value[name] } : undefined;
  }
  if (key.startsWith('k:') && Array.isArray(value)) return entryOfList(key.slice(2), value);
  return undefined;
}

function entryOfList(text: string, items: readonly unknown[]): FieldStep | undefined {
  const keys = parseKeys(text);
  const isMeant = (item: unknown): boolean =>
    isRecord(item) && keys.every(([name, value]) => (item[name] ?? DEFAULTS[name]) === value);
  const item = keys.length === 0 ? undefined : items.find(isMeant);
  return item === undefined
    ? undefined
    : { name: `[${keys.map(([, value]) => String(value)).join(' ')}]`, value: item };
}

/** Defaults of list keys that a manifest may omit. */
const DEFAULTS: Readonly<Record<string, unknown>> = { protocol: 'TCP' };

/** The keys of an item of a list, of which an entry of managedFields has the JSON; none if it is none. */
export function parseKeys(text: string): readonly (readonly [string, unknown])[] {
  try {
    const keys: unknown = JSON.parse(text);
    return isRecord(keys) ? Object.entries(keys) : [];
  } catch {
    return [];
  }
}
