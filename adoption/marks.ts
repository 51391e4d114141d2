/** The marks of the Secret that is the backup of an operator: which OLM it is of, which Subscription took the operator over, and how far that is. */
export const ADOPTION_LABEL = 'slipway.dev/adoption';
export const ADOPTED_BY_LABEL = 'slipway.dev/adopted-by';
export const STAGE_ANNOTATION = 'slipway.dev/adoption-stage';

/** The stage of a hand-over that has ended. */
export const HANDED_OVER = 'HandedOver';
