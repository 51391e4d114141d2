/** Whether the bundle images of a plan from files are signed: checked against the signers that flags name. */
import { mirrorsOf, type RegistryPolicies } from '../../../controllers/registry-policies.ts';
import type { Mirrors } from '../../../oci/mirrors.ts';
import type { Registry } from '../../../oci/registry.ts';
import type { PlannedVersion } from '../../../plan/model.ts';
import type { Environment } from '../environment.ts';
import { createImageCheck } from '../verify/check.ts';
import { readTrust, trustInFile } from '../verify/trust.ts';
import type { PlanOfflineFlags } from './flags.ts';

/** The signer, or why none is known; neither for a bundle that is no image. */
export type SignatureFact = Pick<PlannedVersion, 'signedBy' | 'unsigned'>;

/** Of an image by digest. @throws ReasonedError as createImageCheck says: an answer that is not known is an error */
export type CheckBundle = (image: string) => Promise<SignatureFact>;

/** The policies by which signatures are judged. */
export interface PlanTrust {
  readonly policies: RegistryPolicies;
  /** The file of the Subscription if only that has them: its author chose both, so that they inform and decide nothing. */
  readonly ownFile?: string;
}

/** The policies of the flags, else those in the file of the Subscription; undefined if neither names a signer. */
export async function readPlanTrust(environment: Environment, flags: PlanOfflineFlags): Promise<PlanTrust | undefined> {
  const { key, issuer, subject, policy, file } = flags;
  const isNamed = [key, issuer, subject, policy].some((flag) => flag !== undefined);
  if (isNamed) return { policies: await readTrust(environment, flags) };
  const policies = await trustInFile(environment, file);
  return policies && { policies, ownFile: file };
}

/** The mirrors from which images are pulled: a file that is reviewed must not choose where its images come from. */
export function mirrorsOfTrust(trust: PlanTrust | undefined): Mirrors | undefined {
  return trust === undefined || trust.ownFile !== undefined ? undefined : mirrorsOf(trust.policies);
}

/** @param trust Undefined: no signature is looked for, and none is known. */
export async function createBundleCheck(
  environment: Environment,
  registry: Registry,
  { trust, trustedRoot }: { readonly trust: PlanTrust | undefined; readonly trustedRoot?: string | undefined },
): Promise<CheckBundle> {
  if (trust === undefined) return async () => ({ unsigned: NO_SIGNER });
  const { policies, ownFile } = trust;
  const check = await createImageCheck(environment, registry, { policies, content: 'Bundles', trustedRoot });
  return async (image) => {
    const verdict = await check(image);
    if (verdict.trusted)
      return ownFile === undefined ? { signedBy: verdict.by } : { unsigned: owned(verdict.by, ownFile) };
    const { reason, message } = verdict;
    return { unsigned: reason === undefined ? message : `${reason}: ${message}` };
  };
}

const NO_SIGNER = 'no signer is named; --policy, --key or --issuer does';

function owned(by: string, file: string): string {
  return `${by} signed it, but only a RegistryPolicy in ${file} itself trusts that; name the signer by --policy, --key or --issuer`;
}
