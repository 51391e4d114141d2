/** `slipway bundle push`: a bundle's folder, or the image that `bundle build` made of it, into a registry. */
import { pushImage } from '../../../oci/build.ts';
import { copyImage } from '../../../oci/copy.ts';
import { layoutSource } from '../../../oci/layout.ts';
import { formatReference, withDigest, type Reference } from '../../../oci/reference.ts';
import { registrySink } from '../../../oci/registry-sink.ts';
import type { Environment } from '../environment.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { findPlace } from '../input/place.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { buildBundleImage, type CheckFlags } from './image.ts';
import { bundleTarget, checkTag } from './push-target.ts';

export interface BundlePushFlags extends RegistryFlags, CheckFlags {}

/** Prints the digest. A layout is pushed as it is, unlooked at. */
export async function push(
  environment: Environment,
  source: string,
  target: string,
  flags: BundlePushFlags,
): Promise<Outcome> {
  const reference = bundleTarget(target);
  const place = await findPlace(environment, source);
  if (place.kind === 'layout') return pushLayout(environment, { path: place.path, reference, flags });
  if (place.kind !== 'folder') throw invalidInput(`${source} is no folder of a bundle`);
  const { image, ...identity } = await buildBundleImage(place.path, flags);
  if (flags.check !== false) checkTag(reference, identity.version);
  const digest = await withRegistry(environment, flags, (registry) =>
    pushImage(registry, reference, image, { signal: environment.signal }),
  );
  return pushed(reference, digest, identity);
}

/** The pushed images, as data and text; catalogs print the same. */
export function pushed(reference: Reference, digest: string, further: object = {}): Outcome {
  const data = { ...further, reference: formatReference(withDigest(reference, digest)), digest };
  return { data, text: `${digest}\n` };
}

async function pushLayout(
  environment: Environment,
  { path, reference, flags }: { readonly path: string; readonly reference: Reference; readonly flags: BundlePushFlags },
): Promise<Outcome> {
  const { signal } = environment;
  const digest = await withRegistry(environment, flags, (registry) =>
    copyImage(layoutSource(path), reference, registrySink(registry, reference, { signal }), signal),
  );
  return pushed(reference, digest);
}
