/**
 * For tests: one Catalog in a cluster, a registry, and managers that reconcile it one check at a time. Everything is
 * real but the cluster: the registry answers over HTTP, and the content is an index on disk.
 */
import type { KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalog } from '../../../api/catalog.ts';
import { findCondition, type Condition, type ConditionType } from '../../../api/conditions.ts';
import { ReasonedError } from '../../../api/errors.ts';
import { ANNOTATION } from '../../../api/names.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { createFakeCluster, type FakeCluster, type FakeOptions } from '../../../kube/testing/fake-cluster.ts';
import { buildIndex } from '../../../catalog/index/build.ts';
import { createIndexStore } from '../../../catalog/store.ts';
import type { Reconcile, Result } from '../../../kube/controller/controller.ts';
import { silentLog } from '../../../kube/log.ts';
import { buildImage, pushImage } from '../../../oci/build.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { createRegistry, type Registry } from '../../../oci/registry.ts';
import { publishSignature } from '../../../oci/testing/publish-signature.ts';
import { signBundle, type Signer } from '../../../signatures/testing/signer.ts';
import { createCatalogContent, type CatalogContent } from '../../catalog-content.ts';
import type { EventFacts } from '../../events.ts';
import { reportDefects } from '../../report-defects.ts';
import { createSignatureChecks } from '../../signature-checks.ts';
import { createRegistryPolicies } from '../../registry-policies.ts';
import type { RegistryPolicy, RegistryPolicySpec } from '../../../api/registry-policy.ts';
import { createCatalogFollower } from '../follow.ts';
import { createCatalogReconciler } from '../reconcile.ts';

const NAME = 'hub';
const SYSTEM = 'slipway-system';
const REF = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Catalog', name: NAME };

/** The outcome of a check: when to check again, or the error that the controller gets. */
export type Looked = Result | ReasonedError;

export interface FakeManager {
  readonly content: CatalogContent;
  /** How many pulls have begun, each with a time of its own. */
  pulls(): number;
  /** One reconcile as the leader. */
  lead(): Promise<Looked>;
  /** One reconcile as a replica that does not lead. */
  follow(): Promise<Looked>;
  /** Names of the packages that it serves; undefined if nothing is in service. */
  packages(): readonly string[] | undefined;
}

export interface CatalogScene extends AsyncDisposable {
  readonly registry: FakeRegistry;
  readonly events: readonly EventFacts[];
  /** The time of the clock; tests set it forward. */
  now: Date;
  /** `<registry>/hub:<tag>`. */
  ref(tag: string): string;
  /** Pushes a catalog with packages of those names; returns its digest. */
  publish(tag: string, packages: readonly string[], facts?: { readonly created?: string }): Promise<string>;
  /** Pushes a catalog of the given text. */
  publishText(tag: string, text: string): Promise<string>;
  /** Publishes a signature of the image with that digest. */
  sign(digest: string, privateKey: KeyObject): Promise<void>;
  signWith(digest: string, signer: Signer): Promise<void>;
  /** Deletes a manifest, by its digest. */
  remove(digest: string): void;
  /** Methods and paths of the requests since the last call. */
  asked(): readonly string[];
  catalog(): Catalog;
  condition(type: ConditionType): Condition | undefined;
  change(spec: Partial<Catalog['spec']>): void;
  /** An administrator writes a RegistryPolicy of that name, or deletes it. */
  govern(name: string, spec: RegistryPolicySpec | undefined): void;
  /** An administrator replaces the ConfigMap with a trusted root. */
  storeRoot(name: string, text: string): void;
  /** A person requests a check. */
  request(value: string): void;
  /** A manager with a folder of its own, or with that of another. */
  start(folder?: string): FakeManager;
  readonly newFolder: () => string;
}

export async function createCatalogScene(cluster: FakeOptions = {}): Promise<CatalogScene> {
  const registry = await startFakeRegistry();
  const client = createRegistry();
  const kube = createFakeCluster(cluster);
  const root = mkdtempSync(join(tmpdir(), 'slipway-catalog-'));
  const events: EventFacts[] = [];
  const contents: CatalogContent[] = [];
  const policies = new Map<string, RegistryPolicy>();
  let seen = 0;
  const ref = (tag: string): string => `${registry.host}/${NAME}:${tag}`;
  kube.put({
    ...REF,
    metadata: { name: NAME, generation: 1 },
    spec: { source: { image: { ref: ref('v1') } }, priority: 0, suspend: false },
  });

  const publishText = (tag: string, text: string, created?: string): Promise<string> => {
    const files = new Map([['configs/catalog.json', Buffer.from(text)]]);
    const image = buildImage({ files, ...(created !== undefined && { created }) });
    return pushImage(client, registry.reference(`${NAME}:${tag}`), image);
  };
  const catalog = (): Catalog => theCatalog(kube);
  const scene: CatalogScene = {
    registry,
    events,
    now: new Date('2026-01-01T00:00:00Z'),
    ref,
    publishText,
    publish: (tag, packages, { created } = {}) => publishText(tag, documentsOf(packages), created),
    sign: (digest, privateKey) => scene.signWith(digest, { by: 'key', privateKey }),
    async signWith(digest, signer) {
      const image = { ...registry.reference(`${NAME}:v1`), digest };
      const { tag: _, ...byDigest } = image;
      const signed = { repository: `${registry.host}/${NAME}`, digest };
      await publishSignature(client, byDigest, await signBundle(signed, signer));
    },
    remove: (digest) => void registry.store.repositories.get(NAME)?.manifests.delete(digest),
    asked() {
      const since = registry.requests.slice(seen).map(({ method, path }) => `${method} ${path}`);
      seen = registry.requests.length;
      return since;
    },
    catalog,
    condition: (type) => findCondition(catalog().status?.conditions, type),
    change: (next) =>
      kube.change(REF, (one) => ({
        ...one,
        metadata: { ...one.metadata, generation: (one.metadata.generation ?? 0) + 1 },
        spec: { ...(one as Catalog).spec, ...next },
      })),
    govern(name, spec) {
      if (spec === undefined) return void policies.delete(name);
      policies.set(name, { apiVersion: REF.apiVersion, kind: 'RegistryPolicy', metadata: { name }, spec });
    },
    storeRoot(name, text) {
      const metadata = { name, namespace: SYSTEM };
      const data = { 'trusted_root.json': text };
      kube.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM } });
      kube.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    },
    request: (value) =>
      kube.change(REF, (one) => ({
        ...one,
        metadata: { ...one.metadata, annotations: { [ANNOTATION.reconcileRequestedAt]: value } },
      })),
    newFolder: () => mkdtempSync(join(root, 'data-')),
    start(folder = scene.newFolder()) {
      const manager = createManager({ scene, kube, client, folder, events, policies });
      contents.push(manager.content);
      return manager;
    },
    async [Symbol.asyncDispose]() {
      for (const content of contents) content.get(NAME)?.index.close();
      client.close();
      await registry.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return scene;
}

interface ManagerParts {
  readonly scene: CatalogScene;
  readonly kube: FakeCluster;
  readonly client: Registry;
  readonly folder: string;
  readonly events: EventFacts[];
  readonly policies: ReadonlyMap<string, RegistryPolicy>;
}

function createManager({ scene, kube, client, folder, events, policies: written }: ManagerParts): FakeManager {
  const catalogs = { get: () => kube.objects().find((one) => one.kind === REF.kind) as Catalog | undefined };
  const expected = (): ReadonlyMap<string, string> => {
    const digest = scene.catalog().status?.digest;
    return new Map(digest === undefined ? [] : [[NAME, digest]]);
  };
  const content = createCatalogContent(createIndexStore({ folder, build: buildIndex }), expected);
  let pulls = 0;
  const registries = (): Registry => {
    pulls += 1;
    return client;
  };
  const policies = createRegistryPolicies(() => [...written.values()]);
  const checkSignatures = createSignatureChecks({ registries, policies, cluster: kube, namespace: SYSTEM });
  const record = (_: KubeObject, event: EventFacts): void => void events.push(event);
  const now = (): Date => scene.now;
  return {
    content,
    pulls: () => pulls,
    lead: () =>
      look(
        reportDefects(
          createCatalogReconciler({
            catalogs,
            policies,
            cluster: kube,
            content,
            registries,
            checkSignatures,
            record,
            now,
          }),
          { objects: catalogs, cluster: kube, record, now },
        ),
      ),
    follow: () => look(createCatalogFollower({ catalogs, policies, content, registries })),
    packages: () =>
      content
        .get(NAME)
        ?.index.packages()
        .map(({ name }) => name),
  };
}

async function look(reconcile: Reconcile): Promise<Looked> {
  try {
    return await reconcile({ name: NAME }, { signal: new AbortController().signal, log: silentLog });
  } catch (error) {
    if (error instanceof ReasonedError) return error;
    throw error;
  }
}

function theCatalog(kube: FakeCluster): Catalog {
  const found = kube.objects().find((one) => refOf(one).kind === REF.kind);
  if (found === undefined) throw new Error('the Catalog was deleted');
  return found as Catalog;
}

function documentsOf(packages: readonly string[]): string {
  return packages.map((name) => JSON.stringify({ schema: 'olm.package', name, defaultChannel: 'stable' })).join('\n');
}
