/** The plan of the Revision that comes next: its effect, its risk, and the approval that names its hash. */
import type { Badge, Button, Cut, Empty, Fact, Link, Page } from './common.ts';

/** One risk with the fact that gives it. */
export interface RiskRow {
  readonly level: Badge;
  readonly reason: string;
  readonly message: string;
}

/** A titled list of lines, as `slipway plan` prints it; lines keep their indentation. */
export interface PlanSection {
  /** `Rights gained`, `CRDs`, `Images`, `Restarts`, `Objects`, … */
  readonly title: string;
  /** In place of the number of lines: `1 created, 2 changed`. */
  readonly summary: string;
  readonly lines: readonly string[];
  readonly cut?: Cut;
}

/** The approval that was given, or what it waits for. */
export interface ApprovalState {
  readonly state: Badge;
  /** `waits for approval`, `approved by kubectl-patch` … */
  readonly message: string;
  readonly by?: string;
  readonly time?: string;
  readonly plan?: string;
}

export interface PlanModel extends Page {
  readonly namespace: string;
  readonly name: string;
  /** Name of the Revision; absent if none comes next. */
  readonly revision?: string;
  /** `gadget 1.0.0 → 1.1.0` */
  readonly change?: string;
  /** `sha256:…`; absent if no plan could be made. */
  readonly hash?: string;
  readonly risk?: Badge;
  readonly risks: readonly RiskRow[];
  /** Why there is no way back; absent if there is one. */
  readonly pointOfNoReturn?: string;
  readonly wayBack?: string;
  /** Rules of the upgrade policy that hold it. */
  readonly heldBy: readonly string[];
  readonly facts: readonly Fact[];
  /** Of the whole plan if it could be read, else of the summary in the status of the Revision. */
  readonly sections: readonly PlanSection[];
  /** Whether the sections are of the whole plan or of its summary; `summary` comes with a notice that says why. */
  readonly extent: 'whole' | 'summary' | 'none';
  readonly approval?: ApprovalState;
  readonly buttons: readonly Button[];
  readonly links: readonly Link[];
  readonly empty?: Empty;
}
