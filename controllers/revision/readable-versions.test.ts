import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { confirmReadable, SILENCE_SECONDS, type ConversionCheck } from './readable-versions.ts';
import type { Judgement } from './judgement.ts';
import { emptyMemory } from './memory.ts';

const READY: Judgement = { state: 'Ready', reason: 'Succeeded', message: 'all is well' };
const REFUSED =
  'read Gadget.example.com ops/one: conversion webhook for example.com/v1, Kind=Gadget failed: connect: connection refused';

const crd = (conversion: object, versions: readonly object[] = VERSIONS): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Gadget', plural: 'gadgets' },
    scope: 'Namespaced',
    versions,
    conversion,
  },
});
const VERSIONS = [
  { name: 'v1', served: true, storage: true },
  { name: 'v2', served: true },
  { name: 'v0', served: false },
];
const WEBHOOK = {
  strategy: 'Webhook',
  webhook: { clientConfig: { service: { namespace: 'ops', name: 'gadget-service' } } },
};

/** A Revision that has never been Ready, unless the case says otherwise. */
const revision = (status: object = {}): Revision =>
  ({ metadata: { uid: 'u1', namespace: 'ops' }, status }) as unknown as Revision;

interface Given {
  readonly crds?: readonly KubeObject[];
  /** Seconds after the beginning. */
  readonly at?: number;
  /** The error of a read of a version. */
  readonly fails?: Readonly<Record<string, string>>;
  readonly objects?: readonly KubeObject[];
  readonly pods?: readonly KubeObject[];
}

const GADGET = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'one', namespace: 'ops' } };
const pod = (metadata: object, ready = 'True'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'one', namespace: 'ops', ...metadata },
  spec: { serviceAccountName: 'gadget' },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});

/** A cluster with these Gadgets, and these Pods behind their webhook's Service; records the versions that are read. */
function check(given: Given, asked: string[] = []): ConversionCheck {
  const { crds = [crd(WEBHOOK)], at = 0, fails = {}, objects = [GADGET], pods = [pod({})] } = given;
  return {
    crds,
    now: new Date(at * 1000),
    signal: new AbortController().signal,
    listPage: () => Promise.resolve({ items: objects }),
    cluster: {
      get: ({ apiVersion, kind, name }) =>
        Promise.resolve({ apiVersion, kind, metadata: { name }, spec: { selector: { app: 'gadget' } } }),
      list: (_kind, options) => Promise.resolve(options?.labelSelector === 'app=gadget' ? pods : []),
    },
    as: (account) => ({
      async get({ apiVersion }) {
        expect(account).toEqual({ namespace: 'ops', name: 'gadget' });
        asked.push(apiVersion);
        const failure = fails[apiVersion];
        if (failure !== undefined) throw new Error(failure);
        return GADGET;
      },
    }),
  };
}

describe('a Revision with a conversion webhook', () => {
  test('a Revision with a conversion webhook is ready once objects can be read in every served version', async () => {
    const asked: string[] = [];
    expect(await confirmReadable(emptyMemory(), { revision: revision(), judgement: READY }, check({}, asked))).toBe(
      READY,
    );
    expect(asked).toEqual(['example.com/v1', 'example.com/v2']);
  });

  test('a Service of another namespace is not read, nor Pods behind it: they are not of the operator', async () => {
    const service = { namespace: 'victim', name: 'payments' };
    const given = check({ crds: [crd({ strategy: 'Webhook', webhook: { clientConfig: { service } } })] });
    const refused = (): never => expect.unreachable('the other namespace is read');
    const cluster = { get: refused, list: refused };
    const question = { revision: revision(), judgement: READY };
    expect(await confirmReadable(emptyMemory(), question, { ...given, cluster, as: refused })).toBe(READY);
  });

  test('objects are listed and read as the CRD defines their kind: discovery need not know a new version yet', async () => {
    const kinds: unknown[] = [];
    const given = check({});
    await confirmReadable(
      emptyMemory(),
      { revision: revision(), judgement: READY },
      {
        ...given,
        listPage: (kind, ...rest) => {
          kinds.push(kind.served);
          return given.listPage(kind, ...rest);
        },
        as: () => ({
          get: async ({ served }) => {
            kinds.push(served);
            return GADGET;
          },
        }),
      },
    );
    expect(kinds).toEqual([1, 2, 3].map(() => ({ plural: 'gadgets', namespaced: true })));
  });

  test("a Revision is not ready while its conversion webhook is silent, and shows the API server's message", async () => {
    const judgement = await confirmReadable(
      emptyMemory(),
      { revision: revision(), judgement: READY },
      check({ fails: { 'example.com/v2': REFUSED } }),
    );
    expect(judgement).toMatchObject({ state: 'Working', reason: 'WebhookSilent' });
    expect(judgement.message).toContain('gadgets.example.com');
    expect(judgement.message).toContain('connection refused');
  });

  test('the Pods and a custom resource are read at the same time: an upgrade waits for one answer, not for two', async () => {
    const sent: string[] = [];
    const given = check({});
    await confirmReadable(
      emptyMemory(),
      { revision: revision(), judgement: READY },
      {
        ...given,
        cluster: {
          ...given.cluster,
          async list(...args) {
            sent.push('Pods');
            await setImmediate();
            sent.push('Pods answered');
            return given.cluster.list(...args);
          },
        },
        async listPage(...args) {
          sent.push('custom resource');
          return given.listPage(...args);
        },
      },
    );
    expect(sent.indexOf('custom resource')).toBeLessThan(sent.indexOf('Pods answered'));
  });

  test.for<{ because: string; pods: readonly KubeObject[] }>([
    { because: 'no Pod answers for the webhook', pods: [] },
    { because: 'a Pod of the release before is being deleted', pods: [pod({ deletionTimestamp: 'now' })] },
  ])('a custom resource that cannot be listed is no matter if $because', async ({ pods }) => {
    const given = check({ pods });
    const judgement = await confirmReadable(
      emptyMemory(),
      { revision: revision(), judgement: READY },
      { ...given, listPage: () => Promise.reject(new Error(REFUSED)) },
    );
    expect(judgement.reason).not.toBe('WebhookSilent');
  });

  test("a Revision is not ready if its custom resources cannot be listed, and shows the API server's message", async () => {
    const given = check({});
    const judgement = await confirmReadable(
      emptyMemory(),
      { revision: revision(), judgement: READY },
      { ...given, listPage: () => Promise.reject(new Error(REFUSED)) },
    );
    expect(judgement).toMatchObject({ state: 'Working', reason: 'WebhookSilent' });
    expect(judgement.message).toContain('connection refused');
  });

  test('a Revision has failed when its conversion webhook is silent for too long, and not before', async () => {
    const memory = emptyMemory();
    const fails = { 'example.com/v2': REFUSED };
    const states = [];
    for (const at of [0, SILENCE_SECONDS - 1, SILENCE_SECONDS]) {
      states.push(
        (await confirmReadable(memory, { revision: revision(), judgement: READY }, check({ at, fails }))).state,
      );
    }
    expect(states).toEqual(['Working', 'Working', 'Failed']);
  });

  test('a conversion webhook may be silent again for as long: an answer in between ends the silence', async () => {
    const memory = emptyMemory();
    const fails = { 'example.com/v2': REFUSED };
    await confirmReadable(memory, { revision: revision(), judgement: READY }, check({ fails }));
    await confirmReadable(memory, { revision: revision(), judgement: READY }, check({ at: 1 }));
    const later = check({ at: SILENCE_SECONDS + 1, fails });
    expect((await confirmReadable(memory, { revision: revision(), judgement: READY }, later)).state).toBe('Working');
  });
});

describe('the Pods that answer conversions', () => {
  test('conversions must be answered by the new release: Pods that are being deleted are waited for', async () => {
    const asked: string[] = [];
    const leaving = [pod({}), pod({ name: 'older', deletionTimestamp: '2026-01-01T00:00:00Z' })];
    const judgement = await confirmReadable(
      emptyMemory(),
      { revision: revision(), judgement: READY },
      check({ pods: leaving }, asked),
    );
    expect(judgement).toMatchObject({ state: 'Working', reason: 'Progressing' });
    expect(judgement.message).toContain('ops/older');
    expect(judgement.askAgainSeconds).toBeGreaterThan(0);
    expect(asked).toEqual([]);
  });

  test('a Pod that is being deleted on a lost node answers nothing, and is not waited for', async () => {
    const lost = pod({ name: 'older', deletionTimestamp: '2026-01-01T00:00:00Z' }, 'False');
    const judgement = await confirmReadable(
      emptyMemory(),
      { revision: revision(), judgement: READY },
      check({ pods: [pod({}), lost] }),
    );
    expect(judgement).toBe(READY);
  });

  test('if it was proved before that the new Pods answer, Pods that are being deleted are not waited for', async () => {
    const leaving = check({ pods: [pod({ deletionTimestamp: '2026-01-01T00:00:00Z' })] });
    expect(
      await confirmReadable(emptyMemory(), { revision: revision(), judgement: READY }, { ...leaving, isProved: true }),
    ).toBe(READY);
  });

  test('if no Pod is behind the Service of a conversion webhook, nothing is reported', async () => {
    const fails = { 'example.com/v1': REFUSED };
    expect(
      await confirmReadable(emptyMemory(), { revision: revision(), judgement: READY }, check({ pods: [], fails })),
    ).toBe(READY);
  });
});

describe('conversions that are not checked', () => {
  test.each<Given & { judgement?: Judgement; status?: object; because: string }>([
    { crds: [crd({ strategy: 'None' })], because: 'no webhook converts the objects' },
    { crds: [], because: 'there is no CRD' },
    { objects: [], because: 'there is no object to convert' },
    { status: { firstReadyTime: '2026-01-01T00:00:00Z' }, because: 'the webhook has answered before' },
    { judgement: { ...READY, state: 'Working' }, because: 'its Pods are not ready yet' },
  ])('no object is read if $because', async ({ judgement = READY, status = {}, ...given }) => {
    const asked: string[] = [];
    const fails = { 'example.com/v1': REFUSED };
    expect(
      await confirmReadable(
        emptyMemory(),
        { revision: revision(status), judgement },
        check({ ...given, fails }, asked),
      ),
    ).toBe(judgement);
    expect(asked).toEqual([]);
  });
});

test('an error that is not about conversion does not hold up a Revision', async () => {
  const fails = { 'example.com/v1': 'read Gadget.example.com ops/one: too many requests' };
  expect(await confirmReadable(emptyMemory(), { revision: revision(), judgement: READY }, check({ fails }))).toBe(
    READY,
  );
});
