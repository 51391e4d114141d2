/** One Subscription: version now and available, progress, problems, Pods with their last lines, history. */
import type { Badge, Button, Cut, Fact, Hint, Link, Moment, Page } from './common.ts';

/** Progress of one phase of a roll-out. */
export interface PhaseRow {
  readonly name: string;
  readonly state: Badge;
  /** Objects that are applied and healthy, of `objects`. */
  readonly ready: number;
  readonly objects: number;
  readonly message?: string;
}

/** A sentence of a condition that is bad news. */
export interface ProblemRow {
  readonly condition: string;
  readonly reason: string;
  readonly message: string;
  /** Since when. */
  readonly since?: string;
}

export interface RefusedRow {
  readonly version: string;
  readonly reason: string;
  readonly message: string;
  /** The upgrade graph with this version opened. */
  readonly href: string;
}

/** A version that failed, and is not tried again until a person asks. */
export interface QuarantinedRow {
  readonly bundle: string;
  readonly version: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string;
  readonly rolledBackTime?: string;
}

/** The last lines of one container; the lines keep their indentation. */
export interface LogTail {
  readonly container: string;
  /** `previous` is the run that ended last. */
  readonly run: 'current' | 'previous';
  readonly lines: readonly string[];
  /** Why there are none, in a sentence. */
  readonly failure?: string;
}

export interface PodRow {
  readonly namespace: string;
  readonly name: string;
  readonly state: Badge;
  readonly message?: string;
  readonly logs: readonly LogTail[];
  /** The kubectl line that prints its log. */
  readonly command: string;
}

/** One Revision on the timeline. */
export interface HistoryRow {
  readonly revision: string;
  readonly href: string;
  readonly number: number;
  readonly version: string;
  readonly bundle: string;
  readonly state: Badge;
  /** `sha256:…` of the bundle image. */
  readonly digest: string;
  /** `signed by …`, or why no signature is known; absent if none was asked for. */
  readonly signature?: string;
  readonly created: string;
  readonly approvedBy?: string;
  readonly approvedTime?: string;
  /** Hash of the plan that was approved. */
  readonly approvedPlan?: string;
  readonly readyTime?: string;
  readonly rollOutSeconds?: number;
  readonly endTime?: string;
  readonly outcome: string;
  /** Goes back to it, if it worked and is not installed. */
  readonly buttons: readonly Button[];
}

export interface ConditionRow {
  readonly type: string;
  /** The question that the condition answers. */
  readonly question: string;
  readonly status: string;
  readonly tone: Badge['tone'];
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

/** The progress of one upgrade with several steps. */
export interface Steps {
  readonly step: number;
  readonly steps: number;
}

export interface SubscriptionModel extends Page {
  readonly namespace: string;
  readonly name: string;
  readonly package: string;
  readonly state: Badge;
  readonly message: string;
  /** Installed version; absent if there is none. */
  readonly installed?: string;
  /** The newest version that the spec allows. */
  readonly available?: string;
  /** Versions on the way, in order. */
  readonly path: readonly string[];
  /** Why the newest is not installed; the sentence of `slipway outdated`. */
  readonly outdated?: string;
  /** The version that comes next: it waits for a person or for a time, or is being applied. */
  readonly pending?: {
    readonly version: string;
    readonly reason: string;
    readonly isWaiting: boolean;
  } & Partial<Steps>;
  readonly facts: readonly Fact[];
  readonly moments: readonly Moment[];
  /** While a Revision is being applied. */
  readonly phases: readonly PhaseRow[];
  readonly problems: readonly ProblemRow[];
  readonly quarantined: readonly QuarantinedRow[];
  readonly refused: readonly RefusedRow[];
  readonly refusedCut?: Cut;
  /** Pods that have a problem; all Pods of the newest roll-out if none has. */
  readonly pods: readonly PodRow[];
  /** The oldest first. */
  readonly history: readonly HistoryRow[];
  readonly conditions: readonly ConditionRow[];
  readonly hints: readonly Hint[];
  readonly links: readonly Link[];
  readonly buttons: readonly Button[];
  /** `kubectl get -o yaml` without managed fields and status; several lines. */
  readonly yaml: string;
}
