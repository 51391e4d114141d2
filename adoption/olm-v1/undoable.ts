/**
 * Whether an operator can be handed back to OLM v1 now. Pure; asked before each step, since between two of them a person
 * may upgrade the operator, and GitOps may create its Subscription again.
 */
import { findCondition } from '../../api/conditions.ts';
import { ReasonedError } from '../../api/errors.ts';
import { describeRef, refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { backupRef, type Backup, type BackupName } from './backup.ts';
import { extensionRef } from './kinds.ts';
import { isOffer, type InstalledBundle } from './offer.ts';
import { installedBundle } from './extension.ts';
import type { WayBack } from './way-back.ts';

/** The facts that decide it. */
export interface UndoableFacts {
  readonly name: BackupName;
  readonly backup: Backup;
  readonly wayBack: WayBack | undefined;
  /** Slipway's Subscription. */
  readonly own: Subscription | undefined;
  readonly extension: KubeObject | undefined;
  /** A Secret of the operator with a certificate that Slipway's manager has issued. */
  readonly issued: ObjectRef | undefined;
  /** Secrets of a release of Helm of that name. */
  readonly releases: readonly ObjectRef[];
}

/** Whether OLM has the operator still, so that a hand-over can be called off. With spec.adopt the manager would begin again. */
export function isOnlyBegun({ backup, own, extension }: UndoableFacts): boolean {
  const { uid, deletionTimestamp } = extension?.metadata ?? {};
  return !backup.isEnded && own === undefined && uid === backup.olm.metadata.uid && deletionTimestamp === undefined;
}

/**
 * Whether an operator whose hand-over has ended can be handed back, or its way back can go on.
 * @returns The bundle that is handed back.
 * @throws ReasonedError Collision, not retried: a person has to change the state first
 */
export function requireUndoable(facts: UndoableFacts): InstalledBundle {
  const { name, backup, wayBack, own } = facts;
  requireHandedOver(facts);
  requireOffer(facts);
  if (own === undefined || own.metadata.deletionTimestamp !== undefined) {
    if (wayBack !== undefined) return { bundle: wayBack.bundle, version: wayBack.version };
    throw problem(name, `${describeRef(refOf(backup.wanted))} is being deleted`, 'Create it again to hand the operator back'); // prettier-ignore
  }
  requireSame(facts, own);
  return requireVersion(facts, own);
}

function requireHandedOver({ name, backup, wayBack, own, extension: live }: UndoableFacts): void {
  const { extension } = name;
  if (!backup.isEnded) {
    const why = own?.spec.adopt === undefined ? undefined : `${describeRef(refOf(own))} goes on with the hand-over by itself`; // prettier-ignore
    const hint =
      why === undefined
        ? `Wait for its end, or go on by \`slipway adopt run ${extension} --from olm-v1\``
        : 'Wait for its end, or delete the Subscription: as long as OLM has the operator, that calls the hand-over off';
    throw problem(name, why ?? 'its hand-over has not ended, and OLM has given it up already', hint);
  }
  if (own === undefined && wayBack === undefined && isOffer(live)) {
    const gone = 'its Subscription was deleted since, and no list of its objects was kept';
    const hint = `Create ${describeRef(refOf(backup.wanted))} again, and start the command again once it is Ready. If OLM has installed the operator, or it is to stay away, delete ${describeRef(backupRef(name))} instead, and in the latter case the ClusterExtension too`;
    throw problem(name, gone, hint);
  }
  if (own === undefined && wayBack === undefined)
    throw problem(name, 'it was uninstalled since', 'Create the ClusterExtension, and OLM installs it again');
}

/** A ClusterExtension that another program created need not name the version that is installed. */
function requireOffer({ name, extension, releases, own, wayBack }: UndoableFacts): void {
  const [release] = releases;
  if (extension === undefined && release !== undefined && own !== undefined) {
    // With a release of that name OLM writes at once, and not only after all objects are marked.
    const left = `${describeRef(release)} of its release of Helm is left`;
    throw problem(name, left, 'Delete the Secret: OLM would take it for the state of the operator');
  }
  if (extension === undefined || isOffer(extension)) return;
  // OLM reports nothing as installed for a moment if it cannot read its releases.
  const isOurs = extension.metadata.uid === wayBack?.extension || installedBundle(extension).version !== '';
  if (own === undefined && wayBack !== undefined && isOurs) return;
  const again = `${describeRef(extensionRef(name.extension))} exists already, and was not created by the way back`;
  throw problem(name, again, 'Delete it, and suspend the program that creates it: OLM has installed nothing by it');
}

/** Settings that OLM has not: it knows neither certificates of the manager nor several watched namespaces. */
function requireSame({ name, wayBack, issued }: UndoableFacts, own: Subscription): void {
  if (wayBack !== undefined && own.metadata.uid !== wayBack.subscription) {
    const again = `${describeRef(refOf(own))} was created again since`;
    throw problem(name, again, 'Suspend the program that creates it, and delete it by `slipway uninstall --orphan`');
  }
  if (issued !== undefined)
    throw problem(name, `Slipway has issued the certificate in ${describeRef(issued)}`, 'OLM has cert-manager issue it. Set spec.certificates to CertManager, and wait until the Subscription is Ready'); // prettier-ignore
  if ((own.spec.watchNamespaces ?? []).length > 1)
    throw problem(name, 'it watches several namespaces', 'Set spec.watchNamespaces to one of them, or to none for all');
}

/** A version that is being rolled out would be left half-way. */
function requireVersion(facts: UndoableFacts, own: Subscription): InstalledBundle {
  requireNothingPending(facts, own);
  const { name, wayBack } = facts;
  const { metadata, status } = own;
  const { installed, conditions, observedGeneration } = status ?? {};
  const ready = findCondition(conditions, 'Ready');
  // The pin of the way back changes the spec, and may be awaited.
  const isReady = wayBack !== undefined || (ready?.status === 'True' && observedGeneration === metadata.generation);
  if (installed === undefined || !isReady)
    throw problem(name, `it is not Ready: ${ready?.message ?? 'it has no status'}`, 'Wait until its Subscription is Ready'); // prettier-ignore
  return { bundle: installed.bundle, version: installed.version };
}

/** The pin that a person is advised to write, and that the way back writes itself, ends no roll-out that has begun before. */
function requireNothingPending({ name, wayBack }: UndoableFacts, { metadata, spec, status }: Subscription): void {
  const { installed, pending, observedGeneration } = status ?? {};
  if (pending === undefined) return;
  const isPinned = installed !== undefined && spec.version === installed.version;
  if (!isPinned)
    throw problem(name, `${pending.bundle} comes next`, 'Pin the version that is installed by spec.version first');
  const isRead = observedGeneration === metadata.generation;
  if (!isRead && wayBack !== undefined) return;
  const why = isRead
    ? `${pending.bundle} is on its way although spec.version is ${spec.version}`
    : `the manager has not acted on spec.version ${spec.version} yet, and ${pending.bundle} comes next`;
  const stop = wayBack === undefined ? '' : `, or give the way back up by \`${commandToStop(name)}\``;
  throw problem(name, why, `Wait until its Subscription is Ready, and start the command again${stop}`);
}

/** The command that gives a begun way back up. */
export function commandToStop({ extension }: Pick<BackupName, 'extension'>): string {
  return `slipway adopt undo ${extension} --from olm-v1 --stop`;
}

/** The refusal of the way back. */
export function problem({ extension }: Pick<BackupName, 'extension'>, why: string, hint: string): ReasonedError {
  return new ReasonedError({
    reason: 'Collision',
    retry: 'never',
    message: `${describeRef(extensionRef(extension))} is not handed back: ${why}`,
    hint,
  });
}
