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

export type Action =
  | { readonly do: 'nothing' }
  /** Pull, render and store a new Revision; it becomes active unless something holds it back. */
  | {
      readonly do: 'create';
      readonly target: Target;
      readonly hold: Hold | undefined;
      /** Made active if the new one cannot be made: nothing else works then. */
      readonly instead?: Revision;
    }
  /** Make an existing Revision the active one. */
  | { readonly do: 'activate'; readonly revision: Revision }
  /** The stored manifests are lost: render them again. */
  | { readonly do: 'restore'; readonly revision: Revision; readonly target: Target }
  /** Wait for the end of the hold, and request what is missing. */
  | { readonly do: 'await'; readonly revision: Revision; readonly hold: Hold };
