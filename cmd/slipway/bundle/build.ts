/** `slipway bundle build`: the image of a bundle, written into a folder as an OCI image layout. */
import { writeLayout } from '../../../oci/layout.ts';
import type { Environment } from '../environment.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { findPlace, targetLayout } from '../input/place.ts';
import type { Outcome } from '../outcome.ts';
import { buildBundleImage, type CheckFlags } from './image.ts';

export interface BundleBuildFlags extends CheckFlags {
  /** Name of the image in the layout. */
  readonly tag?: string;
}

/** Prints the digest of the image. */
export async function build(
  environment: Environment,
  source: string,
  layout: string,
  flags: BundleBuildFlags,
): Promise<Outcome> {
  const place = await findPlace(environment, source);
  if (place.kind !== 'folder') throw invalidInput(`${source} is no folder of a bundle`);
  const target = await targetLayout(environment, layout);
  const { image, ...identity } = await buildBundleImage(place.path, flags);
  const digest = await writeLayout(target, image, flags.tag);
  return { data: { ...identity, layout, digest }, text: `${digest}\n` };
}
