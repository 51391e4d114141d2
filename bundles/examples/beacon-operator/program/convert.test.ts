import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../../api/object.ts';
import { BeaconSpecV1, BeaconSpecV2, PATTERN_ANNOTATION, V1, V2 } from './beacon.ts';
import { convertBeacon } from './convert.ts';

const colour = fc.constantFrom('white' as const, 'red' as const, 'green' as const);
const share = fc.integer({ min: 0, max: 100 });
const percent = fc.option(share, { nil: undefined });
const pattern = fc.option(fc.constantFrom('Steady' as const, 'Blinking' as const), { nil: undefined });
const annotations = fc.dictionary(fc.constantFrom('a', 'b.example/c', '__proto__x'), fc.string(), {
  noNullPrototype: true,
});

const v1 = fc.record({ colour, intensity: percent, pattern, annotations, custom: fc.boolean() }).map((facts) => {
  const kept = { ...facts.annotations, ...(facts.pattern !== undefined && { [PATTERN_ANNOTATION]: facts.pattern }) };
  return beacon(
    V1,
    { colour: facts.colour, ...(facts.intensity !== undefined && { intensity: facts.intensity }) },
    kept,
  );
});
const v2 = fc.record({ colour, brightness: percent, pattern, annotations }).map((facts) =>
  beacon(
    V2,
    {
      light: { colour: facts.colour, ...(facts.brightness !== undefined && { brightness: facts.brightness }) },
      ...(facts.pattern !== undefined && { pattern: facts.pattern }),
    },
    facts.annotations,
  ),
);

/** With fields missing that the CRD requires. */
const anyPart: { requiredKeys: never[] } = { requiredKeys: [] };
const someOfV1 = fc
  .tuple(fc.option(fc.record({ colour, intensity: share }, anyPart)), pattern)
  .map(([spec, kept]) => beacon(V1, spec ?? undefined, kept && { [PATTERN_ANNOTATION]: kept }));
const light = fc.record({ colour, brightness: share }, anyPart);
const someOfV2 = fc
  .record({ light, pattern: fc.constantFrom('Steady', 'Blinking') }, anyPart)
  .map((spec) => beacon(V2, Object.keys(spec).length === 0 ? undefined : spec));

describe('a Beacon', () => {
  test('a Beacon of version 1 has the same light in version 2', () => {
    expect(convertBeacon(beacon(V1, { colour: 'red', intensity: 40 }), V2)).toEqual(
      beacon(V2, { light: { colour: 'red', brightness: 40 } }),
    );
  });

  test('a blinking Beacon keeps its pattern in an annotation, as version 1 has no field for it', () => {
    const blinking = beacon(V2, { light: { colour: 'green' }, pattern: 'Blinking' });
    expect(convertBeacon(blinking, V1)).toEqual(beacon(V1, { colour: 'green' }, { [PATTERN_ANNOTATION]: 'Blinking' }));
  });

  test('a Beacon keeps an annotation that is no pattern', () => {
    const odd = beacon(V1, { colour: 'white' }, { [PATTERN_ANNOTATION]: 'Flickering' });
    expect(convertBeacon(odd, V2).metadata.annotations).toEqual({ [PATTERN_ANNOTATION]: 'Flickering' });
  });

  test('a Beacon loses nothing on the way from version 1 to 2 and back', () => {
    fc.assert(
      fc.property(v1, (object) => {
        expect(convertBeacon(convertBeacon(object, V2), V1)).toEqual(object);
      }),
    );
  });

  test('a Beacon loses nothing on the way from version 2 to 1 and back', () => {
    fc.assert(
      fc.property(v2, (object) => {
        expect(convertBeacon(convertBeacon(object, V1), V2)).toEqual(object);
      }),
    );
  });

  test('an incomplete Beacon loses nothing either', () => {
    fc.assert(
      fc.property(someOfV1, someOfV2, (one, other) => {
        expect(convertBeacon(convertBeacon(one, V2), V1)).toEqual(one);
        expect(convertBeacon(convertBeacon(other, V1), V2)).toEqual(other);
      }),
    );
  });

  test.each([undefined, null])('a Beacon without an owned field has none in the other version: %s', (none) => {
    const metadata = { name: 'north', annotations: none } as unknown as KubeObject['metadata'];
    const empty = { kind: 'Beacon', metadata: { name: 'north' } };
    expect(convertBeacon({ apiVersion: V1, kind: 'Beacon', metadata }, V2)).toEqual({ apiVersion: V2, ...empty });
    expect(convertBeacon({ apiVersion: V2, kind: 'Beacon', metadata }, V1)).toEqual({ apiVersion: V1, ...empty });
  });

  test('a converted Beacon is valid in the other version', () => {
    fc.assert(fc.property(v1, (object) => BeaconSpecV2.safeParse(convertBeacon(object, V2)['spec']).success));
    fc.assert(fc.property(v2, (object) => BeaconSpecV1.safeParse(convertBeacon(object, V1)['spec']).success));
  });

  test('a converted Beacon keeps its name, its status and all other fields', () => {
    const object = { ...beacon(V1, { colour: 'red' }), status: { lit: true } };
    const converted = convertBeacon(object, V2);
    expect(converted['status']).toEqual({ lit: true });
    expect(converted.metadata).toEqual(object.metadata);
  });

  test.each([
    { apiVersion: 'example.slipway.dev/v3', spec: { colour: 'red' }, because: 'the version does not exist' },
    { apiVersion: V1, spec: { colour: 'blue' }, because: 'the CRD has no such colour' },
  ])('a Beacon is not converted where $because', ({ apiVersion, spec }) => {
    expect(() => convertBeacon(beacon(apiVersion, spec), V2)).toThrow(/./);
  });
});

function beacon(apiVersion: string, spec: unknown, annotations: Readonly<Record<string, string>> = {}): KubeObject {
  const metadata = {
    name: 'north',
    namespace: 'coast',
    uid: '1',
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
  return { apiVersion, kind: 'Beacon', metadata, spec };
}
