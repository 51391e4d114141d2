/** The images that a bundle needs beside its own: those of its Pods, in variables, and in the lists of its author. Pure. */
import type { KubeObject } from '../../../api/object.ts';
import type { Bundle } from '../../../bundles/bundle.ts';
import { imagesOf } from '../../../plan/images.ts';

/** @param related The `relatedImages` of the catalog. */
export function imagesOfBundle(
  { csv, objects }: Bundle,
  related: readonly { readonly image?: string }[],
): readonly string[] {
  const deployments = (csv.spec.install.spec?.deployments ?? []).map(({ name, spec }): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec,
  }));
  const listed = [...related, ...(csv.spec.relatedImages ?? [])].flatMap(({ image }) => image ?? []);
  const used = imagesOf([...deployments, ...objects.map(({ object }) => object)]);
  return [...new Set([...used.keys(), ...listed])].filter((image) => image !== '').toSorted();
}
