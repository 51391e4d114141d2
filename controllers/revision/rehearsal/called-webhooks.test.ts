import { describe, expect, test } from 'vitest';
import { sample, sampleCrd } from '../../../apply/sample-objects.ts';
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

describe('the API server calls', () => {
  test.each<{ object: KubeObject; address: string; because: string }>([
    {
      object: converted({ service: { ...service, path: '/convert' } }),
      address: ':443/convert',
      because: 'objects are converted',
    },
    {
      object: configuration({ clientConfig: { service } }),
      address: ':443',
      because: 'what is written is looked at, at the default port',
    },
    {
      object: configuration({ failurePolicy: 'Fail', clientConfig: { service: { ...service, port: 9443 } } }),
      address: ':9443',
      because: 'a port is named',
    },
  ])('where $because', ({ object, address }) => {
    expect(addresses(object)).toEqual([`https://widget-service.ops.svc${address}`]);
  });

  test('each address once, for the sake of the last who names it', () => {
    const twice = { clientConfig: { service: { ...service, path: '/x' } } };
    expect(addresses(configuration(twice, twice), converted({ service }))).toHaveLength(2);
  });
});

test.each<{ object: KubeObject; because: string }>([
  { object: configuration({ failurePolicy: 'Ignore', clientConfig: { service } }), because: 'may be silent' },
  { object: configuration({ clientConfig: { url: 'https://elsewhere.example' } }), because: 'is somewhere else' },
  {
    object: converted({ service: { namespace: 'system', name: 'webhook-service' } }),
    because: 'is behind a Service of others',
  },
  { object: sampleCrd('Widget'), because: 'is not there' },
  {
    object: sample('v1', 'ConfigMap', 'webhooks', { webhooks: [{ clientConfig: { service } }] }),
    because: 'only looks like one',
  },
  { object: configuration(), because: 'is in an empty list' },
])('nobody is called who $because', ({ object }) => {
  expect(addresses(object)).toEqual([]);
});
