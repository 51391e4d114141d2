/** The programs that own fields of an object, by the record of the API server. Pure; the record is as hostile as any text. */
import { FIELD_MANAGER } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, textOf } from '../../api/untyped.ts';
import type { FieldOwner } from './models.ts';
import { nameOf } from './text.ts';

const OWNER_LIMITS = { owners: 20, fields: 20, counted: 10_000, depth: 32 } as const;

/** Slipway first, then by the number of fields; writers of the status, a subresource, are left out. */
export function fieldOwners({ metadata }: KubeObject): readonly FieldOwner[] {
  const entries = listOf((metadata as unknown as Readonly<Record<string, unknown>>)['managedFields']);
  return entries
    .filter((entry) => textOf(entry['subresource']) === '')
    .slice(0, OWNER_LIMITS.owners)
    .map(ownerOf)
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => Number(other.isSlipway) - Number(one.isSlipway) || other.count - one.count);
}

function ownerOf(entry: Readonly<Record<string, unknown>>): FieldOwner {
  const manager = textOf(entry['manager']);
  const time = textOf(entry['time']);
  const paths = new LeafPaths();
  paths.walk(entry['fieldsV1'], '', 0);
  return {
    manager: nameOf(manager),
    isSlipway: manager === FIELD_MANAGER,
    fields: paths.shown.map(nameOf),
    count: paths.count,
    ...(time !== '' && { time: nameOf(time) }),
  };
}

/** The paths of the leaves of a `fieldsV1`; the first ones are kept, the others counted. */
class LeafPaths {
  readonly shown: string[] = [];
  count = 0;

  walk(node: unknown, path: string, depth: number): void {
    if (this.count >= OWNER_LIMITS.counted) return;
    const children = Object.entries(fieldsOf(node)).filter(([key]) => key !== '.');
    if (children.length === 0 || depth >= OWNER_LIMITS.depth) return this.#add(path);
    for (const [key, child] of children) this.walk(child, joined(path, key), depth + 1);
  }

  #add(path: string): void {
    if (path === '') return;
    this.count += 1;
    if (this.shown.length < OWNER_LIMITS.fields) this.shown.push(path);
  }
}

/** `f:name` is a field, `k:{…}` an item of a list by its keys, `v:…` an item of a set, `i:0` one by its place. */
function joined(path: string, key: string): string {
  const [kind, name] = [key.slice(0, 2), key.slice(2)];
  if (kind === 'f:') return path === '' ? name : `${path}.${name}`;
  return `${path}[${kind === 'k:' ? keysIn(name) : name}]`;
}

/** `{"name":"manager"}` → `manager` */
function keysIn(json: string): string {
  try {
    return Object.values(fieldsOf(JSON.parse(json))).map(String).join(','); // prettier-ignore
  } catch {
    return json;
  }
}
