import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildImage, pushImage } from '../../../oci/build.ts';
import { collectBytes } from '../../../oci/bytes.ts';
import { createRegistry, type Registry } from '../../../oci/registry.ts';
import type { FakeAnswer } from '../../../oci/testing/fake-call.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { makeFiles } from '../../../bundles/testing/bundle.ts';
import { useWorkplace } from '../testing/slipway.ts';
import { patientRegistry } from './patient-registry.ts';

const workplace = useWorkplace();
let fake: FakeRegistry;
let direct: Registry;
let client: Registry;
let pauses: number[] = [];
let complaints = '';

beforeAll(async () => {
  fake = await startFakeRegistry();
  direct = createRegistry();
  client = patientRegistry(
    direct,
    { complain: (text) => void (complaints += text), signal: new AbortController().signal },
    async (seconds) => void pauses.push(seconds),
  );
});
beforeEach(() => {
  pauses = [];
  complaints = '';
  fake.intercept = () => undefined;
});
afterAll(async () => {
  direct.close();
  await fake.close();
});

/** Answers so to the first requests with the method. */
function fail(times: number, method: string, answer: FakeAnswer): void {
  let left = times;
  fake.intercept = (request) => (request.method === method && left-- > 0 ? answer : undefined);
}

const IMAGE = buildImage({ files: new Map([['manifests/a', Buffer.from('a')]]) });
const THROTTLED: FakeAnswer = { status: 429, headers: { 'retry-after': '7' } };

describe('a busy registry is asked again', () => {
  test.each([
    { because: 'it names a time', answer: THROTTLED, times: 1, waits: [7] },
    { because: 'it names none', answer: { status: 429 }, times: 3, waits: [1, 2, 4] },
    { because: 'the proxy before it fails', answer: { status: 502 }, times: 2, waits: [1, 2] },
    { because: 'it is overloaded', answer: { status: 503 }, times: 1, waits: [1] },
    { because: 'it is slow', answer: { status: 504 }, times: 1, waits: [1] },
  ])('during a push: $because', async ({ answer, times, waits }) => {
    for (const method of ['HEAD', 'POST', 'PUT']) {
      pauses = [];
      fake.store.repositories.clear();
      fail(times, method, answer);
      await pushImage(client, fake.reference('team/pushed:v1'), IMAGE);
      expect(pauses).toEqual(waits);
    }
    expect(complaints.split('\n')).toHaveLength(3 * times + 1);
  });

  test('during a pull, also of a blob', async () => {
    const reference = fake.reference('team/pulled:v1');
    await pushImage(direct, reference, IMAGE);
    fail(1, 'GET', THROTTLED);
    await client.pullManifest(reference);
    fail(1, 'GET', THROTTLED);
    const { bytes, descriptor } = IMAGE.config;
    expect(await collectBytes(client.pullBlob(reference, descriptor))).toEqual(bytes);
    expect(pauses).toEqual([7, 7]);
  });
});

describe('a failure ends a push', () => {
  test.each([
    { because: 'it has lasted', answer: { status: 503 }, waits: [1, 2, 4], reason: 'RegistryUnavailable' },
    {
      because: 'the registry asks for a long time',
      answer: { status: 429, headers: { 'retry-after': '3600' } },
      waits: [],
      reason: 'RegistryThrottled',
    },
    { because: 'it will not pass', answer: { status: 400 }, waits: [], reason: 'RegistryUnavailable' },
    { because: 'the registry refuses', answer: { status: 403 }, waits: [], reason: 'RegistryDenied' },
  ])('if $because', async ({ answer, waits, reason }) => {
    fail(Infinity, 'PUT', answer);
    await expect(pushImage(client, fake.reference('team/failing:v1'), IMAGE)).rejects.toMatchObject({ reason });
    expect(pauses).toEqual(waits);
  });
});

test('the commands have such a client, and promise nothing once they have given up', async () => {
  workplace().write(makeFiles(), 'good');
  const push = () => workplace().run('bundle', 'push', 'good', `${fake.host}/team/gadget:v1.0.0`, '--no-check');
  fail(1, 'PUT', { status: 429, headers: { 'retry-after': '1' } });
  expect(await push()).toMatchObject({ code: 0, stderr: expect.stringContaining('asked again in 1 s') });
  fail(1, 'HEAD', { status: 429, headers: { 'retry-after': '3600' } });
  const { code, stderr } = await push();
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('slipway: RegistryThrottled: ') });
  expect(stderr).not.toMatch(/is repeated|pull secret/);
});
