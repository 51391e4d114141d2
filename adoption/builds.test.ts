/** Versions with build metadata in a hand-over: they are pinned, awaited and unpinned, whatever the build that is installed. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { NEVER } from '../api/testing/never.ts';
import { createFakeCluster, type FakeCluster } from '../kube/testing/fake-cluster.ts';
import { resolve } from '../resolver/resolve.ts';
import { makeBackup as makeV0, writeBackup as writeV0 } from './olm-v0/backup.ts';
import { gather as gatherV0 } from './olm-v0/gather.ts';
import { OLM } from './olm-v0/kinds.ts';
import { csvOf, subscriptionOf, surveyOf } from './olm-v0/testing/survey.ts';
import { translateSubscription } from './olm-v0/translate.ts';
import { writeBackup as writeV1 } from './olm-v1/backup.ts';
import { gather as gatherV1 } from './olm-v1/gather.ts';
import { EXTENSION } from './olm-v1/kinds.ts';
import { extensionOf, surveyOf as surveyOfV1 } from './olm-v1/testing/extension.ts';
import { translateExtension } from './olm-v1/translate.ts';

const KEPT = 'slipway-system';

interface Case {
  readonly because: string;
  /** As OLM reports it. */
  readonly had: string;
  /** As Slipway reports it. */
  readonly installed: { readonly bundle: string; readonly version: string };
  readonly isReady: boolean;
}

const CASES: readonly Case[] = [
  { because: 'it is the same text', had: '1.2.3+abc', installed: { bundle: 'x', version: '1.2.3+abc' }, isReady: true },
  { because: 'the catalog adds a build', had: '1.2.3', installed: { bundle: 'x', version: '1.2.3+2' }, isReady: true },
  {
    because: 'the catalog names the build as a release of the bundle',
    had: '1.2.3+2',
    installed: { bundle: 'x', version: '1.2.3' },
    isReady: true,
  },
  {
    because: 'the pin leads to another build: none of them is outside of a pin',
    had: '1.2.3+2',
    installed: { bundle: 'x', version: '1.2.3+3' },
    isReady: true,
  },
  {
    because: 'a pre-release has a build too',
    had: '1.2.3-rc.1+build-5.007',
    installed: { bundle: 'x', version: '1.2.3-rc.1+build-5.007' },
    isReady: true,
  },
  { because: 'it is another version', had: '1.2.3+2', installed: { bundle: 'x', version: '1.2.4+2' }, isReady: false },
  {
    because: 'it is a release, and OLM had a candidate',
    had: '1.2.3-rc.1+2',
    installed: { bundle: 'x', version: '1.2.3+2' },
    isReady: false,
  },
  {
    because: 'it has no version that can be read',
    had: '1.2.3+2',
    installed: { bundle: 'x', version: '1.2' },
    isReady: false,
  },
  {
    because: 'it is the very bundle',
    had: '1.2.3+2',
    installed: { bundle: 'gadget.v1', version: '1.2' },
    isReady: true,
  },
];

function clusterWith(...objects: readonly KubeObject[]): FakeCluster {
  const cluster = createFakeCluster();
  for (const name of ['ops', KEPT]) cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const kind of [
    ...Object.values(OLM),
    EXTENSION,
    { ...EXTENSION, kind: 'ClusterObjectSet' },
    { ...EXTENSION, kind: 'ClusterExtensionRevision' },
  ])
    cluster.put(crdOf(kind));
  for (const object of objects) cluster.put(object);
  return cluster;
}

function crdOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): KubeObject {
  const [group = '', version = ''] = apiVersion.split('/');
  const plural = `${kind.toLowerCase()}s`;
  const names = { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() };
  const scope =
    kind === 'Operator' || (kind.startsWith('Cluster') && group.startsWith('olm.')) ? 'Cluster' : 'Namespaced';
  const versions = [{ name: version, served: true, storage: true, schema: {} }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names, versions },
  };
}

/** Slipway's Subscription, which is Ready with a version. */
function ready(wanted: KubeObject, installed: Case['installed']): KubeObject {
  return {
    ...wanted,
    metadata: { ...wanted.metadata, uid: 'own', generation: 1 },
    status: {
      observedGeneration: 1,
      installed,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: '' }],
    },
  };
}

describe('a version of OLM v0', () => {
  const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };

  test.each(CASES)('$had is awaited, isReady: $isReady, because $because', async ({ had, installed, isReady }) => {
    const survey = {
      ...surveyOf(),
      subscription: subscriptionOf(),
      csv: csvOf('gadget.v1', { spec: { version: had } }),
    };
    const { manifest } = translateSubscription(survey, { name: 'gadget', version: had });
    const cluster = clusterWith(
      writeV0(makeV0(survey, operator, { wanted: manifest, objects: [] }), KEPT),
      ready(manifest, installed),
    );
    const { state } = await gatherV0(cluster, { namespace: 'ops', subscription: 'gadget', kept: KEPT }, NEVER);
    expect(state).toMatchObject({ isPinned: true, isReady });
  });
});

describe('a version of OLM v1', () => {
  const extensionWith = (version: string, pin: string = version): KubeObject =>
    extensionOf({ catalog: { version: pin }, status: { install: { bundle: { name: 'gadget.v1', version } } } });

  test.each(CASES)('$had is awaited, isReady: $isReady, because $because', async ({ had, installed, isReady }) => {
    const { manifest } = translateExtension(surveyOfV1({ extension: extensionWith(had) }), { name: 'gadget' });
    const backup = { extension: 'gadget', olm: extensionWith(had), wanted: manifest, objects: [], isEnded: false };
    const cluster = clusterWith(writeV1(backup, KEPT), ready(manifest, installed));
    const { state } = await gatherV1(cluster, { extension: 'gadget', kept: KEPT }, { signal: NEVER });
    expect(state).toMatchObject({ isPinned: true, isReady });
  });

  test.each([
    {
      because: 'it is the same',
      now: '1.2.3+2',
      pin: '1.2.3+2',
      expected: { isHeldByVersion: true, hasGoneOn: false },
    },
    {
      because: 'OLM has gone on to another build',
      now: '1.2.3+3',
      pin: '1.2.3+2',
      expected: { isHeldByVersion: true, hasGoneOn: true },
    },
    {
      because: 'a person allows each build',
      now: '1.2.3+2',
      pin: '1.2.3',
      expected: { isHeldByVersion: false, hasGoneOn: false },
    },
  ])('pins the ClusterExtension to the build, which OLM may pass over: $because', async ({ now, pin, expected }) => {
    const had = extensionWith('1.2.3+2', '1.x');
    const { manifest, range } = translateExtension(surveyOfV1({ extension: had }), { name: 'gadget' });
    expect({ version: (manifest['spec'] as { version: string }).version, range }).toEqual({
      version: '1.2.3+2',
      range: '1.x',
    });
    const backup = { extension: 'gadget', olm: had, wanted: manifest, range, objects: [], isEnded: false };
    const cluster = clusterWith(writeV1(backup, KEPT), extensionWith(now, pin));
    const { state } = await gatherV1(cluster, { extension: 'gadget', kept: KEPT }, { signal: NEVER });
    expect(state).toMatchObject(expected);
  });
});

test('a pin to a build is a range that the resolver reads, and it takes the highest build of the version', () => {
  const versions = ['1.2.3+2', '1.2.3+3', '1.2.4'];
  const bundles = versions.map((version) => ({
    name: `gadget.v${version}`,
    package: 'gadget',
    version,
    image: `registry.example/gadget:${version.replace('+', '-')}`,
    properties: [],
    relatedImages: [],
  }));
  const entries = bundles.map(({ name }, at) => ({
    name,
    skips: [],
    ...(at > 0 && { replaces: bundles[at - 1]!.name }),
  }));
  const channels = [{ name: 'stable', entries }];
  const content = { name: 'gadget', defaultChannel: 'stable', channels, bundles, deprecations: [] };
  const catalogs = [{ name: 'main', priority: 0, state: 'Serving', content: () => content }] as const;
  const wanted = { package: 'gadget', version: '1.2.3+2', edges: 'Follow', dependencies: 'Ignore' } as const;
  const decision = resolve({ wanted, catalogs, quarantined: [] });
  expect(decision).toMatchObject({ kind: 'install', bundle: { version: '1.2.3+3' } });
});
