import { expect, test } from 'vitest';
import { createInFlight } from './in-flight.ts';

test('a client is limited to its share, all together to the total, and a place is free again at its end', () => {
  const bodies = createInFlight({ total: 3, perClient: 2 });
  const [first, second] = [bodies.enter('a'), bodies.enter('a')];
  expect(bodies.enter('a')).toBe('client');
  expect(bodies.enter('b')).toBeTypeOf('function');
  expect(bodies.enter('b')).toBe('total');
  expect(bodies.count()).toBe(3);
  for (const leave of [first, second]) if (typeof leave === 'function') leave();
  expect(bodies.count()).toBe(1);
  expect(bodies.enter('b')).toBeTypeOf('function');
});
