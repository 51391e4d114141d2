/** An upgrade that an error keeps from being begun: the version that works is not at fault, and stays. Pure. */
import type { ReasonedError } from '../../api/errors.ts';
import type { Subscription } from '../../api/subscription.ts';
import type { ResolvedPlan } from './decide.ts';
import { haveSameBundle } from '../../api/same-bundle.ts';
import { reconcileCommand, shorten } from './wording.ts';

export interface Hindrance {
  /** The name of the bundle that cannot be installed. */
  readonly bundle: string;
  readonly error: ReasonedError;
}

/** The upgrade that could not be begun; undefined if none was to be. @param error Why the plan could not be carried out. */
export function hindranceOf(
  { action, installed, isLacking }: ResolvedPlan,
  error: ReasonedError | undefined,
): Hindrance | undefined {
  const next = intendedBundle(action);
  if (error === undefined || next === undefined || installed === undefined || isLacking === true) return undefined;
  return haveSameBundle(next, installed.spec) ? undefined : { bundle: next.bundle, error };
}

function intendedBundle(
  action: ResolvedPlan['action'],
): { readonly bundle: string; readonly image: string } | undefined {
  if (action.do === 'nothing') return undefined;
  if (action.do === 'activate' || action.do === 'await') return action.revision.spec;
  const { name: bundle, image } = action.target.bundle;
  return { bundle, image };
}

/** The error for the column STATUS, after the state of the operator. */
export function remarkOnError({ reason, message }: ReasonedError, bundle: string | undefined): string {
  return `; ${bundle === undefined ? '' : `${bundle} cannot be installed: `}${reason}: ${shorten(message)}`;
}

/** The upgrade and the cause in full. */
export function describeHindrance({ bundle, error }: Hindrance): string {
  return `${bundle} cannot be installed: ${error.describe()}`;
}

/** The same of one that is not tried again by itself, and how to try it again. */
export function describeRefusedUpgrade({ metadata }: Pick<Subscription, 'metadata'>, hindrance: Hindrance): string {
  return `${describeHindrance(hindrance)}. Nothing of it was applied. It is tried again when the spec or the catalog changes, or a reconcile is requested: ${reconcileCommand(metadata)}`;
}
