/**
 * Counts how many steps of another Subscription's way can be made from each version of a package, while that package
 * goes up along its graph. The work is linear in the places and the edges, also among bundles of equal versions, each of
 * which may lead to every other. open-ways.ts compares the counts.
 */
import type { UpgradeStep, UpgradeWay } from '../input.ts';
import { directRequirements } from './coming.ts';
import { meets } from './options.ts';
import type { Requirement } from './requirements.ts';
import type { VersionMap } from './version-map.ts';
import type { WayEffort } from './way-effort.ts';

export interface WayStepsParts {
  readonly map: VersionMap;
  /** Whether a requirement is one that this package is to meet. */
  readonly concerns: (requirement: Requirement) => boolean;
  readonly effort: WayEffort;
}

/** By place, how many steps of a way can be made, one after another. */
export interface StepCounts {
  readonly byPlace: Int32Array;
  /** From the installed version, or if none is installed, from the best version to begin with. */
  readonly now: number;
}

/** The counts of one catalog. If the effort ends meanwhile, they mean nothing. */
export class WaySteps {
  readonly #parts: WayStepsParts;
  readonly #counts = new Map<UpgradeWay, StepCounts>();
  readonly #requirements = new Map<UpgradeStep, readonly Requirement[]>();

  constructor(parts: WayStepsParts) {
    this.#parts = parts;
  }

  /** The counts of a way; they are made once. */
  of(way: UpgradeWay): StepCounts {
    const known = this.#counts.get(way);
    if (known !== undefined) return known;
    const { map, effort } = this.#parts;
    let byPlace = new Int32Array(map.places.length);
    for (const step of way.steps.toReversed()) {
      if (!effort.spend()) break;
      byPlace = this.#withStep(step, byPlace);
    }
    const now = map.start === undefined ? byPlace.reduce((a, b) => Math.max(a, b), 0) : (byPlace[map.start] ?? 0);
    const counts = { byPlace, now };
    this.#counts.set(way, counts);
    return counts;
  }

  /** The first requirement of a step that is not met at a place, else its first one. */
  unmetAt(place: number, step: UpgradeStep): Requirement | undefined {
    const requirements = this.#requirementsOf(step);
    return requirements.find((one) => !this.#isMet(place, [one])) ?? requirements[0];
  }

  /** The counts for one more step at the beginning. A step is best made as soon as its requirements are met. */
  #withStep(step: UpgradeStep, later: Int32Array): Int32Array<ArrayBuffer> {
    const { map, effort } = this.#parts;
    const requirements = this.#requirementsOf(step);
    const counts = new Int32Array(map.places.length);
    for (let at = 0; at < counts.length && effort.spend(); at++)
      if (requirements.length === 0 || this.#isMet(at, requirements)) counts[at] = 1 + (later[at] ?? 0);
    if (requirements.length > 0) this.#carryDown(counts);
    return counts;
  }

  /** Gives each place without a count the highest one to which upgrades over such places lead: the highest go first. */
  #carryDown(counts: Int32Array): void {
    const { map, effort } = this.#parts;
    const open = map.openPlaces((at) => counts[at] === 0);
    const byCount = Map.groupBy(counts.keys(), (at) => counts[at] ?? 0);
    for (const count of [...byCount.keys()].toSorted((a, b) => b - a)) {
      const reached = count === 0 ? [] : [...(byCount.get(count) ?? [])];
      for (let to = reached.pop(); to !== undefined; to = reached.pop())
        for (const from of open.takeBefore(to)) {
          if (!effort.spend()) return;
          counts[from] = count;
          reached.push(from);
        }
    }
  }

  #isMet(place: number, requirements: readonly Requirement[]): boolean {
    const at = this.#parts.map.places[place];
    return (
      at?.isTarget === true &&
      requirements.every((requirement) => this.#parts.effort.spend() && meets(at.offered, requirement))
    );
  }

  /** The requirements of a step that this package is to meet. */
  #requirementsOf(step: UpgradeStep): readonly Requirement[] {
    const known = this.#requirements.get(step);
    if (known !== undefined) return known;
    this.#parts.effort.spend(step.properties.length);
    const requirements = directRequirements(step).filter(this.#parts.concerns);
    this.#requirements.set(step, requirements);
    return requirements;
  }
}
