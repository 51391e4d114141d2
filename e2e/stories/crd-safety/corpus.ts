/** Pairs of published CRDs, of versions that follow each other, with the examples of their publishers and objects made by the schema. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fields, isRecord } from '../../../api/untyped.ts';
import type { KubeObject } from '../../../api/object.ts';
import { readUnder } from '../../../apply/crd-safety/server/read.ts';
import { parseYaml } from '../../../bundles/yaml.ts';
import { devSet, foundSet, sharedRows } from '../../lib/shared.ts';
import type { Pair } from './experiment.ts';
import { chanceOf } from './chance.ts';
import { fits, sampleValue } from './sample-value.ts';

interface Bundle {
  readonly crds: ReadonlyMap<string, KubeObject>;
  readonly examples: readonly KubeObject[];
}

interface Row {
  readonly crd: string;
  readonly from: string;
  readonly fromDir: string;
  readonly toDir: string;
  readonly verdict: string;
}

/** All that both sides can be compared of, the smallest first; or, of the rows as they are, every so many. */
export function corpusPairs({ every }: { readonly every?: number } = {}): readonly Pair[] {
  const rows = sharedRows<Row>('conformance', 'reference', 'crd-safety.jsonl.xz').filter(
    ({ verdict }) => verdict !== 'skipped',
  );
  const numbered = rows.map((row, index) => ({ ...row, index }));
  const wanted = every === undefined ? numbered : numbered.filter(({ index }) => index % every === 0);
  const pairs = wanted.map(({ crd, from, fromDir, toDir, index }) =>
    pairOf({
      crd,
      name: `${crd} ${from}`,
      index,
      from: bundleIn(join(devSet(), fromDir)),
      to: bundleIn(join(devSet(), toDir)),
    }),
  );
  return pairs.toSorted((a, b) => sizeOf(a) - sizeOf(b));
}

function sizeOf({ old, next }: Pair): number {
  return JSON.stringify([old, next], (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)).length;
}

/** Upgrades on which our verdict was once wrong, one CRD each. */
const FOUND = [
  ['t8c', '42.2.0', '42.3.0'],
  ['ndmspc-operator', '0.9.0', '0.10.0'],
  ['ndmspc-operator', '0.11.4', '0.11.6'],
  ['self-node-remediation', '0.8.0', '0.9.0'],
  ['grafana-operator', '5.6.1', '5.9.2'],
] as const;

export function foundPairs(): readonly Pair[] {
  return FOUND.flatMap(([name, older, newer], place) => {
    const [from, to] = [older, newer].map((version) => bundleIn(join(foundSet(), 'operators', name, version))) as [
      Bundle,
      Bundle,
    ];
    const crds = [...from.crds.keys()].filter((crd) => to.crds.has(crd));
    return crds.map((crd, index) =>
      pairOf({ crd, name: `${crd} ${older} ${newer}`, index: 10_000 + 100 * place + index, from, to }),
    );
  });
}

const bundles = new Map<string, Bundle>();

function bundleIn(folder: string): Bundle {
  const known = bundles.get(folder) ?? readBundle(join(folder, 'manifests'));
  bundles.set(folder, known);
  return known;
}

function readBundle(folder: string): Bundle {
  const objects = readdirSync(folder)
    .flatMap((file) => parseYaml(readFileSync(join(folder, file))).map(({ value }) => value as KubeObject | null))
    .filter((object) => object !== null);
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const csv = objects.find(({ kind }) => kind === 'ClusterServiceVersion');
  return { crds: new Map(crds.map((crd) => [crd.metadata.name, crd])), examples: examplesOf(csv) };
}

function examplesOf(csv: KubeObject | undefined): readonly KubeObject[] {
  try {
    return JSON.parse(csv?.metadata.annotations?.['alm-examples'] ?? '[]') as KubeObject[];
  } catch {
    return [];
  }
}

interface Sides {
  readonly crd: string;
  readonly name: string;
  readonly index: number;
  readonly from: Bundle;
  readonly to: Bundle;
}

/** With a group of its own, so that one API server takes many pairs of the same CRD. */
function pairOf({ crd, name, index, from, to }: Sides): Pair {
  const [old, next] = [from, to].map(({ crds }) => renamed(crds.get(crd) as KubeObject, `g${index}`)) as [
    KubeObject,
    KubeObject,
  ];
  const { group, names, scope } = old['spec'] as {
    readonly group: string;
    readonly names: Fields;
    readonly scope: string;
  };
  const examples = from.examples
    .filter(({ apiVersion, kind }) => kind === names['kind'] && `g${index}.${apiVersion}`.startsWith(`${group}/`))
    .map(({ apiVersion, ...example }) => ({ ...example, apiVersion: `g${index}.${apiVersion}` }));
  const stored = versionsIn(old).find(({ storage, served }) => storage && served);
  const later = versionsIn(next).find(({ name }) => name === stored?.name);
  const made =
    stored === undefined
      ? []
      : [
          ...madeBy(stored.schema.openAPIV3Schema, index),
          ...misfits(specIn(stored), later === undefined ? {} : specIn(later)),
        ];
  const all = [
    ...examples,
    ...made.map((object) => ({ ...object, apiVersion: `${group}/${stored?.name}`, kind: names['kind'] })),
  ];
  const where = scope === 'Namespaced' ? { namespace: 'default' } : {};
  const objects = all.map(
    (object, place) => ({ ...object, metadata: { ...where, name: `o${place}` } }) as unknown as KubeObject,
  );
  return { name, old, next, objects };
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: Fields };
}

function versionsIn({ spec }: KubeObject): readonly Version[] {
  return (spec as { readonly versions: readonly Version[] }).versions;
}

function specIn({ schema }: Version): Fields {
  return propertiesIn(schema.openAPIV3Schema)['spec'] ?? {};
}

function propertiesIn(schema: Fields): Readonly<Record<string, Fields>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, Fields>>;
}

/** If unknown fields were kept: an object that has a field of the new schema with another type. */
function misfits(old: Fields, next: Fields): readonly Fields[] {
  if (old['x-kubernetes-preserve-unknown-fields'] !== true) return [];
  const named = Object.entries(propertiesIn(next)).filter(([name]) => !Object.hasOwn(propertiesIn(old), name));
  const values = named.map(([name, { type }]) => [name, type === 'string' ? 1 : 'text'] as const);
  return values.length === 0 ? [] : [{ spec: Object.fromEntries(values) }];
}

function renamed({ apiVersion, kind, metadata, ...crd }: KubeObject, prefix: string): KubeObject {
  const spec = crd['spec'] as Fields;
  const group = `${prefix}.${String(spec['group'])}`;
  const { plural } = spec['names'] as { readonly plural: string };
  const { annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name: `${plural}.${group}`, ...(annotations !== undefined && { annotations }) },
    spec: {
      ...spec,
      group,
      ...(isRecord(spec['conversion']) && spec['conversion']['strategy'] === 'Webhook' && { conversion: CONVERSION }),
    },
  };
}

/** No webhook answers; an object in the version that is stored needs no conversion. */
const CONVERSION = {
  strategy: 'Webhook',
  webhook: { clientConfig: { url: 'https://localhost:1/' }, conversionReviewVersions: ['v1'] },
};

const [OBJECTS, ATTEMPTS] = [3, 30];

function madeBy(schema: Fields, seed: number): readonly Fields[] {
  const chance = chanceOf(seed);
  const found: Fields[] = [];
  for (let attempt = 0; attempt < ATTEMPTS && found.length < OBJECTS; attempt += 1) {
    const { status: _, apiVersion: __, kind: ___, metadata: ____, ...rest } = sampleValue(schema, chance) as Fields;
    const object = { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'a' }, ...rest };
    if (fits(schema, readUnder(schema, object))) found.push(rest);
  }
  return found;
}
