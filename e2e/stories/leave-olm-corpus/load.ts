/** Reads the bundles of the operators that leave OLM: the head of the default channel, and the version before it if asked. */
import { parseBundle } from '../../../bundles/parse.ts';
import { loadPackages, versionIn, type CorpusPackage } from '../../compatibility/packages.ts';
import { readTree } from '../../lib/publish.ts';
import { bundleFolder } from '../real-operators/publish-routes.ts';
import { headOf, type CatalogDocument } from '../real-operators/routes.ts';
import { apiBundle, type LoadedBundle } from './api-bundle.ts';
import type { Leaver } from './operators.ts';

export interface Loaded extends Leaver {
  readonly channel: string;
  /** The oldest first. */
  readonly bundles: readonly LoadedBundle[];
  /** The one that OLM has installed in the end. */
  readonly installed: LoadedBundle;
}

/** In the order of the table. */
export function loadLeavers(leavers: readonly Leaver[]): readonly Loaded[] {
  const packages = new Map<string, readonly CorpusPackage[]>();
  const packagesOf = (source: 'dev-set' | 'found-2026-11'): readonly CorpusPackage[] => {
    const known = packages.get(source) ?? loadPackages(source);
    packages.set(source, known);
    return known;
  };
  return leavers.map((leaver) => {
    if (leaver.source === 'made') {
      const installed = apiBundle();
      return { ...leaver, channel: 'stable', bundles: [installed], installed };
    }
    const found = packagesOf(leaver.source).find((one) => one.package === leaver.package);
    if (found === undefined) throw new Error(`the corpus has no package ${leaver.package}`);
    return load(leaver, found);
  });
}

function load(leaver: Leaver, { documents, folder }: CorpusPackage): Loaded {
  const channel = documents.find(({ schema }) => schema === 'olm.package')?.defaultChannel ?? '';
  const entries = documents.find(({ schema, name }) => schema === 'olm.channel' && name === channel)?.entries ?? [];
  const head = headOf(entries);
  const before = entries.find(({ name }) => name === head)?.replaces;
  const hasTwo = leaver.approval === 'Manual' || leaver.isUpgraded === true;
  const names = hasTwo && before !== undefined ? [before, head] : [head];
  const [first, ...next] = names.map((name) => loadBundle(name, documents, folder));
  if (first === undefined) throw new Error(`the corpus has no version of ${leaver.package}`);
  const bundles = [first, ...next.map((one) => ({ ...one, replaces: first.version }))];
  const installed = leaver.isUpgraded === true ? (bundles.at(-1) ?? first) : first;
  return { ...leaver, channel, bundles, installed };
}

function loadBundle(name: string, documents: readonly CatalogDocument[], folder: string): LoadedBundle {
  const document = documents.find((one) => one.schema === 'olm.bundle' && one.name === name);
  const version = document === undefined ? '' : versionIn(document);
  const found = bundleFolder(folder, { name, version });
  if (found === undefined) throw new Error(`the corpus has no bundle ${name}`);
  const files = readTree(found);
  const isRequirement = ({ type }: { readonly type: string }): boolean =>
    type.endsWith('.required') || type === 'olm.constraint';
  const properties = (document?.properties ?? []).filter(isRequirement);
  return { name: parseBundle(files).csv.name, version, files, properties };
}
