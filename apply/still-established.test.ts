import { expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { assessHealth } from './health.ts';
import { keepConditions } from './still-established.ts';
import { sampleCrd } from './testing/sample-objects.ts';

const ESTABLISHED = { conditions: ['Established', 'NamesAccepted'].map((type) => ({ type, status: 'True' })) };
const crd = sampleCrd('Widget');
const spec = crd['spec'] as { readonly names: object; readonly versions: readonly [object] };
const withSpec = (fields: object): KubeObject => ({ ...crd, spec: { ...spec, ...fields } });
const withUid = (uid: string): Pick<KubeObject, 'metadata'> => ({ metadata: { ...crd.metadata, uid, generation: 1 } });
const observed: KubeObject = {
  ...withSpec({ names: { ...spec.names, categories: ['all'] }, versions: [{ name: 'v1', served: true }] }),
  ...withUid('a'),
  status: ESTABLISHED,
};
const { spec: _spec, ...answer }: KubeObject = { ...crd, ...withUid('a') };
const webhook = { strategy: 'Webhook' };
const [version] = spec.versions;

test.each([
  { because: 'only a schema changes', wanted: crd, want: 'Ready' },
  { because: 'a name changes', wanted: withSpec({ names: { ...spec.names, singular: 'thing' } }), want: 'Progressing' },
  {
    because: 'a short name is new',
    wanted: withSpec({ names: { ...spec.names, shortNames: ['w'] } }),
    want: 'Progressing',
  },
  {
    because: 'a name is left to its default',
    seen: { ...observed, spec: { ...spec, names: { ...spec.names, singular: 'thing' } } },
    wanted: withSpec({ names: { kind: 'Widget', plural: 'widgets' } }),
    want: 'Progressing',
  },
  {
    because: 'a default is left out',
    wanted: withSpec({ names: { kind: 'Widget', plural: 'widgets' } }),
    want: 'Ready',
  },
  {
    because: 'a version is new',
    wanted: withSpec({ versions: [version, { name: 'v2', served: true }] }),
    want: 'Progressing',
  },
  {
    because: 'a version is served no longer',
    wanted: withSpec({ versions: [{ ...version, served: false }] }),
    want: 'Progressing',
  },
  { because: 'it is converted by a webhook', wanted: withSpec({ conversion: webhook }), want: 'Progressing' },
  {
    because: 'it was converted by a webhook',
    seen: { ...observed, spec: { ...spec, conversion: webhook } },
    want: 'Progressing',
  },
  { because: 'it was not established', seen: { ...observed, status: {} }, want: 'Progressing' },
  { because: 'another CRD had the name', seen: { ...observed, ...withUid('b') }, want: 'Progressing' },
  { because: 'no watch knows it', seen: undefined, want: 'Progressing' },
])('$because: $want', ({ wanted = crd, want, ...rest }) => {
  const seen = 'seen' in rest ? rest.seen : observed;
  expect(assessHealth(keepConditions(wanted, answer, seen)).state).toBe(want);
});

test('metadata is that of the answer', () => {
  const going = { ...answer, metadata: { ...answer.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  expect(keepConditions(crd, going, observed).metadata).toBe(going.metadata);
});
