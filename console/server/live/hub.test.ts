/** Streams of views: one computation for all browsers, the newest state only, bounded, and resumed. */
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../kube/testing/manual-clock.ts';
import { eventually } from '../../../kube/testing/eventually.ts';
import type { EventStream } from './event-stream.ts';
import { LiveHub, type Listening } from './hub.ts';

function listening(change: Partial<Listening> = {}): Listening {
  return {
    person: 'ann',
    user: 'ann',
    view: '/overview',
    reads: new Set(['subscriptions'] as const),
    compute: async () => ({ model: { n: 1 } }),
    isValid: async () => true,
    ...change,
  };
}

/** The texts that a browser gets, read one by one. */
function readerOf(stream: EventStream | string): { readonly next: () => Promise<string | undefined> } {
  if (typeof stream === 'string') throw new Error(`refused: ${stream}`);
  const reader = stream.readable.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? undefined : Buffer.from(value).toString();
    },
  };
}

/** A hub whose time stands still, and a view whose state a test sets. */
function scene() {
  const clock = createManualClock();
  const hub = new LiveHub({ clock });
  const state = { n: 1, computed: 0 };
  const compute: Listening['compute'] = async () => {
    state.computed += 1;
    return { model: { n: state.n } };
  };
  return { clock, hub, state, compute };
}

describe('a stream', () => {
  test('begins with the state, and gets each further one after a change', async () => {
    const { clock, hub, state, compute } = scene();
    const browser = readerOf(hub.listen(listening({ compute })));
    expect(await browser.next()).toBe('retry: 1000\n\n');
    expect(await browser.next()).toMatch(/^event: view\nid: [\w-]{22}\ndata: \{"n":1\}\n\n$/);
    state.n = 2;
    hub.changed('subscriptions');
    clock.advance(0.05);
    expect(await browser.next()).toContain('data: {"n":2}');
  });

  test('is not computed for a kind that its view does not read', async () => {
    const { clock, hub, state, compute } = scene();
    const browser = readerOf(hub.listen(listening({ compute })));
    await browser.next();
    await browser.next();
    hub.changed('catalogs');
    clock.advance(1);
    expect(state.computed).toBe(1);
  });

  test('sends nothing for a change that changes no word of the view', async () => {
    const { clock, hub, state, compute } = scene();
    const browser = readerOf(hub.listen(listening({ compute })));
    await browser.next();
    const first = await browser.next();
    hub.changed('subscriptions');
    clock.advance(0.05);
    await eventually(() => state.computed === 2);
    state.n = 3;
    hub.changed('subscriptions');
    clock.advance(0.05);
    const second = await browser.next();
    expect([first, second].map((text) => /\{.*\}/.exec(text ?? '')?.[0])).toEqual(['{"n":1}', '{"n":3}']);
  });

  test('of a browser that has the state already waits for the next one', async () => {
    const { clock, hub, state, compute } = scene();
    const first = readerOf(hub.listen(listening({ compute })));
    await first.next();
    const id = /id: (\S+)/.exec((await first.next()) ?? '')?.[1];
    const resumed = readerOf(hub.listen(listening({ compute, lastEventId: id })));
    await resumed.next();
    state.n = 2;
    hub.changed('subscriptions');
    clock.advance(0.05);
    expect(await resumed.next()).toContain('data: {"n":2}');
  });

  test('skips states that a slow browser has not taken, and ends with the newest', async () => {
    const { clock, hub, state, compute } = scene();
    const slow = readerOf(hub.listen(listening({ compute })));
    for (const n of [2, 3, 4]) {
      await eventually(() => state.computed === n - 1);
      state.n = n;
      hub.changed('subscriptions');
      clock.advance(0.05);
    }
    await eventually(() => state.computed === 4);
    expect(await slow.next()).toBe('retry: 1000\n\n');
    expect(await slow.next()).toContain('data: {"n":4}');
  });

  test('that has a problem shows it, and then the state again, even the one before', async () => {
    const { clock, hub } = scene();
    let isBroken = false;
    const problem = { problem: true, reason: 'Forbidden', message: 'no', next: '' } as const;
    const compute: Listening['compute'] = async () => (isBroken ? { problem, status: 403 } : { model: { n: 1 } });
    const browser = readerOf(hub.listen(listening({ compute })));
    await browser.next();
    const seen = [await browser.next()];
    for (const broken of [true, false]) {
      isBroken = broken;
      hub.changed('subscriptions');
      clock.advance(0.05);
      seen.push(await browser.next());
    }
    expect(seen.map((text) => /event: (\w+)/.exec(text ?? '')?.[1])).toEqual(['view', 'problem', 'view']);
    expect(seen[1]).toMatch(/^event: problem\nid\n/);
  });

  test('is computed again in time without a change, as rights change too', async () => {
    const { clock, hub, state, compute } = scene();
    const browser = readerOf(hub.listen(listening({ compute })));
    await browser.next();
    await browser.next();
    clock.advance(16);
    await eventually(() => state.computed === 2);
  });

  test('that is silent gets a heartbeat, so that no proxy cuts it', async () => {
    const { clock, hub, compute } = scene();
    const browser = readerOf(hub.listen(listening({ compute })));
    await browser.next();
    await browser.next();
    const next = browser.next();
    clock.advance(15);
    await eventually(async () => {
      clock.advance(15);
      return (await Promise.race([next, Promise.resolve(undefined)])) !== undefined;
    });
    expect(await next).toBe(': \n\n');
  });
});

describe('many changes', () => {
  /** Changes every 10 ms; returns how often the view was computed. */
  async function computedUnder(seconds: number, change: Partial<Listening>, changed: Parameters<LiveHub['changed']>) {
    const { clock, hub, state, compute } = scene();
    hub.listen(listening({ compute, ...change }));
    await eventually(() => state.computed === 1);
    for (let at = 0; at < seconds * 100; at++) {
      hub.changed(...changed);
      clock.advance(0.01);
      await new Promise((resolve) => setImmediate(resolve));
    }
    hub.close();
    return state.computed - 1;
  }

  test.each([
    { because: 'a view that reads objects on demand', change: { asks: true }, least: 8, most: 10 },
    { because: 'a view that reads none', change: { asks: false }, least: 100, most: 500 },
  ])('in 10 seconds are shown, at a pace that the API server bears: $because', async ({ change, least, most }) => {
    const computed = await computedUnder(10, change, ['subscriptions', 'ops']);
    expect(computed).toBeGreaterThanOrEqual(least);
    expect(computed).toBeLessThanOrEqual(most);
  });

  test.each([
    { because: 'of the namespace of the view', changed: ['subscriptions', 'ops'], isComputed: true },
    { because: 'of another namespace', changed: ['subscriptions', 'dev'], isComputed: false },
    { because: 'of an object without a namespace', changed: ['subscriptions'], isComputed: true },
    { because: 'of a kind that it does not read', changed: ['catalogs', 'ops'], isComputed: false },
  ] as const)('are those $because', async ({ changed, isComputed }) => {
    const computed = await computedUnder(3, { namespace: 'ops' }, [...changed]);
    expect(computed > 0).toBe(isComputed);
  });

  test('after a pause are on the screen as soon as a single one', async () => {
    const { clock, hub, state, compute } = scene();
    hub.listen(listening({ compute, asks: true }));
    await eventually(() => state.computed === 1);
    clock.advance(5);
    hub.changed('subscriptions');
    clock.advance(0.05);
    await eventually(() => state.computed === 2);
    hub.close();
  });

  test('of which the last falls into the pause are not lost', async () => {
    const { clock, hub, state, compute } = scene();
    const browser = readerOf(hub.listen(listening({ compute, asks: true })));
    await browser.next();
    await browser.next();
    state.n = 2;
    hub.changed('subscriptions');
    clock.advance(0.5);
    expect(state.computed).toBe(1);
    clock.advance(0.6);
    expect(await browser.next()).toContain('data: {"n":2}');
  });

  test('of a view that takes long leave the process four fifths of its time', async () => {
    const { clock, hub, state } = scene();
    const compute: Listening['compute'] = async () => {
      state.computed += 1;
      clock.skip(0.5);
      return { model: { n: state.computed } };
    };
    hub.listen(listening({ compute }));
    await eventually(() => state.computed === 1);
    for (let at = 0; at < 190; at++) {
      hub.changed('subscriptions');
      clock.advance(0.01);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(state.computed).toBe(1);
    clock.advance(0.5);
    await eventually(() => state.computed === 2);
    hub.close();
  });
});

describe('many browsers', () => {
  test('of one person and view cost one computation', async () => {
    const { hub, state, compute } = scene();
    const browsers = Array.from({ length: 50 }, () => readerOf(hub.listen(listening({ compute }))));
    await Promise.all(browsers.map(({ next }) => next()));
    const states = await Promise.all(browsers.map(({ next }) => next()));
    expect(new Set(states).size).toBe(1);
    expect(state.computed).toBe(1);
    expect(hub.counts).toEqual({ streams: 50, views: 1 });
  });

  test('of two persons never share a state', async () => {
    const hub = new LiveHub();
    const compute = (name: string) => async () => ({ model: { name } });
    const [ann, bob] = ['ann', 'bob'].map((person) => readerOf(hub.listen(listening({ person, compute: compute(person) })))); // prettier-ignore
    const [ofAnn, ofBob] = await Promise.all([ann, bob].map(async (one) => [await one?.next(), await one?.next()][1]));
    expect(ofAnn).toContain('{"name":"ann"}');
    expect(ofBob).toContain('{"name":"bob"}');
    hub.close();
  });

  test.each([
    { because: 'a person has a share', limit: { mostStreamsOfPerson: 2 }, third: 'ann', refused: 'person' },
    { because: 'all together are bounded', limit: { mostStreams: 2 }, third: 'bob', refused: 'total' },
  ])('are refused beyond a limit: $because', ({ limit, third, refused }) => {
    const hub = new LiveHub({ clock: createManualClock(), ...limit });
    const first = hub.listen(listening());
    hub.listen(listening());
    expect(hub.listen(listening({ person: third, user: third }))).toBe(refused);
    if (typeof first !== 'string') first.end();
    expect(hub.listen(listening({ person: third, user: third }))).not.toBe(refused);
    hub.close();
  });
});

test('a user has one share of streams, with however many tokens they have logged in', () => {
  const hub = new LiveHub({ clock: createManualClock(), mostStreamsOfPerson: 2 });
  const open = (token: string) => hub.listen(listening({ person: `ann with token ${token}` }));
  expect([open('1'), open('2')].map((one) => typeof one)).toEqual(['object', 'object']);
  expect(open('3')).toBe('person');
  expect(hub.counts).toEqual({ streams: 2, views: 2 });
  hub.close();
});

describe('a model that cannot be sent', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;

  test.each([
    { because: 'a cycle', model: cycle },
    { because: 'no value', model: undefined },
    { because: 'an object that fails to be written', model: { toJSON: () => { throw new Error('broken'); } } }, // prettier-ignore
  ])('is a problem of that view, and not the end of the process: $because', async ({ model }) => {
    const { clock, hub } = scene();
    let isBroken = true;
    const browser = readerOf(hub.listen(listening({ compute: async () => ({ model: isBroken ? model : { n: 1 } }) })));
    await browser.next();
    expect(await browser.next()).toMatch(/^event: problem\nid\ndata: .*InternalError/);
    isBroken = false;
    hub.changed('subscriptions');
    clock.advance(0.05);
    expect(await browser.next()).toContain('data: {"n":1}');
  });

  test('has integers that a number cannot hold as they are', async () => {
    const { hub } = scene();
    const browser = readerOf(hub.listen(listening({ compute: async () => ({ model: { n: 9007199254740993n } }) })));
    await browser.next();
    expect(await browser.next()).toContain('data: {"n":9007199254740993}');
  });
});

describe('a stream ends', () => {
  test('when its session is logged out, and no other one does', async () => {
    const { hub, compute } = scene();
    const [mine, other] = ['s1', 's2'].map((session) => readerOf(hub.listen(listening({ compute, session }))));
    for (const one of [mine, other]) for (let n = 0; n < 2; n++) await one?.next();
    hub.endSession('s1');
    expect(await mine?.next()).toBeUndefined();
    expect(hub.counts.streams).toBe(1);
  });

  test('at the next heartbeat after the person is no longer logged in', async () => {
    const { clock, hub, compute } = scene();
    const browser = readerOf(hub.listen(listening({ compute, isValid: async () => false })));
    await browser.next();
    await browser.next();
    clock.advance(15);
    expect(await browser.next()).toBeUndefined();
  });

  test('when the browser leaves, and its view is computed no more', async () => {
    const { clock, hub, state, compute } = scene();
    const stream = hub.listen(listening({ compute }));
    if (typeof stream === 'string') throw new Error('refused');
    await eventually(() => state.computed === 1);
    await stream.readable.cancel();
    expect(hub.counts).toEqual({ streams: 0, views: 0 });
    hub.changed('subscriptions');
    clock.advance(60);
    expect(state.computed).toBe(1);
  });
});
