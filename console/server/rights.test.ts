/** The API server is asked for each right, and not more often than is needed. */
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../kube/testing/manual-clock.ts';
import { PersonRights } from './rights.ts';

const ANN = { user: 'ann', groups: [] };
const LIST = { verb: 'list', group: 'slipway.dev', resource: 'subscriptions' };

/** PersonRights over an API server whose answers a test sets. */
function scene(most = 100) {
  const clock = createManualClock();
  const server = { asked: [] as string[], answer: async (): Promise<boolean | undefined> => true };
  const rights = new PersonRights({
    clock,
    mostRemembered: most,
    actAs: ({ user }) => ({
      allows(access) {
        server.asked.push(`${user} ${'verb' in access ? access.verb : ''}`);
        return server.answer();
      },
    }),
  });
  return { clock, server, rights };
}

describe('a right', () => {
  test('is asked for once by many browsers of a person', async () => {
    const { rights, server } = scene();
    expect(await Promise.all(Array.from({ length: 50 }, () => rights.may(ANN, LIST)))).toEqual(Array.from({ length: 50 }, () => true)); // prettier-ignore
    expect(server.asked).toEqual(['ann list']);
  });

  test('is not asked for by a browser that has gone', async () => {
    const { rights, server } = scene();
    await expect(rights.may(ANN, LIST, AbortSignal.abort(new RangeError('gone')))).rejects.toThrow(RangeError);
    expect(server.asked).toEqual([]);
  });

  test('that is taken away ends within half a minute', async () => {
    const { rights, server, clock } = scene();
    expect(await rights.may(ANN, LIST)).toBe(true);
    server.answer = async () => false;
    clock.advance(15);
    expect(await rights.may(ANN, LIST)).toBe(false);
  });

  test.each([
    { because: 'another user', other: { user: 'bob', groups: [] } },
    { because: 'another group', other: { ...ANN, groups: ['admins'] } },
    { because: 'another uid', other: { ...ANN, uid: '8' } },
    { because: 'another extra', other: { ...ANN, extra: { scope: ['all'] } } },
  ])('of one person is not that of another: $because', async ({ other }) => {
    const { rights, server } = scene();
    await rights.may(ANN, LIST);
    server.answer = async () => false;
    expect(await rights.may(other, LIST)).toBe(false);
  });

  test('in the groups of a person does not depend on their order', async () => {
    const { rights, server } = scene();
    await rights.may({ user: 'ann', groups: ['a', 'b'] }, LIST);
    await rights.may({ user: 'ann', groups: ['b', 'a'] }, LIST);
    expect(server.asked).toHaveLength(1);
  });

  test('that could not be asked for is asked for again', async () => {
    const { rights, server } = scene();
    server.answer = () => Promise.reject(new Error('no answer'));
    await expect(rights.may(ANN, LIST)).rejects.toThrow('no answer');
    server.answer = async () => true;
    expect(await rights.may(ANN, LIST)).toBe(true);
  });

  test('is forgotten once there are too many, the oldest first', async () => {
    const { rights, server } = scene(2);
    for (const verb of ['get', 'list', 'watch', 'list', 'get']) await rights.may(ANN, { ...LIST, verb });
    expect(server.asked).toEqual(['ann get', 'ann list', 'ann watch', 'ann get']);
  });

  test('that one browser no longer waits for still answers the others', async () => {
    const { rights, server } = scene();
    const answer = Promise.withResolvers<boolean>();
    server.answer = () => answer.promise;
    const leaving = new AbortController();
    const [left, stays] = [rights.may(ANN, LIST, leaving.signal), rights.may(ANN, LIST)];
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    answer.resolve(true);
    expect(await stays).toBe(true);
  });
});
