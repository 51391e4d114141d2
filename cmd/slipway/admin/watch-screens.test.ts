/** `status`, `tree` and `history` with --watch: the screen again after each change, until the Subscription is deleted. */
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../kube/testing/eventually.ts';
import { coalesced } from './coalesced.ts';
import { useFakeCluster } from './testing/fake-cluster.ts';
import { INSTALLED, READY, revision, subscription, untyped } from '../../../report/testing/objects.ts';

const cluster = useFakeCluster();

const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'ops' } });

interface WatchedScreen {
  readonly name: string;
  readonly before: RegExp;
  /** After the Revision `bulb-2` is active. */
  readonly after: RegExp;
}

const SCREENS: readonly WatchedScreen[] = [
  { name: 'status', before: /Installed: +1\.0\.0 /, after: /Installed: +2\.0\.0 / },
  { name: 'history', before: /^bulb-1 +1\.0\.0 +Active [^\n]*\n$/m, after: /^bulb-2 +2\.0\.0 +Active /m },
  { name: 'tree', before: /─ Revision bulb-1 \(1\.0\.0\): Active\n/, after: /─ Revision bulb-2 \(2\.0\.0\): Active\n/ },
];

const named = (number: number, version: string, parts: object = {}) =>
  untyped(
    revision(number, version, {
      metadata: { name: `bulb-${number}` },
      spec: { subscription: 'bulb' },
      status: { conditions: [READY] },
      ...parts,
    }),
  );
const bulb = (version: string, number: number) =>
  untyped(
    subscription({
      metadata: { name: 'bulb' },
      status: { installed: { ...INSTALLED, version, revision: `bulb-${number}` }, conditions: [READY] },
    }),
  );

/** Runs the command on a wide terminal; `screens` grows while it runs. */
function start(name: string, columns: number | undefined, ...args: readonly string[]) {
  const interrupt = new AbortController();
  const screens: string[] = [];
  const running = cluster().runWith(
    {
      signal: interrupt.signal,
      ...(columns !== undefined && { columns }),
      printed: (text) => void (text === '' || screens.push(text)),
    },
    name,
    'bulb',
    '--watch',
    ...args,
  );
  const stop = async () => {
    interrupt.abort(new Error('SIGINT'));
    return running;
  };
  return { screens, stop };
}

describe.each(SCREENS)('$name --watch', ({ name, before, after }) => {
  test.each([
    { because: 'a terminal is cleared', columns: 200, begin: /^\u001B\[H\u001B\[J/ },
    { because: 'in a file an empty line is between', columns: undefined, begin: /^\n/ },
  ])(
    'prints the screen after each change, and that the Subscription is deleted: $because',
    async ({ columns, begin }) => {
      const { api } = cluster();
      api.put(named(1, '1.0.0'));
      api.put(bulb('1.0.0', 1));
      const { screens, stop } = start(name, columns);
      const shows = (text: RegExp) => eventually(() => text.test(screens.at(-1) ?? ''));
      await shows(before);
      expect(screens).toHaveLength(1);
      const second = named(2, '2.0.0');
      api.put(second);
      api.put(bulb('2.0.0', 2));
      await shows(after);
      expect(screens.at(-1)).toMatch(begin);
      api.remove(bulb('2.0.0', 2));
      await shows(/The Subscription is deleted/);
      expect(await stop()).toMatchObject({ code: 130, stderr: 'slipway: interrupted\n' });
      for (const one of [named(1, '1.0.0'), second]) api.remove(one);
    },
  );

  test('prints each state as data', async () => {
    const { api } = cluster();
    api.put(named(1, '1.0.0'));
    api.put(bulb('1.0.0', 1));
    const { screens, stop } = start(name, 200, '-o', 'json');
    await eventually(() => screens.length === 1);
    expect(JSON.parse(screens[0]!)).toBeTypeOf('object');
    await stop();
    for (const one of [named(1, '1.0.0'), bulb('1.0.0', 1)]) api.remove(one);
  });
});

describe('tree --watch', () => {
  test.each([
    { because: 'Pods can be watched', isForbidden: false },
    { because: 'the user may not watch Pods, and Revisions are enough', isForbidden: true },
  ])('reads the objects again after a change: $because', async ({ isForbidden }) => {
    const { api } = cluster();
    const inventory = [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'bulbs', uid: 'x', hash: 'h' }];
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bulbs', namespace: 'ops' } };
    api.put(named(1, '1.0.0', { status: { conditions: [READY], inventory } }));
    api.put(bulb('1.0.0', 1));
    const stopFault = api.fault(({ path }, response) => {
      if (!isForbidden || !path.endsWith('/pods')) return false;
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 };
      response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(status));
      return true;
    });
    const { screens, stop } = start('tree', 200);
    await eventually(() => /ConfigMap ops\/bulbs: Missing/.test(screens.at(-1) ?? ''));
    api.put(config);
    if (isForbidden) api.put(bulb('1.0.1', 1));
    else api.put(pod('bulb-x'));
    await eventually(() => /ConfigMap ops\/bulbs: Ready/.test(screens.at(-1) ?? ''));
    await stop();
    stopFault();
    for (const one of [config, named(1, '1.0.0'), bulb('1.0.0', 1)]) api.remove(one);
    if (!isForbidden) api.remove(pod('bulb-x'));
  });
});

describe('values that come while their reader is busy', () => {
  async function* counting(count: number, failure?: Error): AsyncGenerator<number> {
    for (let number = 1; number <= count; number++) yield number;
    if (failure !== undefined) throw failure;
  }

  test('are one batch, and none is lost', async () => {
    const batches: (readonly number[])[] = [];
    for await (const batch of coalesced(counting(50))) {
      batches.push(batch);
      await eventually(() => true); // lets the source go on
    }
    expect(batches.flat()).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(batches.length).toBeLessThan(50);
    expect(batches).not.toContainEqual([]);
  });

  test('of a source without values are no batch', async () => {
    for await (const batch of coalesced(counting(0))) expect.unreachable(String(batch));
  });

  test('are read before the failure of the source', async () => {
    const seen: number[] = [];
    const reading = async () => {
      for await (const batch of coalesced(counting(3, new Error('gone')))) seen.push(...batch);
    };
    await expect(reading()).rejects.toThrow('gone');
    expect(seen).toEqual([1, 2, 3]);
  });

  test('close the source if the reader ends early', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<number> {
      try {
        for (let number = 1; ; number++) yield await Promise.resolve(number);
      } finally {
        isClosed = true;
      }
    }
    for await (const batch of coalesced(endless())) if (batch.length > 0) break;
    await eventually(() => isClosed);
  });
});
