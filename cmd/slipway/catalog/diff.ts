/** `slipway catalog diff`: the differences of two catalogs, for a review. */
import { diffCatalogs, type PackageDiff } from '../../../catalog/author/diff.ts';
import type { CatalogIndex } from '../../../catalog/index/open.ts';
import type { CatalogPackage } from '../../../catalog/model.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { readCatalog } from '../input/catalog.ts';
import { withIndexes } from '../input/index.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { diffMarkdown, diffText } from './diff-words.ts';

export interface CatalogDiffFlags extends RegistryFlags, OutputFlags {
  readonly package?: string;
}

/** A difference is no failure: the exit code is 0. @throws ReasonedError errors of reading a catalog */
export async function diff(
  environment: Environment,
  from: string,
  to: string,
  flags: CatalogDiffFlags,
): Promise<Outcome> {
  const [old, next] = [await readCatalog(environment, from, flags), await readCatalog(environment, to, flags)];
  const packages = await diffFiles(environment, old.files, next.files, flags.package);
  return {
    data: { from: noted(old), to: noted(next), packages },
    text: flags.output === 'markdown' ? diffMarkdown(packages) : diffText(packages),
  };
}

function noted({ source, digest }: { readonly source: string; readonly digest?: string }): object {
  return { source, ...(digest !== undefined && { digest }) };
}

/** The differences of the files of two catalogs, of all packages or of one. @throws ReasonedError CatalogInvalid */
export function diffFiles(
  environment: Environment,
  before: ReadonlyMap<string, Uint8Array>,
  after: ReadonlyMap<string, Uint8Array>,
  only?: string,
): Promise<readonly PackageDiff[]> {
  return withIndexes(environment, [before, after], (indexes) => {
    const [old, next] = indexes.map((index) => packagesOf(index, only));
    if (only !== undefined && old?.size === 0 && next?.size === 0)
      throw invalidInput(`neither catalog has a package ${JSON.stringify(only)}`, 'Leave --package out to compare all');
    return diffCatalogs(old ?? new Map(), next ?? new Map());
  });
}

function packagesOf(index: CatalogIndex, only: string | undefined): ReadonlyMap<string, CatalogPackage> {
  const names = index.packages().map(({ name }) => name);
  return new Map(
    names
      .filter((name) => only === undefined || name === only)
      .flatMap((name) => {
        const content = index.package(name);
        return content === undefined ? [] : [[name, content] as const];
      }),
  );
}
