/** `slipway catalog add`: a bundle into a catalog in a folder, in the channels and with the edges that are asked for. */
import { decideAdd, type AddWishes } from '../../../../catalog/author/add.ts';
import { versionRules } from '../../../../resolver/version-rules.ts';
import type { Environment } from '../../environment.ts';
import type { Outcome } from '../../outcome.ts';
import { describeBundles, type SourceFlags } from '../sources.ts';
import { carryOut, type EditFlags } from './carry-out.ts';

export interface AddFlags extends EditFlags, Omit<SourceFlags, 'graph'> {
  readonly channel?: readonly string[];
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

/** @throws ReasonedError InputInvalid, CatalogInvalid, BundleInvalid, and the errors of a registry */
export async function add(environment: Environment, folder: string, source: string, flags: AddFlags): Promise<Outcome> {
  const [described] = await describeBundles(environment, [source], { ...flags, graph: 'stated' });
  const { bundle, stated } = described!;
  const task = {
    folder,
    package: bundle.package,
    decide: (documents: Parameters<typeof decideAdd>[0]) =>
      decideAdd(documents, { bundle, stated }, wishesOf(flags), versionRules),
    idle: `${bundle.name} is in the catalog already`,
  };
  return carryOut(environment, task, flags);
}

function wishesOf({ channel, replaces, skips, skipRange }: AddFlags): AddWishes {
  return {
    ...(channel !== undefined && { channels: channel }),
    ...(replaces !== undefined && { replaces }),
    ...(skips !== undefined && { skips }),
    ...(skipRange !== undefined && { skipRange }),
  };
}
