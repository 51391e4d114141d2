/** `slipway verify`: the check of an image's signatures, by the code that the manager runs. */
import type { Cluster } from '../../../api/cluster.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { mirrorsOf } from '../../../controllers/registry-policies.ts';
import { createSignatureChecks } from '../../../controllers/signature-checks.ts';
import { formatReference, parseReference } from '../../../oci/reference.ts';
import { SIGNATURE_REASONS } from '../../../signatures/flaw.ts';
import type { Environment } from '../environment.ts';
import { readOneFile } from '../input/files.ts';
import { invalidInput } from '../input/invalid.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../output/clean.ts';
import { ROOT_NAME, trustOf, type TrustFlags } from './trust.ts';

export interface VerifyFlags extends TrustFlags, RegistryFlags {}

/** @throws ReasonedError InputInvalid, ReferenceInvalid, InvalidSpec, RegistryPolicyInvalid, and the errors of a registry */
export async function verify(environment: Environment, text: string, flags: VerifyFlags): Promise<Outcome> {
  const reference = parseReference(text);
  const { registry: host, repository } = reference;
  const policies = await trustOf(environment, `${host}/${repository}`, flags);
  const cluster = await clusterWith(environment, flags.trustedRoot);
  return withRegistry(
    environment,
    flags,
    async (registry) => {
      const { digest } = await registry.resolve(reference, environment.signal);
      const image = formatReference({ registry: host, repository, digest });
      const check = createSignatureChecks({
        registries: () => registry,
        policies,
        cluster,
        namespace: 'slipway-system',
      });
      const asked = { image, content: 'Pods', pullSecret: undefined } as const;
      return outcomeOf(image, () => check(undefined, asked, environment.signal));
    },
    mirrorsOf(policies),
  );
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

type Checked = ReturnType<ReturnType<typeof createSignatureChecks>>;

async function outcomeOf(image: string, check: () => Checked): Promise<Outcome> {
  try {
    const signature = await check();
    const { by, problem } = signature ?? {};
    if (by === undefined || problem !== undefined)
      return distrust(image, { message: problem ?? 'no policy is over it' });
    return { data: { image, trusted: true, by }, text: `${image}\nSigned by ${cleanLine(by)}\n` };
  } catch (error) {
    if (!(error instanceof ReasonedError) || !SIGNATURE_REASONS.has(error.reason)) throw error;
    return distrust(image, { reason: error.reason, message: error.message });
  }
}

function distrust(image: string, why: { readonly reason?: string; readonly message: string }): Outcome {
  const { reason, message } = why;
  const said = `${reason === undefined ? '' : `${reason}: `}${cleanLine(message)}`;
  return { data: { image, trusted: false, ...why }, text: `${image}\nNot trusted. ${said}\n`, exitCode: 2 };
}
