/** How a CRD is converted is stated by the apply that takes it over; write-cases.ts has the writes. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { NEVER } from '../api/testing/never.ts';
import { conversionWithout, dropConversion, isConverted, withConversion } from './crd-conversion.ts';
import { hashObject } from './prepare.ts';
import { prepared, sample, sampleCrd } from './testing/sample-objects.ts';

const service = { namespace: 'ops', name: 'mine', path: '/convert', port: 443 };
const stranger = { ...service, namespace: 'lights', name: 'stranger' };
const by = (clientConfig: object): Readonly<Record<string, unknown>> => ({
  strategy: 'Webhook',
  webhook: { clientConfig, conversionReviewVersions: ['v1'] },
});
const NONE = { strategy: 'None' };

describe('the conversion of a CRD as it is sent', () => {
  const [crd] = prepared([sampleCrd('Widget')]) as [KubeObject];
  const converted = { ...crd, spec: { ...(crd['spec'] as object), conversion: by({ service }) } };

  test('a bundle without a conversion webhook means that there is none', () => {
    expect(withConversion(crd)['spec']).toMatchObject({ conversion: NONE });
  });

  test('the manifest keeps its hash, so that no CRD is applied again for it', () => {
    withConversion(crd);
    expect(crd['spec']).not.toHaveProperty('conversion');
    expect(hashObject(crd)).toBe(hashObject(prepared([sampleCrd('Widget')])[0] as KubeObject));
  });

  test.each<{ object: KubeObject; because: string }>([
    { object: converted, because: 'the bundle has a conversion webhook' },
    { object: { ...crd, spec: { ...(crd['spec'] as object), conversion: NONE } }, because: 'the bundle states it' },
    { object: sample('v1', 'ConfigMap', 'a', { spec: {} }), because: 'it is no CRD' },
  ])('an object is sent as it is if $because', ({ object }) => {
    expect(withConversion(object)).toBe(object);
  });
});

test.each([
  { conversion: undefined, isFound: false, because: 'a manager that was killed has just made the CRD' },
  { conversion: NONE, isFound: false, because: 'that is the default' },
  { conversion: by({ service: stranger }), isFound: true, because: 'its maker has set a webhook' },
])('a CRD counts as converted ($isFound), because $because', ({ conversion, isFound }) => {
  const plain = sampleCrd('Widget');
  expect(isConverted({ ...plain, spec: { ...(plain['spec'] as object), conversion } })).toBe(isFound);
});

describe('the patch before an apply', () => {
  test.each<{ wanted: object; live: object; patch: object | undefined; because: string }>([
    { wanted: NONE, live: NONE, patch: undefined, because: 'nothing converts' },
    { wanted: NONE, live: {}, patch: undefined, because: 'nothing converts' },
    {
      wanted: NONE,
      live: by({ service: stranger }),
      patch: { strategy: 'None', webhook: null },
      because: 'the API server refuses a webhook that is not used',
    },
    {
      wanted: NONE,
      live: { strategy: 'None', webhook: {} },
      patch: { strategy: 'None', webhook: null },
      because: 'the rest of a webhook is refused too',
    },
    {
      wanted: by({ service }),
      live: by({ service: stranger }),
      patch: undefined,
      because: 'the apply sets each field of the Service',
    },
    {
      wanted: by({ service }),
      live: by({ url: 'https://stranger.example', caBundle: 'Q0E=' }),
      patch: by({ caBundle: null, service, url: null }),
      because: 'a webhook has one address, and the authority was for the other one',
    },
    {
      wanted: by({ url: 'https://mine.example', caBundle: 'TUlORQ==' }),
      live: by({ service: stranger, caBundle: 'Q0E=' }),
      patch: by({ caBundle: 'TUlORQ==', url: 'https://mine.example', service: null }),
      because: 'a webhook has one address',
    },
  ])('the patch is $patch, because $because', ({ wanted, live, patch }) => {
    expect(
      conversionWithout(wanted as Readonly<Record<string, unknown>>, live as Readonly<Record<string, unknown>>),
    ).toEqual(patch);
  });

  const webhook = { 'f:spec': { 'f:conversion': { 'f:webhook': { 'f:clientConfig': {} } } } };
  const cainjector = { manager: 'cainjector', operation: 'Update', fieldsV1: webhook };
  test.each<{
    managedFields: readonly object[] | undefined;
    isTakenOver?: boolean;
    isPatched: boolean;
    because: string;
  }>([
    {
      managedFields: [cainjector],
      isTakenOver: false,
      isPatched: false,
      because: 'an operator sets the conversion of its own CRD',
    },
    {
      managedFields: [{ manager: 'slipway', operation: 'Apply', fieldsV1: webhook }, cainjector],
      isTakenOver: false,
      isPatched: true,
      because: 'the webhook was ours, and another program owns a part of it',
    },
    {
      managedFields: [{ manager: 'slipway', operation: 'Apply', fieldsV1: webhook }],
      isPatched: false,
      because: 'the apply removes the webhook with the versions that need it',
    },
    {
      managedFields: [
        { manager: 'slipway', operation: 'Apply', fieldsV1: webhook },
        { manager: 'cainjector', operation: 'Update', fieldsV1: webhook },
      ],
      isPatched: true,
      because: 'another program owns a part of it',
    },
    {
      managedFields: [{ manager: 'slipway', operation: 'Update', fieldsV1: webhook }],
      isPatched: true,
      because: 'an apply removes no field of an update',
    },
    { managedFields: undefined, isPatched: true, because: 'it has no owner' },
    {
      managedFields: [
        { manager: 'slipway', operation: 'Apply', fieldsV1: {} },
        { manager: 'other', operation: 'Update', fieldsV1: webhook },
      ],
      isPatched: true,
      because: 'the name of our field manager is text that its maker can write',
    },
  ])('a patch is sent ($isPatched), because $because', async ({ managedFields, isTakenOver = true, isPatched }) => {
    const sent: unknown[] = [];
    const apply = async (): Promise<KubeObject> => live;
    const patch = async (_ref: unknown, body: unknown): Promise<KubeObject> => {
      sent.push(body);
      return live;
    };
    const plain = sampleCrd('Widget');
    const metadata = { ...plain.metadata, uid: 'u1', resourceVersion: '5', managedFields };
    const live = { ...plain, metadata, spec: { ...(plain['spec'] as object), conversion: by({ service: stranger }) } };
    await dropConversion({ apply, patch }, withConversion(plain), live, { isTakenOver, signal: NEVER });
    const body = { metadata: { uid: 'u1', resourceVersion: '5' }, spec: { conversion: { ...NONE, webhook: null } } };
    expect(sent).toEqual(isPatched ? [body] : []);
  });
});
