/** Why Slipway cannot go on with the bundle of OLM v1: a hand-over that has begun has no way back. */
import { describe, expect, test } from 'vitest';
import type { Bundle } from '../../../../bundles/parse.ts';
import type { PublishedBundle } from '../published.ts';
import { obstacleOf } from './obstacle.ts';

const known = (name: string): PublishedBundle => ({ kind: 'known', bundle: { csv: { name } } as unknown as Bundle });

describe('the obstacle', () => {
  test.each([
    { because: 'it is the same bundle', published: known('gadget.v1.0.0'), says: undefined },
    {
      because: 'another build has the version',
      published: known('gadget.v1.0.0-2'),
      says: /would install gadget\.v1\.0\.0-2/,
    },
    {
      because: 'no Catalog has it',
      published: { kind: 'absent', why: 'no Catalog has version 1.0.0' } as const,
      says: /Create a Catalog/,
    },
    {
      because: 'the registry does not answer',
      published: { kind: 'unknown', why: 'refused' } as const,
      says: /cannot be read: refused/,
    },
  ])('is said: $because', ({ published, says }) => {
    const why = obstacleOf(published, 'gadget.v1.0.0');
    if (says === undefined) expect(why).toBeUndefined();
    else expect(why).toMatch(says);
  });
});
