/** The objects that installing a bundle applies, for `bundle render` and `bundle export`. */
import { leaveOutImpossible } from '../../../apply/impossible.ts';
import { orderObjects } from '../../../apply/phases.ts';
import { describeRef, type KubeObject } from '../../../api/object.ts';
import type { Bundle } from '../../../bundles/parse.ts';
import { renderBundle, type RenderOptions } from '../../../bundles/render/render.ts';
import { cleanLine } from '../../../report/clean.ts';
import type { Environment } from '../environment.ts';

/** In the order of application; a warning names each object that is left out. Throws the errors of renderBundle. */
export function renderInOrder(
  { complain }: Pick<Environment, 'complain'>,
  bundle: Bundle,
  options: RenderOptions,
): readonly KubeObject[] {
  const { kept, leftOut } = leaveOutImpossible(renderBundle(bundle, options));
  for (const { ref, message } of leftOut)
    complain(`${cleanLine(`slipway: ${describeRef(ref)} is left out, since its CRD refuses it: ${message}`)}\n`);
  return orderObjects(kept).flatMap((phase) => phase.objects);
}
