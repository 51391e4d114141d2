/** Packages of a few lines, for tests. */
import type { CatalogDocument } from '../../stories/real-operators/routes.ts';
import type { CorpusPackage, Source } from '../packages.ts';

export interface Sketch {
  readonly source?: Source;
  /** By channel, the versions from the oldest on; each replaces the one before. */
  readonly channels?: Readonly<Record<string, readonly string[]>>;
  readonly defaultChannel?: string;
  readonly provides?: readonly string[];
  readonly requires?: readonly string[];
  readonly requiresPackages?: readonly string[];
  /** Versions whose CRDs are of v1beta1. */
  readonly old?: readonly string[];
}

/** A package whose bundles are called `NAME.vVERSION`. */
export function packageOf(name: string, sketch: Sketch = {}): CorpusPackage {
  const { source = 'dev-set', channels = { stable: ['1.0.0'] } } = sketch;
  const bundleName = (version: string): string => `${name}.v${version}`;
  const channelDocuments = Object.entries(channels).map(([channel, versions]) => ({
    schema: 'olm.channel',
    package: name,
    name: channel,
    entries: versions.map((version, at) => ({
      name: bundleName(version),
      ...(at > 0 && { replaces: bundleName(versions[at - 1]!) }),
    })),
  }));
  const versions = [...new Set(Object.values(channels).flat())];
  const documents: readonly CatalogDocument[] = [
    { schema: 'olm.package', name, defaultChannel: sketch.defaultChannel ?? Object.keys(channels)[0] ?? '' },
    ...channelDocuments,
    ...versions.map((version) => ({
      schema: 'olm.bundle',
      package: name,
      name: bundleName(version),
      properties: [{ type: 'olm.package', value: { packageName: name, version } }, ...statementsOf(sketch)],
    })),
  ];
  const old = new Set((sketch.old ?? []).map(bundleName));
  const hasOldCrds = (bundle: string): boolean => old.has(bundle);
  return { source, folder: `/nowhere/${name}`, name, package: name, documents, hasOldCrds };
}

/** A package of which the corpus has a folder and no bundle. */
export function emptyPackage(name: string): CorpusPackage {
  const folder = `/nowhere/${name}`;
  return { source: 'dev-set', folder, name, package: name, documents: [], hasOldCrds: () => false };
}

function statementsOf({
  provides = [],
  requires = [],
  requiresPackages = [],
}: Sketch): NonNullable<CatalogDocument['properties']> {
  const gvk = (type: string, names: readonly string[]): NonNullable<CatalogDocument['properties']> =>
    names.map((name) => {
      const [kind, ...group] = name.split('.');
      return { type, value: { kind, group: group.join('.'), version: 'v1' } };
    });
  return [
    ...gvk('olm.gvk', provides),
    ...gvk('olm.gvk.required', requires),
    ...requiresPackages.map((packageName) => ({
      type: 'olm.package.required',
      value: { packageName, versionRange: '*' },
    })),
  ];
}
