/**
 * The shape of a roll-out's steps. Each step is given the run: facts, clients, watches, memory, clock, and the results
 * of the steps before it. It returns a judgement, which ends the run, or goes on with the next step.
 */
import type { Failure } from '../../apply/api-failure.ts';
import type { ApplyResult, Unready } from '../../apply/apply.ts';
import type { InventoryEntry } from '../../apply/inventory.ts';
import type { PhaseName } from '../../apply/phases.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
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
import type { Judgement } from './judgement.ts';
import type { LateAttempts } from './late-attempts.ts';
import type { ListedNamespaces } from './listed-namespaces.ts';
import type { ManagedObjects } from './managed-objects.ts';
import type { RevisionMemories, RevisionMemory } from './memory.ts';
import type { RevisionCaches, RevisionFacts } from './observe.ts';
import type { ForOwnKinds } from './own-kinds/for-own-kinds.ts';
import type { KnownObjects } from './own-kinds/observe.ts';
import type { Rehearsal } from './rehearsal/rehearsal.ts';
import type { Stage } from './rehearsal/stage.ts';
import type { CrdContents } from './repair/crd-content.ts';
import type { CountRepair, RepairFindings } from './repair/report.ts';

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
  readonly handed?: Pick<HandedManifests, 'take'>;
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
  readonly facts: RevisionFacts & { readonly subscription: Subscription };
  readonly clients: Clients;
  /** The applied objects, as the watches know them. */
  readonly watched: ManagedObjects;
  readonly memory: RevisionMemory;
  /** See circumstances.ts. */
  readonly circumstances: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly rehearsal: Rehearsal;
  readonly shared: SharedParts;
  readonly results: Partial<Results>;
}

/** The results of the steps. Each step adds its own. */
export interface Results {
  /** load: the objects in the cluster. */
  known: KnownObjects;
  /** load: whether everything is in place and settled, and only a certificate is due. */
  isSettled: boolean;
  /** load: whether it was healthy, and no object has changed since. */
  wasHealthy: boolean;
  /** load: the objects as in the bundle; certify: with certificates and rights. */
  objects: readonly KubeObject[];
  /** load: identities of the objects whose creation was tried as a dry run. */
  tried: Set<string>;
  /** certify: rights and paths for custom resources of the bundle. */
  own: ForOwnKinds;
  /** stage: the objects as they are now to be applied. */
  stage: Stage;
  /** stage: the inventory with the objects that are about to be applied, and its write. */
  intent: { readonly inventory: readonly InventoryEntry[]; readonly noted: Promise<Revision> };
  /** apply: the Revision with the intended inventory. */
  revision: Revision;
  /** apply: the outcome for each object. */
  applied: ApplyResult;
  /** apply: leftovers of earlier Revisions that still exist. */
  leftovers: readonly InventoryEntry[];
  /** apply: the judgement of the webhook checks; absent if the phases before them do not work yet. */
  proof: Judgement;
  /** apply: the fields of the status about repairs. */
  repaired: RepairFindings;
  /** load, if it ends the run, or apply: the objects that do not work. */
  unready: readonly Unready[];
  /** prune: the inventory without the leftovers that are gone; absent during the bake time. */
  inventory: readonly InventoryEntry[];
  /** prune: why a leftover could not be deleted. */
  unpruned: Failure;
}

/** Returns a judgement to end the run, or nothing to go on with the next step. Throws errors that are to be retried. */
export type Step = (run: Run) => Promise<Judgement | undefined>;

/** The result of an earlier step. Throws an Error if that step did not run, which is a defect. */
export function resultOf<Name extends keyof Results>({ results }: Pick<Run, 'results'>, name: Name): Results[Name] {
  const result = results[name];
  if (result === undefined) throw new Error(`no step of this run has made ${name}`);
  return result;
}
