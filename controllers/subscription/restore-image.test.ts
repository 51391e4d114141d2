/**
 * Lost manifests: the registry from which the bundle is pulled to render them again, and the effect of a different
 * result.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CATALOG } from '../../api/catalog.ts';
import { parseObject } from '../../api/kind.ts';
import { API_VERSION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import type { Subscription } from '../../api/subscription.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import type { CatalogIndex } from '../../catalog/index/open.ts';
import { silentLog } from '../../kube/log.ts';
import { buildImage, pushImage } from '../../oci/build.ts';
import { startFakeRegistry } from '../../oci/testing/fake-registry.ts';
import { parseReference } from '../../oci/reference.ts';
import { createRegistry } from '../../oci/registry.ts';
import type { ImageSource } from '../../oci/source.ts';
import { NO_POLICIES } from '../registry-policies.ts';
import { createSubscriptionReconciler } from './reconcile.ts';
import { catalog, NOW, revision, subscription } from './testing/facts.ts';

const PREFIX = 'operators.operatorframework.io.bundle';
const ANNOTATIONS = {
  [`${PREFIX}.mediatype.v1`]: 'registry+v1',
  [`${PREFIX}.manifests.v1`]: 'manifests/',
  [`${PREFIX}.metadata.v1`]: 'metadata/',
  [`${PREFIX}.package.v1`]: 'gadget',
  [`${PREFIX}.channels.v1`]: 'stable',
};
const CSV = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'gadget.v1.0.0' },
  spec: {
    version: '1.0.0',
    installModes: [{ type: 'AllNamespaces', supported: true }],
    install: { strategy: 'deployment', spec: { deployments: [] } },
  },
};

const client = createRegistry();
let server: Awaited<ReturnType<typeof startFakeRegistry>>;
let digest: string;

beforeAll(async () => {
  server = await startFakeRegistry();
  const files = new Map([
    ['manifests/csv.json', Buffer.from(JSON.stringify(CSV))],
    ['manifests/config.yaml', Buffer.from('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: gadget}\n')],
    ['metadata/annotations.yaml', Buffer.from(JSON.stringify({ annotations: ANNOTATIONS }))],
  ]);
  const image = buildImage({ files, labels: ANNOTATIONS });
  digest = await pushImage(client, parseReference(`${server.host}/gadget:v1`), image);
});
afterAll(async () => {
  client.close();
  await server.close();
});

/** A registry client that records the registries that are asked. */
function noting(asked: Set<string>): ImageSource {
  return {
    pullManifest: (reference, signal) => {
      asked.add(reference.registry);
      return client.pullManifest(reference, signal);
    },
    pullBlob: (...request) => client.pullBlob(...request),
  };
}

/** So that Revisions can be created. */
const REVISIONS: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'revisions.slipway.dev' },
  spec: {
    group: 'slipway.dev',
    scope: 'Namespaced',
    names: { kind: 'Revision', plural: 'revisions' },
    versions: [{ name: 'v1alpha1', served: true, storage: true }],
  },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
};

interface Scene {
  readonly cluster: FakeCluster;
  readonly asked: ReadonlySet<string>;
  readonly run: () => Promise<unknown>;
  readonly revisions: () => readonly Revision[];
}

function setUp(one: Revision): Scene {
  const cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(REVISIONS);
  cluster.put(subscription());
  cluster.put(one);
  const asked = new Set<string>();
  const ofKind = (kind: string): readonly KubeObject[] => cluster.objects().filter((object) => object.kind === kind);
  const subscriptions = (): readonly Subscription[] => ofKind('Subscription') as readonly Subscription[];
  const revisions = (): readonly Revision[] => ofKind('Revision') as readonly Revision[];
  const main = parseObject(CATALOG, {
    apiVersion: API_VERSION,
    kind: 'Catalog',
    metadata: { name: 'main' },
    spec: { source: { image: { ref: 'registry.example/catalog:1' } }, pullSecret: { name: 'login' } },
  });
  const content = catalog({ versions: ['1.0.0'] }).content('gadget');
  const bundles = content?.bundles.map((bundle) => ({ ...bundle, image: `${server.host}/gadget@${digest}` })) ?? [];
  const index = {
    package: (name: string) => (name === 'gadget' ? { ...content, bundles } : undefined),
    providersOf: () => [],
    packages: () => [],
  } as unknown as CatalogIndex;
  const reconcile = createSubscriptionReconciler({
    caches: {
      subscriptions: { get: () => subscriptions()[0], list: subscriptions },
      revisions: { get: () => undefined, byIndex: revisions },
      catalogs: { list: () => [main] },
      content: { get: () => ({ digest: 'd', index }) },
      namespaces: { get: () => undefined },
    },
    cluster,
    server: { get: () => Promise.resolve({ providedKinds: [] }) },
    bundles: () => noting(asked),
    catalogOf: () => main,
    checkSignatures: async () => undefined,
    policies: NO_POLICIES,
    record: () => undefined,
    now: () => NOW,
    decisionSeconds: 5,
  });
  return {
    cluster,
    asked,
    run: () =>
      reconcile({ namespace: 'ops', name: 'gadget' }, { signal: new AbortController().signal, log: silentLog }),
    revisions,
  };
}

/** Active, with its manifests lost. */
function broken(image: string): Revision {
  return revision({ reason: 'ManifestsMissing', ready: false, image, firstReadyTime: '2026-05-01T11:00:00Z' });
}

describe('a Revision whose manifests are lost', () => {
  test("lost manifests are pulled from the Catalog's repository, whatever host the Revision names (s12)", async () => {
    const { run, asked } = setUp(broken(`127.0.0.1:1/gadget@${digest}`));
    await run();
    expect([...asked]).toEqual([server.host]);
  });

  test('the successor of a Revision keeps its signer, since it has the same image', async () => {
    const signature = { policy: 'p', by: 'key release' };
    const { run, revisions } = setUp({
      ...broken(`${server.host}/gadget@${digest}`),
      spec: { ...broken(`${server.host}/gadget@${digest}`).spec, signature },
    });
    await run();
    expect(revisions().map(({ spec }) => spec.signature)).toEqual([signature, signature]);
  });

  test('a Revision with lost manifests gets a successor if the bundle renders differently by now, once', async () => {
    const { run, revisions } = setUp(broken(`${server.host}/gadget@${digest}`));
    await run();
    await run();
    await run();
    expect(revisions().map(({ metadata, spec }) => [metadata.name, spec.state, spec.bundle, spec.approved])).toEqual([
      ['gadget-1', 'Archived', 'gadget.v1.0.0', true],
      ['gadget-2', 'Active', 'gadget.v1.0.0', true],
    ]);
  });
});
