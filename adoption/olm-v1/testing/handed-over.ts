/**
 * An operator that was handed over from OLM v1, in a fake cluster, with as much of OLM and of Slipway's manager as a way
 * back meets. OLM acts as its Helm does: it writes nothing as long as one object lacks its marks, and tries again only
 * when the ClusterExtension has changed.
 */
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { NEVER } from '../../../api/testing/never.ts';
import { fieldsOf, textOf } from '../../../api/untyped.ts';
import type { FakeCluster } from '../../../kube/testing/fake-cluster.ts';
import { endHandOver, writeBackup, type Backup, type BackupName } from '../backup.ts';
import { CRD } from '../../../api/crd-kind.ts';
import { wayBackOf } from '../../way-back.ts';
import { EXTENSION, extensionRef, HELM, OLM_PREFIX } from '../kinds.ts';
import { translateExtension } from '../translate.ts';
import { catalogFilter } from '../extension.ts';
import { extensionOf, surveyOf } from './extension.ts';

export const NAME: BackupName = { extension: 'gadget', kept: 'slipway-system' };
const RANGE = '>=1.0.0 <2.0.0';
const { manifest } = translateExtension(surveyOf(), { name: 'gadget' });

/** The operator, as OLM v1 had made it and as Slipway has it now. */
export const OBJECTS: readonly KubeObject[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'gadget', namespace: 'ops' } },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'gadget', namespace: 'ops' } },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'gadget' } },
].map(({ metadata, ...rest }) => ({
  ...rest,
  metadata: {
    ...metadata,
    labels: { team: 'a', 'app.kubernetes.io/managed-by': 'slipway', 'slipway.dev/owner': 'ops.gadget' },
    annotations: { 'slipway.dev/owner': 'ops/gadget', 'slipway.dev/owner-uid': 'own' },
  },
}));

export const BACKUP: Backup = {
  extension: 'gadget',
  olm: extensionOf({
    metadata: { uid: 'old', labels: { team: 'a' } },
    catalog: { version: RANGE, channels: ['stable'] },
  }),
  wanted: manifest,
  range: RANGE,
  objects: OBJECTS.slice(0, 2).map(refOf),
  isEnded: false,
};

/** Slipway's Subscription, Ready with version 1.0.0. */
export function ownOf({ spec = {}, status = {}, metadata = {} }: Readonly<Record<string, object>> = {}): KubeObject {
  const fields = { version: RANGE, certificates: 'Manager', uninstall: { objects: 'Delete' }, ...spec };
  return {
    ...manifest,
    metadata: { ...manifest.metadata, uid: 'own', generation: 1, finalizers: ['slipway.dev/cleanup'], ...metadata },
    spec: { ...fieldsOf(manifest['spec']), ...fields },
    status: {
      observedGeneration: 1,
      installed: { bundle: 'gadget-operator.v1.0.0', version: '1.0.0', revision: 'gadget-1' },
      conditions: [{ type: 'Ready', status: 'True', message: 'it works' }],
      ...status,
    },
  };
}

const OWNER = { apiVersion: manifest.apiVersion, kind: manifest.kind, name: manifest.metadata.name, uid: 'own' };

/** Puts the CRD of OLM v1 and the namespaces into a cluster. */
export function putBasics(cluster: FakeCluster): void {
  for (const name of ['ops', NAME.kept]) cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const names = { kind: EXTENSION.kind, plural: 'clusterextensions', singular: 'clusterextension' };
  cluster.put({
    ...CRD,
    metadata: { name: 'clusterextensions.olm.operatorframework.io' },
    spec: {
      group: 'olm.operatorframework.io',
      scope: 'Cluster',
      names,
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} } }],
    },
  });
}

/** Puts all objects of an operator that is handed over into a cluster. */
export function putHandedOver(cluster: FakeCluster): void {
  putBasics(cluster);
  const secret = writeBackup(BACKUP, NAME.kept);
  const { metadata } = endHandOver();
  cluster.put({ ...secret, metadata: { ...secret.metadata, ...fieldsOf(metadata) } });
  cluster.put(ownOf());
  const inventory = OBJECTS.map((object) => ({ ...refOf(object), uid: 'u', hash: 'h' }));
  cluster.put({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Revision',
    metadata: { name: 'gadget-1', namespace: 'ops', ownerReferences: [OWNER] },
    status: { inventory },
  });
  for (const object of OBJECTS) cluster.put(object);
}

/** The other programs of the cluster. */
export class Others {
  /** Versions that OLM finds in its catalogs. */
  versions: readonly string[] = ['1.0.0'];
  /** Whether Slipway's manager runs. */
  isManagerUp = true;
  readonly #cluster: FakeCluster;
  #seen = '';

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
  }

  /** Each of them reconciles once. */
  async reconcile(): Promise<void> {
    if (this.isManagerUp) await this.#manager();
    await this.#olm();
  }

  async #manager(): Promise<void> {
    const ref = refOf(manifest);
    const own = await this.#cluster.get(ref);
    if (own === undefined) return this.#collected();
    const { deletionTimestamp, generation } = own.metadata;
    if (deletionTimestamp === undefined) {
      this.#cluster.change(ref, (live) => ({
        ...live,
        status: { ...fieldsOf(live['status']), observedGeneration: generation },
      }));
      return;
    }
    const isOrphan = fieldsOf(fieldsOf(own['spec'])['uninstall'])['objects'] === 'Orphan';
    if (!isOrphan && (await this.#isOnWayBack())) return;
    await this.#remove(isOrphan);
    this.#cluster.change(ref, (live) => ({ ...live, metadata: { ...live.metadata, finalizers: [] } }));
  }

  /** The collector has marked the Revisions of a Subscription that lost its finalizer. */
  async #collected(): Promise<void> {
    await this.#remove(await this.#isOnWayBack());
  }

  async #remove(isOrphan: boolean): Promise<void> {
    const revisions = await this.#cluster.list({ apiVersion: manifest.apiVersion, kind: 'Revision' });
    const own = revisions.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === OWNER.uid));
    if (own.length > 0 && !isOrphan) for (const object of OBJECTS) await this.#cluster.delete(refOf(object));
    for (const revision of own) await this.#cluster.delete(refOf(revision));
  }

  async #isOnWayBack(): Promise<boolean> {
    const { namespace = '', name } = manifest.metadata;
    const by = { namespace, name, package: textOf(fieldsOf(manifest['spec'])['package']), kept: NAME.kept };
    return (await wayBackOf(this.#cluster, by, NEVER)) !== undefined;
  }

  async #olm(): Promise<void> {
    const ref = extensionRef(NAME.extension);
    const live = await this.#cluster.get(ref);
    const { resourceVersion = '', deletionTimestamp } = live?.metadata ?? {};
    if (live === undefined || resourceVersion === this.#seen) return;
    if (deletionTimestamp !== undefined) {
      this.#cluster.change(ref, (one) => ({ ...one, metadata: { ...one.metadata, finalizers: [] } }));
      return;
    }
    const status = await this.#statusOf(live);
    const finalizers = [`${OLM_PREFIX}cleanup-contentmanager-cache`];
    this.#cluster.change(ref, (one) => ({ ...one, metadata: { ...one.metadata, finalizers }, status }));
    this.#seen = (await this.#cluster.get(ref))?.metadata.resourceVersion ?? '';
  }

  async #statusOf(extension: KubeObject): Promise<Readonly<Record<string, unknown>>> {
    const version = textOf(catalogFilter(extension)['version']);
    if (version === RANGE) return fieldsOf(extension['status']);
    const { generation: observedGeneration } = extension.metadata;
    const progressing = { type: 'Progressing', status: 'True', observedGeneration };
    const { install } = fieldsOf(extension['status']);
    const retrying = (message: string) => ({ conditions: [{ ...progressing, reason: 'Retrying', message }], install });
    if (!this.versions.includes(version))
      return retrying(`no bundles found for package "gadget-operator" matching version "${version}"`);
    const conflict = await this.#conflict(extension);
    if (conflict !== undefined)
      return retrying(
        `error for resolved bundle "gadget-operator.v${version}" with version "${version}": failed to get release state using server-side dry-run: ${conflict.kind} '${conflict.name}' already exists in namespace '${conflict.namespace}' and cannot be managed by operator-controller`,
      );
    for (const object of OBJECTS) await this.#own(object, extension);
    const done = { status: 'True', reason: 'Succeeded', observedGeneration, message: 'done' };
    return {
      conditions: ['Progressing', 'Installed'].map((type) => ({ type, ...done })),
      install: { bundle: { name: `gadget-operator.v${version}`, version } },
    };
  }

  async #conflict(extension: KubeObject): Promise<ObjectRef | undefined> {
    for (const object of OBJECTS) {
      const live = await this.#cluster.get(refOf(object));
      const { labels = {}, annotations = {} } = live?.metadata ?? {};
      const [name, namespace] = HELM.annotations.map((key) => annotations[key]);
      const isOwn =
        labels[HELM.managedBy] === 'Helm' &&
        name === extension.metadata.name &&
        namespace === fieldsOf(extension['spec'])['namespace'];
      if (live !== undefined && !isOwn) return refOf(live);
    }
    return undefined;
  }

  async #own(object: KubeObject, { apiVersion, kind, metadata: { name, uid = '' } }: KubeObject): Promise<void> {
    const ownerReferences = [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }];
    if ((await this.#cluster.get(refOf(object))) === undefined) await this.#cluster.create(object);
    this.#cluster.change(refOf(object), (live) => ({ ...live, metadata: { ...live.metadata, ownerReferences } }));
  }
}
