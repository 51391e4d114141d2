/**
 * Fills in defaults of Beacons, and refuses invalid ones. Pure; the API server calls it through webhooks before it
 * stores a Beacon. Both functions see only Beacons of version 2: the API server converts those of version 1 first.
 */
import type { BeaconSpecV2 } from './beacon.ts';

/** Default brightness of each colour. */
const USUAL_BRIGHTNESS = { white: 100, red: 60, green: 80 } as const;

/** Brighter blinking lights would blind people. */
const BRIGHTEST_BLINKING = 80;

/** One operation of a JSON patch. @see https://www.rfc-editor.org/rfc/rfc6902 */
export interface PatchOperation {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

/** The patch that adds omitted fields. */
export function defaultBeacon({ light, pattern }: BeaconSpecV2): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  if (light.brightness === undefined) {
    operations.push({ op: 'add', path: '/spec/light/brightness', value: usualBrightness({ light, pattern }) });
  }
  if (pattern === undefined) operations.push({ op: 'add', path: '/spec/pattern', value: 'Steady' });
  return operations;
}

function usualBrightness({ light, pattern }: Pick<BeaconSpecV2, 'light' | 'pattern'>): number {
  const usual = USUAL_BRIGHTNESS[light.colour];
  return pattern === 'Blinking' ? Math.min(usual, BRIGHTEST_BLINKING) : usual;
}

/** Why a Beacon is refused; undefined if it is valid. */
export function refuseBeacon({ light, pattern }: BeaconSpecV2): string | undefined {
  const { brightness = 0 } = light;
  if (pattern === 'Blinking' && brightness > BRIGHTEST_BLINKING) {
    return `spec.light.brightness: a blinking beacon may not be brighter than ${BRIGHTEST_BLINKING}, this one is ${brightness}`;
  }
  return undefined;
}
