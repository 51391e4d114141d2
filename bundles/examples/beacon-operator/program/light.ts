/** The light of a Beacon: a ConfigMap beside it that says how it shines. Pure. */
import type { KubeObject } from '../../../../api/object.ts';
import type { Beacon } from './beacon.ts';

/** Tells the lights from other ConfigMaps. */
const MANAGED_BY = 'app.kubernetes.io/managed-by';
const OPERATOR = 'beacon-operator';
export const LIGHT_SELECTOR = `${MANAGED_BY}=${OPERATOR}`;

/** Says whose light it is. */
export const LIGHT_LABEL = 'example.slipway.dev/beacon';

/** Name of the light of a Beacon. */
export function lightName(beacon: string): string {
  return `beacon-${beacon}`;
}

/** The ConfigMap as it should be while the Beacon is lit by `release` of the operator. */
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
