/** How the Revisions of a Subscription stand: which one is active, which works, which has failed, and which are given up. Pure. */
import { activeOf, hasWorked, type Revision } from '../../api/revision.ts';
import { haveSameBundle } from '../../api/same-bundle.ts';
import { failedOf, type FailureFacts } from './failure.ts';
import { installedOf } from './history.ts';
import { isLifted, quarantine, type Quarantined } from './quarantine.ts';

/** How the Revisions of a Subscription stand. */
export interface Standing {
  readonly active: Revision | undefined;
  /** The Revision that works now. */
  readonly installed: Revision | undefined;
  /** The active Revision, if it has failed. */
  readonly failed: Revision | undefined;
  readonly quarantined: readonly Quarantined[];
}

interface StandingFacts extends FailureFacts {
  readonly now: Date;
}

/**
 * The standing, with a version that fails now among the failed ones. Nothing goes back to a version that failed before: if
 * no other one has worked, the active one stays installed, and is only unhealthy.
 */
export function standingOf(facts: StandingFacts): Standing {
  const { subscription, revisions, now } = facts;
  const active = activeOf(revisions);
  const known = (subscription.status?.quarantined ?? []).filter((entry) => !isLifted(entry, subscription));
  const candidates = revisions.filter((one) => one === active || !known.some((bad) => haveSameBundle(bad, one.spec)));
  const unhealthy = failedOf(facts, now) ?? (isLeftBehind(active, known) ? active : undefined);
  const installed = installedOf(subscription, candidates, unhealthy);
  if (installed === undefined && unhealthy !== undefined && hasWorked(unhealthy))
    return { active, installed: unhealthy, failed: undefined, quarantined: known };
  const quarantined = quarantine({ ...facts, known }, unhealthy, installed);
  return { active, installed, failed: unhealthy, quarantined };
}

/**
 * Whether a version was given up, and a crash came before its rollback: it is given up all the same, although it may be healthy
 * just now.
 */
function isLeftBehind(active: Revision | undefined, known: readonly Quarantined[]): boolean {
  const open = known.filter(({ image, rolledBackTime }) => image !== undefined && rolledBackTime === undefined);
  return active !== undefined && open.some((entry) => haveSameBundle(entry, active.spec));
}
