/**
 * How many bodies are being sent, of all and of one client: each holds a cursor, a compressor and buffers of the
 * kernel for as long as its client takes to read it.
 */
export interface InFlight {
  /** Takes a place and returns the function that frees it; if all places are taken, returns the cause. */
  enter(client: string): (() => void) | Full;
  count(): number;
}

/** `client`: this one has its share. `total`: all places are taken. */
export type Full = 'client' | 'total';

export interface InFlightLimits {
  readonly total: number;
  readonly perClient: number;
}

export function createInFlight({ total, perClient }: InFlightLimits): InFlight {
  const clients = new Map<string, number>();
  let count = 0;
  return {
    enter(client) {
      const own = clients.get(client) ?? 0;
      if (own >= perClient) return 'client';
      if (count >= total) return 'total';
      clients.set(client, own + 1);
      count += 1;
      return () => {
        const rest = (clients.get(client) ?? 0) - 1;
        if (rest <= 0) clients.delete(client);
        else clients.set(client, rest);
        count -= 1;
      };
    },
    count: () => count,
  };
}
