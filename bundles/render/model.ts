/** Data that is passed on while Deployments are rendered and configured. */
import type { KubeObject } from '../../api/object.ts';
import type { DeploymentSpec } from '../bundle.ts';

/** A Deployment while it is being rendered. */
export interface Deployment extends KubeObject {
  readonly spec: DeploymentSpec;
}

/** Part of a configuration with the path that names it in messages: `deployments[manager]`. */
export interface ConfigLayer<Config> {
  readonly path: string;
  readonly config: Config;
}
