/** The form that makes a Subscription; it always shows the YAML. */
import type { Button, Empty, Hint, Page } from './common.ts';

/** A value that a field may have. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** One field of the form. Its name is that in the query of the view, so that the form's state is a deep link. */
export interface FormField {
  readonly name:
    | 'namespace'
    | 'name'
    | 'catalog'
    | 'package'
    | 'channel'
    | 'version'
    | 'approval'
    | 'serviceAccountName'
    | 'watchNamespaces';
  readonly label: string;
  readonly help: string;
  readonly value: string;
  readonly required: boolean;
  /** The values that are offered; a field without them takes any text. Empty value: absent from the YAML. */
  readonly choices?: readonly Choice[];
  /** Why the value cannot be used. */
  readonly problem?: string;
}

export interface SubscribeModel extends Page {
  readonly fields: readonly FormField[];
  /** The Subscription as YAML, for Git; many lines. It is complete even if a field has a problem. */
  readonly yaml: string;
  /** The act with the values of the fields; absent while a field has a problem. */
  readonly button?: Button;
  /** The same by the command line. */
  readonly hints: readonly Hint[];
  readonly empty?: Empty;
}
