/** What the deletion of Slipway's Subscription does while its operator is on the way back to OLM, for each half-way state. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { API_VERSION } from '../api/names.ts';
import type { KubeObject } from '../api/object.ts';
import { NEVER } from '../api/testing/never.ts';
import { createFakeCluster } from '../kube/testing/fake-cluster.ts';
import { beginWayBack, endHandOver, makeBackup, writeBackup } from './olm-v0/backup.ts';
import { csvOf, subscriptionOf, surveyOf } from './olm-v0/testing/survey.ts';
import { translateSubscription } from './olm-v0/translate.ts';
import { fieldsOf } from '../api/untyped.ts';
import { removalDuring, wayBackOf, type RemovalDuring, type SubscriptionInRemoval } from './way-back.ts';

const KEPT = 'slipway-system';
const operator = { namespace: 'ops', subscription: 'by-olm', package: 'gadget-operator', csv: 'gadget.v1' };
const survey = { ...surveyOf(), subscription: subscriptionOf(), csv: csvOf('gadget.v1') };
const { manifest: wanted } = translateSubscription(survey, { name: 'gadget', version: '1.0.0' });
const BEGUN = beginWayBack({ subscription: 'u1', revision: 'gadget-1', managed: [] });
const asked = { namespace: 'ops', name: 'gadget', package: 'gadget-operator', kept: KEPT };

function secretWith(patch: object, changes: object = {}): KubeObject {
  const secret = writeBackup(makeBackup(survey, { ...operator, ...changes }, { wanted, objects: [] }), KEPT);
  const { metadata, data } = fieldsOf(patch);
  return {
    ...secret,
    metadata: { ...secret.metadata, ...fieldsOf(metadata) },
    data: { ...fieldsOf(secret['data']), ...fieldsOf(data) },
  };
}

/** A way back to OLM v1 keeps its list beside the backup, whose stage stays. */
function ofOlmV1(wayBack?: string): KubeObject {
  const content = {
    extension: 'gadget',
    wanted: { apiVersion: API_VERSION, kind: 'Subscription', metadata: { name: 'gadget', namespace: 'ops' }, spec: { package: 'gadget-operator' } },
  }; // prettier-ignore
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'slipway-adoption-v1.gadget',
      namespace: KEPT,
      labels: { 'slipway.dev/adoption': 'olm-v1', 'slipway.dev/adopted-by': 'gadget' },
      annotations: { 'slipway.dev/adoption-stage': 'HandedOver' },
    },
    data: {
      'backup.json.gz': gzipSync(JSON.stringify(content)).toString('base64'),
      ...(wayBack !== undefined && { 'way-back.json.gz': wayBack }),
    },
  };
}

describe('an operator is on its way back to OLM', () => {
  test.each<{ because: string; secrets: readonly KubeObject[]; goOn: string | undefined }>([
    { because: 'it has no backup', secrets: [], goOn: undefined },
    { because: 'its hand-over is under way', secrets: [secretWith({})], goOn: undefined },
    { because: 'its hand-over is over', secrets: [secretWith(endHandOver())], goOn: undefined },
    { because: 'the way back has begun', secrets: [secretWith(BEGUN)], goOn: 'slipway adopt undo ops/by-olm' },
    { because: 'its hand-over from OLM v1 is over', secrets: [ofOlmV1()], goOn: undefined },
    {
      because: 'the way back to OLM v1 has begun',
      secrets: [ofOlmV1('aGVsbG8=')],
      goOn: 'slipway adopt undo gadget --from olm-v1',
    },
    {
      because: 'the way back was ended: the list of OLM v0 stays in the Secret',
      secrets: [secretWith({ ...BEGUN, ...endHandOver() })],
      goOn: undefined,
    },
    {
      because: 'the list of its objects is damaged, and the way back has begun all the same',
      secrets: [secretWith({ ...BEGUN, data: { 'way-back.json.gz': 'aGVsbG8=' } })],
      goOn: 'slipway adopt undo ops/by-olm',
    },
    {
      because: 'the backup is of an operator of another namespace',
      secrets: [secretWith(BEGUN, { namespace: 'elsewhere' })],
      goOn: undefined,
    },
    {
      because: 'the backup is of another package: a Subscription of an earlier life had the name',
      secrets: [secretWith(BEGUN, { package: 'lamp' })],
      goOn: undefined,
    },
    {
      because: 'a person has made the backup unreadable, so that it names no operator',
      secrets: [secretWith({ ...BEGUN, data: { 'backup.json.gz': 'aGVsbG8=' } })],
      goOn: undefined,
    },
  ])('or is not: $because', async ({ secrets, goOn }) => {
    const cluster = createFakeCluster();
    for (const name of ['ops', KEPT]) cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const secret of secrets) cluster.put(secret);
    expect((await wayBackOf(cluster, asked, NEVER))?.goOn).toBe(goOn);
  });
});

describe('a removal', () => {
  const wayBack = {
    backup: { apiVersion: 'v1', kind: 'Secret', namespace: KEPT, name: 'slipway-adoption.ops.by-olm' },
    olm: { from: 'olm-v0', namespace: 'ops', subscription: 'by-olm' },
    goOn: 'slipway adopt undo ops/by-olm',
  } as const;
  test.each<{
    because: string;
    begun: boolean;
    subscription: SubscriptionInRemoval;
    kind: RemovalDuring['kind'];
  }>([
    { because: 'no way back has begun', begun: false, subscription: 'deletesObjects', kind: 'asAsked' },
    {
      because: 'no way back has begun, and the Subscription was taken away',
      begun: false,
      subscription: 'gone',
      kind: 'asAsked',
    },
    {
      because: 'OLM is to have the objects, and the spec would delete them',
      begun: true,
      subscription: 'deletesObjects',
      kind: 'hold',
    },
    {
      because: 'the way back itself deletes the Subscription',
      begun: true,
      subscription: 'leavesObjects',
      kind: 'asAsked',
    },
    {
      because: 'the Subscription is gone, and no condition can ask a person any more',
      begun: true,
      subscription: 'gone',
      kind: 'leave',
    },
  ])('is answered by $kind: $because', ({ begun, subscription, kind }) => {
    expect(removalDuring(begun ? wayBack : undefined, subscription).kind).toBe(kind);
  });

  test('that is held after OLM v1 says how the objects stay, and how to uninstall instead', async () => {
    const cluster = createFakeCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: KEPT } });
    cluster.put(ofOlmV1('aGVsbG8='));
    const held = removalDuring(await wayBackOf(cluster, asked, NEVER), 'deletesObjects');
    expect('message' in held && held.message).toMatch(
      /spec\.uninstall\.objects: Orphan.*`slipway adopt undo gadget --from olm-v1`.*slipway adopt undo gadget --from olm-v1 --stop$/,
    );
  });

  test('that is held says how to go on, and how to uninstall instead', () => {
    const held = removalDuring(wayBack, 'deletesObjects');
    expect('message' in held && held.message).toMatch(
      /on its way back to OLM.*`slipway adopt undo ops\/by-olm`.*kubectl --namespace slipway-system annotate secret slipway-adoption\.ops\.by-olm slipway\.dev\/adoption-stage=HandedOver --overwrite/,
    );
  });
});
