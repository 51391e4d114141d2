/** Compares the writes in the audit log of the API server with the writes that plans announced. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupOf, type ObjectRef } from '../../api/object.ts';
import type { Plan } from '../../plan/model.ts';

export type Writing = 'created' | 'changed' | 'deleted';

/** A write of an object: `changed deployments.apps ops/manager`. */
export interface Written {
  readonly writing: Writing;
  /** `deployments.apps ops/manager` */
  readonly object: string;
}

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: Readonly<
    Record<'resource' | 'apiGroup' | 'namespace' | 'name' | 'subresource', string | undefined>
  >;
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);
/** Of the manager's own business. */
const OWN_GROUPS: ReadonlySet<string> = new Set([
  'slipway.dev',
  'events.k8s.io',
  'coordination.k8s.io',
  'authorization.k8s.io',
]);

/** The writes of a user since a time that the API server carried out; its own objects left out, each write once. */
export function readWrites(folder: string, user: string, since: Date): readonly Written[] {
  const lines = readFileSync(join(folder, 'audit.jsonl'), 'utf8').split('\n');
  const events = lines.filter((line) => line.includes(user)).map((line) => JSON.parse(line) as AuditEvent);
  const own = events.filter(
    (event) => event.user.username === user && Date.parse(event.requestReceivedTimestamp) >= since.getTime(),
  );
  return distinct(own.flatMap((event) => writeOf(event) ?? []));
}

function writeOf({ verb, requestURI, objectRef, responseStatus }: AuditEvent): Written | undefined {
  const code = responseStatus?.code ?? 0;
  if (!WRITES.has(verb) || requestURI.includes('dryRun=') || code >= 300 || objectRef?.subresource !== undefined)
    return undefined;
  const { resource = '', apiGroup = '', namespace, name = '' } = objectRef ?? {};
  if (OWN_GROUPS.has(apiGroup) || (resource === 'secrets' && /-(\d+|plan)$/.test(name))) return undefined;
  const writing: Writing = verb === 'delete' ? 'deleted' : code === 201 ? 'created' : 'changed';
  return { writing, object: nameOf(resource, apiGroup, { namespace, name }) };
}

/** An object that is created and then changed is created. */
function distinct(writes: readonly Written[]): readonly Written[] {
  const created = new Set(writes.filter(({ writing }) => writing === 'created').map(({ object }) => object));
  const kept = writes.filter(({ writing, object }) => writing !== 'changed' || !created.has(object));
  return [...new Map(kept.map((one) => [`${one.writing} ${one.object}`, one])).values()];
}

/** The writes that a plan announces. */
export function announcedBy({ objects, additions }: Plan): readonly Written[] {
  const all: readonly (readonly [Writing, readonly ObjectRef[]])[] = [
    ['created', objects.created],
    ['changed', objects.changed.map(({ ref }) => ref)],
    ['changed', objects.replaced.map(({ ref }) => ref)],
    ['deleted', objects.deleted],
  ];
  const added = additions.objects.flatMap(({ ref, change }) =>
    change === 'unchanged' ? [] : [{ writing: change, object: describeObject(ref) }],
  );
  return [...all.flatMap(([writing, refs]) => refs.map((ref) => ({ writing, object: describeObject(ref) }))), ...added];
}

/** Every object that a plan is about, written or not. */
function objectsOf({ objects, additions }: Plan): readonly string[] {
  const { created, changed, replaced, deleted, kept, unchanged } = objects;
  const others = [...changed, ...replaced, ...kept, ...additions.objects].map(({ ref }) => ref);
  return [...created, ...deleted, ...unchanged, ...others].map(describeObject);
}

function describeObject({ apiVersion, kind, namespace, name }: ObjectRef): string {
  return nameOf(pluralOf(kind), groupOf(apiVersion), { namespace, name });
}

function nameOf(
  resource: string,
  group: string,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string {
  return `${resource}${group === '' ? '' : `.${group}`} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (/(s|x|ch|sh)$/.test(name)) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

export interface Differences {
  /** Announced, and not written. */
  readonly missing: readonly string[];
  /** Written, and not announced. */
  readonly more: readonly string[];
}

/** The differences for the objects of one plan. */
export function differencesOf(plan: Plan, written: readonly Written[]): Differences {
  const own = new Set(objectsOf(plan));
  const inWords = ({ writing, object }: Written): string => `${writing} ${object}`;
  const announced = new Set(announcedBy(plan).map(inWords));
  const done = new Set(written.filter(({ object }) => own.has(object)).map(inWords));
  return {
    missing: [...announced].filter((one) => !done.has(one)),
    more: [...done].filter((one) => !announced.has(one)),
  };
}

/** The written objects that no plan is about. */
export function unclaimed(plans: readonly Plan[], written: readonly Written[]): readonly Written[] {
  const claimed = new Set(plans.flatMap(objectsOf));
  return written.filter(({ object }) => !claimed.has(object));
}
