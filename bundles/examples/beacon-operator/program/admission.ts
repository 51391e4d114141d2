/**
 * What a Beacon gets that does not say everything, and what it may not be. Pure; asked by the API server before it
 * stores one. Both see Beacons of version 2 alone: the API server converts those of version 1 first.
 */
import type { BeaconSpecV2 } from './beacon.ts';

/** How brightly a light of a colour usually shines. */
const USUAL_BRIGHTNESS = { white: 100, red: 60, green: 80 } as const;

/** Blinking lights that are brighter blind those who look for them. */
const BRIGHTEST_BLINKING = 80;

/** One operation of a JSON patch. @see https://www.rfc-editor.org/rfc/rfc6902 */
export interface PatchOperation {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

/** The patch that adds what was left out. */
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

/** Why a Beacon is refused; undefined if it is welcome. */
export function refuseBeacon({ light, pattern }: BeaconSpecV2): string | undefined {
  const { brightness = 0 } = light;
  if (pattern === 'Blinking' && brightness > BRIGHTEST_BLINKING) {
    return `spec.light.brightness: a blinking beacon may not be brighter than ${BRIGHTEST_BLINKING}, this one is ${brightness}`;
  }
  return undefined;
}
