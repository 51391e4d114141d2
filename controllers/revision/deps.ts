/** The dependencies of the reconciler of Revisions, and its memory between reconciles. */
import type { PhaseName } from '../../apply/phases.ts';
import type { Client } from '../../kube/client/client.ts';
import type { RecordEvent } from '../events.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import type { PhaseWaits } from './await-phase.ts';
import type { Account } from '../service-account.ts';
import type { Conversions } from './conversions.ts';
import type { DesiredObjects } from './desired-objects.ts';
import type { GivenUp } from './given-up.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { RevisionCaches, RevisionFacts } from './observe.ts';
import type { ProgressPace } from './progress-pace.ts';
import type { Rehearsals } from './rehearsal/rehearsals.ts';
import type { Contests } from './repair/contests.ts';
import type { CrdContents } from './repair/crd-content.ts';
import type { CountRepair } from './repair/report.ts';

export interface RevisionDeps {
  readonly caches: RevisionCaches;
  readonly client: Client;
  readonly managed: ManagedObjects;
  /** Remembers whose objects are being removed; see late-removals.ts. */
  readonly late?: { removing(facts: RevisionFacts): void };
  /** The ServiceAccount of the manager itself. */
  readonly manager: Account;
  readonly record: RecordEvent;
  readonly now: () => Date;
  /** Manifests that were stored a moment ago. */
  readonly handed?: Pick<HandedManifests, 'take'>;
  /** Whether the API server calls webhooks as a test before anything depends on them; true by default. */
  readonly probeWebhooks?: boolean;
  /** The longest wait for a phase; by default as in await-phase.ts. */
  readonly patience?: (phase: PhaseName) => number;
  /** Called for each object that was repaired. */
  readonly countRepair?: CountRepair;
  /** Runs the tasks of one Subscription one after the other: two Revisions never write at the same time. */
  readonly serialize: <T>(key: string, task: () => Promise<T>) => Promise<T>;
}

/** With the memory from one reconcile to the next; all of it can be lost. */
export interface Deps extends RevisionDeps {
  readonly givenUp: GivenUp;
  readonly desired: DesiredObjects;
  readonly pace: ProgressPace;
  readonly conversions: Conversions;
  readonly rehearsals: Rehearsals;
  readonly waits: PhaseWaits;
  readonly contests: Contests;
  readonly crdContents: CrdContents;
}
