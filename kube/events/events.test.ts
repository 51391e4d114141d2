import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { createClient, type Client } from '../client/client.ts';
import { eventually } from '../testing/eventually.ts';
import { cutText, seriesKey } from './event-series.ts';
import { createEventRecorder, type Occurrence, type EventRecorder } from './events.ts';
import { startFakeApi, type FakeApi } from '../testing/fake-api.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { createTransport, type Transport } from '../transport/transport.ts';

let api: FakeApi;
let transport: Transport;
let client: Client;
let clock: ManualClock;
let recorder: EventRecorder;

beforeEach(async () => {
  api = await startFakeApi();
  transport = createTransport(api.config);
  client = createClient(transport);
  clock = createManualClock();
  recorder = createEventRecorder({ client, clock, controller: 'slipway.dev/manager', instance: 'pod-1' });
});

afterEach(async () => {
  recorder.stop();
  transport.close();
  await api.close();
});

const facts: Occurrence = {
  regarding: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'x', uid: 'u1' },
  type: 'Normal',
  reason: 'Installing',
  action: 'Install',
  note: 'version 1.0.0 is being installed',
};

const events = (): Promise<readonly KubeObject[]> => client.list({ apiVersion: 'events.k8s.io/v1', kind: 'Event' });

/** Lets the recorder send its events, advancing time as needed. */
async function sent(): Promise<readonly KubeObject[]> {
  let done = false;
  const flushing = recorder.flush().then(() => (done = true));
  await eventually(() => {
    clock.advance(0.1);
    return done;
  });
  await flushing;
  return events();
}

test('an event names its object, what happened, the reporter and the time', async () => {
  recorder.record(facts);
  expect(await sent()).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({
        namespace: 'a',
        name: expect.stringMatching(/^x\.[0-9a-f]{16}$/) as string,
      }) as object,
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'slipway.dev/manager',
      reportingInstance: 'pod-1',
      type: 'Normal',
      reason: 'Installing',
      action: 'Install',
      note: facts.note,
      regarding: facts.regarding,
    }),
  ]);
});

test('an event about a cluster-scoped object is in the namespace default', async () => {
  recorder.record({ ...facts, regarding: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } } });
  expect((await sent())[0]?.metadata.namespace).toBe('default');
});

describe('repetitions', () => {
  test('a repeated event becomes a series of one event', async () => {
    for (let i = 0; i < 20; i++) recorder.record(facts);
    const seen = await sent();
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ series: { count: 20 } });
  });

  test('a series costs few requests, however often it repeats', async () => {
    for (let i = 0; i < 100; i++) {
      recorder.record(facts);
      clock.advance(1);
      if (i % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await sent();
    expect(api.requests.filter(({ method }) => method === 'PATCH').length).toBeLessThanOrEqual(6);
    expect((await events())[0]).toMatchObject({ series: { count: 100 } });
  });

  test('after a long silence a repetition is a new event', async () => {
    recorder.record(facts);
    clock.advance(361);
    recorder.record(facts);
    expect(await sent()).toHaveLength(2);
  });

  test('another note is another event', async () => {
    recorder.record(facts);
    recorder.record({ ...facts, note: 'something else' });
    expect(await sent()).toHaveLength(2);
  });

  test('a series whose event has expired in the cluster starts again', async () => {
    recorder.record(facts);
    const [first] = await sent();
    api.remove(first as KubeObject);
    recorder.record(facts);
    expect(await sent()).toEqual([
      expect.objectContaining({ series: expect.objectContaining({ count: 2 }) as object }),
    ]);
  });
});

describe('bounds', () => {
  test('a long note costs no memory while its series is remembered', () => {
    const key = (end: string): string => seriesKey({ ...facts, note: `${'x'.repeat(60_000)}${end}` });
    expect(key('a').length).toBeLessThan(100);
    expect([key('a') === key('a'), key('a') === key('b')]).toEqual([true, false]);
  });

  test('an object with too many events is cut off, others are not', async () => {
    for (let i = 0; i < 100; i++) recorder.record({ ...facts, note: `note ${i}` });
    recorder.record({ ...facts, regarding: { ...facts.regarding, name: 'y' } });
    const seen = await sent();
    expect(seen).toHaveLength(26);
    expect(recorder.dropped).toBe(75);
  });

  test('an object that was re-created under its name is not cut off because of its predecessor', async () => {
    for (let n = 0; n < 30; n++) recorder.record({ ...facts, note: `${n}` });
    const regarding = { ...facts.regarding, uid: 'u2' } as Occurrence['regarding'];
    recorder.record({ ...facts, regarding, note: 'the second one' });
    expect((await sent()).map((event) => event['note'])).toContain('the second one');
    expect(recorder.dropped).toBe(5);
  });

  test('a Warning is sent however many Normal events its object had', async () => {
    for (let n = 0; n < 30; n++) recorder.record({ ...facts, note: `${n}` });
    recorder.record({ ...facts, type: 'Warning', note: 'it failed' });
    expect((await sent()).map((event) => event['note'])).toContain('it failed');
    expect(recorder.dropped).toBe(5);
  });

  test('ten thousand events at once neither block nor grow without bound', async () => {
    for (let i = 0; i < 10_000; i++) {
      recorder.record({ ...facts, regarding: { ...facts.regarding, name: `o${i}` } });
    }
    expect(recorder.dropped).toBeGreaterThanOrEqual(8999);
  });

  test('a text is cut to its bytes and stays valid UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 4, max: 50 }), (text, maxBytes) => {
        const cut = cutText(text, maxBytes);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        expect(cut).not.toContain('\uFFFD');
        expect(text.startsWith(cut.replace(/…$/, ''))).toBe(true);
      }),
    );
  });

  test('a note with secrets or control characters is cleaned', async () => {
    recorder.record({ ...facts, note: 'Bearer abc.def \u001B[31mred' });
    expect((await sent())[0]?.['note']).not.toMatch(/abc|\u001B/);
  });
});

describe('trouble', () => {
  test.each([403, 404, 422, 500])('a server that answers %i costs the event, not the caller', async (status) => {
    api.fault((request, response) => request.method === 'POST' && Boolean(response.writeHead(status).end()));
    recorder.record(facts);
    await sent();
    expect(recorder.dropped).toBe(1);
  });

  test('a server that is down for a moment gets the event later', async () => {
    let left = 1;
    api.fault((request, response) => request.method === 'POST' && left-- > 0 && Boolean(response.writeHead(503).end()));
    recorder.record(facts);
    expect(await sent()).toHaveLength(1);
  });

  test('invalid facts do not throw, and no event is sent after stop', async () => {
    recorder.record(undefined as unknown as Occurrence);
    recorder.stop();
    recorder.record(facts);
    expect(await events()).toEqual([]);
  });
});
