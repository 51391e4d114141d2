/** Whether a newer version exists for an installed operator, and why it is not installed. Pure. */
import { findCondition } from '../api/conditions.ts';
import type { Subscription } from '../api/subscription.ts';

export interface Outdated {
  readonly namespace: string;
  readonly name: string;
  readonly package: string;
  /** Absent if no version is installed. */
  readonly installed?: string;
  /** The newest version that the spec allows; absent if none follows. */
  readonly available?: string;
  /** The highest version that a catalog has, if the spec or the graph excludes it. */
  readonly latest?: string;
  /** Why it is not installed: a word of the list of reasons, and a sentence. */
  readonly reason: string;
  readonly message: string;
}

/** The newer version of a Subscription, and the obstacle; undefined if it has the newest or nothing is installed. */
export function outdatedOf({ metadata, spec, status }: Subscription): Outdated | undefined {
  const { installed, available, refused = [], conditions } = status ?? {};
  if (installed === undefined) return undefined;
  const follows = available !== undefined && available.bundle !== installed.bundle;
  const [higher] = refused;
  const failed = findCondition(conditions, 'UpgradeFailed');
  const upgrade = failed ?? findCondition(conditions, 'UpgradeAvailable') ?? findCondition(conditions, 'Ready');
  const obstacle = follows || failed !== undefined ? upgrade : higher;
  if (obstacle === undefined) return undefined;
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    package: spec.package,
    installed: installed.version,
    ...(follows && { available: available.version }),
    ...(higher !== undefined && { latest: higher.version }),
    reason: obstacle.reason,
    message: obstacle.message,
  };
}
