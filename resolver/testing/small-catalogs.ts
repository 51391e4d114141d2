/** Reads the small catalogs of this folder: versions for bundles, named `<package>.v<version>`, channels of entries. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_SCHEMA, load } from 'js-yaml';
import type { CatalogPackage, Property } from '../../catalog/model.ts';

/** A package in the short form of the YAML files; every name of a bundle is written as its version. */
export interface SmallPackage {
  readonly bundles: readonly string[];
  readonly deprecated?: readonly string[];
  readonly defaultChannel?: string;
  readonly requires?: { readonly package: string; readonly range: string };
  readonly channels: Readonly<Record<string, readonly SmallEntry[]>>;
}

interface SmallEntry {
  readonly version: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

/** The content of a YAML file of resolver/testdata/. */
export function readCases(file: string): unknown {
  return load(readFileSync(join(import.meta.dirname, '../testdata', file), 'utf8'), { schema: CORE_SCHEMA });
}

/** The package in the form that a catalog has it. */
export function expandPackage(name: string, small: SmallPackage): CatalogPackage {
  const bundleName = (version: string): string => `${name}.v${version}`;
  const { requires } = small;
  const properties: readonly Property[] =
    requires === undefined
      ? []
      : [{ type: 'olm.package.required', value: { packageName: requires.package, versionRange: requires.range } }];
  return {
    name,
    defaultChannel: small.defaultChannel ?? Object.keys(small.channels)[0] ?? '',
    channels: Object.entries(small.channels).map(([channel, entries]) => ({
      name: channel,
      entries: entries.map(({ version, replaces, skips = [], skipRange }) => ({
        name: bundleName(version),
        ...(replaces !== undefined && { replaces: bundleName(replaces) }),
        skips: skips.map(bundleName),
        ...(skipRange !== undefined && { skipRange }),
      })),
    })),
    bundles: small.bundles.map((version) => ({
      name: bundleName(version),
      package: name,
      version,
      image: `registry.example/${name}:v${version.replace('+', '-')}`,
      properties,
      relatedImages: [],
    })),
    deprecations: (small.deprecated ?? []).map((version) => ({
      schema: 'olm.bundle' as const,
      name: bundleName(version),
      message: `${version} has a known fault`,
    })),
  };
}
