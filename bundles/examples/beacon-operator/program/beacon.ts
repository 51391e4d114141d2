/**
 * Beacon in both versions of its API, as the CRD of the bundles defines it. Version 2 groups the fields of the light
 * and can blink; version 1 stays served for clients that have not migrated.
 */
import { z } from 'zod';
import type { KubeObject } from '../../../../api/object.ts';

export const GROUP = 'example.slipway.dev';
export const V1 = `${GROUP}/v1`;
export const V2 = `${GROUP}/v2`;
export const KIND = 'Beacon';

/** Keeps a Beacon until its light is deleted. */
export const FINALIZER = `${GROUP}/extinguish`;
/** Annotation of version 1 objects for the pattern, which has no field there. */
export const PATTERN_ANNOTATION = `${GROUP}/pattern`;

const Colour = z.enum(['white', 'red', 'green']);
const Percent = z.number().int().min(0).max(100);
const Pattern = z.enum(['Steady', 'Blinking']);

export const BeaconSpecV1 = z.object({ colour: Colour, intensity: Percent.optional() });
export type BeaconSpecV1 = Readonly<z.infer<typeof BeaconSpecV1>>;

export const BeaconSpecV2 = z.object({
  light: z.object({ colour: Colour, brightness: Percent.optional() }),
  pattern: Pattern.optional(),
});
export type BeaconSpecV2 = Readonly<z.infer<typeof BeaconSpecV2>>;

/** A spec from which other managers may have removed fields. */
export const SomeOfV1 = BeaconSpecV1.partial();
export type SomeOfV1 = Readonly<z.infer<typeof SomeOfV1>>;
export const SomeOfV2 = BeaconSpecV2.extend({ light: BeaconSpecV2.shape.light.partial().optional() });
export type SomeOfV2 = Readonly<z.infer<typeof SomeOfV2>>;

export interface Beacon extends KubeObject {
  readonly spec: BeaconSpecV2;
}

/** The pattern of an annotation; undefined if version 2 has no such pattern. */
export function patternOf(annotation: string | undefined): BeaconSpecV2['pattern'] {
  return Pattern.safeParse(annotation).data;
}
