import { imageProblem } from '../image-reference.ts';
import { fieldsOf, textOf } from '../../api/untyped.ts';
import type { Bundle, PodSpec } from '../bundle.ts';
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

interface ImageAt {
  readonly path: string;
  readonly image: string;
}

function imagesOf({ csv }: Bundle): readonly ImageAt[] {
  const { relatedImages: related = [], install } = csv.spec;
  return [
    ...related.map(({ image = '' }, index) => ({ path: `spec.relatedImages[${index}].image`, image })),
    ...(install.spec?.deployments ?? []).flatMap(({ spec }, index) =>
      imagesIn(spec.template.spec).map(({ path, image }) => ({
        path: `spec.install.spec.deployments[${index}].spec.template.spec.${path}`,
        image,
      })),
    ),
  ];
}

function imagesIn(pod: PodSpec): readonly ImageAt[] {
  const ofContainers = (['containers', 'initContainers'] as const).flatMap((list) =>
    (pod[list] ?? []).map(({ image = '' }, at) => ({ path: `${list}[${at}].image`, image })),
  );
  const ofVolumes = (pod.volumes ?? []).flatMap((volume, at) =>
    volume['image'] === undefined || volume['image'] === null
      ? []
      : [{ path: `volumes[${at}].image.reference`, image: textOf(fieldsOf(volume['image'])['reference']) }],
  );
  return [...ofContainers, ...ofVolumes];
}
