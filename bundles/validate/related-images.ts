import { imageProblem } from '../image-reference.ts';
import type { Bundle } from '../bundle.ts';
import { inCsv, type Check } from './check.ts';

/** Images that a bundle names, so that they can be copied to another registry, can be pulled from a registry. */
export const relatedImages: Check = {
  name: 'related-images',
  suite: 'format',
  *run(bundle) {
    for (const { path, image } of imagesOf(bundle)) {
      const where = inCsv(bundle, path);
      const advice = 'Write it as registry.example/team/operator:v1.0.0, or by its digest';
      const problem = image === '' ? undefined : imageProblem(image);
      if (image === '') yield { level: 'warning', ...where, message: 'there is no image', advice };
      if (problem === undefined) continue;
      yield { level: 'error', ...where, message: `the image "${image.slice(0, 300)}" is invalid: ${problem}`, advice };
    }
  },
};

function imagesOf({ csv }: Bundle): readonly { readonly path: string; readonly image: string }[] {
  const { relatedImages: related = [], install } = csv.spec;
  return [
    ...related.map(({ image = '' }, index) => ({ path: `spec.relatedImages[${index}].image`, image })),
    ...(install.spec?.deployments ?? []).flatMap(({ spec }, index) =>
      (spec.template.spec.containers ?? []).map(({ image = '' }, at) => ({
        path: `spec.install.spec.deployments[${index}].spec.template.spec.containers[${at}].image`,
        image,
      })),
    ),
  ];
}
