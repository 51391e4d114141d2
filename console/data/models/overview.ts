/** Overview: which operators are installed, which of them have a problem, and which wait for a person. */
import type { Badge, Button, Cut, Empty, Link, Page, Tone } from './common.ts';

/** One Subscription in a list. */
export interface OperatorRow {
  readonly href: string;
  readonly namespace: string;
  readonly name: string;
  readonly package: string;
  readonly state: Badge;
  /** The sentence of Ready. */
  readonly message: string;
  /** Installed version; absent if there is none. */
  readonly installed?: string;
  /** The newest version that the spec allows, if it is another one. */
  readonly available?: string;
  /** Why the newest version is not installed, if there is a newer one; the sentence of `slipway outdated`. */
  readonly outdated?: string;
}

/** A Revision that waits for approval. */
export interface WaitingRow extends OperatorRow {
  /** `gadget 1.0.0 → 1.1.0`, or `installation of gadget 1.1.0` */
  readonly change: string;
  /** Risk of its plan; absent if no plan exists yet. */
  readonly risk?: Badge;
  /** The plan view, in which it is read and approved. */
  readonly plan: Link;
}

/** A Catalog that is not ready. */
export interface CatalogTrouble {
  readonly name: string;
  readonly state: Badge;
  readonly message: string;
  readonly buttons: readonly Button[];
}

/** `10 Ready`: how many Subscriptions are in a state. */
export interface StateCount {
  readonly word: string;
  readonly tone: Tone;
  readonly count: number;
}

export interface OverviewModel extends Page {
  /** `12 operators: 10 ready, 1 failed, 1 waits for approval` */
  readonly summary: string;
  readonly counts: readonly StateCount[];
  /** For a person to decide; the oldest first. */
  readonly waiting: readonly WaitingRow[];
  /** Failed or otherwise in trouble. Those that wait are in `waiting` too. */
  readonly wrong: readonly OperatorRow[];
  readonly catalogs: readonly CatalogTrouble[];
  /** All, by namespace and name. */
  readonly operators: readonly OperatorRow[];
  readonly cut?: Cut;
  readonly empty?: Empty;
}
