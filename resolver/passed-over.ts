/** Picks, from all bundles that are not chosen, those that are reported: in a status and by `slipway why`. Pure. */
import type { Cause, Decision, RefusedCandidate } from './decision.ts';
import { compareVersions, parseVersion } from './version.ts';

/**
 * Bundles that are preferred to the present one: not the installed one, nothing lower than it (than the chosen one, if
 * nothing is installed), and nothing that is merely less preferred. Highest first, as in the decision. A bundle whose
 * version cannot be parsed is included, and so is another content of the installed bundle, whatever its version is.
 */
export function passedOver(
  decision: Decision,
  installed?: { readonly bundle: string; readonly version: string },
): readonly RefusedCandidate[] {
  const least = installed?.version ?? (decision.kind === 'none' ? undefined : decision.bundle.version);
  return decision.refused.filter(
    ({ bundle, version, cause }) =>
      cause.kind === 'publishedAgain' ||
      (bundle !== installed?.bundle && !isLower(version, least) && !isLessPreferred(cause)),
  );
}

function isLower(version: string, than: string | undefined): boolean {
  const [one, other] = [parseVersion(version), parseVersion(than ?? '')];
  return one.ok && other.ok && compareVersions(one.value, other.value) < 0;
}

/** A lower bundle that could be chosen as well, or the same bundle in another catalog. */
function isLessPreferred(cause: Cause): boolean {
  return cause.kind === 'lower' || (cause.kind === 'otherCatalog' && cause.why === 'identical');
}
