import { describe, expect, test } from 'vitest';
import { sample, sampleCrd } from '../../../apply/testing/sample-objects.ts';
import type { KubeObject } from '../../../api/object.ts';
import { addressOf, calledWebhooks } from './called-webhooks.ts';

const service = { namespace: 'ops', name: 'widget-service' };
const configuration = (...webhooks: readonly object[]): KubeObject =>
  sample('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'widgets', { webhooks });
const converted = (clientConfig: object): KubeObject => ({
  ...sampleCrd('Widget'),
  spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig } } },
});
const ours = sample('v1', 'Service', service.name, { namespace: service.namespace });
const addresses = (...objects: readonly KubeObject[]): readonly string[] =>
  calledWebhooks([...objects, ours]).map(addressOf);

describe('the webhooks that the API server calls', () => {
  test.each<{ object: KubeObject; address: string; because: string }>([
    {
      object: converted({ service: { ...service, path: '/convert' } }),
      address: ':443/convert',
      because: 'a webhook converts objects',
    },
    {
      object: configuration({ clientConfig: { service } }),
      address: ':443',
      because: 'a webhook validates writes, at the default port',
    },
    {
      object: configuration({ failurePolicy: 'Fail', clientConfig: { service: { ...service, port: 9443 } } }),
      address: ':9443',
      because: 'a port is named',
    },
  ])('the API server calls a webhook if $because', ({ object, address }) => {
    expect(addresses(object)).toEqual([`https://widget-service.ops.svc${address}`]);
  });

  test('each address is called once, for the last object that names it', () => {
    const twice = { clientConfig: { service: { ...service, path: '/x' } } };
    expect(addresses(configuration(twice, twice), converted({ service }))).toHaveLength(2);
  });
});

test.each<{ object: KubeObject; because: string }>([
  { object: configuration({ failurePolicy: 'Ignore', clientConfig: { service } }), because: 'its silence is ignored' },
  {
    object: configuration({ clientConfig: { url: 'https://elsewhere.example' } }),
    because: 'it is outside of the cluster',
  },
  {
    object: converted({ service: { namespace: 'system', name: 'webhook-service' } }),
    because: 'it is behind a Service of another owner',
  },
  { object: sampleCrd('Widget'), because: 'it does not exist' },
  {
    object: sample('v1', 'ConfigMap', 'webhooks', { webhooks: [{ clientConfig: { service } }] }),
    because: 'it is of another kind',
  },
  { object: configuration(), because: 'the list is empty' },
])('no webhook is called if $because', ({ object }) => {
  expect(addresses(object)).toEqual([]);
});
