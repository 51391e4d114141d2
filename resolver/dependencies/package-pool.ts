/**
 * The packages of a universe and the state of each: known by name only, open (its preferred options are there) or
 * complete (all its options are there). follow.ts decides which packages are opened.
 *
 *     by name ──open──▶ open ──complete──▶ complete
 */
import type { InstalledPackage } from '../input.ts';
import type { PlanningMemory } from './memory.ts';
import type { DependencyQuestion, Option, PackageNode } from './model.ts';
import { alternativesTo, optionsOf, rootOption, unreadOption } from './options.ts';
import type { Present } from './present.ts';
import { kindKey, type Requirement } from './requirements.ts';
import { orderSources, type CatalogSources } from './sources.ts';

interface PooledPackage extends PackageNode {
  options: readonly Option[];
  readonly active: Set<Option>;
  state: 'by name' | 'open' | 'complete';
  /** For a package that is known by name only: the requirements that it could meet. */
  readonly couldMeet: Set<Requirement>;
}

/** Holds the packages of one universe. */
export class PackagePool {
  readonly root: Option;
  readonly sources: CatalogSources;
  /** Every option of an open package that has become active, in that order: the work list of follow.ts. */
  readonly activated: Option[] = [];
  readonly #question: DependencyQuestion;
  readonly #present: Present;
  readonly #memory: PlanningMemory;
  /** In the order in which the search met them. */
  readonly #packages = new Map<string, PooledPackage>();
  /** By kind, the names of open packages that have an option with it. */
  readonly #providers = new Map<string, Set<string>>();

  constructor(question: DependencyQuestion, present: Present, memory: PlanningMemory) {
    this.root = rootOption(question.root);
    this.sources = orderSources(question.catalogs, this.root.catalog);
    this.#question = question;
    this.#present = present;
    this.#memory = memory;
  }

  get packages(): ReadonlyMap<string, PackageNode> {
    return this.#packages;
  }

  /** Whether a package can be used at no further cost: it is installed, or already open. */
  isRead(name: string): boolean {
    if (name === this.root.package || this.#present.installed.has(name) || this.#present.guests.has(name)) return true;
    const state = this.#packages.get(name)?.state;
    return state !== undefined && state !== 'by name';
  }

  /** Names of open packages that have an option with a kind. */
  openProvidersOf(kind: string): ReadonlySet<string> {
    return this.#providers.get(kind) ?? NO_NAMES;
  }

  /** Opens an installed package; if it was installed as a dependency, with the versions that it may be upgraded to. */
  openInstalled(fixed: InstalledPackage): void {
    // Packages of Subscriptions without a say here cost nothing until a requirement needs one of them.
    if (fixed.holds === false) return;
    const node = this.#node(fixed.package);
    if (!fixed.dependency || node.installed === undefined) return;
    this.#complete(node);
    for (const option of node.options) if (option.reachable) this.#activate(option, node);
  }

  /** Opens a package. An installed one has its installed option only, until `openFor` completes it. */
  open(name: string): void {
    this.#node(name);
  }

  /** Opens and completes a package, and activates its options that meet a requirement. */
  openFor(requirement: Requirement, name: string): void {
    const node = this.#node(name);
    this.#complete(node);
    this.#activateMeeting(requirement, node);
  }

  /** Notes the name of a package that could meet a requirement, without reading the package. */
  noteName(name: string, requirement: Requirement): void {
    const before = this.#packages.get(name);
    if (before !== undefined) before.couldMeet.add(requirement);
    else {
      const option = unreadOption(name);
      this.#packages.set(name, {
        name,
        options: [option],
        installed: undefined,
        active: new Set([option]),
        state: 'by name',
        couldMeet: new Set([requirement]),
      });
    }
  }

  /** Makes the root's option usable. */
  activateRoot(): void {
    this.#activate(this.root, this.#node(this.root.package));
  }

  /** Active options that meet a requirement that is not made of parts; with `perhaps`, also unread ones that could. */
  matching(requirement: Requirement, perhaps: boolean): readonly Option[] {
    if (requirement.kind === 'package') {
      const node = this.#packages.get(requirement.package);
      return node === undefined ? [] : this.#activeMeeting(requirement, node);
    }
    const isAbout = this.#filterFor(requirement);
    return [...this.#packages.values()].flatMap((node) => {
      if (node.state !== 'by name') return isAbout(node) ? this.#activeMeeting(requirement, node) : [];
      return perhaps && (requirement.kind === 'cel' || node.couldMeet.has(requirement)) ? node.options : [];
    });
  }

  #filterFor(requirement: Requirement): (node: PooledPackage) => boolean {
    if (requirement.kind !== 'gvk') return () => requirement.kind === 'cel';
    const providers = this.openProvidersOf(kindKey(requirement.gvk));
    return ({ name }) => providers.has(name);
  }

  #node(name: string): PooledPackage {
    const before = this.#packages.get(name);
    if (before !== undefined && before.state !== 'by name') return before;
    const node = this.#read(name);
    this.#packages.set(name, node);
    this.#noteProviders(node);
    if (node.state === 'open') for (const option of node.options) this.#activate(option, node);
    for (const requirement of before?.couldMeet ?? []) this.#activateMeeting(requirement, node);
    return node;
  }

  #read(name: string): PooledPackage {
    const { installed: others, current, guests } = this.#present;
    const installed = others.get(name);
    const now = installed === undefined ? undefined : current.get(name);
    const there = now === undefined ? guests.get(name) : [now];
    const options = there ?? (name === this.root.package ? [this.root] : this.#offered(name));
    const state = there === undefined ? 'complete' : 'open';
    return { name, options, installed, active: new Set(), state, couldMeet: new Set() };
  }

  /**
   * Adds the other options of a package that is there; they are read only if the installed option does not do. A
   * package of a Subscription without a say here can only be installed a second time, so that its graph does not count.
   */
  #complete(node: PooledPackage): void {
    if (node.state === 'complete') return;
    node.state = 'complete';
    const { name, installed } = node;
    const others =
      installed === undefined
        ? this.#offered(name)
        : this.#memory.alternatives(name, () => alternativesTo(installed, this.sources.ordered, this.#question));
    node.options = [...node.options, ...others];
    this.#noteProviders(node);
  }

  #offered(name: string): readonly Option[] {
    return this.#memory.offered(this.root.catalog, name, () => optionsOf(name, this.sources.ordered, this.#question));
  }

  #noteProviders({ name, options }: PackageNode): void {
    for (const { kinds } of options) {
      for (const kind of kinds) {
        const names = this.#providers.get(kind);
        if (names === undefined) this.#providers.set(kind, new Set([name]));
        else names.add(name);
      }
    }
  }

  #activateMeeting(requirement: Requirement, node: PooledPackage): void {
    for (const option of this.#memory.optionsMeeting(requirement, node.options)) this.#activate(option, node);
  }

  #activate(option: Option, { active }: PooledPackage): void {
    if (active.has(option)) return;
    active.add(option);
    this.activated.push(option);
  }

  #activeMeeting(requirement: Requirement, node: PooledPackage): readonly Option[] {
    return this.#memory.optionsMeeting(requirement, node.options).filter((option) => node.active.has(option));
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();
