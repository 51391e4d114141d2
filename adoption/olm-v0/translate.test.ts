/** Objects of OLM, and those of Slipway that go on. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { Catalog } from '../../api/catalog.ts';
import { Subscription } from '../../api/subscription.ts';
import { fieldsOf } from '../../api/untyped.ts';
import { ofOlm, subscriptionOf, surveyOf } from './testing/survey.ts';
import { translateCatalogSources, translateSubscription } from './translate.ts';

const names = { name: 'gadget', version: '1.0.0' };

describe('a Subscription', () => {
  const config = {
    env: [{ name: 'LEVEL', value: 'debug' }],
    nodeSelector: { disk: 'fast' },
    tolerations: [],
    selector: { matchLabels: { app: 'x' } },
  };
  const subscription = subscriptionOf({ installPlanApproval: 'Manual', config });
  const status = { namespaces: ['b', 'a'] };
  const survey = surveyOf({ subscription, operatorGroups: [ofOlm('operatorGroup', 'two', { spec: {}, status })] });

  test('keeps package, channel, approval, configuration and namespaces', () => {
    const { manifest, dropped } = translateSubscription(survey, { ...names, catalog: 'hub' });
    expect(manifest).toEqual({
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Subscription',
      metadata: { name: 'gadget', namespace: 'ops' },
      spec: {
        package: 'gadget-operator',
        catalog: 'hub',
        channel: 'stable',
        version: '1.0.0',
        approval: 'Manual',
        dependencies: 'Ignore',
        watchNamespaces: ['a', 'b'],
        config: { env: [{ name: 'LEVEL', value: 'debug' }], nodeSelector: { disk: 'fast' } },
      },
    });
    expect(dropped).toEqual(["spec.config.selector of OLM's Subscription has no counterpart"]);
  });

  const reported = { type: 'Upgradeable', status: 'True', reason: 'Fine', message: '' };
  test.each([
    { content: undefined, asked: undefined, because: 'OLM has none' },
    { content: { spec: { deployments: ['gadget'] } }, asked: undefined, because: 'nothing was written into it' },
    { content: { spec: { conditions: [reported] } }, asked: 'Always', because: 'the operator reports by it' },
    { content: { status: { conditions: [reported] } }, asked: 'Always', because: 'an operator of v1 reports by it' },
    { content: { spec: { overrides: [reported] } }, asked: 'Always', because: 'a person overrides the operator' },
  ])('asks for an OperatorCondition: $asked, because $because', ({ content, asked }) => {
    const operatorCondition = content && ofOlm('operatorCondition', 'gadget.v1', content);
    const { manifest } = translateSubscription(surveyOf({ operatorCondition }), names);
    expect(fieldsOf(manifest['spec'])['operatorCondition']).toBe(asked);
  });

  test('is one that the API takes', () => {
    const { manifest } = translateSubscription(survey, names);
    expect(Subscription.safeParse(manifest).error).toBeUndefined();
  });

  test('watches all namespaces if the OperatorGroup does', () => {
    expect(translateSubscription(surveyOf(), names).manifest['spec']).not.toHaveProperty('watchNamespaces');
  });
});

describe('a CatalogSource', () => {
  const source = (spec: object): ReturnType<typeof ofOlm> => ofOlm('catalogSource', 'hub', { spec });

  test('becomes a Catalog of its image', () => {
    const poll = { registryPoll: { interval: '30m' } };
    const [translated] = translateCatalogSources([
      source({
        sourceType: 'grpc',
        image: 'quay.example/hub:latest',
        priority: -100,
        secrets: ['pull', 'more'],
        updateStrategy: poll,
      }),
    ]);
    expect(translated?.manifest['spec']).toEqual({
      source: { image: { ref: 'quay.example/hub:latest' } },
      interval: '30m',
      priority: -100,
      pullSecret: { name: 'pull' },
    });
    expect(Catalog.safeParse(translated?.manifest).error).toBeUndefined();
    expect(translated?.dropped).toEqual([
      'Secret pull has to be copied from namespace ops to the namespace of the manager',
      'Secret more is not used: a Catalog has one pull secret',
    ]);
  });

  test('has no interval if its image cannot change', () => {
    const poll = { registryPoll: { interval: '30m' } };
    const image = `quay.example/hub@sha256:${'a'.repeat(64)}`;
    expect(translateCatalogSources([source({ image, updateStrategy: poll })])[0]?.manifest['spec']).toEqual({
      source: { image: { ref: image } },
    });
  });

  test('without an image has no counterpart', () => {
    expect(translateCatalogSources([source({ sourceType: 'grpc', address: 'here:50051' })])).toEqual([]);
  });

  test('of a name that two namespaces have gets the namespace in its name', () => {
    const twin = (namespace: string, name: string): KubeObject => {
      const one = source({ image: 'quay.example/hub:latest' });
      return { ...one, metadata: { ...one.metadata, namespace, name } };
    };
    const translated = translateCatalogSources([twin('a', 'hub'), twin('b', 'hub'), twin('b', 'other')]);
    expect(translated.map(({ manifest }) => manifest.metadata.name)).toEqual(['hub-a', 'hub-b', 'other']);
  });
});
