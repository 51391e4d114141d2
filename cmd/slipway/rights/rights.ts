/** `slipway rights`: the rights that a bundle gives its operator, or those that an account needs to install it. */
import type { KubeObject } from '../../../api/object.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { describeRight } from '../../../plan/risk.ts';
import { rolesFor } from '../../../plan/rights/account-roles.ts';
import { compareRights, type RightsComparison } from '../../../plan/rights/compare.ts';
import { minimalRights } from '../../../plan/rights/minimal.ts';
import type { Environment } from '../environment.ts';
import { readBundle } from '../input/bundle.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { formatYaml } from '../../../report/data.ts';
import type { RightsFlags } from './flags.ts';
import { objectsToInstall } from './objects.ts';

/** @throws ReasonedError InputInvalid for flags that do not go together, and the errors of reading a bundle or a cluster */
export async function rights(
  environment: Environment,
  source: string | undefined,
  flags: RightsFlags,
): Promise<Outcome> {
  if (flags.missing !== undefined) return (await import('./missing.ts')).missing(environment, source, flags);
  if (source === undefined) throw invalidInput('no bundle is named', 'Name its folder or image, or use --missing');
  if (flags.minimal === true) return minimal(environment, source, flags);
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
  return objectsToInstall(bundle, { namespace, watchNamespaces: watchNamespace });
}

/** Roles and bindings as YAML, ready to be applied. */
async function minimal(environment: Environment, source: string, flags: RightsFlags): Promise<Outcome> {
  const rules = minimalRights(await objectsOf(environment, source, flags));
  const roles = rolesFor(rules, { namespace: flags.namespace, name: flags.account }, flags.account);
  return { data: { source, roles }, text: formatYaml(roles) };
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
