/** `slipway catalog remove`: a package or a version out of a catalog in a folder, so that no user is stranded. */
import { decideRemove } from '../../../../catalog/author/remove.ts';
import type { Environment } from '../../environment.ts';
import type { Outcome } from '../../outcome.ts';
import { carryOut, type EditFlags } from './carry-out.ts';

export interface RemoveFlags extends EditFlags {
  readonly channel?: readonly string[];
}

export interface RemoveTarget {
  readonly folder: string;
  readonly package: string;
  /** A version, or the name of a bundle. */
  readonly version?: string;
}

/** @throws ReasonedError InputInvalid, CatalogInvalid */
export function remove(environment: Environment, target: RemoveTarget, flags: RemoveFlags): Promise<Outcome> {
  const { folder, package: packageName, version } = target;
  const wishes = {
    ...(version !== undefined && { version }),
    ...(flags.channel !== undefined && { channels: flags.channel }),
  };
  const task = {
    folder,
    package: packageName,
    decide: (documents: Parameters<typeof decideRemove>[0]) => decideRemove(documents, wishes),
    idle: `The catalog does not have ${version === undefined ? `package ${packageName}` : `${version} of package ${packageName}`}`,
  };
  return carryOut(environment, task, flags);
}
