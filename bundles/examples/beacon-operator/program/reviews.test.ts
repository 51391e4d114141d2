import { describe, expect, test } from 'vitest';
import { V1, V2 } from './beacon.ts';
import { answerReview } from './reviews.ts';

describe('a conversion', () => {
  test('a conversion of several objects is answered in their order', () => {
    const answer = converted(V2, [v1('north', { colour: 'red' }), v1('south', { colour: 'green' })]);
    expect(answer.result.status).toBe('Success');
    expect(answer.convertedObjects?.map(({ metadata, spec }) => [metadata.name, spec.light.colour])).toEqual([
      ['north', 'red'],
      ['south', 'green'],
    ]);
  });

  test('a conversion with an invalid object fails with the reason, which the API server shows', () => {
    const answer = converted(V2, [v1('north', { colour: 'red' }), v1('odd', { colour: 'blue' })]);
    expect(answer.result.status).toBe('Failure');
    expect(answer.result.message).toContain('colour');
    expect(answer.convertedObjects).toBeUndefined();
  });
});

describe('a Beacon that is stored', () => {
  test.each([
    {
      spec: { light: { colour: 'red' } },
      added: { brightness: 60, pattern: 'Steady' },
      because: 'red has a low default',
    },
    {
      spec: { light: { colour: 'white' }, pattern: 'Blinking' },
      added: { brightness: 80 },
      because: 'a brighter light would blind',
    },
    {
      spec: { light: { colour: 'green', brightness: 7 } },
      added: { pattern: 'Steady' },
      because: 'explicit values are kept',
    },
  ])('a Beacon gets the defaults $added: $because', ({ spec, added }) => {
    const { patch = '' } = admitted('/default', spec);
    const operations = JSON.parse(Buffer.from(patch, 'base64').toString()) as { path: string; value: unknown }[];
    expect(Object.fromEntries(operations.map(({ path, value }) => [path.split('/').at(-1), value]))).toEqual(added);
  });

  test('a complete Beacon gets no defaults', () => {
    expect(admitted('/default', { light: { colour: 'red', brightness: 1 }, pattern: 'Steady' })).toEqual({
      uid: 'u1',
      allowed: true,
    });
  });

  test.each([
    { spec: { light: { colour: 'red', brightness: 81 }, pattern: 'Blinking' }, allowed: false },
    { spec: { light: { colour: 'red', brightness: 80 }, pattern: 'Blinking' }, allowed: true },
    { spec: { light: { colour: 'red', brightness: 100 }, pattern: 'Steady' }, allowed: true },
    { spec: { light: { colour: 'blue' } }, allowed: false },
    { spec: undefined, allowed: false },
  ])('with $spec is allowed: $allowed', ({ spec, allowed }) => {
    expect(admitted('/validate', spec).allowed).toBe(allowed);
  });

  test('an invalid Beacon is refused with the field and the reason', () => {
    const { status } = admitted('/validate', { light: { colour: 'red', brightness: 90 }, pattern: 'Blinking' });
    expect(status?.message).toMatch(/^spec\.light\.brightness: .* 90$/);
  });
});

test('other paths have no answer', () => {
  expect(answerReview('/', {})).toBeUndefined();
});

test.each([{}, { request: null }, { request: { uid: 'u1', object: { kind: 'Secret' } } }, 7])(
  'a body that is no review is not answered: %j',
  (review) => {
    expect(() => answerReview('/validate', review)).toThrow(/./);
    expect(() => answerReview('/convert', review)).toThrow(/./);
  },
);

interface Conversion {
  readonly result: { readonly status: string; readonly message?: string };
  readonly convertedObjects?: readonly { metadata: { name: string }; spec: { light: { colour: string } } }[];
}

function converted(desiredAPIVersion: string, objects: readonly object[]): Conversion {
  const review = { apiVersion: 'apiextensions.k8s.io/v1', request: { uid: 'u1', desiredAPIVersion, objects } };
  return (answerReview('/convert', review) as { response: Conversion }).response;
}

interface Admission {
  readonly allowed: boolean;
  readonly patch?: string;
  readonly status?: { readonly message: string };
}

function admitted(path: string, spec: unknown): Admission {
  const object = { apiVersion: V2, kind: 'Beacon', metadata: { name: 'north' }, spec };
  return (answerReview(path, { request: { uid: 'u1', object } }) as { response: Admission }).response;
}

function v1(name: string, spec: object): object {
  return { apiVersion: V1, kind: 'Beacon', metadata: { name }, spec };
}
