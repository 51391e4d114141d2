/** The refusal of a bundle that cannot be installed, for a terminal: each error with its own remedy. */
import { ReasonedError } from '../../../api/errors.ts';
import type { Bundle } from '../../../bundles/parse.ts';
import {
  describeFinding,
  refuseBundle,
  validateBundle,
  type BundleFinding,
} from '../../../bundles/validate/validate.ts';
import type { Detailed, Detail } from '../outcome.ts';
import { withoutRepeats } from './repeats.ts';

const MAX_NAMED = 20;

/** Reason and retry as refuseBundle has them; `details` names each error with its remedy. */
export class RefusedBundle extends ReasonedError implements Detailed {
  readonly details: readonly Detail[];

  private constructor({ reason, retry }: ReasonedError, errors: readonly BundleFinding[]) {
    const more = errors.length > MAX_NAMED ? `, of which the first ${MAX_NAMED} follow` : '';
    const keep = errors.length === 1 ? '1 error keeps' : `${errors.length} errors keep`;
    super({ reason, retry, message: `${keep} the bundle from being installed${more}` });
    this.details = errors
      .slice(0, MAX_NAMED)
      .map((finding) => ({ message: describeFinding(finding), advice: finding.advice }));
  }

  /** @throws RefusedBundle BundleUnsupported or BundleInvalid, not worth a retry */
  static throwIfRefused(bundle: Bundle): void {
    try {
      refuseBundle(bundle);
    } catch (error) {
      if (!(error instanceof ReasonedError)) throw error;
      const findings = validateBundle(bundle, { suites: ['install'] }).filter(({ level }) => level === 'error');
      throw new RefusedBundle(error, withoutRepeats(findings));
    }
  }
}
