/** Reads for a view are careful: no read spoils another one, and the writer of a Secret decides neither the plan that an approver reads nor its cost. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { writeBackup } from '../../adoption/olm-v1/backup.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../api/object.ts';
import { createFakeCluster } from '../../kube/testing/fake-cluster.ts';
import { INSTALLED, subscription } from '../../report/testing/objects.ts';
import type { Client } from '../../kube/client/client.ts';
import { carryOut } from './carry-out.ts';
import type { CatalogContent } from './content.ts';

const PLAN = { plan: { hash: `sha256:${'a'.repeat(64)}`, package: 'lamp' }, heldBy: [] };
const packed = (content: unknown): Buffer => gzipSync(JSON.stringify(content));
const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const HONEST = packed(PLAN);
const BOMB = gzipSync(Buffer.alloc(6 << 20, ' '));

function secretWith(bytes: Buffer, change: Partial<KubeObject> = {}, owner = 'uid-1'): KubeObject {
  const ownerReferences = [{ apiVersion: 'slipway.dev/v1alpha1', kind: 'Revision', name: 'lamp-1', uid: owner }];
  const metadata = { namespace: 'ops', name: 'lamp-1-plan', ownerReferences };
  return { apiVersion: 'v1', kind: 'Secret', type: 'slipway.dev/plan', metadata, data: { plan: bytes.toString('base64') }, ...change }; // prettier-ignore
}

function readPlan(secret: KubeObject | undefined, digest = digestOf(HONEST)) {
  const client = { get: async () => secret } as unknown as Client;
  const parts = { clientOf: () => client, rights: { may: async () => true }, content: {} as CatalogContent, systemNamespace: 's', version: '0' }; // prettier-ignore
  const plan = { namespace: 'ops', secret: 'lamp-1-plan', revisionUid: 'uid-1', digest };
  return carryOut({ user: 'ann', groups: [] }, { plan }, parts, new AbortController().signal);
}

describe('the Secret with a whole plan', () => {
  test('is believed if it is the one that the manager has recorded', async () => {
    expect(await readPlan(secretWith(HONEST))).toEqual({ plan: { value: PLAN } });
  });

  test.each([
    {
      because: 'another plan under the true hash',
      secret: secretWith(packed({ ...PLAN, heldBy: [{}] })),
      says: 'changed',
    },
    {
      because: 'the same plan, packed by another',
      secret: secretWith(gzipSync(JSON.stringify(PLAN), { level: 1 })),
      says: 'changed',
    },
    { because: 'a bomb', secret: secretWith(BOMB), says: 'changed' },
    { because: 'no content', secret: secretWith(HONEST, { data: {} }), says: 'changed' },
    { because: 'content that is no text', secret: secretWith(HONEST, { data: { plan: 1 } }), says: 'changed' },
    { because: 'a Secret of another type', secret: secretWith(HONEST, { type: 'Opaque' }), says: 'no plan' },
    { because: 'the plan of another Revision', secret: secretWith(HONEST, {}, 'uid-2'), says: 'no plan' },
    { because: 'a Secret that is gone', secret: undefined, says: 'no plan' },
  ])('is refused by its name: $because', async ({ secret, says }) => {
    const { plan } = await readPlan(secret);
    expect(plan).toMatchObject({ failure: { reason: 'ManifestsMissing', message: expect.stringMatching(new RegExp(`ops/lamp-1-plan.*${says}`)) as string } }); // prettier-ignore
  });

  test.each([
    { because: 'it unpacks to more than a page can show', bytes: BOMB },
    { because: 'it is no archive', bytes: Buffer.from('x') },
    { because: 'it is no JSON', bytes: gzipSync('{') },
  ])('is not shown even if the manager has recorded it: $because', async ({ bytes }) => {
    expect(await readPlan(secretWith(bytes), digestOf(bytes))).toMatchObject({ plan: { failure: { reason: 'ManifestsMissing' } } }); // prettier-ignore
  });
});

describe('the version of the API server', () => {
  test.each(['<html>', '{', 'null', '{"gitVersion":1}'])('is an answer whatever a proxy sends: %s', async (text) => {
    const client = { raw: async () => text, get: async () => undefined } as unknown as Client;
    const parts = { clientOf: () => client, rights: { may: async () => true }, content: {} as CatalogContent, systemNamespace: 's', version: '0' }; // prettier-ignore
    const asked = await carryOut({ user: 'ann', groups: [] }, { versions: true }, parts, new AbortController().signal);
    expect(asked.versions).toBeDefined();
  });
});

describe('a read that fails is part of the answer, beside those that succeed', () => {
  const ANN = { user: 'ann', groups: [] };
  const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'there' };
  const asks = {
    access: ['may', 'may-not', 'away'].map((name) => ({ verb: 'get', group: '', resource: 'pods', name })),
    objects: ['there', 'absent', 'forbidden'].map((name) => ({ ref: { ...CONFIG, name } })),
    plan: { namespace: 'ops', secret: 'forbidden', revisionUid: 'uid-1', digest: digestOf(HONEST) },
    versions: true,
  } as const;
  const refused = new ReasonedError({ reason: 'Forbidden', retry: 'backoff', message: 'ann cannot get it' });

  function partsWith(get: (ref: { readonly name: string }) => Promise<unknown>) {
    const persons: unknown[] = [];
    const client = { get, raw: async () => '{"gitVersion":"v1.34.1"}' } as unknown as Client;
    const may = async (_person: unknown, { name = '' }: { readonly name?: string }) => {
      if (name === 'away') throw refused;
      return name === 'may';
    };
    const clientOf = (person: unknown) => (persons.push(person), client);
    return { persons, parts: { clientOf, rights: { may }, content: {} as CatalogContent, systemNamespace: 's', version: '2' } }; // prettier-ignore
  }

  test('each in the place of its question, all as one person', async () => {
    const { parts, persons } = partsWith(async ({ name }) => {
      if (name === 'forbidden' || name === 'slipway-manager') throw refused;
      return name === 'there' ? { kind: 'ConfigMap' } : undefined;
    });
    const failure = { failure: { reason: 'Forbidden', message: 'ann cannot get it' } };
    expect(await carryOut(ANN, asks, parts, new AbortController().signal)).toEqual({
      access: [true, false, undefined],
      objects: [{ value: { object: { kind: 'ConfigMap' } } }, { value: {} }, failure],
      plan: failure,
      versions: { value: { kubernetes: 'v1.34.1', console: '2' } },
    });
    expect(persons).toEqual([ANN]);
  });

  test('but a defect is none, and fails the view', async () => {
    const { parts } = partsWith(() => Promise.reject(new TypeError('undefined is no function')));
    await expect(carryOut(ANN, { objects: asks.objects }, parts, new AbortController().signal)).rejects.toThrow(TypeError); // prettier-ignore
  });

  test('and a view that was called off ends with the reason', async () => {
    const { parts } = partsWith(() => Promise.reject(refused));
    const gone = AbortSignal.abort(new Error('the browser has left'));
    await expect(carryOut(ANN, { objects: asks.objects, plan: asks.plan }, parts, gone)).rejects.toThrow();
  });

  test('and nothing is read for a view that asks for nothing', async () => {
    const { parts } = partsWith(() => Promise.reject(new Error('nothing was asked')));
    expect(await carryOut(ANN, {}, parts, new AbortController().signal)).toEqual({});
  });
});

describe('the rights that OLM had given an operator', () => {
  const leaving = subscription({ status: { installed: INSTALLED } });
  const { namespace = '', name } = leaving.metadata;

  /** As the uninstall would delete them; the person may do all that `may` says. */
  async function ask(may: (ref: ObjectRef) => boolean, more: object = {}, stage = 'HandedOver') {
    const cluster = createFakeCluster();
    for (const one of [namespace, 'slipway-system'])
      cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: one } });
    const binding = cluster.put({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'delegator', annotations: { 'slipway.dev/adopt-by': `${namespace}/${name}` } },
      roleRef: { kind: 'ClusterRole', name: 'system:auth-delegator' },
      subjects: [{ kind: 'ServiceAccount', name: 'gadget', namespace }],
    });
    const wanted = { apiVersion: leaving.apiVersion, kind: leaving.kind, metadata: { name, namespace }, spec: { package: leaving.spec.package } }; // prettier-ignore
    const olm = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', metadata: { name: 'gadget' } };
    const backup = writeBackup({ extension: 'gadget', olm, wanted, objects: [refOf(binding)], isEnded: true }, 'slipway-system'); // prettier-ignore
    cluster.put({
      ...backup,
      data: { ...(backup['data'] as object), ...more },
      metadata: { ...backup.metadata, annotations: { 'slipway.dev/adoption-stage': stage } },
    });
    const client = cluster.actingAs('ann', ({ ref }) => may(ref)) as unknown as Client;
    const parts = { clientOf: () => client, rights: { may: async () => true }, content: {} as CatalogContent, systemNamespace: 'slipway-system', version: '0' }; // prettier-ignore
    return carryOut({ user: 'ann', groups: [] }, { givenByOlm: leaving }, parts, new AbortController().signal);
  }

  test('are those of the backup in the namespace of the manager', async () => {
    const { givenByOlm } = await ask(() => true);
    expect(givenByOlm).toMatchObject({ value: { rights: [{ due: [{ metadata: { name: 'delegator' } }], kept: [] }] } });
  });

  test('are not deleted while the operator is on its way back', async () => {
    const { givenByOlm } = await ask(() => true, { 'way-back.json.gz': 'aGVsbG8=' });
    expect(givenByOlm).toMatchObject({
      value: { rights: [], held: expect.stringContaining('way back to OLM') as string },
    });
  });

  test('name a hand-over that has not ended', async () => {
    expect((await ask(() => true)).givenByOlm).toMatchObject({ value: { begun: [] } });
    const begun = [{ operator: { from: 'OLMv1', name: 'gadget' }, stage: 'TakingOver' }];
    expect((await ask(() => true, {}, 'HandingOver')).givenByOlm).toMatchObject({ value: { begun } });
  });

  test('are read as the person, who may not read backups', async () => {
    expect((await ask(({ kind }) => kind !== 'Secret')).givenByOlm).toMatchObject({ failure: { reason: 'Forbidden' } });
  });
});
