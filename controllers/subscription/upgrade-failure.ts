/**
 * Which upgrade has failed and is not superseded: a version that failed counts until a newer one is installed, or it is
 * tried again. Pure.
 */
import { formatTime } from '../../api/conditions.ts';
import type { Revision } from '../../api/revision.ts';
import type { Decision } from '../../resolver/decision.ts';
import { isNewer } from '../../resolver/version.ts';
import { describeFailure, type Quarantined } from './quarantine.ts';
import { isReadyNow } from './history.ts';
import { haveSameBundle, isPublishedAgain, isSameBundle } from '../../api/same-bundle.ts';

export interface UpgradeFailure {
  readonly bundle: string;
  readonly version: string;
  /** By digest; absent in an entry of the release before. */
  readonly image?: string | undefined;
  readonly reason: string;
  readonly message: string;
  /** `RolledBack`: the version before runs again. `RollingBack`: it is being applied. `Held`: nothing is done. */
  readonly state: 'RollingBack' | 'RolledBack' | 'Held';
}

export interface UpgradeOutcome {
  readonly active: Revision | undefined;
  /** The Revision that works, or worked before. */
  readonly installed: Revision | undefined;
  /** The active Revision, if it has failed. */
  readonly failed: Revision | undefined;
  readonly quarantined: readonly Quarantined[];
}

/** The upgrade that failed last, unless the installed version supersedes it; a first installation is no upgrade. */
export function upgradeFailureOf({
  active,
  installed,
  failed,
  quarantined,
}: UpgradeOutcome): UpgradeFailure | undefined {
  if (installed === undefined) return undefined;
  const entry = quarantined.findLast((one) => isInTheWay(one, installed));
  if (failed !== undefined && failed === active && staysAsItIs(failed, installed, entry))
    return { ...describeFailure(failed, new Date(0)), state: 'Held' };
  if (entry === undefined) return undefined;
  const { rolledBackTime, ...failure } = entry;
  return { ...failure, state: rolledBackTime === undefined ? 'RollingBack' : 'RolledBack' };
}

/** Not given up, or a configuration that failed: the person who wrote it decides. */
function staysAsItIs(failed: Revision, installed: Revision, entry: Quarantined | undefined): boolean {
  const isGivenUp = entry !== undefined && haveSameBundle(entry, failed.spec);
  return !isGivenUp || haveSameBundle(failed.spec, installed.spec);
}

/** Whether a newer version, or a newer content, is being installed: the conditions are then about that one. */
export function isSuperseded(failure: UpgradeFailure, decision: Decision, installed: Revision | undefined): boolean {
  if (decision.kind === 'none') return false;
  const isNewContent = isPublishedAgain(decision.next, installed?.spec) && !isSameBundle(decision.next, failure);
  return isNewContent || (decision.kind === 'upgrade' && isNewer(decision.bundle.version, failure.version));
}

/**
 * Whether it failed after the installed version first worked, or is newer than that version, which may have been
 * installed again since.
 */
function isInTheWay({ since, version }: Quarantined, { spec, status }: Revision): boolean {
  const worksSince = Date.parse(status?.firstReadyTime ?? '');
  return Date.parse(since) > worksSince || isNewer(version, spec.version);
}

/** The entries, with the time of the end on the one that was rolled back. */
export function noteRollback({ active, installed, quarantined }: UpgradeOutcome, now: Date): readonly Quarantined[] {
  if (installed === undefined || installed !== active || !isReadyNow(installed)) return quarantined;
  const last = quarantined.findLast((one) => isInTheWay(one, installed));
  if (last === undefined || last.rolledBackTime !== undefined) return quarantined;
  return quarantined.map((one) => (one === last ? { ...one, rolledBackTime: formatTime(now) } : one));
}
