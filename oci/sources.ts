/**
 * Remembers the reach of registries, by the addresses that their last answers came from: an upload location or a next
 * page must not lead to a nearer network than the registry that named it.
 */
import type { Reach } from './address.ts';

export interface Sources {
  /** An answer of the registry came from there. */
  note(base: URL, reach: Reach): void;
  /** Of a registry that never answered `public`, which may reach least. */
  of(base: URL): Reach;
}

const MAX_SOURCES = 1000;

export function createSources(): Sources {
  const known = new Map<string, Reach>();
  return {
    note({ origin }, reach) {
      known.delete(origin);
      known.set(origin, reach);
      const [oldest] = known.keys();
      if (known.size > MAX_SOURCES && oldest !== undefined) known.delete(oldest);
    },
    of: ({ origin }) => known.get(origin) ?? 'public',
  };
}
