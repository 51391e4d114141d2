/** Slipway itself: which manager leads, how old the content of Catalogs is, and which versions run. */
import type { Badge, Button, Empty, Fact, Moment, Page } from './common.ts';

export interface CatalogRow {
  readonly name: string;
  readonly state: Badge;
  readonly message: string;
  readonly source: string;
  readonly digest?: string;
  readonly packages?: number;
  readonly channels?: number;
  readonly bundles?: number;
  readonly priority: number;
  /** When the registry was asked, when the content changed, when it was built. */
  readonly moments: readonly Moment[];
  readonly signature?: string;
  readonly buttons: readonly Button[];
}

export interface PolicyRow {
  readonly name: string;
  readonly prefix: string;
  readonly state: Badge;
  readonly message: string;
}

/** One judgement about the manager: those of `slipway doctor` that need no further rights. */
export interface FindingRow {
  readonly level: Badge;
  readonly message: string;
  readonly advice?: string;
}

export interface SlipwayModel extends Page {
  readonly findings: readonly FindingRow[];
  /** Name of the leader; absent if none leads or the Lease cannot be read. */
  readonly leader?: string;
  readonly renewed?: string;
  readonly facts: readonly Fact[];
  readonly catalogs: readonly CatalogRow[];
  readonly policies: readonly PolicyRow[];
  readonly empty?: Empty;
}
