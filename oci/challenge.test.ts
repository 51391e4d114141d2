import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { parseChallenges } from './challenge.ts';

describe('a challenge', () => {
  test.each([
    { header: 'Basic realm="x"', want: [['basic', { realm: 'x' }]], because: 'it has the simplest form' },
    {
      header: 'Bearer realm="https://a/t",service="s",scope="repository:x:pull,push"',
      want: [['bearer', { realm: 'https://a/t', service: 's', scope: 'repository:x:pull,push' }]],
      because: 'a comma inside quotes belongs to the value',
    },
    {
      header: 'Bearer realm="https://a/t", Basic realm="b"',
      want: [
        ['bearer', { realm: 'https://a/t' }],
        ['basic', { realm: 'b' }],
      ],
      because: 'several challenges share one header',
    },
    {
      header: 'Negotiate, Basic realm="b"',
      want: [
        ['negotiate', {}],
        ['basic', { realm: 'b' }],
      ],
      because: 'a scheme may have no parameters',
    },
    {
      header: 'Negotiate YIIBhwYGKwYBBQUCoIIBezCCAXeg==, Basic realm="b"',
      want: [
        ['negotiate', {}],
        ['basic', { realm: 'b' }],
      ],
      because: 'a scheme may have a token instead of parameters',
    },
    { header: 'bEaReR ReAlM="X"', want: [['bearer', { realm: 'X' }]], because: 'only names are without case' },
    {
      header: 'Bearer realm=plain,service=s',
      want: [['bearer', { realm: 'plain', service: 's' }]],
      because: 'quotes may be missing',
    },
    {
      header: 'Bearer realm = "x" , service = s',
      want: [['bearer', { realm: 'x', service: 's' }]],
      because: 'spaces do not count',
    },
    { header: 'Bearer realm="a\\"b\\\\c"', want: [['bearer', { realm: 'a"b\\c' }]], because: 'quotes can be escaped' },
    { header: 'Bearer realm="a",realm="b"', want: [['bearer', { realm: 'a' }]], because: 'the first of two counts' },
    {
      header: 'Bearer realm="open',
      want: [['bearer', { realm: 'open' }]],
      because: 'an open quote ends with the text',
    },
    { header: '', want: [], because: 'an empty text has no challenge' },
    { header: undefined, want: [], because: 'the header may be missing' },
    { header: ',,,', want: [], because: 'separators alone' },
    { header: '"quoted"', want: [], because: 'no scheme' },
    { header: `Bearer realm="${'x'.repeat(9000)}"`, want: [], because: 'no honest header is that long' },
  ])('the challenge $header is parsed, because $because', ({ header, want }) => {
    const parsed = parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);
    expect(parsed).toEqual(want);
  });

  test('parameters of a challenge cannot reach a prototype', () => {
    const [challenge] = parseChallenges('Bearer __proto__="x",constructor="y"');
    expect(challenge?.parameters.get('__proto__')).toBe('x');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test('parsing any challenge header ends', () => {
    const headers = fc.oneof(fc.string({ maxLength: 200 }), fc.stringMatching(/^[A-Za-z =",\\]{0,200}$/));
    fc.assert(
      fc.property(headers, (header) => {
        for (const { scheme } of parseChallenges(header)) expect(scheme).toBe(scheme.toLowerCase());
      }),
      { numRuns: runsOf(2000) },
    );
  });
});
