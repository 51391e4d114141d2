/** `slipway verify`: the check of an image's signatures, by the code that the manager runs. */
import { mirrorsOf } from '../../../controllers/registry-policies.ts';
import { formatReference, parseReference } from '../../../oci/reference.ts';
import type { Environment } from '../environment.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { createImageCheck, type SignatureVerdict } from './check.ts';
import { trustOf, type TrustFlags } from './trust.ts';

export interface VerifyFlags extends TrustFlags, RegistryFlags {}

/** @throws ReasonedError InputInvalid, ReferenceInvalid, InvalidSpec, RegistryPolicyInvalid, and the errors of a registry */
export async function verify(environment: Environment, text: string, flags: VerifyFlags): Promise<Outcome> {
  const reference = parseReference(text);
  const { registry: host, repository } = reference;
  const policies = await trustOf(environment, `${host}/${repository}`, flags);
  return withRegistry(
    environment,
    flags,
    async (registry) => {
      const question = { policies, content: 'Pods', trustedRoot: flags.trustedRoot } as const;
      const check = await createImageCheck(environment, registry, question);
      const { digest } = await registry.resolve(reference, environment.signal);
      const image = formatReference({ registry: host, repository, digest });
      return outcomeOf(image, await check(image));
    },
    mirrorsOf(policies),
  );
}

function outcomeOf(image: string, verdict: SignatureVerdict): Outcome {
  if (verdict.trusted) return { data: { image, ...verdict }, text: `${image}\nSigned by ${cleanLine(verdict.by)}\n` };
  const { reason, message } = verdict;
  const said = `${reason === undefined ? '' : `${reason}: `}${cleanLine(message)}`;
  return { data: { image, ...verdict }, text: `${image}\nNot trusted. ${said}\n`, exitCode: 2 };
}
