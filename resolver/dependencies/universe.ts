/**
 * Gathers the part of the catalogs that can matter for one bundle: what it depends on, what that depends on, and so
 * on. Everything else is never looked at, so unrelated packages, catalogs and Subscriptions cannot change an answer.
 *
 * Of the packages that provide a kind only the first is read; the others are there by name, as one that could do. A plan
 * that makes use of such a name asks for the package, and is made again (plan.ts).
 */
import type { CatalogSource, InstalledPackage } from '../input.ts';
import type { Parsed } from '../version.ts';
import { isMetBy, isSpent, optionsMeeting, requirementsOf, type Known } from './known.ts';
import { alternativesTo, optionsOf, rootOption, unreadOption, type Limits, type Option, type Root } from './options.ts';
import { describePresent, type Present } from './present.ts';
import { kindKey, type Requirement } from './requirements.ts';
import { orderSources } from './sources.ts';

export interface DependencyQuestion extends Limits {
  readonly root: Root;
  /** Where dependencies may come from: the root's catalog first, then by priority, then by name. */
  readonly catalogs: readonly CatalogSource[];
}

/** A package with its options, the preferred first; of an installed one that is what is installed. */
export interface PackageNode {
  readonly name: string;
  readonly options: readonly Option[];
  readonly installed: InstalledPackage | undefined;
  /** Options that something in the universe could use. */
  readonly active: ReadonlySet<Option>;
}

export interface Universe extends Pick<Present, 'current' | 'servedKinds' | 'isMetNow'> {
  readonly root: Option;
  /** In the order in which they were met, breadth first. */
  readonly packages: ReadonlyMap<string, PackageNode>;
  /** What an option depends on. */
  readonly requirementsOf: (option: Option) => Parsed<readonly Requirement[]>;
  /**
   * Active options that meet one requirement that is not made of parts; with `perhaps`, also those of which that is not
   * known, as they have not been read.
   */
  readonly matching: (requirement: Requirement, perhaps: boolean) => readonly Option[];
  /** Whether one option alone meets a requirement that is not made of parts. */
  readonly isMetBy: (option: Option, requirement: Requirement) => boolean;
  /** Whether nothing was left out that could take part in an explanation. */
  readonly isThorough: () => boolean;
  /** Reads packages that are there by name, and what they bring along; false where that is too much. */
  readonly read: (names: readonly string[]) => boolean;
}

/** Most options that are considered; a problem beyond that is refused, not cut. */
export const MAX_OPTIONS = 50_000;

/**
 * Gathers the universe; undefined where it would be too large. A thorough one has all providers of a kind, and the
 * alternatives to what is met by something that stays: they cannot be chosen, but belong to the explanation of a
 * contradiction.
 */
export function gatherUniverse(
  question: DependencyQuestion,
  known: Known,
  { thorough }: { readonly thorough: boolean },
): Universe | undefined {
  const builder = createBuilder(question, known, thorough);
  for (const installed of question.cluster.packages ?? []) builder.openInstalled(installed);
  builder.activate(builder.universe.root);
  return builder.drain() ? builder.universe : undefined;
}

interface MutableNode extends PackageNode {
  options: readonly Option[];
  active: Set<Option>;
  complete: boolean;
}

interface Builder {
  /** Takes in an installed package, and where it may go if it may move. */
  readonly openInstalled: (installed: InstalledPackage) => void;
  readonly activate: (option: Option) => void;
  /** Follows requirements until nothing new turns up; false where that is too much. */
  readonly drain: () => boolean;
  readonly universe: Universe;
}

function createBuilder(question: DependencyQuestion, known: Known, thorough: boolean): Builder {
  const root = rootOption(question.root);
  const sources = orderSources(question.catalogs, root.catalog);
  const present = describePresent(question.cluster, root.package, known);
  const { installed, current, guests, servedKinds, isServed, isMetForGood, isMetNow } = present;
  const packages = new Map<string, MutableNode>();
  /** Packages that are open and have an option with a kind. */
  const openProviders = new Map<string, Set<string>>();
  /** What was there to choose from when a requirement was last followed. */
  const followed = new Map<Requirement, number>();
  /** For packages that are there by name, what they could meet. */
  const unread = new Map<string, Set<Requirement>>();
  const queue: Option[] = [];
  let drained = 0;
  let left = MAX_OPTIONS;
  let leftOut = false;

  function openPackage(name: string): MutableNode {
    const open = packages.get(name);
    if (open !== undefined && !unread.has(name)) return open;
    const fixed = installed.get(name);
    const now = fixed === undefined ? undefined : current.get(name);
    const there = now === undefined ? guests.get(name) : [now];
    const options = there ?? (name === root.package ? [root] : offeredOptions(name));
    const node: MutableNode = { name, options, installed: fixed, active: new Set(), complete: there === undefined };
    packages.set(name, node);
    noteProviders(node);
    for (const option of there ?? []) activate(option);
    const waiting = unread.get(name);
    unread.delete(name);
    for (const requirement of waiting ?? []) activateFor(requirement, node);
    return node;
  }

  function offeredOptions(name: string): readonly Option[] {
    const key = `${root.catalog}\n${name}`;
    const before = known.options.get(key);
    if (before !== undefined) return before;
    const options = optionsOf(name, sources.ordered, question);
    known.options.set(key, options);
    return options;
  }

  function noteProviders({ name, options }: PackageNode): void {
    for (const { kinds } of options) {
      for (const kind of kinds) {
        const names = openProviders.get(kind);
        if (names === undefined) openProviders.set(kind, new Set([name]));
        else names.add(name);
      }
    }
  }

  /**
   * What else there is for a package that is there is read only where that does not do. What a
   * Subscription without a say has installed can only be installed once more.
   */
  function complete(node: MutableNode): void {
    if (node.complete) return;
    node.complete = true;
    const others =
      node.installed === undefined
        ? offeredOptions(node.name)
        : alternativesTo(node.installed, sources.ordered, question);
    node.options = [...node.options, ...others];
    noteProviders(node);
  }

  function openInstalled(fixed: InstalledPackage): void {
    // However many others there are, they cost nothing unless one of them is of use.
    if (fixed.holds === false) return;
    const node = openPackage(fixed.package);
    if (!fixed.dependency || node.installed === undefined) return;
    complete(node);
    for (const option of node.options) if (option.reachable) activate(option);
  }

  function activate(option: Option): void {
    const { active } = openPackage(option.package);
    if (active.has(option)) return;
    active.add(option);
    queue.push(option);
  }

  function activateFor(requirement: Requirement, node: MutableNode): void {
    for (const option of optionsMeeting(requirement, node.options, known)) activate(option);
  }

  /** Opens what could meet a requirement, unless something that stays meets it already. */
  function follow(requirement: Requirement, wanted: boolean): void {
    if ('of' in requirement) {
      for (const part of requirement.of) follow(part, requirement.kind === 'not' ? !wanted : wanted);
      return;
    }
    const choice = choiceFor(requirement);
    if (!wanted || followed.get(requirement) === choice) return;
    followed.set(requirement, choice);
    if (isServed(requirement)) return;
    openGuests(requirement);
    if (!thorough && isMetForGood(requirement)) {
      leftOut = true;
      return;
    }
    const names = packagesFor(requirement);
    const first = names.some(isRead) ? undefined : names[0];
    for (const name of names) {
      if (!thorough && requirement.kind === 'gvk' && name !== first && !isRead(name)) takeByName(name, requirement);
      else {
        const node = openPackage(name);
        complete(node);
        activateFor(requirement, node);
      }
    }
  }

  function openGuests(requirement: Requirement): void {
    if (requirement.kind === 'package' && guests.has(requirement.package)) openPackage(requirement.package);
    if (requirement.kind === 'gvk') for (const name of present.guestsWith(kindKey(requirement.gvk))) openPackage(name);
  }

  function isRead(name: string): boolean {
    return (
      name === root.package || installed.has(name) || guests.has(name) || (packages.has(name) && !unread.has(name))
    );
  }

  function takeByName(name: string, requirement: Requirement): void {
    leftOut = true;
    const before = unread.get(name);
    if (before !== undefined) before.add(requirement);
    else {
      const option = unreadOption(name);
      packages.set(name, { name, options: [option], installed: undefined, active: new Set([option]), complete: true });
      unread.set(name, new Set([requirement]));
    }
  }

  /** Grows where what could meet a requirement may have become more. */
  function choiceFor(requirement: Requirement): number {
    if (requirement.kind === 'package') return 0;
    return requirement.kind === 'gvk' ? (openProviders.get(kindKey(requirement.gvk))?.size ?? 0) : packages.size;
  }

  function packagesFor(requirement: Requirement): readonly string[] {
    if (requirement.kind === 'package') return [requirement.package];
    if (requirement.kind === 'cel') return packagesForRule(requirement.rule.literals);
    if (requirement.kind !== 'gvk') return [];
    const open = openProviders.get(kindKey(requirement.gvk)) ?? [];
    return [...new Set([...open, ...sources.providersOf(requirement.gvk)])];
  }

  /** A rule that names packages is about those; another one may be about any. */
  function packagesForRule(literals: readonly string[]): readonly string[] {
    const named = literals.filter(isOffered);
    return named.length > 0 ? named : [...new Set([...packages.keys(), ...sources.packages()])];
  }

  function isOffered(name: string): boolean {
    return packages.has(name) || sources.has(name);
  }

  /** What is installed needs nothing new, but what it has now may not be taken from it. */
  function drain(): boolean {
    for (; drained < queue.length; drained++) {
      known.effort.options--;
      if (--left < 0 || isSpent(known)) return false;
      const option = queue[drained];
      const parsed = option === undefined ? undefined : requirementsOf(option, known);
      if (option === undefined || parsed?.ok !== true) continue;
      for (const requirement of parsed.value) {
        if (option.bundle !== undefined || isMetNow(requirement)) follow(requirement, true);
      }
    }
    return true;
  }

  function matching(requirement: Requirement, perhaps: boolean): readonly Option[] {
    if (requirement.kind === 'package') return activeMeeting(requirement, packages.get(requirement.package));
    const able = requirement.kind === 'gvk' ? openProviders.get(kindKey(requirement.gvk)) : undefined;
    return [...packages.values()].flatMap((node) => {
      const waiting = unread.get(node.name);
      if (waiting !== undefined)
        return perhaps && (requirement.kind === 'cel' || waiting.has(requirement)) ? node.options : [];
      return requirement.kind === 'cel' || able?.has(node.name) === true ? activeMeeting(requirement, node) : [];
    });
  }

  function activeMeeting(requirement: Requirement, node: MutableNode | undefined): readonly Option[] {
    if (node === undefined) return [];
    return optionsMeeting(requirement, node.options, known).filter((option) => node.active.has(option));
  }

  function read(names: readonly string[]): boolean {
    for (const name of names) openPackage(name);
    return drain();
  }

  return {
    openInstalled,
    activate,
    drain,
    universe: {
      root,
      packages,
      servedKinds,
      requirementsOf: (option) => requirementsOf(option, known),
      matching,
      isMetBy: (option, requirement) => isMetBy(option, requirement, known),
      current,
      isMetNow,
      isThorough: () => !leftOut,
      read,
    },
  };
}
