/** Reads the parts of a CRD that the checks compare. Pure; input counts as hostile until it is read. */
import { ReasonedError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, isRecord, listOf, textOf, type Fields } from '../../api/untyped.ts';

/** One node of an OpenAPI v3 schema, by keyword. */
export type Schema = Fields;

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: Schema;
  /** Whether the status is a subresource, which users cannot write. */
  readonly hasStatus: boolean;
  /** Paths of the replica counts, if the scale is a subresource. */
  readonly scale?: Fields;
  /** Whether fields that the schema does not name are dropped; old CRDs may keep them all. */
  readonly prunes: boolean;
}

/** The compared parts of a CRD. */
export interface Crd {
  readonly name: string;
  readonly scope: string;
  readonly kind: string;
  readonly versions: readonly CrdVersion[];
  /** Versions in which objects may be stored; the storage version if the CRD was never in a cluster. */
  readonly storedVersions: readonly string[];
  readonly conversion: 'Webhook' | 'None';
}

/**
 * Reads a CRD of `apiextensions.k8s.io/v1`. Errors: BundleUnsupported (never retried) for any other version, which
 * stores its schemas elsewhere.
 */
export function readCrd(object: KubeObject): Crd {
  const { name } = object.metadata;
  if (object.apiVersion !== 'apiextensions.k8s.io/v1') throw unsupported(name, object.apiVersion);
  const spec = fieldsOf(object['spec']);
  const prunes = spec['preserveUnknownFields'] !== true;
  const versions = listOf(spec['versions']).map((version) => readVersion(version, prunes));
  const stored = fieldsOf(object['status'])['storedVersions'];
  return {
    name,
    scope: textOf(spec['scope']),
    kind: textOf(fieldsOf(spec['names'])['kind']),
    versions,
    storedVersions: Array.isArray(stored) && stored.length > 0 ? stored.map(textOf) : storageOf(versions),
    conversion: fieldsOf(spec['conversion'])['strategy'] === 'Webhook' ? 'Webhook' : 'None',
  };
}

function readVersion(version: Fields, prunes: boolean): CrdVersion {
  const { status, scale } = fieldsOf(version['subresources']);
  return {
    name: textOf(version['name']),
    served: version['served'] === true,
    storage: version['storage'] === true,
    schema: fieldsOf(fieldsOf(version['schema'])['openAPIV3Schema']),
    hasStatus: status !== undefined,
    ...(isSchema(scale) && { scale }),
    prunes,
  };
}

function storageOf(versions: readonly CrdVersion[]): string[] {
  return versions.filter(({ storage }) => storage).map(({ name }) => name);
}

/** No CRD that an API server accepts has more nodes; a larger one is refused instead of being compared in part. */
const MOST_NODES = 200_000;
const MOST_LEVELS = 256;
/** Characters of all paths: a name of a megabyte is part of the path of each node below it. Published: 564,129. */
const MOST_CHARACTERS = 16 << 20;
/**
 * Characters of the paths above all nodes, which rules look up one after the other: a name may have thousands of dots.
 * Published: 6,727,813.
 */
const MOST_LOOKED_UP = 256 << 20;

/** A schema beside another one. */
export interface Beside {
  readonly root: Schema;
  /** Whether two nodes are equal, with all that is below them. */
  readonly isEqual: (schema: Schema, other: Schema) => boolean;
}

/**
 * Every node of a schema that describes a value, by its path: `^.spec.items.name` is the property `name` of the items
 * of the list `spec`, `^.data.additionalProperties` any value of the map `data`. In the order of the schema. Throws
 * ObjectInvalid (never retried) for a schema with too many nodes.
 *
 * @param beside If given, the nodes below one that the other schema has at the same place are left out.
 */
export function flattenSchema(root: Schema, beside?: Beside): ReadonlyMap<string, Schema> {
  const nodes = new Map<string, Schema>();
  const pending: PendingNode[] = [{ path: '^', schema: root, other: beside?.root, level: 0, dots: 0 }];
  let [characters, lookedUp] = [0, 0];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { path, schema, other, level } = node;
    characters += path.length;
    lookedUp += path.length * node.dots;
    if (nodes.size >= MOST_NODES || level > MOST_LEVELS || characters > MOST_CHARACTERS) throw tooLarge();
    if (lookedUp > MOST_LOOKED_UP) throw tooLarge();
    nodes.set(path, schema);
    if (other !== undefined && beside?.isEqual(schema, other) === true) continue;
    for (const { place, name, child } of childrenOf(schema).reverse()) {
      const twin = other === undefined ? undefined : childAt(other, place, name);
      const dots = node.dots + 1 + dotsIn(name);
      pending.push({ path: `${path}.${name}`, schema: child, other: twin, level: level + 1, dots });
    }
  }
  return nodes;
}

interface PendingNode {
  readonly path: string;
  readonly schema: Schema;
  /** The node of the other schema at the same place. */
  readonly other: Schema | undefined;
  readonly level: number;
  /** The number of dots in its path. */
  readonly dots: number;
}

function dotsIn(name: string): number {
  let count = 0;
  for (let at = name.indexOf('.'); at >= 0; at = name.indexOf('.', at + 1)) count += 1;
  return count;
}

const KEYWORDS_WITH_A_SCHEMA = ['items', 'additionalProperties'] as const;

interface Child {
  readonly place: 'properties' | (typeof KEYWORDS_WITH_A_SCHEMA)[number];
  /** Of the property, or of the keyword. */
  readonly name: string;
  readonly child: Schema;
}

function childrenOf(schema: Schema): Child[] {
  const children = Object.entries(fieldsOf(schema['properties'])).map(([name, child]): Child => ({
    place: 'properties',
    name,
    child: fieldsOf(child),
  }));
  for (const keyword of KEYWORDS_WITH_A_SCHEMA) {
    const child = schema[keyword];
    if (isSchema(child)) children.push({ place: keyword, name: keyword, child });
  }
  return children;
}

function childAt(schema: Schema, place: Child['place'], name: string): Schema | undefined {
  const within = place === 'properties' ? fieldsOf(schema['properties']) : schema;
  const child = Object.hasOwn(within, name) ? within[name] : undefined;
  return isSchema(child) ? child : undefined;
}

/** Whether a keyword's value is a schema, and not true, false or absent. */
export function isSchema(value: unknown): value is Schema {
  return isRecord(value);
}

/** Whether a keyword counts as absent: the API server drops one that is null. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Whether a field that is absent is filled in. */
export function hasDefault(schema: Schema | undefined): boolean {
  return !isAbsent(schema?.['default']);
}

/** Path of the node above; undefined for the root. */
export function parentOf(path: string): string | undefined {
  const dot = path.lastIndexOf('.');
  return dot < 0 ? undefined : path.slice(0, dot);
}

function unsupported(name: string, apiVersion: string): ReasonedError {
  return new ReasonedError({
    reason: 'BundleUnsupported',
    retry: 'never',
    message: `the CRD ${name} is of ${apiVersion}, which no API server takes any more`,
    hint: 'Choose a version of the bundle whose CRDs are of apiextensions.k8s.io/v1',
  });
}

function tooLarge(): ReasonedError {
  return new ReasonedError({
    reason: 'ObjectInvalid',
    retry: 'never',
    message: `the schema of a CRD has more than ${MOST_NODES} nodes, ${MOST_LEVELS} levels, ${MOST_CHARACTERS} characters in the paths of its fields or ${MOST_LOOKED_UP} in those above them`,
    hint: 'Publish a smaller schema; to change the CRD without this check, set spec.crdUpgradeSafety.enforcement to None',
  });
}
