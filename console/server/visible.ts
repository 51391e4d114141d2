/**
 * The part of the store that a person may see. An object is shown if the person may list its kind in its namespace, and
 * never reaches a view otherwise.
 */
import type { KubeObject } from '../../api/object.ts';
import type { Access } from '../../kube/client/client.ts';
import type { Parameters, Reach, VisibleKind, VisibleObjects } from '../data/view.ts';
import type { Person } from './person.ts';
import type { PersonRights } from './rights.ts';
import { WATCHED, WATCHED_KINDS, type LiveStore } from './store.ts';

export interface VisibleParts {
  readonly store: Pick<LiveStore, 'list' | 'watched' | 'cutEvents'>;
  readonly rights: Pick<PersonRights, 'may'>;
}

export interface SeenObjects extends VisibleObjects {
  readonly reach: Readonly<Record<VisibleKind, Reach>>;
  readonly watched: Readonly<Record<VisibleKind, Reach>>;
  readonly cutEvents: readonly string[];
}

export interface ViewQuestion {
  readonly kinds: readonly VisibleKind[];
  /** Of the view: whether a person may list in its namespace is asked even if no object is there. */
  readonly parameters: Parameters;
}

/** The objects of these kinds; of all others none. @throws ApiError if the API server cannot be asked for the rights of the person */
export async function visibleTo(
  person: Person,
  { store, rights }: VisibleParts,
  { kinds, parameters }: ViewQuestion,
  signal?: AbortSignal,
): Promise<SeenObjects> {
  const mayList: MayList = async (accesses) => {
    for (const access of accesses) if ((await rights.may(person, access, signal)) === true) return true;
    return false;
  };
  const seen = await Promise.all(
    WATCHED_KINDS.map(async (kind) => [kind, kinds.includes(kind) ? await seenOf(kind, { objects: store.list(kind), watched: store.watched(kind), place: placeIn(parameters), mayList }) : NONE] as const), // prettier-ignore
  );
  const objects = Object.fromEntries(seen.map(([kind, part]) => [kind, part.objects]));
  const reach = Object.fromEntries(seen.map(([kind, part]) => [kind, part.reach]));
  // The schemas of the CRDs have checked the objects; the fields that a view reads, it reads leniently.
  const watched = Object.fromEntries(WATCHED_KINDS.map((kind) => [kind, store.watched(kind)]));
  const { events } = reach as Record<VisibleKind, Reach>;
  const cutEvents = store.cutEvents.filter((namespace) => events === 'all' || events.includes(namespace));
  return { ...objects, reach, watched, cutEvents } as unknown as SeenObjects;
}

type MayList = (anyOf: readonly Access[]) => Promise<boolean>;

interface SeenPart {
  readonly objects: readonly KubeObject[];
  readonly reach: Reach;
}

const NONE: SeenPart = { objects: [], reach: [] };

interface SeenQuestion {
  readonly objects: readonly KubeObject[];
  readonly watched: Reach;
  readonly place: readonly string[];
  readonly mayList: MayList;
}

/** What is not watched is not known, so that the reach ends there. */
async function seenOf(kind: VisibleKind, { objects, watched, place, mayList }: SeenQuestion): Promise<SeenPart> {
  if (watched !== 'all' && watched.length === 0) return NONE;
  if (await mayList(accessesTo(kind))) return { objects, reach: watched };
  if (!WATCHED[kind].namespaced) return NONE;
  const namespaces = watched === 'all' ? [...new Set([...objects.map(namespaceOf), ...place])].toSorted() : watched;
  const allowed = await Promise.all(namespaces.map((namespace) => mayList(accessesTo(kind, namespace))));
  const reach = namespaces.filter((_, at) => allowed[at]);
  return { objects: objects.filter((object) => reach.includes(namespaceOf(object))), reach };
}

/** The name is made up by the browser: only one that a namespace can have is asked about. */
function placeIn({ namespace = '' }: Parameters): readonly string[] {
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace) ? [namespace] : [];
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? '';
}

/** The rights of which one shows the objects. Events have two names, and roles usually give the older one. */
function accessesTo(kind: VisibleKind, namespace?: string): readonly Access[] {
  const { group, resource } = WATCHED[kind];
  const access = { verb: 'list', group, resource, ...(namespace !== undefined && { namespace }) };
  return kind === 'events' ? [{ ...access, group: '' }, access] : [access];
}
