/** Checks the signatures of one image by the code that the manager runs; the only request goes to the image's registry. */
import type { Cluster } from '../../../api/cluster.ts';
import { ReasonedError } from '../../../api/errors.ts';
import type { RegistryPolicies } from '../../../controllers/registry-policies.ts';
import { createSignatureChecks } from '../../../controllers/signature-checks.ts';
import type { CheckedContent } from '../../../controllers/signature-demands.ts';
import type { Registry } from '../../../oci/registry.ts';
import { SIGNATURE_REASONS } from '../../../signatures/flaw.ts';
import type { Environment } from '../environment.ts';
import { readOneFile } from '../input/files.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { ROOT_NAME } from './trust.ts';

/** Who signed the image, or why no signature of it is trusted. */
export type SignatureVerdict =
  | { readonly trusted: true; readonly by: string }
  | { readonly trusted: false; readonly reason?: string; readonly message: string };

export interface SignatureQuestion {
  readonly policies: RegistryPolicies;
  readonly content: CheckedContent;
  /** File with a trusted root; absent: that of the public Sigstore instance. */
  readonly trustedRoot?: string | undefined;
}

/**
 * A function that checks an image by its digest. It throws ReasonedError if that is not known: the errors of a registry,
 * InputInvalid and InvalidSpec for a trusted root or a key that cannot be used, RegistryPolicyInvalid.
 */
export async function createImageCheck(
  environment: Environment,
  registry: Registry,
  { policies, content, trustedRoot }: SignatureQuestion,
): Promise<(image: string) => Promise<SignatureVerdict>> {
  const cluster = await clusterWith(environment, trustedRoot);
  const check = createSignatureChecks({
    registries: () => registry,
    policies,
    cluster,
    namespace: 'slipway-system',
  });
  return async (image) => {
    try {
      const asked = { image, content, pullSecret: undefined };
      const { by, problem } = (await check(undefined, asked, environment.signal)) ?? {};
      if (by === undefined || problem !== undefined)
        return { trusted: false, message: problem ?? 'no policy demands a signature of it' };
      return { trusted: true, by };
    } catch (error) {
      if (!(error instanceof ReasonedError) || !SIGNATURE_REASONS.has(error.reason)) throw error;
      return { trusted: false, reason: error.reason, message: error.message };
    }
  };
}

/** The trusted root of a policy lies in a ConfigMap; here it is a file. */
async function clusterWith(environment: Environment, file: string | undefined): Promise<Pick<Cluster, 'get'>> {
  const text = file === undefined ? undefined : Buffer.from(await readOneFile(environment, file)).toString('utf8');
  return {
    get: async () => {
      if (text === undefined)
        throw invalidInput(
          'the policy names a trusted root in a ConfigMap',
          'Name its trusted_root.json by --trusted-root',
        );
      const metadata = { name: ROOT_NAME };
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'trusted_root.json': text } };
    },
  };
}
