/** The light of a Beacon: a ConfigMap beside it with the state of the light. Pure. */
import type { KubeObject } from '../../../../api/object.ts';
import type { Beacon } from './beacon.ts';

/** Distinguishes the lights from other ConfigMaps. */
const MANAGED_BY = 'app.kubernetes.io/managed-by';
const OPERATOR = 'beacon-operator';
export const LIGHT_SELECTOR = `${MANAGED_BY}=${OPERATOR}`;

/** Label with the Beacon of a light. */
export const LIGHT_LABEL = 'example.slipway.dev/beacon';

/** Name of the light of a Beacon. */
export function lightName(beacon: string): string {
  return `beacon-${beacon}`;
}

/** The desired ConfigMap of a Beacon that `release` of the operator manages. */
export function lightOf({ metadata, spec }: Beacon, release: string): KubeObject {
  const { colour, brightness = 100 } = spec.light;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: lightName(metadata.name),
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      labels: { [MANAGED_BY]: OPERATOR, [LIGHT_LABEL]: metadata.name },
    },
    data: { colour, brightness: String(brightness), pattern: spec.pattern ?? 'Steady', release },
  };
}
