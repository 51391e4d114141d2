/** Commands that follow objects while the API server is interrupted: connections that drop, and answers that refuse. */
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../kube/testing/manual-clock.ts';
import { eventually } from '../../../kube/testing/eventually.ts';
import { INSTALLED, READY, subscription, untyped } from '../../../report/testing/objects.ts';
import { useFakeCluster } from './testing/fake-cluster.ts';
import { WatchPause } from './watch-pause.ts';

const cluster = useFakeCluster();

const bulb = (...conditions: Parameters<typeof subscription>[0][]) =>
  untyped(subscription({ metadata: { name: 'bulb' }, ...conditions[0] }));
const READY_BULB = bulb({ status: { installed: INSTALLED, conditions: [READY] } });

/** Answers requests of a kind of request so, until the returned function is called. */
function refuse(isMeant: (isWatch: boolean) => boolean, answer: (response: ServerResponse) => void) {
  let refused = 0;
  const stop = cluster().api.fault(({ path, query }, response) => {
    if (!path.endsWith('/subscriptions') || !isMeant(query.get('watch') === 'true')) return false;
    refused += 1;
    answer(response);
    return true;
  });
  return { stop, count: () => refused };
}

const unavailable = (response: ServerResponse): void => void response.writeHead(503).end('starting');

describe('wait', () => {
  test('goes on after the connection of its watch dropped', async () => {
    const { api, run } = cluster();
    api.put(bulb());
    const running = run('wait', 'bulb');
    await eventually(() => api.watches === 1);
    api.endWatches('drop');
    api.put(READY_BULB);
    expect(await running).toMatchObject({ code: 0, stderr: '' });
    api.remove(READY_BULB);
  });

  test.each([
    { because: 'watches are answered by 503', isMeant: (isWatch: boolean) => isWatch },
    { because: 'nothing is answered but by 503', isMeant: () => true },
  ])('goes on after a time in which $because', async ({ isMeant }) => {
    const { api, run } = cluster();
    api.put(bulb());
    const running = run('wait', 'bulb');
    await eventually(() => api.watches === 1);
    const refusal = refuse(isMeant, unavailable);
    api.endWatches('drop');
    await eventually(() => refusal.count() > 0);
    api.put(READY_BULB);
    refusal.stop();
    expect(await running).toMatchObject({ code: 0, stderr: '' });
    api.remove(READY_BULB);
  });

  test('reports the outage if the time is up meanwhile', async () => {
    const { api, run } = cluster();
    api.put(bulb());
    const refusal = refuse((isWatch) => isWatch, unavailable);
    const { code, stdout } = await run('wait', 'bulb', '--timeout', '1s');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^Not within 1s: watch Subscription\.slipway\.dev: /);
    refusal.stop();
    api.remove(bulb());
  });

  test('does not ask in a loop a server that ends each watch at once', async () => {
    const { api, run } = cluster();
    api.put(bulb());
    const refusal = refuse(
      (isWatch) => isWatch,
      (response) => void response.writeHead(200).end(),
    );
    expect((await run('wait', 'bulb', '--timeout', '1s')).code).toBe(3);
    expect(refusal.count()).toBeLessThan(4);
    refusal.stop();
    api.remove(bulb());
  });

  test('ends at once if the first list is refused for missing rights', async () => {
    const { run } = cluster();
    const refusal = refuse(
      () => true,
      (response) => void response.writeHead(403).end(),
    );
    expect((await run('get', 'subscriptions', '--watch')).code).toBe(1);
    refusal.stop();
  });
});

describe.each(['status', 'tree', 'events', 'get'])('%s --watch', (name) => {
  test('shows a change that was made while the API server was away', async () => {
    const { api, runWith } = cluster();
    const interrupt = new AbortController();
    let text = '';
    api.put(bulb());
    const args = name === 'get' ? ['get', 'subscriptions'] : [name, 'bulb'];
    const printed = (more: string): void => void (text += more);
    const running = runWith({ signal: interrupt.signal, printed }, ...args, '--watch');
    await eventually(() => api.watches > 0 && (name === 'events' || text !== ''));
    const shown = text.length;
    api.endWatches('drop');
    api.put(name === 'events' ? EVENT : READY_BULB);
    await eventually(() => text.length > shown);
    interrupt.abort(new Error('SIGINT'));
    expect(await running).toMatchObject({ code: 130, stderr: 'slipway: interrupted\n' });
    api.remove(READY_BULB);
  });
});

const EVENT = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'bulb.1', namespace: 'ops' },
  regarding: { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', name: 'bulb', namespace: 'ops' },
  type: 'Normal',
  reason: 'Installed',
  note: 'it is installed',
  eventTime: '2026-01-01T00:00:00.000000Z',
};

describe('the pause before a watch begins again', () => {
  async function pauseOf(clock: ReturnType<typeof createManualClock>, waiting: Promise<void>): Promise<number> {
    const state = { isOver: false };
    void waiting.then(() => (state.isOver = true));
    const from = clock.now();
    for (; !state.isOver; await Promise.resolve()) clock.advance(0.5);
    return Math.floor(clock.now() - from);
  }

  test('grows up to 10 s while the watch does not last, and is short again after a change', async () => {
    const clock = createManualClock();
    const pause = new WatchPause(new AbortController().signal, clock);
    const pauses: number[] = [];
    for (let number = 0; number < 7; number++) pauses.push(await pauseOf(clock, pause.wait()));
    expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(10);
    pause.reset();
    expect(await pauseOf(clock, pause.wait())).toBeLessThan(3);
  });
});
