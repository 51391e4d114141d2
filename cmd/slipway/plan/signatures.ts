/** Whether the bundle images of a plan from files are signed: checked against the signers that flags or the file name. */
import type { RegistryPolicies } from '../../../controllers/registry-policies.ts';
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

/** The policies of the flags, else those in the file of the Subscription; undefined if neither names a signer. */
export async function readPlanTrust(
  environment: Environment,
  flags: PlanOfflineFlags,
): Promise<RegistryPolicies | undefined> {
  const { key, issuer, subject, policy, file } = flags;
  const isNamed = [key, issuer, subject, policy].some((flag) => flag !== undefined);
  return isNamed ? readTrust(environment, flags) : trustInFile(environment, file);
}

/** @param trust Undefined: no signature is looked for, and none is known. */
export async function createBundleCheck(
  environment: Environment,
  registry: Registry,
  { trust, trustedRoot }: { readonly trust: RegistryPolicies | undefined; readonly trustedRoot?: string | undefined },
): Promise<CheckBundle> {
  if (trust === undefined) return async () => ({ unsigned: NO_SIGNER });
  const check = await createImageCheck(environment, registry, { policies: trust, content: 'Bundles', trustedRoot });
  return async (image) => {
    const verdict = await check(image);
    if (verdict.trusted) return { signedBy: verdict.by };
    const { reason, message } = verdict;
    return { unsigned: reason === undefined ? message : `${reason}: ${message}` };
  };
}

const NO_SIGNER = 'no signer is named; --policy, --key or --issuer does, or a RegistryPolicy in the file';
