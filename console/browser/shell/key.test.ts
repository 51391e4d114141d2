import { describe, expect, test } from 'vitest';
import { PortKey, type PortKeyParts } from './key.ts';

const KEY = 'k'.repeat(43);
const NEW = 'n'.repeat(43);

/** A console that accepts one key, and each question that it was asked. */
function consoleWith(accepted: string | undefined) {
  const asked: string[] = [];
  const isAccepted = async (headers: Readonly<Record<string, string>>): Promise<boolean | undefined> => {
    const given = headers['x-slipway-key'] ?? '';
    asked.push(given);
    return accepted === undefined ? undefined : given === accepted;
  };
  return { asked, isAccepted };
}

async function settled(
  page: ReturnType<typeof pageAt>,
  accepted: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  await page.key.settle(consoleWith(accepted).isAccepted);
  return page.key.headers;
}

function pageAt(address: string, stored = new Map<string, string>(), isBlocked = false) {
  const shown: string[] = [];
  const { hash, pathname, search } = new URL(address, 'http://127.0.0.1:4000');
  const parts: PortKeyParts = {
    location: { hash, pathname, search },
    history: { replaceState: (_state, _title, url) => void shown.push(String(url)) },
    storage: () => {
      if (isBlocked) throw new Error('blocked');
      return { getItem: (name) => stored.get(name) ?? null, setItem: (name, value) => void stored.set(name, value) };
    },
  };
  return { key: new PortKey(parts), shown, stored };
}

describe('the key of a console on this machine', () => {
  test('is taken out of the first address, and leaves it', () => {
    const { key, shown } = pageAt(`/overview?x=1#key=${KEY}`);
    expect({ headers: key.headers, shown }).toEqual({ headers: { 'x-slipway-key': KEY }, shown: ['/overview?x=1'] });
  });

  test('is there in other tabs, and after the page was loaded again, once the console has accepted it', async () => {
    const first = pageAt(`/#key=${KEY}`);
    expect(await settled(first, KEY)).toEqual({ 'x-slipway-key': KEY });
    expect(pageAt('/catalog', first.stored).key.headers).toEqual({ 'x-slipway-key': KEY });
  });

  test('of a new console replaces that of an old one on the same port', async () => {
    const stored = new Map([['slipway-key', KEY]]);
    expect(await settled(pageAt(`/#key=${NEW}`, stored), NEW)).toEqual({ 'x-slipway-key': NEW });
    expect(pageAt('/', stored).key.headers).toEqual({ 'x-slipway-key': NEW });
  });

  test.each([
    { because: 'the console refuses it', accepted: KEY },
    { because: 'the console refuses both', accepted: 'o'.repeat(43) },
  ])('that a link made up leaves the one of this browser in use, and in store: $because', async ({ accepted }) => {
    const stored = new Map([['slipway-key', KEY]]);
    expect(await settled(pageAt(`/#key=${NEW}`, stored), accepted)).toEqual({ 'x-slipway-key': KEY });
    expect([...stored.values()]).toEqual([KEY]);
  });

  test('that a link made up is not stored in a browser that has none', async () => {
    const { key, stored } = pageAt(`/#key=${NEW}`);
    await key.settle(consoleWith(KEY).isAccepted);
    expect([...stored]).toEqual([]);
  });

  test('serves its tab alone while the console does not answer', async () => {
    const stored = new Map([['slipway-key', KEY]]);
    expect(await settled(pageAt(`/#key=${NEW}`, stored), undefined)).toEqual({ 'x-slipway-key': NEW });
    expect([...stored.values()]).toEqual([KEY]);
  });

  test.each([
    { because: 'the address has none', address: '/', asked: [] },
    { because: 'the address has the one that is stored', address: `/#key=${KEY}`, asked: [] },
    { because: 'the address has another one', address: `/#key=${NEW}`, asked: [NEW] },
  ])('is asked about only if that can change it: $because', async ({ address, asked }) => {
    const console = consoleWith(KEY);
    await pageAt(address, new Map([['slipway-key', KEY]])).key.settle(console.isAccepted);
    expect(console.asked).toEqual(asked);
  });

  test('serves the tab that has it, if the browser permits no storage', async () => {
    const page = pageAt(`/#key=${KEY}`, new Map(), true);
    expect(await settled(page, KEY)).toEqual({ 'x-slipway-key': KEY });
    expect(pageAt('/', new Map(), true).key.headers).toEqual({});
  });

  test.each(['', '#key=', '#key=short', `#key=${KEY}x`, `#other=${KEY}`, '#why'])(
    'is no other fragment: %j',
    (hash) => {
      const { key, shown } = pageAt(`/${hash}`);
      expect({ headers: key.headers, shown }).toEqual({ headers: {}, shown: [] });
    },
  );

  test.each([
    { url: '/api/live/overview', with: `/api/live/overview?key=${KEY}` },
    { url: '/api/live/catalog?search=a', with: `/api/live/catalog?search=a&key=${KEY}` },
  ])('is part of an address that can have no headers: $url', ({ url, with: expected }) => {
    expect(pageAt(`/#key=${KEY}`).key.in(url)).toBe(expected);
    expect(pageAt('/').key.in(url)).toBe(url);
  });
});
