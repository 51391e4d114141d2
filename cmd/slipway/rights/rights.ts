/** `slipway rights`: the rights that a bundle gives its operator, or the difference to another bundle. */
import { prepareObjects } from '../../../apply/prepare.ts';
import type { KubeObject } from '../../../api/object.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { renderBundle } from '../../../bundles/render/render.ts';
import { describeRight } from '../../../plan/risk.ts';
import { compareRights, type RightsComparison } from '../../../plan/rights/compare.ts';
import type { Environment } from '../environment.ts';
import { readBundle } from '../input/bundle.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../output/clean.ts';

export interface RightsFlags extends RegistryFlags {
  readonly from?: string;
  readonly namespace: string;
  readonly watchNamespace?: readonly string[];
}

export async function rights(environment: Environment, source: string, flags: RightsFlags): Promise<Outcome> {
  const before = flags.from === undefined ? [] : await objectsOf(environment, flags.from, flags);
  const compared = compareRights(before, await objectsOf(environment, source, flags));
  return {
    data: { source, ...(flags.from !== undefined && { from: flags.from }), ...compared },
    text: flags.from === undefined ? describeAll(compared) : describeDifference(compared),
  };
}

async function objectsOf(environment: Environment, source: string, flags: RightsFlags): Promise<readonly KubeObject[]> {
  const { namespace, watchNamespace } = flags;
  const bundle = parseBundle((await readBundle(environment, source, flags)).files);
  const rendered = renderBundle(bundle, {
    namespace,
    certificates: 'manager',
    ...(watchNamespace !== undefined && { watchNamespaces: watchNamespace }),
  });
  const owner = { namespace, name: bundle.package };
  return prepareObjects(rendered, { owner, package: bundle.package, revision: '', installNamespace: namespace });
}

function describeAll({ gained }: RightsComparison): string {
  if (gained.length === 0) return 'It gets no rights\n';
  return gained.map((right) => `${right.danger}: ${cleanLine(describeRight(right))}\n`).join('');
}

function describeDifference({ gained, lost }: RightsComparison): string {
  if (gained.length + lost.length === 0) return 'The rights are the same\n';
  return [
    ...gained.map((right) => `+ ${right.danger}: ${cleanLine(describeRight(right))}\n`),
    ...lost.map((right) => `- ${right.danger}: ${cleanLine(describeRight(right))}\n`),
  ].join('');
}
