/** What every step of a roll-out is given: facts, clients, watches, memory, and clock. */
import type { PhaseName } from '../../apply/phases.ts';
import type { WeightedSlot } from '../../apply/weighted-slots.ts';
import type { Revision } from '../../api/revision.ts';
import type { Client } from '../../kube/client/client.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import type { RecordEvent } from '../events.ts';
import type { HandedManifests } from '../handed-manifests.ts';
import type { Account } from '../service-account.ts';
import type { AskWayBack } from '../way-backs.ts';
import type { PhaseWaits } from './await-phase.ts';
import type { Issue } from './certificates/issue.ts';
import type { PullSecretOffers } from './pull-secrets/offers.ts';
import type { SeenOffers } from './pull-secrets/seen.ts';
import type { Clients } from './clients.ts';
import type { LateAttempts } from './late-attempts.ts';
import type { ListedNamespaces } from './listed-namespaces.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { RevisionMemories, RevisionMemory } from './memory.ts';
import type { ActiveFacts, RevisionCaches, RevisionFacts } from './observe.ts';
import type { Rehearsal } from './rehearsal/rehearsal.ts';
import type { CrdContents } from './repair/crd-content.ts';
import type { CountRepair } from './repair/report.ts';

/** The dependencies of the reconciler of Revisions. */
export interface RevisionDeps {
  readonly caches: RevisionCaches & { readonly revisions: Pick<Informer<Revision>, 'on'> };
  readonly client: Client;
  readonly managed: ManagedObjects;
  /** Remembers whose objects are being removed; see late-removals.ts. */
  readonly late?: { removing(facts: RevisionFacts): void };
  /** Asked before objects are deleted; by default no operator is on its way back to OLM. */
  readonly wayBackOf?: AskWayBack;
  /** The ServiceAccount of the manager itself. */
  readonly manager: Account;
  readonly record: RecordEvent;
  readonly now: () => Date;
  /** The objects of manifests that were stored a moment ago. */
  readonly handed?: Pick<HandedManifests, 'take' | 'weightFor'>;
  /** Slots for the memory of loaded objects; by default those of all loads of the process. */
  readonly loads?: () => WeightedSlot;
  /** Makes certificates; by default those of certificates/issue.ts. */
  readonly issue?: Issue;
  /** Pull secrets for the Pods of operators; by default none. */
  readonly pullSecrets?: PullSecretOffers;
  /** Whether the API server calls webhooks as a test before anything depends on them; true by default. */
  readonly probeWebhooks?: boolean;
  /** The longest wait for a phase; by default as in await-phase.ts. */
  readonly patience?: (phase: PhaseName) => number;
  /** Called for each object that was repaired. */
  readonly countRepair?: CountRepair;
  /** Runs the tasks of one Subscription one after the other: two Revisions never write at the same time. */
  readonly serialize: <T>(key: string, task: () => Promise<T>) => Promise<T>;
  /** Seconds for which this process has stood still since its start; by default none. See standstills.ts. */
  readonly stoodStill?: () => number;
  /** The memory from one reconcile to the next; by default an empty one. */
  readonly memories?: RevisionMemories;
}

/** With the parts that all runs share. */
export interface SharedParts extends RevisionDeps {
  readonly memories: RevisionMemories;
  readonly waits: PhaseWaits;
  /** How long one call of a webhook waits. */
  readonly webhookPatienceMs: number;
  readonly crdContents: CrdContents;
  readonly lateAttempts: LateAttempts;
  readonly listedNamespaces: ListedNamespaces;
  readonly seenOffers: SeenOffers;
}

/** One attempt to bring an active Revision into the cluster. */
export interface Run {
  /** As at the beginning; the Revision has its finalizer. */
  readonly facts: ActiveFacts;
  readonly clients: Clients;
  /** The applied objects, as the watches know them. */
  readonly watched: ManagedObjects;
  readonly memory: RevisionMemory;
  /** See circumstances.ts. */
  readonly circumstances: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  /** For the memory of the objects; freed when the attempt is over. */
  readonly slot: WeightedSlot;
  readonly rehearsal: Rehearsal;
  readonly shared: SharedParts;
}
