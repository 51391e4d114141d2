/** The upgrade graph of a Subscription: channels as lanes, versions with their marks, and why a version is not chosen. */
import type { Badge, Button, Cut, Empty, Link, Page } from './common.ts';

/**
 * `installed`, `available` (the end of the path), `path` (on the way there), `pending` (waits or is being applied),
 * `refused` (the manager gives a reason), `quarantined` (it failed before), and the marks of `slipway catalog graph`.
 */
export type NodeMark =
  | 'installed'
  | 'available'
  | 'path'
  | 'pending'
  | 'refused'
  | 'quarantined'
  | 'head'
  | 'deprecated'
  | 'skipped'
  | 'stranded'
  | 'missing';

export interface GraphNode {
  /** Name of the bundle: unique in its lane, and the same in every lane that has it. */
  readonly bundle: string;
  /** Empty if it is missing from the catalog. */
  readonly version: string;
  readonly marks: readonly NodeMark[];
  /** The catalog's words, if it is deprecated. */
  readonly deprecation?: string;
  /** Range of versions that may upgrade to it directly. */
  readonly skipRange?: string;
  /** This view with this version opened. */
  readonly href: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'replaces' | 'skips' | 'skipRange';
  /** Whether the path to the available version leads over it. */
  readonly onPath: boolean;
}

export interface GraphLane {
  readonly channel: string;
  readonly isDefault: boolean;
  /** Whether the Subscription follows it. */
  readonly isFollowed: boolean;
  readonly deprecation?: string;
  /** The highest version first. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Versions that are left out, the lowest first. */
  readonly cut?: Cut;
}

/** The answer of `slipway why-not` for one version. */
export interface WhyNot {
  readonly version: string;
  readonly chosen: boolean;
  readonly standing: string;
  /** One sentence for the heading. */
  readonly summary: string;
  readonly causes: readonly string[];
  /** Instructions; each was tried by resolving again, and each is enough. */
  readonly remedies: readonly string[];
  /** Limits of the attempts: which facts they leave out; absent if they leave out none. */
  readonly note?: string;
  /** The manager's decision now, if the causes do not say it. */
  readonly decision?: string;
  /** `slipway why-not …` */
  readonly command: string;
  /** Acts that would have it installed: approve, reconcile, or another version. */
  readonly buttons: readonly Button[];
}

/** One step of the path, in words. */
export interface PathRow {
  readonly version: string;
  readonly message: string;
}

export interface GraphModel extends Page {
  readonly namespace: string;
  readonly name: string;
  readonly package: string;
  readonly catalog?: string;
  readonly installed?: string;
  readonly available?: string;
  /** Why the newest is or is not installed: the manager's sentence. */
  readonly message: string;
  readonly deprecation?: string;
  readonly lanes: readonly GraphLane[];
  readonly lanesCut?: Cut;
  readonly path: readonly PathRow[];
  /** The marks that occur, each with its words. */
  readonly legend: readonly { readonly mark: NodeMark; readonly words: string; readonly badge: Badge }[];
  /** Of the version that `?version=` names, else of the newest that is not installed; absent if there is none. */
  readonly opened?: WhyNot;
  readonly links: readonly Link[];
  readonly empty?: Empty;
}
