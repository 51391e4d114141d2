/** Events, and the record of who approved which version. */
import type { Badge, Cut, Empty, Link, Page } from './common.ts';

export interface EventRow {
  /** Identifies it while its count grows. */
  readonly key: string;
  readonly time: string;
  readonly type: Badge;
  readonly reason: string;
  /** `Subscription beacon` */
  readonly object: string;
  readonly namespace: string;
  /** The view of the object; absent if there is none. */
  readonly href?: string;
  readonly message: string;
  readonly count: number;
}

/** One act that the objects remember, long after the events are gone. */
export interface AuditRow {
  readonly key: string;
  readonly time: string;
  readonly namespace: string;
  readonly subscription: string;
  readonly href: string;
  /** `approved 1.1.0`, `1.1.0 failed`, `rolled back`, `repaired 2 objects` */
  readonly act: string;
  /** The program or policy; absent if it is not known. */
  readonly by?: string;
  readonly message: string;
}

export interface EventsModel extends Page {
  readonly namespace?: string;
  /** Namespaces to choose from. */
  readonly namespaces: readonly Link[];
  readonly onlyWarnings: boolean;
  /** The newest first. */
  readonly events: readonly EventRow[];
  readonly cut?: Cut;
  /** The newest first. */
  readonly audit: readonly AuditRow[];
  readonly auditCut?: Cut;
  readonly empty?: Empty;
}
