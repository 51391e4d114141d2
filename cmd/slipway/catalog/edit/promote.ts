/** `slipway catalog promote`: a version of one channel into another one, in a catalog in a folder. */
import { decidePromotion } from '../../../../catalog/author/promote.ts';
import { versionRules } from '../../../../resolver/version-rules.ts';
import type { Environment } from '../../environment.ts';
import type { Outcome } from '../../outcome.ts';
import { carryOut, type EditFlags } from './carry-out.ts';

export interface PromoteFlags extends EditFlags {
  readonly from: string;
  readonly to: string;
}

export interface PromoteTarget {
  readonly folder: string;
  readonly package: string;
  /** A version, or the name of a bundle. */
  readonly version: string;
}

/** @throws ReasonedError InputInvalid, CatalogInvalid */
export function promote(
  environment: Environment,
  { folder, package: packageName, version }: PromoteTarget,
  flags: PromoteFlags,
): Promise<Outcome> {
  const { from, to } = flags;
  const task = {
    folder,
    package: packageName,
    decide: (documents: Parameters<typeof decidePromotion>[0]) =>
      decidePromotion(documents, { version, from, to }, versionRules),
    idle: `Channel ${to} of package ${packageName} has ${version} already`,
  };
  return carryOut(environment, task, flags);
}
