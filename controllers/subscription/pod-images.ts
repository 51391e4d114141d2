/**
 * Checks the signatures of the images that the Pods of a bundle run, and of those that variables hand to the operator, as
 * far as a RegistryPolicy demands it. Only an image by digest can be checked: a tag may name another image by the time
 * that a node pulls it.
 */
import { ReasonedError } from '../../api/errors.ts';
import { MAX_IMAGE_SIGNATURES, type PodImageSignature } from '../../api/signature.ts';
import { createSlots } from '../../apply/slots.ts';
import { formatReference, nameIn } from '../../oci/reference.ts';
import type { Images } from '../../plan/images.ts';
import type { RegistryPolicies } from '../registry-policies.ts';
import type { CheckSignatures } from '../signature-checks.ts';
import { readReference } from './images.ts';

export interface PodImages {
  readonly images: Images;
  readonly policies: RegistryPolicies;
  /** Called for an image that cannot be checked and is used nevertheless, because its policy only warns. */
  readonly warn: (note: string) => void;
}

/** A bundle may name hundreds of images, and each takes some requests. */
const AT_A_TIME = 4;

/**
 * The results, one for each image by digest.
 *
 * @throws ReasonedError ImageNotPinned and the reasons of CheckSignatures (never retried by themselves);
 * RegistryPolicyInvalid and the errors of a registry (retried)
 */
export async function checkPodImages(
  check: CheckSignatures,
  { images, policies, warn }: PodImages,
  signal: AbortSignal,
): Promise<readonly PodImageSignature[]> {
  const pinned = new Set([...images].flatMap(([image, users]) => demanded({ image, users, policies, warn }) ?? []));
  const slots = createSlots(AT_A_TIME);
  const checked = await Promise.all(
    [...pinned].toSorted().map((image) =>
      slots(async () => {
        const signature = await check(undefined, { image, content: 'Pods', pullSecret: undefined }, signal);
        return signature === undefined ? [] : [{ image, ...signature }];
      }),
    ),
  );
  return checked.flat().slice(0, MAX_IMAGE_SIGNATURES);
}

interface UsedImage extends Pick<PodImages, 'policies' | 'warn'> {
  readonly image: string;
  readonly users: ReadonlySet<string>;
}

/**
 * The image by digest; undefined if no policy demands signatures of it. A text that Slipway cannot parse is judged by the
 * name in it, as a node may be able to.
 */
function demanded({ image, users, policies, warn }: UsedImage): string | undefined {
  const { verify: demand } = policies.over(nameIn(image));
  if (demand === undefined) return undefined;
  const { registry = '', repository = '', digest } = readReference(image) ?? {};
  if (digest !== undefined) return formatReference({ registry, repository, digest });
  const [user = ''] = [...users].toSorted();
  const message = `${image} (${user}) is named without a digest that can be checked, and a RegistryPolicy demands signatures of it`;
  if (demand.enforcement === 'Warn') {
    warn(message);
    return undefined;
  }
  throw new ReasonedError({
    reason: 'ImageNotPinned',
    retry: 'never',
    message,
    hint: 'Ask the author of the bundle to name the image by digest, or change the policy',
  });
}
