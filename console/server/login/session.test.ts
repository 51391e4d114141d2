/** Sessions in cookies: only the console can make, read or change one, and each ends. */
import { randomBytes } from 'node:crypto';
import { EncryptJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../kube/testing/manual-clock.ts';
import { ownKeys, Sessions } from './session.ts';

const PERSON = { user: 'ann', groups: ['staff'], uid: '7', extra: { 'example.com/scope': ['read'] } };

function sessions(keys = ownKeys(), clock = createManualClock()): Sessions {
  return new Sessions({ keys, seconds: 3600, clock });
}

describe('a session', () => {
  test('has the whole person, and an id of its own each time', async () => {
    const all = sessions();
    const [one, other] = [await all.open(PERSON), await all.open(PERSON)];
    expect(await all.read(one.sealed)).toEqual(one.session);
    expect(one.session.person).toEqual(PERSON);
    expect(one.session.id).not.toBe(other.session.id);
  });

  test('says nothing about the person to those who have its cookie', async () => {
    const { sealed } = await sessions().open(PERSON, { token: 'secret-token' });
    const text = sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1')).join(''); // prettier-ignore
    for (const word of ['ann', 'staff', 'secret-token', 'example.com']) expect(text).not.toContain(word);
  });

  test('ends with its time, and earlier if it was opened so', async () => {
    const clock = createManualClock();
    const all = sessions(ownKeys(), clock);
    const [long, short] = [await all.open(PERSON), await all.open(PERSON, { expires: clock.wall() + 60_000 })];
    clock.advance(61);
    expect([await all.read(long.sealed), await all.read(short.sealed)].map((one) => one !== undefined)).toEqual([true, false]); // prettier-ignore
    clock.advance(3600);
    expect(await all.read(long.sealed)).toBeUndefined();
    expect(all.isOpen(long.session)).toBe(false);
  });

  test('that was logged out cannot be used again, and others can', async () => {
    const all = sessions();
    const [one, other] = [await all.open(PERSON), await all.open(PERSON)];
    all.revoke(one.session);
    expect(await all.read(one.sealed)).toBeUndefined();
    expect(await all.read(other.sealed)).toEqual(other.session);
  });

  test('outlives a new key, until the old key is gone', async () => {
    const keys = new Map([['1', randomBytes(32)]]);
    const all = sessions(() => keys);
    const { sealed } = await all.open(PERSON);
    keys.set('2', randomBytes(32));
    expect(await all.read(sealed)).toBeDefined();
    expect(JSON.parse(Buffer.from((await all.open(PERSON)).sealed.split('.')[0] ?? '', 'base64url').toString())).toMatchObject({ kid: '2' }); // prettier-ignore
    keys.delete('1');
    expect(await all.read(sealed)).toBeUndefined();
  });
});

describe('a cookie is refused', () => {
  const keys = ownKeys();
  const all = sessions(keys);
  const far = Date.now() + 3_600_000;

  test.each(Array.from({ length: 5 }, (_, part) => part).filter((part) => part !== 1))(
    'that was changed in part %i of five',
    async (part) => {
      const { sealed } = await all.open(PERSON);
      const parts = sealed.split('.');
      const first = parts[part]?.[0] === 'A' ? 'B' : 'A';
      parts[part] = `${first}${parts[part]?.slice(1) ?? ''}`;
      expect(await all.read(parts.join('.'))).toBeUndefined();
    },
  );

  test.each([
    { because: 'it was made with another key', make: async () => (await sessions().open(PERSON)).sealed },
    {
      because: 'it was made for the login, in which a browser chooses some of the content',
      make: () => all.seal('login', { id: 'x'.repeat(32), person: PERSON }, far),
    },
    {
      because: 'it is not encrypted',
      make: async () => new UnsecuredJWT({ content: { id: 'x'.repeat(32), person: PERSON } }).setExpirationTime('1h').setAudience('session').encode(), // prettier-ignore
    },
    {
      because: 'it is encrypted for the key of an attacker',
      make: () =>
        new EncryptJWT({ content: { id: 'x'.repeat(32), person: PERSON } })
          .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: 'own' })
          .setAudience('session')
          .setExpirationTime('1h')
          .encrypt(randomBytes(32)),
    },
    { because: 'it is a text', make: async () => 'ann' },
    { because: 'it is empty', make: async () => '' },
    {
      because: 'its content is no session',
      make: () => all.seal('session', { id: 'x'.repeat(32), person: { user: '', groups: [] } }, far),
    },
  ])('since $because', async ({ make }) => {
    expect(await all.read(await make())).toBeUndefined();
  });
});
