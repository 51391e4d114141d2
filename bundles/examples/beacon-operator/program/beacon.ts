/**
 * Beacon in both versions of its API, as the CRD of the bundles describes it. Version 2 puts what makes the light into
 * one field and can blink; version 1 stays served for those who have not moved yet.
 */
import { z } from 'zod';
import type { KubeObject } from '../../../../api/object.ts';

export const GROUP = 'example.slipway.dev';
export const V1 = `${GROUP}/v1`;
export const V2 = `${GROUP}/v2`;
export const KIND = 'Beacon';

/** Holds a Beacon until its light is out. */
export const FINALIZER = `${GROUP}/extinguish`;
/** Where an object of version 1 keeps what that version has no field for. */
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

/** What may be left of a spec while others write it, too. */
export const SomeOfV1 = BeaconSpecV1.partial();
export type SomeOfV1 = Readonly<z.infer<typeof SomeOfV1>>;
export const SomeOfV2 = BeaconSpecV2.extend({ light: BeaconSpecV2.shape.light.partial().optional() });
export type SomeOfV2 = Readonly<z.infer<typeof SomeOfV2>>;

export interface Beacon extends KubeObject {
  readonly spec: BeaconSpecV2;
}

/** What an annotation says about the pattern; undefined if it says nothing that version 2 knows. */
export function patternOf(annotation: string | undefined): BeaconSpecV2['pattern'] {
  return Pattern.safeParse(annotation).data;
}
