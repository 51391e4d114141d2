/** The actions that a decision about a Subscription leads to. */
import type { Revision } from '../../api/revision.ts';
import type { CatalogBundle } from '../../catalog/model.ts';
import type { Hold } from './held.ts';

/** The bundle and configuration that should be active. */
export interface Target {
  readonly bundle: CatalogBundle;
  readonly catalog: string;
  readonly channel: string;
  readonly configHash: string;
}

/** A target that is to become active later, and the reason for the wait. */
export interface HeldTarget {
  readonly target: Target;
  /** The Revision of the target, if it exists. */
  readonly existing: Revision | undefined;
  readonly hold: Hold;
}

export type Action =
  | { readonly do: 'nothing' }
  /** Pull, render and store a new Revision; it becomes active unless something holds it back. */
  | {
      readonly do: 'create';
      readonly target: Target;
      readonly hold: Hold | undefined;
      /** Made active if the new one cannot be made: nothing else works then. */
      readonly instead?: Revision;
      /** Waits meanwhile, and goes on to wait if the new one cannot be made. */
      readonly meanwhile?: HeldTarget;
    }
  /** Make an existing Revision the active one. */
  | { readonly do: 'activate'; readonly revision: Revision }
  /** The stored manifests are lost: render them again. */
  | {
      readonly do: 'restore';
      readonly revision: Revision;
      readonly target: Target;
      /** Waits meanwhile, and goes on to wait if the manifests cannot be rendered. */
      readonly meanwhile?: HeldTarget;
    }
  /** Wait for the end of the hold, and request what is missing. */
  | { readonly do: 'await'; readonly revision: Revision; readonly hold: Hold };

/** Makes the Revision that is to wait, or has it wait. */
export function actionOfHeld({ target, existing, hold }: HeldTarget): Action {
  return existing === undefined ? { do: 'create', target, hold } : { do: 'await', revision: existing, hold };
}

/** The target that waits while the action is carried out; undefined if none does. */
export function heldBeside(action: Action): HeldTarget | undefined {
  return action.do === 'create' || action.do === 'restore' ? action.meanwhile : undefined;
}
