import { describe, expect, test } from 'vitest';
import { OWNER_LABEL } from '../../../adoption/olm-v1/kinds.ts';
import { ANNOTATION } from '../../../api/names.ts';
import type { KubeObject } from '../../../api/object.ts';
import { Witness } from '../leave-olm-corpus/witness.ts';
import { OLM_V1 } from './olm-v1-objects.ts';

const NAMESPACE = 'lamps';
const BY_OLM = { labels: { [OWNER_LABEL.name]: 'lamp' } };
const BY_SLIPWAY = { annotations: { [ANNOTATION.owner]: 'lamps/lamp' } };
const WEBHOOKS = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };

function objectOf(kind: string, metadata: object, rest: object = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'lamp', namespace: NAMESPACE, ...metadata }, ...rest };
}

function harmOf(before: KubeObject, type: 'ADDED' | 'MODIFIED' | 'DELETED', after = before): readonly string[] {
  const witness = new Witness([NAMESPACE], OLM_V1.isOfOperator);
  witness.begin(before);
  witness.see(type, after);
  return witness.harm();
}

const template = (image: string): object => ({ spec: { template: { spec: { containers: [{ image }] } } } });
const converts = (strategy: string): object => ({ spec: { conversion: { strategy } } });

interface Case {
  readonly because: string;
  readonly before: KubeObject;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly after?: KubeObject;
}

const HARM: readonly Case[] = [
  { because: 'OLM has marked it', before: objectOf('Service', BY_OLM), type: 'DELETED' },
  { because: 'Slipway has marked it', before: objectOf('ServiceAccount', BY_SLIPWAY), type: 'DELETED' },
  {
    because: 'it is a certificate, which has no mark',
    before: objectOf('Secret', {}, { type: 'kubernetes.io/tls' }),
    type: 'DELETED',
  },
  { because: 'a Pod was replaced', before: objectOf('Pod', {}), type: 'DELETED' },
  { because: 'a Pod was replaced', before: objectOf('Service', BY_OLM), type: 'ADDED', after: objectOf('Pod', {}) },
  {
    because: 'its Pods are replaced next',
    before: objectOf('Deployment', BY_OLM, template('a')),
    type: 'MODIFIED',
    after: objectOf('Deployment', BY_SLIPWAY, template('b')),
  },
  {
    because: 'its objects are not converted meanwhile',
    before: objectOf('CustomResourceDefinition', BY_OLM, converts('Webhook')),
    type: 'MODIFIED',
    after: objectOf('CustomResourceDefinition', BY_SLIPWAY, converts('None')),
  },
  {
    because: 'no other configuration has its webhooks',
    before: { ...WEBHOOKS, metadata: { name: 'lamp', ...BY_OLM } },
    type: 'DELETED',
  },
  {
    because: 'the API server trusts none of its webhooks',
    before: { ...WEBHOOKS, metadata: { name: 'lamp', ...BY_OLM } },
    type: 'MODIFIED',
    after: { ...WEBHOOKS, metadata: { name: 'lamp', ...BY_SLIPWAY }, webhooks: [{ clientConfig: {} }] },
  },
];

const NO_HARM: readonly Case[] = [
  { because: 'it is one of a Revision', before: objectOf('Secret', {}, { type: 'Opaque' }), type: 'DELETED' },
  {
    because: 'its mark has changed alone',
    before: objectOf('Deployment', BY_OLM, template('a')),
    type: 'MODIFIED',
    after: objectOf('Deployment', BY_SLIPWAY, template('a')),
  },
];

describe('an operator of OLM v1 that is handed over', () => {
  test.each(HARM)('is harmed by a $before.kind that is $type: $because', ({ before, type, after }) => {
    expect(harmOf(before, type, after)).toHaveLength(1);
  });

  test.each(NO_HARM)('is not harmed by a $before.kind that is $type: $because', ({ before, type, after }) => {
    expect(harmOf(before, type, after)).toEqual([]);
  });
});
