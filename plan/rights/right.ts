/** One right in words, with the data that the words come from. */

/** From the least to the worst. */
export const DANGERS = ['low', 'moderate', 'high', 'critical'] as const;
export type Danger = (typeof DANGERS)[number];

export interface OperatorRight {
  /** `the operator`, or the others that the bundle grants rights to: `the group system:authenticated`. */
  readonly holder: string;
  /** The right as the end of a sentence about its holder: `may read Secrets in every namespace`. */
  readonly words: string;
  readonly danger: Danger;
  /** The possible harm, if it does not follow from the words: `so it can read every password of the cluster`. */
  readonly because?: string;
  /** Whether the extent of the right is not known, as a role of the cluster decides it. */
  readonly isOpen?: true;
}
