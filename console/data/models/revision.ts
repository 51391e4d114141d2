/** One Revision: its inventory as a tree with health and field owners, and repairs. */
import type { Badge, Button, Cut, Fact, Link, Moment, Page } from './common.ts';
import type { ConditionRow, PhaseRow } from './subscription.ts';

/** A program that owns fields of an object. */
export interface FieldOwner {
  readonly manager: string;
  /** Whether it is Slipway. */
  readonly isSlipway: boolean;
  /** `spec.replicas`, …: the first ones. */
  readonly fields: readonly string[];
  /** How many it owns in all. */
  readonly count: number;
  readonly time?: string;
}

export interface TreeItem {
  /** Identifies it among its siblings, however often the tree changes. */
  readonly key: string;
  /** `Deployment.apps lights/beacon` */
  readonly name: string;
  readonly state: Badge;
  readonly message?: string;
  readonly owners: readonly FieldOwner[];
  /** Whether another program changed the object after it was applied, and why that is concluded. */
  readonly drift?: string;
  /** The kubectl line that prints it. */
  readonly command?: string;
  readonly children: readonly TreeItem[];
}

/** Objects of one phase. */
export interface PhaseGroup {
  readonly phase: string;
  readonly summary: string;
  readonly state: Badge;
  readonly items: readonly TreeItem[];
  readonly cut?: Cut;
}

export interface RevisionModel extends Page {
  readonly namespace: string;
  readonly name: string;
  readonly subscription: Link;
  readonly version: string;
  readonly state: Badge;
  readonly message: string;
  readonly facts: readonly Fact[];
  readonly moments: readonly Moment[];
  readonly phases: readonly PhaseRow[];
  readonly groups: readonly PhaseGroup[];
  /** The last repair, in a sentence with its time. */
  readonly repair?: { readonly time: string; readonly message: string };
  readonly losses: readonly { readonly crd: string; readonly since: string; readonly message: string }[];
  readonly conditions: readonly ConditionRow[];
  readonly buttons: readonly Button[];
  readonly links: readonly Link[];
}
