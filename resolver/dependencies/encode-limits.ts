/** Writes which options a plan may choose, given the installed bundles, the cluster, the quarantine and the policy. */
import type { Cause, RefusedCandidate } from '../decision.ts';
import type { ClauseWriter } from './clause-writer.ts';
import type { EncodedPackage } from './literals.ts';
import type { Option, Universe } from './model.ts';

/** An installed package stays as it is; one that was installed as a dependency may move as far as its Subscription goes. */
export function limitToInstalled({ node, options }: EncodedPackage, { literals, selectors }: ClauseWriter): void {
  const { installed } = node;
  const [current] = options;
  if (installed === undefined || current === undefined) return;
  const { bundle, version, subscription, dependency: movable, limits, next } = installed;
  const keeps = selectors.selector(`package ${node.name}`, () => ({
    kind: 'keeps',
    package: node.name,
    bundle,
    version,
    ...(subscription !== undefined && { subscription }),
    movable,
    ...(limits?.suspended === true && { suspended: true }),
    ...(next !== undefined && { next }),
  }));
  const allowed = options.filter(({ option }) => option === current.option || (movable && option.reachable));
  literals.solver.addClause([-keeps, ...allowed.map(({ chosen }) => chosen)]);
}

/** No plan chooses an option that the cluster or the quarantine rules out, or whose requirements cannot be parsed. */
export function limitToAllowed({ node, options }: EncodedPackage, writer: ClauseWriter): void {
  const { universe, literals, selectors } = writer;
  const barred = options.flatMap(({ option, chosen }) => {
    const cause = causeAgainst(option, universe);
    return cause === undefined ? [] : [{ option, chosen, cause }];
  });
  if (barred.length === 0) return;
  const allowed = selectors.selector(`package ${node.name}`, () => ({
    kind: 'barred',
    package: node.name,
    causes: barred.map(({ option, cause }) => describeBarred(option, cause)),
  }));
  for (const { chosen } of barred) literals.solver.addClause([-allowed, -chosen]);
}

function causeAgainst(option: Option, universe: Universe): Cause | undefined {
  if (option.barred !== undefined || option.bundle === undefined) return option.barred;
  const parsed = universe.requirementsOf(option);
  return parsed.ok ? undefined : { kind: 'requirementInvalid', problem: parsed.problem };
}

function describeBarred({ name, text, catalog }: Option, cause: Cause): RefusedCandidate {
  return { bundle: name, version: text, catalog, cause };
}

/** Under the policy `Require`, no plan installs or upgrades any package but the root. */
export function limitToPresent({ universe: { root }, literals, selectors }: ClauseWriter): void {
  const policy = selectors.selector('policy', () => ({ kind: 'mustBeThere' }));
  for (const { option, chosen } of [...literals.packages.values()].flatMap(({ options }) => options)) {
    if ((option.bundle !== undefined || option.unread === true) && option !== root)
      literals.solver.addClause([-policy, -chosen]);
  }
}
