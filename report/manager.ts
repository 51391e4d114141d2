/** Names of the manager in a cluster. */

/** Name of the manager's Deployment, ServiceAccount, Service and Lease. */
export const MANAGER = 'slipway-manager';
