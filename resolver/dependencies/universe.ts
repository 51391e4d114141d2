/**
 * Gathers the part of the catalogs that can matter for one bundle: its dependencies, theirs, and so on. Nothing else is
 * read, so unrelated packages, catalogs and Subscriptions cannot change an answer.
 *
 * package-pool.ts holds the packages, follow.ts decides which of them are opened. A plan that uses a package which is
 * known by name only reads that package, and is made again (plan.ts).
 */
import { RequirementFollower } from './follow.ts';
import type { PlanningMemory } from './memory.ts';
import type { DependencyQuestion, Universe } from './model.ts';
import { PackagePool } from './package-pool.ts';
import { describePresent } from './present.ts';

/**
 * Gathers the universe of a question; undefined if that exceeds the effort. A thorough universe has all providers of a
 * kind, and the alternatives to packages that stay as they are: no plan can choose them, but they belong to the
 * explanation of a contradiction.
 */
export function gatherUniverse(
  question: DependencyQuestion,
  memory: PlanningMemory,
  { thorough }: { readonly thorough: boolean },
): Universe | undefined {
  const present = describePresent(question.cluster, question.root.package, memory);
  const pool = new PackagePool(question, present, memory);
  const follower = new RequirementFollower({ pool, present, memory, thorough });
  for (const installed of question.cluster.packages ?? []) pool.openInstalled(installed);
  pool.activateRoot();
  if (!follower.followAll()) return undefined;
  const { current, servedKinds, isMetNow } = present;
  return {
    root: pool.root,
    packages: pool.packages,
    current,
    servedKinds,
    isMetNow,
    requirementsOf: (option) => memory.requirementsOf(option),
    matching: (requirement, perhaps) => pool.matching(requirement, perhaps),
    isMetBy: (option, requirement) => memory.isMetBy(option, requirement),
    isThorough: () => follower.isThorough,
    read: (names) => {
      for (const name of names) pool.open(name);
      return follower.followAll();
    },
  };
}
