/**
 * A catalog of the size of a public one (370 packages, 4,473 bundles, about 69 MB), for benchmarks and tests of
 * limits: the shapes of the real packages where those are there, else of an invented one. Always the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { hasShared, sharedPath } from './shared.ts';

export interface LargeCatalogSize {
  readonly packages: number;
  readonly bundles: number;
}

/** What OperatorHub.io offered in 2024. */
const OPERATOR_HUB: LargeCatalogSize = { packages: 370, bundles: 4473 };

/** A file of the catalog: one package each. */
export interface LargeCatalogFile {
  readonly path: string;
  readonly content: Uint8Array;
}

interface Blob {
  readonly schema: string;
  readonly name: string;
  readonly package?: string;
  readonly entries?: readonly { readonly name: string }[];
  readonly [field: string]: unknown;
}

type Shape = readonly Blob[];

/** The files one by one; `pretty` as opm writes them, with an indent of four, else lines of JSON. */
export function* largeCatalog(size: LargeCatalogSize = OPERATOR_HUB, pretty = true): Generator<LargeCatalogFile> {
  const shapes = hasShared ? realShapes() : [inventedShape()];
  const counts = bundleCounts(shapes, size);
  for (const [index, count] of counts.entries()) {
    const shape = shapes[index % shapes.length]!;
    const blobs = rename(keepFirst(shape, count), Math.floor(index / shapes.length) + 1);
    const content = blobs.map((blob) => JSON.stringify(blob, undefined, pretty ? 4 : undefined)).join('\n');
    yield { path: `${nameOf(blobs)}/catalog.json`, content: Buffer.from(`${content}\n`) };
  }
}

/** Bundles per package: as many as the shape has up to a cap that gives the sum, the rest taken from the last ones. */
function bundleCounts(shapes: readonly Shape[], { packages, bundles }: LargeCatalogSize): number[] {
  const available = Array.from({ length: packages }, (_, index) => bundlesOf(shapes[index % shapes.length]!).length);
  const capped = (cap: number): number[] => available.map((count) => Math.min(count, cap));
  let cap = 1;
  while (sum(capped(cap)) < bundles && cap < Math.max(...available)) cap += 1;
  const counts = capped(cap);
  for (let index = counts.length - 1, surplus = sum(counts) - bundles; surplus > 0 && index >= 0; index -= 1) {
    const taken = Math.min(surplus, counts[index]! - 1);
    counts[index]! -= taken;
    surplus -= taken;
  }
  return counts;
}

function keepFirst(shape: Shape, count: number): Blob[] {
  const kept = new Set(
    bundlesOf(shape)
      .slice(0, count)
      .map(({ name }) => name),
  );
  return shape.flatMap((blob) => {
    if (blob.schema === 'olm.bundle') return kept.has(blob.name) ? [blob] : [];
    if (blob.entries === undefined) return [blob];
    const entries = blob.entries.filter(({ name }) => kept.has(name));
    return entries.length > 0 ? [{ ...blob, entries }] : [];
  });
}

/** The copy of a package under a name of its own; the name occurs in texts, too, so that copies differ. */
function rename(blobs: readonly Blob[], copy: number): Blob[] {
  if (copy === 1) return [...blobs];
  const name = nameOf(blobs);
  return JSON.parse(JSON.stringify(blobs).replaceAll(name, `${name}-${copy}`)) as Blob[];
}

function nameOf(blobs: readonly Blob[]): string {
  return blobs.find(({ schema }) => schema === 'olm.package')!.name;
}

function bundlesOf(shape: Shape): Blob[] {
  return shape.filter(({ schema }) => schema === 'olm.bundle');
}

function realShapes(): Shape[] {
  const archive = sharedPath('corpus', 'dev-set-catalog.json.xz');
  const text = execFileSync('xz', ['-dc', archive], { maxBuffer: 1 << 28, encoding: 'utf8' });
  const packages = new Map<string, Blob[]>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const blob = JSON.parse(line) as Blob;
    const name = blob.schema === 'olm.package' ? blob.name : (blob.package ?? '');
    packages.set(name, [...(packages.get(name) ?? []), blob]);
  }
  return [...packages.values()].filter(isOrdinary);
}

/** Leaves out a few packages of enormous bundles, which would weigh too much when they are repeated. */
function isOrdinary(shape: Shape): boolean {
  const bundles = bundlesOf(shape);
  return bundles.length > 0 && JSON.stringify(bundles).length < bundles.length * MAX_MEAN_BYTES;
}

const MAX_MEAN_BYTES = 120_000;

function inventedShape(): Shape {
  const name = 'invented-operator';
  const versions = Array.from({ length: 24 }, (_, index) => `1.${index}.0`);
  const entry = (version: string): string => `${name}.v${version}`;
  return [
    {
      schema: 'olm.package',
      name,
      defaultChannel: 'stable',
      description: words(40, 1),
    },
    {
      schema: 'olm.channel',
      name: 'stable',
      package: name,
      entries: versions.map((version, index) => ({
        name: entry(version),
        ...(index > 0 && { replaces: entry(versions[index - 1]!) }),
      })),
    },
    ...versions.map((version, index) => inventedBundle(name, version, index)),
  ];
}

function inventedBundle(name: string, version: string, seed: number): Blob {
  const kinds = ['Widget', 'Gadget', 'Sprocket'];
  const group = 'example.invalid';
  const bundle = {
    schema: 'olm.bundle',
    name: `${name}.v${version}`,
    package: name,
    image: `registry.invalid/${name}:v${version}`,
    properties: [
      ...kinds.map((kind) => ({ type: 'olm.gvk', value: { group, kind, version: 'v1' } })),
      { type: 'olm.package', value: { packageName: name, version } },
      {
        type: 'olm.csv.metadata',
        value: {
          annotations: {
            'alm-examples': JSON.stringify(
              kinds.map((kind) => ({ kind, spec: words(120, seed) })),
              undefined,
              2,
            ),
          },
          crdDescriptions: {
            owned: kinds.map((kind) => ({ kind, name: kind, version: 'v1', description: words(300, seed + 7) })),
          },
          description: words(500, seed + 13),
        },
      },
    ],
    relatedImages: [{ name: 'manager', image: `registry.invalid/${name}-manager:v${version}` }],
  };
  return bundle;
}

/** Text of so many words, the same for the same seed. */
function words(count: number, seed: number): string {
  let state = seed * 2654435761 + 12345;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8).toString(36);
  }).join(' ');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
