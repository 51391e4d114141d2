/**
 * Keeps the upgrades of dependents possible: another Subscription goes to its target over several bundles, and each of
 * them may need a certain version of this package. A version from which fewer of these steps can be made than from the
 * installed one is no candidate until that Subscription has gone on. ask.ts calls it for the bundles that a resolution
 * considers. Only requirements without a choice count, as in coming.ts.
 */
import type { Cause, Conflict } from '../decision.ts';
import type { GraphBundle } from '../graph.ts';
import type { CatalogSource, ResolveInput, UpgradeWay } from '../input.ts';
import { kindKey, needOf, providedKinds, type Requirement } from './requirements.ts';
import { VersionMap } from './version-map.ts';
import { WayEffort } from './way-effort.ts';
import { WaySteps } from './way-steps.ts';

/** The ways that one resolution keeps open. */
export class OpenWays {
  readonly #input: ResolveInput;
  readonly #catalogs: readonly CatalogSource[];
  readonly #effort: WayEffort;
  readonly #passages = new Map<string, Passages | undefined>();
  #ways: readonly UpgradeWay[] | undefined;

  /**
   * @param catalogs Those of the input, none of which throws.
   * @param most The most units of effort.
   */
  constructor(input: ResolveInput, catalogs: readonly CatalogSource[], most?: number) {
    this.#input = input;
    this.#catalogs = catalogs;
    this.#effort = new WayEffort(input.expired, most);
  }

  /**
   * Why a bundle must wait for an upgrade of another Subscription; undefined if it leaves every way open. When the effort
   * is over, every bundle waits: any of them could close a way.
   */
  problem({ name }: GraphBundle, catalog: string): Cause | undefined {
    const { cluster, expired } = this.#input;
    this.#ways ??= cluster?.ways?.(expired) ?? [];
    if (this.#ways.length === 0) return undefined;
    const closed = this.#effort.isOver() ? undefined : this.#closing(name, catalog);
    if (this.#effort.isOver()) return { kind: 'dependency', because: [{ kind: 'effort', why: 'tooLong' }] };
    return closed && { kind: 'dependency', because: [closed] };
  }

  #closing(bundle: string, catalog: string): Conflict | undefined {
    const passages = this.#passagesIn(catalog);
    for (const way of this.#ways ?? []) {
      if (!this.#effort.spend()) return undefined;
      const closed = passages?.closedBy(bundle, way) ?? unreadCatalog(way);
      if (closed !== undefined) return closed;
    }
    return undefined;
  }

  #passagesIn(catalog: string): Passages | undefined {
    if (!this.#passages.has(catalog)) {
      const content = this.#catalogs.find(({ name }) => name === catalog)?.content(this.#input.wanted.package);
      const passages = content && new Passages(new VersionMap(content, this.#input), this.#input, this.#effort);
      this.#passages.set(catalog, passages);
    }
    return this.#passages.get(catalog);
  }
}

/** After a restart of the manager one catalog is read before another. */
function unreadCatalog({ subscription, unread, hidden }: UpgradeWay): Conflict | undefined {
  if (unread === undefined) return undefined;
  return hidden === true
    ? { kind: 'hiddenWay', subscription }
    : { kind: 'catalog', catalog: unread, state: 'Unavailable', role: 'one' };
}

/** How far each way can be gone from each version of one catalog. */
class Passages {
  readonly #map: VersionMap;
  readonly #steps: WaySteps;

  constructor(map: VersionMap, input: ResolveInput, effort: WayEffort) {
    const isOurs = createKindFilter(map, input);
    const concerns = (one: Requirement): boolean =>
      one.kind === 'package' ? one.package === input.wanted.package : one.kind === 'gvk' && isOurs(kindKey(one.gvk));
    this.#map = map;
    this.#steps = new WaySteps({ map, concerns, effort });
  }

  /** The step that cannot be made from a bundle, although it can be made now. */
  closedBy(bundle: string, way: UpgradeWay): Conflict | undefined {
    const place = this.#map.placeOf(bundle);
    if (place === undefined) return undefined;
    const { byPlace, now } = this.#steps.of(way);
    const possible = byPlace[place] ?? 0;
    const step = way.steps[possible];
    if (step === undefined || possible >= now) return undefined;
    const requirement = this.#steps.unmetAt(place, step);
    if (requirement === undefined) return undefined;
    if (way.hidden === true) return { kind: 'hiddenWay', subscription: way.subscription };
    const to = way.steps.at(-1)?.bundle ?? step.bundle;
    return { kind: 'way', subscription: way.subscription, to, step: step.bundle, need: needOf(requirement), bundle };
  }
}

/** A test for the kinds that only this package provides: they are not there without it. */
function createKindFilter({ places }: VersionMap, { wanted, cluster }: ResolveInput): (kind: string) => boolean {
  const { packages = [], providedKinds: served = [] } = cluster ?? {};
  const kindsIn = (own: boolean): ReadonlySet<string> =>
    new Set(
      packages
        .filter((one) => (one.package === wanted.package && one.holds !== false) === own)
        .flatMap(({ properties }) => providedKinds(properties).map(kindKey)),
    );
  const [own, others] = [kindsIn(true), kindsIn(false)];
  const elsewhere = new Set(served.map(kindKey).filter((kind) => !own.has(kind)));
  const offered = new Set(places.flatMap((place) => [...place.offered.kinds]));
  return (kind) => offered.has(kind) && !others.has(kind) && !elsewhere.has(kind);
}
