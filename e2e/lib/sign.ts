/** Signs images in the cluster's registry, as their publisher does. */
import { parseReference } from '../../oci/reference.ts';
import { publishSignature } from '../../oci/testing/publish-signature.ts';
import { signBundle, signSimply, type Signer } from '../../signatures/testing/signer.ts';
import { openRegistry } from './publish.ts';

/** Adds a signature to an image, given as a reference by digest. */
export async function sign(image: string, signer: Signer, form: 'bundle' | 'older form' = 'bundle'): Promise<void> {
  const reference = parseReference(image);
  const signable = { repository: `${reference.registry}/${reference.repository}`, digest: reference.digest ?? '' };
  const make = form === 'bundle' ? signBundle : signSimply;
  const registry = openRegistry();
  try {
    await publishSignature(registry, reference, await make(signable, signer));
  } finally {
    registry.close();
  }
}
