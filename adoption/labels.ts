/** The labels of the Secret that is the backup of an operator: the version of OLM, and the Subscription that has taken the operator over. */
export const ADOPTION_LABEL = 'slipway.dev/adoption';
export const ADOPTED_BY_LABEL = 'slipway.dev/adopted-by';
