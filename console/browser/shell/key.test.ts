import { describe, expect, test } from 'vitest';
import { PortKey, type PortKeyParts } from './key.ts';

const KEY = 'k'.repeat(43);

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

  test('is there in other tabs, and after the page was loaded again', () => {
    const { stored } = pageAt(`/#key=${KEY}`);
    expect(pageAt('/catalog', stored).key.headers).toEqual({ 'x-slipway-key': KEY });
  });

  test('of a new console replaces that of an old one on the same port', () => {
    const { stored } = pageAt(`/#key=${KEY}`);
    pageAt(`/#key=${'n'.repeat(43)}`, stored);
    expect(pageAt('/', stored).key.headers).toEqual({ 'x-slipway-key': 'n'.repeat(43) });
  });

  test('serves the tab that has it, if the browser permits no storage', () => {
    expect(pageAt(`/#key=${KEY}`, new Map(), true).key.headers).toEqual({ 'x-slipway-key': KEY });
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
