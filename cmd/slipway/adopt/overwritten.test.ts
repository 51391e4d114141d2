/** Which edits of a person in a bundle's ConfigMaps and Secrets a hand-over would set back. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { NEVER } from '../../../api/testing/never.ts';
import type { Fields } from '../../../api/untyped.ts';
import { makeBundle } from '../../../bundles/testing/bundle.ts';
import { createFakeCluster } from '../../../kube/testing/fake-cluster.ts';
import {
  describeOverwritten,
  describeRefusedSettings,
  overwrittenOf as overwrittenOfObjects,
  type Overwritten,
} from '../../../controllers/overwritten.ts';
import { refusal } from '../../../api/testing/refusal.ts';
import { overwrittenOf } from './overwritten.ts';

const NAMESPACE = 'ops';

function made(kind: string, data: Fields, more: Fields = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name: 'settings', namespace: NAMESPACE }, data, ...more };
}

async function overwritten(published: KubeObject, live: KubeObject | undefined): Promise<readonly Overwritten[]> {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  if (live !== undefined) cluster.put(live);
  const before = cluster.objects();
  const bundle = makeBundle({ objects: [published] });
  const found = await overwrittenOf(
    cluster,
    {
      csv: bundle.csv.manifest.object,
      wanted: {
        apiVersion: 'slipway.dev/v1alpha1',
        kind: 'Subscription',
        metadata: { name: 'gadget', namespace: NAMESPACE },
        spec: { package: 'gadget-operator' },
      },
      published: { kind: 'known', bundle },
      now: new Date('2026-11-23T00:00:00Z'),
      signal: NEVER,
    },
    [],
  );
  expect(cluster.objects()).toEqual(before);
  return found;
}

/** An unknown field, which the fake API server cannot merge. */
const TWICE = { env: [{ name: 'a' }, { name: 'a' }] };

const encoded = (text: string): string => Buffer.from(text).toString('base64');

test.each<{ because: string; published: KubeObject; live: KubeObject | undefined; says: readonly Overwritten[] }>([
  {
    because: 'a person has changed an entry, and added another',
    published: made('ConfigMap', { level: 'info', format: 'json' }),
    live: made('ConfigMap', { level: 'debug', format: 'json', own: '1' }),
    says: [
      { object: 'ConfigMap ops/settings', entries: ['data.level'], fields: ['data.level: "debug" becomes "info"'] },
    ],
  },
  {
    because: 'a person has removed an entry',
    published: made('ConfigMap', { level: 'info', format: 'json' }),
    live: made('ConfigMap', { level: 'info' }),
    says: [
      { object: 'ConfigMap ops/settings', entries: ['data.format'], fields: ['data.format: absent becomes "json"'] },
    ],
  },
  {
    because: 'the values of a Secret are not shown',
    published: made('Secret', { classes: encoded('published') }, { type: 'Opaque' }),
    live: made('Secret', { classes: encoded('edited') }, { type: 'Opaque' }),
    says: [{ object: 'Secret ops/settings', entries: ['data.classes'], fields: ['data.classes'] }],
  },
  {
    because: 'it is one file, and its end was edited',
    published: made('ConfigMap', { 'settings.yaml': `${'# a long comment\n'.repeat(20)}level: info\n` }),
    live: made('ConfigMap', { 'settings.yaml': `${'# a long comment\n'.repeat(20)}level: debug\n` }),
    says: [
      {
        object: 'ConfigMap ops/settings',
        entries: ['data["settings.yaml"]'],
        fields: [
          expect.stringMatching(/^data\["settings\.yaml"\]: ….*level: debug.* becomes ….*level: info/) as string,
        ],
      },
    ],
  },
  {
    because: 'the API server cannot merge it, and a patch will set its entries',
    published: made('ConfigMap', { level: 'info' }, TWICE),
    live: made('ConfigMap', { level: 'debug', own: '1' }),
    says: [
      { object: 'ConfigMap ops/settings', entries: ['data.level'], fields: ['data.level: "debug" becomes "info"'] },
    ],
  },
  {
    because: 'it is as published',
    published: made('ConfigMap', { level: 'info' }),
    live: made('ConfigMap', { level: 'info' }),
    says: [],
  },
  { because: 'it does not exist', published: made('ConfigMap', { level: 'info' }), live: undefined, says: [] },
  {
    because: 'it is neither a ConfigMap nor a Secret',
    published: made('Service', { level: 'info' }),
    live: made('Service', { level: 'debug' }),
    says: [],
  },
])('a hand-over sets entries back, and the plan lists them: $because', async ({ published, live, says }) => {
  expect(await overwritten(published, live)).toEqual(says);
});

const objects = [made('ConfigMap', { level: 'info' })];

/** The answer to the dry run, for an object that exists. */
function answering(answer: Error): Parameters<typeof overwrittenOfObjects>[0] {
  return {
    get: async () => made('ConfigMap', { level: 'debug' }),
    async apply() {
      throw answer;
    },
  };
}

test('an object that the API server refuses is listed with its answer, and is no edit that could be allowed', async () => {
  const refused = refusal(422, 'Invalid', 'data: Forbidden: field is immutable when `immutable` is set');
  const found = await overwrittenOfObjects(answering(refused), { objects, signal: NEVER });
  expect(describeRefusedSettings(found)).toEqual([
    expect.stringMatching(/^the API server refuses ConfigMap ops\/settings as .*field is immutable/),
  ]);
  expect(describeOverwritten(found)).toEqual([]);
});

test.each([
  { because: 'the object has changed meanwhile', error: refusal(409, 'Conflict', 'changed'), throws: undefined },
  { because: 'rights lack', error: refusal(403, 'Forbidden', 'no right'), throws: 'Forbidden' },
  { because: 'the API server is away', error: refusal(503, 'ServiceUnavailable', 'away'), throws: 'ApiUnavailable' },
])('no edit is found if $because', async ({ error, throws }) => {
  const found = overwrittenOfObjects(answering(error), { objects, signal: NEVER });
  if (throws === undefined) expect(await found).toEqual([]);
  else await expect(found).rejects.toMatchObject({ reason: throws });
});

test('all settings that are handed over are listed if the version as it is published cannot be read', async () => {
  const names = ['gadget-manager-service-cert', 'token'];
  const secrets = names.map((name) => ({ ...made('Secret', {}), metadata: { name, namespace: NAMESPACE } }));
  const published = { kind: 'unknown', why: 'the registry does not answer' } as const;
  const trial = { csv: made('Any', {}), wanted: made('Any', {}), published, now: new Date(), signal: NEVER };
  const handedOver = [...objects, made('Service', {}), ...secrets];
  const found = await overwrittenOf(createFakeCluster(), trial, handedOver);
  expect(describeOverwritten(found)).toEqual(
    ['ConfigMap ops/settings', 'Secret ops/token'].map((name) =>
      expect.stringMatching(new RegExp(`^${name} cannot be compared, and .*the registry does not answer`)),
    ),
  );
});
