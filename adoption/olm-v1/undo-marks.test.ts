/** Which objects are handed back to OLM v1, and with which marks. */
import { describe, expect, test } from 'vitest';
import { handOver } from './marks.ts';
import { OBJECTS } from './testing/handed-over.ts';
import { handBack, isOfSlipway } from './undo-marks.ts';

const names = { extension: 'gadget', namespace: 'ops', adoptedBy: 'ops/gadget' };
const object = (annotations: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'one', namespace: 'ops', resourceVersion: '7', annotations },
});

describe('an object is handed back', () => {
  test.each([
    { because: 'Slipway has applied it', one: OBJECTS[0]!, is: true },
    {
      because: 'it was handed over, and Slipway has not applied it',
      one: object({ 'slipway.dev/adopt-by': 'ops/gadget' }),
      is: true,
    },
    {
      because: 'it is a copy of a pull secret, which no bundle has',
      one: object({ 'slipway.dev/owner': 'ops/gadget', 'slipway.dev/copied-from': 'u.7' }),
      is: false,
    },
    { because: 'another Subscription has it', one: object({ 'slipway.dev/owner': 'ops/lamp' }), is: false },
    { because: 'another program has created it again', one: object({}), is: false },
  ])('$because: $is', ({ one, is }) => {
    expect(isOfSlipway(one, names)).toBe(is);
  });
});

describe('the marks', () => {
  test('are those by which the Helm of OLM takes an object over, and none of Slipway is left', () => {
    const one = { ...OBJECTS[0]!, metadata: { ...OBJECTS[0]!.metadata, resourceVersion: '7' } };
    expect(handBack(one, names)).toEqual({
      metadata: {
        resourceVersion: '7',
        labels: {
          'slipway.dev/owner': null,
          'app.kubernetes.io/managed-by': 'Helm',
          'olm.operatorframework.io/owner-kind': 'ClusterExtension',
          'olm.operatorframework.io/owner-name': 'gadget',
        },
        annotations: {
          'slipway.dev/owner': null,
          'slipway.dev/owner-uid': null,
          'meta.helm.sh/release-name': 'gadget',
          'meta.helm.sh/release-namespace': 'ops',
        },
      },
    });
  });

  test('name no owner: OLM adds it, and until then nothing is deleted with the ClusterExtension', () => {
    expect(handBack(OBJECTS[0]!, names)['metadata']).not.toHaveProperty('ownerReferences');
  });

  test('are taken off by another hand-over', () => {
    const { labels, annotations } = handBack(OBJECTS[0]!, names)['metadata'] as Record<string, Record<string, string>>;
    const taken = handOver(
      { ...OBJECTS[0]!, metadata: { name: 'gadget', labels: labels!, annotations: annotations! } },
      { extension: 'gadget', adoptBy: 'ops/gadget' },
    );
    expect(taken['metadata']).toMatchObject({
      labels: { 'app.kubernetes.io/managed-by': null, 'olm.operatorframework.io/owner-name': null },
      annotations: { 'meta.helm.sh/release-name': null, 'meta.helm.sh/release-namespace': null },
    });
  });
});
