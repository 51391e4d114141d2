/**
 * What an adversary does, one request at a time: our kinds with specs, statuses and metadata that the CRDs admit, and
 * objects of others that say that they are ours. As cluster-admin, so that no policy stands before the manager. Pure.
 */
import { isRecord, type Fields } from '../../api/untyped.ts';
import fc from 'fast-check';
import { toStructuralSchema, type StructuralSchema } from '../../api/crd/schema.ts';
import { KINDS } from '../../api/kinds.ts';
import { ANNOTATION, API_VERSION, FINALIZER, LABEL } from '../../api/names.ts';
import { HOSTILE_CATALOG, NAMESPACES, PACKAGE, type Arena } from './arena.ts';
import { leavesOf, valuesOf, type SchemaOptions } from '../../api/crd/testing/from-schema.ts';
import { HOSTILE_TEXTS, PROPERTY_TYPES, PROPERTY_VALUES } from '../../api/crd/testing/hostile-values.ts';
import { HEALTHY_CATALOG, healthyName } from './healthy.ts';

/** Names one object, by the path of its collection. */
export interface Target {
  readonly kind: string;
  readonly collection: string;
  readonly name: string;
}

export type Act = Target &
  (
    | { readonly does: 'put'; readonly body: Body; readonly disguise?: Disguise }
    | { readonly does: 'status'; readonly status: Readonly<Record<string, unknown>> }
    | { readonly does: 'touch'; readonly metadata: Readonly<Record<string, unknown>> }
    | { readonly does: 'delete' }
  );

/** What makes a Revision look as if the manager had made it for a Subscription: disguise.ts finds its uid and package. */
export interface Disguise {
  readonly subscription: string;
  /** Whose content the Secret of the Revision gets; absent: there is no such Secret. */
  readonly garbage?: Arena['garbage'][number];
}

export interface Body {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Holds objects for as long as the fuzz has not ended. */
export const HOLD = 'fuzz.example/hold';

const LONGEST_NAME = 'l'.repeat(200);
const SUBSCRIPTIONS: readonly string[] = ['sub-0', 'sub-1', 'sub-2', 'sub-3', 'sub-4', 'constructor', LONGEST_NAME];
const REVISIONS: readonly string[] = [
  ...SUBSCRIPTIONS.flatMap((name) => [1, 2].map((number) => `${name}-${number}`)),
  'forged',
  'm'.repeat(250),
];
const CATALOGS: readonly string[] = ['fuzz-0', 'fuzz-1', 'fuzz-2', 'constructor'];
/** Large enough that keeping a few whole would be seen. */
const LARGE_TEXT = 'a'.repeat(200_000);

const SCHEMAS: ReadonlyMap<string, StructuralSchema> = new Map(
  KINDS.map(({ kind, schema }) => [kind, toStructuralSchema(schema)]),
);

/** Random acts; equal seeds give equal acts. */
export function actsIn(arena: Arena): fc.Arbitrary<Act> {
  return fc.oneof(
    { weight: 25, arbitrary: puts('Subscription', arena) },
    { weight: 20, arbitrary: puts('Revision', arena) },
    { weight: 6, arbitrary: puts('Catalog', arena) },
    { weight: 12, arbitrary: statuses('Subscription', arena) },
    { weight: 12, arbitrary: statuses('Revision', arena) },
    { weight: 4, arbitrary: statuses('Catalog', arena) },
    { weight: 8, arbitrary: touches() },
    { weight: 8, arbitrary: removals() },
    { weight: 5, arbitrary: foreign() },
  );
}

/**
 * One act for each field of each kind, or for one field of that many, with a hostile value in it; each is made when it is
 * asked for.
 */
export function* everyField(arena: Arena, oneIn = 1): Generator<fc.Arbitrary<Act>> {
  for (const [kind, schema] of SCHEMAS)
    for (const leaf of [...leavesOf(schema)].filter((_, at) => at % oneIn === 0))
      yield leaf.startsWith('status.') ? statuses(kind, arena, leaf) : puts(kind, arena, leaf);
}

function puts(kind: string, arena: Arena, must?: string): fc.Arbitrary<Act> {
  const options = optionsOf(arena, must);
  const values = valuesOf(partOf(kind, 'spec'), options, 'spec');
  const bodies = fc.tuple(targets(kind), metadata(), values, fc.constantFrom(...arena.garbage), fc.nat(9));
  return bodies.map(([target, meta, spec, garbage, dice]) => {
    const isRevised = kind === 'Revision' && dice < 6 && must === undefined;
    const given = isRevised ? revised(spec, target, garbage) : withoutContradiction(spec as Fields, dice, must);
    const body = { apiVersion: API_VERSION, kind, metadata: { ...meta, name: target.name }, spec: given };
    if (kind !== 'Revision' || dice >= 7) return { ...target, does: 'put', body };
    const disguise = { subscription: subscriptionOf(target.name), ...(isRevised && { garbage }) };
    return { ...target, does: 'put', body, disguise };
  });
}

/** Of fields that exclude each other one is left: of two at random the API server would mostly see both. */
function withoutContradiction(spec: Fields, dice: number, must = ''): Fields {
  const { source, ...rest } = spec;
  const pairs = [
    ['catalog', 'catalogSelector'],
    ['image', 'repositories'],
  ] as const;
  const oneOf = (fields: Fields, [first, second]: (typeof pairs)[number]): Fields => {
    const isSecond = must.includes(second) || (dice % 2 === 0 && !must.includes(first));
    const out = isSecond ? first : second;
    return first in fields && second in fields
      ? Object.fromEntries(Object.entries(fields).filter(([field]) => field !== out))
      : fields;
  };
  return {
    ...oneOf(rest, pairs[0]),
    ...(source !== undefined && { source: isRecord(source) ? oneOf(source, pairs[1]) : source }),
  };
}

/** With the number in its name, and manifests whose names follow from it. */
export function revised(spec: unknown, { name }: Target, { digest }: Arena['garbage'][number]): object {
  const number = Number(/-(?<number>\d+)$/.exec(name)?.groups?.['number'] ?? 1);
  const manifests = {
    secrets: [`${name}-${digest.slice('sha256:'.length, 'sha256:'.length + 8)}-0`],
    digest,
    objects: 1,
  };
  return {
    ...(spec as object),
    subscription: subscriptionOf(name),
    number,
    manifests,
    approved: true,
    state: 'Active',
  };
}

function subscriptionOf(revision: string): string {
  return revision.replace(/-\d+$/, '').slice(0, 200);
}

function statuses(kind: string, arena: Arena, must?: string): fc.Arbitrary<Act> {
  const values = valuesOf(partOf(kind, 'status'), optionsOf(arena, must), 'status');
  const known = Object.keys(partOf(kind, 'status').properties ?? {});
  // a merge patch keeps what it does not name
  const nothing = Object.fromEntries(known.map((field) => [field, null]));
  return fc
    .tuple(targets(kind), values)
    .map(([target, status]) => ({ ...target, does: 'status', status: { ...nothing, ...(status as object) } }));
}

function partOf(kind: string, part: 'spec' | 'status'): StructuralSchema {
  return SCHEMAS.get(kind)?.properties?.[part] as StructuralSchema;
}

function touches(): fc.Arbitrary<Act> {
  return fc
    .tuple(fc.oneof(targets('Subscription'), targets('Revision'), targets('Catalog')), metadata())
    .map(([target, given]) => ({ ...target, does: 'touch', metadata: given }));
}

function removals(): fc.Arbitrary<Act> {
  const ours = fc.oneof(targets('Subscription'), targets('Revision'), targets('Catalog'));
  return fc
    .oneof({ weight: 6, arbitrary: ours }, { weight: 1, arbitrary: foreign() })
    .map(({ kind, collection, name }) => ({
      does: 'delete',
      kind,
      collection,
      name,
    }));
}

function targets(kind: string): fc.Arbitrary<Target> {
  if (kind === 'Catalog') {
    return fc.constantFrom(...CATALOGS).map((name) => ({ kind, name, collection: `/apis/${API_VERSION}/catalogs` }));
  }
  const names = kind === 'Subscription' ? SUBSCRIPTIONS : REVISIONS;
  return fc.tuple(fc.constantFrom(...NAMESPACES), fc.constantFrom(...names)).map(([namespace, name]) => ({
    kind,
    name,
    collection: `/apis/${API_VERSION}/namespaces/${namespace}/${kind.toLowerCase()}s`,
  }));
}

/** Labels, annotations, finalizers and owners as the manager writes them, and others. */
function metadata(): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const owners = [...NAMESPACES.map((namespace) => `${namespace}.sub-0`), `${healthyName(0)}.${healthyName(0)}`, 'x'];
  const labels = fc.record(
    {
      [LABEL.owner]: fc.constantFrom(...owners),
      [LABEL.dependency]: fc.constantFrom('true', 'false', ''),
      [LABEL.package]: fc.constantFrom(PACKAGE, ''),
      [LABEL.revision]: fc.constantFrom('sub-0-1', ''),
    },
    { requiredKeys: [] },
  );
  const texts = fc.constantFrom(...HOSTILE_TEXTS, ...owners.map((owner) => owner.replace('.', '/')));
  const names = Object.values(ANNOTATION).map((name) => [name, texts] as const);
  const annotations = fc.record(Object.fromEntries(names), { requiredKeys: [] });
  const finalizers = fc.constantFrom<readonly string[]>([], [], [], [HOLD], [FINALIZER], [HOLD, FINALIZER]);
  const stranger = { apiVersion: API_VERSION, kind: 'Subscription', name: 'sub-0', uid: 'not-a-uid', controller: true };
  const references = fc.constantFrom<readonly object[]>([], [], [], [stranger]);
  return fc.record({ labels, annotations, finalizers, ownerReferences: references }, { requiredKeys: [] });
}

/** Objects of others with our labels: small and large ones, and CRDs. */
function foreign(): fc.Arbitrary<Act> {
  const sizes = fc.constantFrom(1, 1, 5);
  const kinds = fc.constantFrom(deployment, configMap, definition);
  return fc
    .tuple(kinds, fc.constantFrom(...NAMESPACES), fc.nat(3), metadata(), sizes)
    .map(([make, ...given]) => make(...given));
}

type Given = [namespace: string, number: number, meta: Readonly<Record<string, unknown>>, size: number];

function deployment(...[namespace, number, meta, size]: Given): Act {
  const name = `large-${number}`;
  const matched = { app: name };
  const env = Array.from({ length: size }, (_, at) => ({ name: `E${at}`, value: LARGE_TEXT }));
  const template = { metadata: { labels: matched }, spec: { containers: [{ name: 'a', image: 'x.invalid/a', env }] } };
  return {
    does: 'put',
    kind: 'Deployment',
    collection: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    name,
    body: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...meta, name },
      spec: { replicas: 0, revisionHistoryLimit: 0, selector: { matchLabels: matched }, template },
    },
  };
}

function configMap(...[namespace, number, meta, size]: Given): Act {
  const name = `large-${number}`;
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...meta, name },
    data: { a: LARGE_TEXT.repeat(size) },
  };
  return { does: 'put', kind: 'ConfigMap', collection: `/api/v1/namespaces/${namespace}/configmaps`, name, body };
}

function definition(...[, number, meta, size]: Given): Act {
  const plural = `things${number % 2}`;
  const name = `${plural}.fuzz.example`;
  const openAPIV3Schema = {
    type: 'object',
    description: LARGE_TEXT.slice(0, 60_000 * size),
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { ...meta, name },
    spec: {
      group: 'fuzz.example',
      names: { kind: `Thing${number % 2}`, plural },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
  return {
    does: 'put',
    kind: 'CustomResourceDefinition',
    collection: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    name,
    body,
  };
}

function optionsOf({ images, cluster, garbage }: Arena, must?: string): SchemaOptions {
  const words: readonly (readonly [RegExp, readonly string[]])[] = [
    [/\.package$/, [PACKAGE, `${PACKAGE}-hostile`, healthyName(0), 'ghost']],
    [/\.catalog$/, [HOSTILE_CATALOG, HEALTHY_CATALOG, ...CATALOGS]],
    [/\.version$/, ['1.0.0', '>=1.0.0', '1.0.x']],
    [/\.channel$/, ['stable', '*']],
    [/\.subscription$/, SUBSCRIPTIONS],
    [/\.(revision|previous)$/, REVISIONS],
    [/\.ref$/, [`${cluster.registry}/fuzz-catalog:latest`, `${cluster.registry}/nothing:latest`, ...images]],
    [/\.image$/, images],
    [/\.repository$/, [`${cluster.registry}/${PACKAGE}`, '127.0.0.1:1/x']],
    [/\.secrets\[\]$/, garbage.map(({ secret }) => secret)],
    [/\.digest$/, garbage.map(({ digest }) => digest)],
    [/properties\[\]\.type$/, PROPERTY_TYPES],
    [/properties\[\]\.value$/, PROPERTY_VALUES],
    [/[nN]amespaces?(\[\])?$/, [...NAMESPACES, healthyName(0)]],
    [/\.(duration|progressDeadline|bakeTime|interval)$/, ['60s', '1m', '1h', '24h', '10m']],
    [/serviceAccountName$/, ['default', 'ghost']],
    [/inventory\[\]\.apiVersion$/, ['v1', 'apps/v1', 'apiextensions.k8s.io/v1', 'nobody.example/v1']],
    [/inventory\[\]\.kind$/, ['ConfigMap', 'Deployment', 'CustomResourceDefinition', 'Pod', 'Namespace', 'Ghost']],
    [/inventory\[\]\.name$/, ['large-0', 'large-1', 'things0.fuzz.example', healthyName(0)]],
    [/inventory\[\]\.uid$/, ['', 'not-a-uid']],
    [/\.type$/, ['Ready', 'Stalled', 'Reconciling', 'UpgradeAvailable']],
    [/\.reason$/, ['Succeeded', 'Progressing']],
  ];
  const wordsFor = (path: string): readonly string[] => words.find(([pattern]) => pattern.test(path))?.[1] ?? [];
  return { wordsFor, ...(must !== undefined && { must }) };
}
