import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Client } from '../kube/client/client.ts';
import { createServerFacts, parseServerVersion } from './cluster-facts.ts';

const OPENSHIFT = { plural: 'clusterversions', namespaced: false };

interface FakeOptions {
  readonly openShift?: string;
  /** How the cluster serves the kind of OpenShift's version. */
  readonly served?: typeof OPENSHIFT;
}

/** A client that counts its requests; OpenShift if it has a version. */
function fakeClient({ openShift, served = OPENSHIFT }: FakeOptions = {}): {
  readonly client: Client;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const resources = [
    { apiVersion: 'v1', kind: 'Pod' },
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    ...(openShift === undefined ? [] : [{ apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', ...served }]),
  ];
  const client = {
    raw: (path: string) => {
      asked.push(path);
      return Promise.resolve('{"major":"1","gitVersion":"v1.34.1+k3s1"}');
    },
    // As the API server answers the manager, which has the right on OpenShift's kind alone.
    get: () =>
      served === OPENSHIFT
        ? Promise.resolve({ status: { desired: { version: openShift } } })
        : Promise.reject(new Error('ClusterVersion.config.openshift.io version cannot be read')),
    discovery: { list: () => Promise.resolve(resources), invalidate: () => void asked.push('invalidate') },
  };
  return { client: client as unknown as Client, asked };
}

const signal = new AbortController().signal;

describe('facts about the cluster', () => {
  test('the facts are the version and the kinds of the cluster', async () => {
    const facts = await createServerFacts(fakeClient().client, () => new Date()).get(signal);
    expect(facts).toEqual({
      kubernetesVersion: '1.34.1',
      providedKinds: [
        { group: '', version: 'v1', kind: 'Pod' },
        { group: 'apps', version: 'v1', kind: 'Deployment' },
      ],
    });
  });

  test('the facts include the version of OpenShift if the cluster is one', async () => {
    const facts = await createServerFacts(fakeClient({ openShift: '4.19.3' }).client, () => new Date()).get(signal);
    expect(facts.openShiftVersion).toBe('4.19.3');
  });

  test.each([
    { because: 'in namespaces', served: { ...OPENSHIFT, namespaced: true } },
    { because: 'under another name', served: { ...OPENSHIFT, plural: 'versions' } },
  ])(
    'a CRD of a tenant that defines the kind of OpenShift $because is no OpenShift, and hides no fact',
    async ({ served }) => {
      const { client } = fakeClient({ openShift: '4.19.3', served });
      const facts = await createServerFacts(client, () => new Date()).get(signal);
      expect(facts.kubernetesVersion).toBe('1.34.1');
      expect(facts.openShiftVersion).toBeUndefined();
    },
  );

  test.each([
    { because: 'they were fetched a moment ago', seconds: 5, afresh: false, asked: 1 },
    { because: 'they were fetched long ago', seconds: 301, afresh: false, asked: 2 },
    { because: 'something is missing', seconds: 11, afresh: true, asked: 2 },
    { because: 'something is missing, but they were fetched a moment ago', seconds: 5, afresh: true, asked: 1 },
    { because: 'the clock was set back by an hour since', seconds: -3600, afresh: true, asked: 2 },
  ])('the facts are fetched $asked times if $because', async ({ seconds, afresh, asked }) => {
    let now = 0;
    const fake = fakeClient();
    const source = createServerFacts(fake.client, () => new Date(now));
    await Promise.all([source.get(signal), source.get(signal)]);
    now = seconds * 1000;
    await source.get(signal, { afresh });
    expect(fake.asked.filter((path) => path === '/version')).toHaveLength(asked);
  });

  test.each([
    { because: 'an older answer is good enough', afresh: false, waits: false },
    { because: 'something is missing', afresh: true, waits: true },
  ])('a caller waits for an answer that does not come: $waits, since $because', async ({ afresh, waits }) => {
    let now = 0;
    const fake = fakeClient();
    let answer = (path: string): Promise<string> => fake.client.raw(path);
    const source = createServerFacts({ ...fake.client, raw: (path) => answer(path) }, () => new Date(now));
    const first = await source.get(signal);
    const gate = Promise.withResolvers<string>();
    answer = () => gate.promise;
    now = 301_000;
    const questions = [source.get(signal, { afresh }), source.get(signal, { afresh })];
    let answered = 0;
    for (const question of questions) void question.then(() => (answered += 1));
    await setImmediate();
    expect(answered).toBe(waits ? 0 : 2);
    gate.resolve('{"gitVersion":"v1.35.0"}');
    await setImmediate();
    const versions = (await Promise.all(questions)).map(({ kubernetesVersion }) => kubernetesVersion);
    expect(versions).toEqual(waits ? ['1.35.0', '1.35.0'] : [first.kubernetesVersion, first.kubernetesVersion]);
    expect((await source.get(signal)).kubernetesVersion).toBe('1.35.0');
  });

  test('a failure is not kept', async () => {
    const fake = fakeClient();
    let fails = true;
    const raw = (path: string): Promise<string> => (fails ? Promise.reject(new Error('down')) : fake.client.raw(path));
    const source = createServerFacts({ ...fake.client, raw }, () => new Date(0));
    await expect(source.get(signal)).rejects.toThrow('down');
    fails = false;
    expect((await source.get(signal)).kubernetesVersion).toBe('1.34.1');
  });
});

test.each([
  { body: '{"gitVersion": "v1.33.0-rc.1"}', version: '1.33.0' },
  { body: '{"gitVersion":"1.30.4-gke.12"}', version: '1.30.4' },
  { body: '<html>', version: undefined },
])('$body is version $version', ({ body, version }) => {
  expect(parseServerVersion(body)).toBe(version);
});
