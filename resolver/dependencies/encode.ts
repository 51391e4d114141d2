/**
 * Translates a universe into clauses: the demands on the options that literals.ts has given variables. plan.ts asks for
 * an encoding of each universe, and for others with more detail if it has to explain a contradiction.
 */
import { canonicalJson } from '../../api/json.ts';
import type { Property } from '../../catalog/model.ts';
import type { Conflict } from '../decision.ts';
import type { SatSolver } from '../solver/sat.ts';
import type { ClauseWriter } from './clause-writer.ts';
import { limitToAllowed, limitToInstalled, limitToPresent } from './encode-limits.ts';
import { encodeProviders } from './encode-providers.ts';
import { FactSelectors, type FactDetail, type FactGroup } from './facts.ts';
import { Literals, type EncodedOption, type EncodedPackage } from './literals.ts';
import type { PackageNode, Policy, Universe } from './model.ts';
import { needOf, parseRequirements, type Requirement } from './requirements.ts';

/** A universe as clauses. */
export interface EncodedUniverse {
  readonly solver: SatSolver;
  /** Facts by selector; the function describes the fact. */
  readonly facts: ReadonlyMap<number, () => Conflict>;
  /** The groups of facts by selector, if the encoding names groups instead of facts. */
  readonly groups: ReadonlyMap<number, FactGroup>;
  readonly packages: readonly EncodedPackage[];
}

/** The clauses of a universe under a policy. */
export function encode(universe: Universe, policy: Policy, detail: FactDetail): EncodedUniverse {
  const literals = new Literals(universe);
  const selectors = new FactSelectors(literals, detail);
  const writer = { universe, literals, selectors };
  if (typeof detail === 'string') for (const node of universe.packages.values()) literals.declare(node);
  for (const node of universe.packages.values()) {
    if (!selectors.counts(`package ${node.name}`)) continue;
    const one = literals.declare(node);
    limitToInstalled(one, writer);
    limitToAllowed(one, writer);
    encodeRequirements(one, writer);
  }
  encodeProviders(writer);
  if (policy === 'Require' && selectors.counts('policy')) limitToPresent(writer);
  literals.solver.addClause([literals.variableOf(universe.root)]);
  const { facts, groups } = selectors;
  return { solver: literals.solver, facts, groups, packages: [...literals.packages.values()] };
}

/**
 * Choosing an option demands its requirements; an installed option demands only those that are met now. If several
 * versions of a package have the same requirement, that is one fact.
 */
function encodeRequirements({ node, options }: EncodedPackage, writer: ClauseWriter): void {
  const { universe, literals, selectors } = writer;
  const needing = new Map<Requirement, { readonly counts: number; readonly bundles: Set<string> }>();
  for (const { option, chosen } of options) {
    const parsed = universe.requirementsOf(option);
    for (const requirement of parsed.ok ? parsed.value : []) {
      if (option.bundle === undefined && !universe.isMetNow(requirement)) continue;
      let fact = needing.get(requirement);
      if (fact === undefined) {
        const bundles = new Set<string>();
        const describe = (): Conflict => describeNeed(node, bundles, { requirement, universe });
        fact = { bundles, counts: selectors.selector(`package ${node.name}`, describe) };
        needing.set(requirement, fact);
      }
      fact.bundles.add(option.name);
      literals.solver.addClause([-fact.counts, -chosen, literals.requires(requirement)]);
    }
  }
  if (selectors.detail === 'none') bringAlong(options, writer);
}

/** If all versions of a package need another package, the package itself demands it: the solver then infers more. */
function bringAlong(options: readonly EncodedOption[], { universe, literals }: ClauseWriter): void {
  const needing = new Map<number, number>();
  for (const { option } of options) {
    const parsed = universe.requirementsOf(option);
    const requirements = option.bundle !== undefined && parsed.ok ? parsed.value : [];
    const needed = new Set(requirements.flatMap((requirement) => literals.onlyPackage(requirement) ?? []));
    for (const present of needed) needing.set(present, (needing.get(present) ?? 0) + 1);
  }
  const own = options.at(-1)?.upToHere;
  for (const [present, count] of needing)
    if (own !== undefined && count === options.length) literals.solver.addClause([-own, present]);
}

function describeNeed(
  node: PackageNode,
  bundles: ReadonlySet<string>,
  { requirement, universe }: { readonly requirement: Requirement; readonly universe: Universe },
): Conflict {
  const need = needOf(requirement);
  const { subscription, hiddenNeeds = [] } = node.installed ?? {};
  if (subscription !== undefined && isAmong(need, hiddenNeeds)) return { kind: 'hiddenWay', subscription };
  return {
    kind: 'requires',
    package: node.name,
    bundles: [...bundles],
    need,
    offered: offeredFor(requirement, universe),
  };
}

function isAmong(need: ReturnType<typeof needOf>, properties: readonly Property[]): boolean {
  const parsed = parseRequirements(properties);
  return parsed.ok && parsed.value.some((one) => canonicalJson(needOf(one)) === canonicalJson(need));
}

/** The versions of a required package that catalogs offer, the preferred first. */
function offeredFor(requirement: Requirement, { packages }: Universe): readonly string[] {
  if (requirement.kind !== 'package') return [];
  return [...new Set((packages.get(requirement.package)?.options ?? []).map(({ text }) => text))];
}
