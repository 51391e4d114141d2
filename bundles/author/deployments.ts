/** Turns Deployments into those of the CSV, without the certificates that an installation mounts. */
import type { KubeObject } from '../../api/object.ts';
import type { Container, CsvDeployment, DeploymentSpec, Named, PodSpec } from '../bundle.ts';
import { CERTIFICATE_FOLDERS, mountsOf } from '../render/deployments.ts';
import { certificateName } from '../render/names.ts';
import { withDigest, withMountedDigest } from './images.ts';
import type { Ledger } from './ledger.ts';
import type { Scene } from './scene.ts';
import type { SourceObject } from './source.ts';

export interface DeploymentNeeds {
  /** Names of Deployments that the API server calls. */
  readonly called: ReadonlySet<string>;
  /** Names of the Secrets with certificates of webhooks. */
  readonly secrets: ReadonlySet<string>;
  /** References by digest, by the reference of the source. */
  readonly digests: ReadonlyMap<string, string>;
}

export function takeDeployments(scene: Scene, ledger: Ledger, needs: DeploymentNeeds): readonly CsvDeployment[] {
  return (scene.byKind.get('Deployment.apps') ?? []).map((source) => {
    ledger.inCsv(source, 'spec.install.spec.deployments');
    if (Object.keys(source.object.metadata.annotations ?? {}).some((key) => !OF_CLUSTERS.has(key)))
      ledger.note(source, 'without its annotations: the CSV has a place for those of its Pods only');
    return deploymentOf(source, ledger, needs);
  });
}

/** Annotations that tools write for themselves. */
const OF_CLUSTERS = new Set(['deployment.kubernetes.io/revision', 'kubectl.kubernetes.io/last-applied-configuration']);

function deploymentOf(source: SourceObject, ledger: Ledger, needs: DeploymentNeeds): CsvDeployment {
  const { name, labels } = source.object.metadata;
  const spec = cleanSpec((source.object as KubeObject & { readonly spec: DeploymentSpec }).spec);
  const pod = spec.template.spec;
  const dropped = needs.called.has(name) ? mountedInFolders(pod) : new Set<string>();
  const own = certificateName(name);
  for (const volume of dropped)
    ledger.note(source, `without its volume ${volume}: the installation mounts the certificate`);
  const volumes = (pod.volumes ?? [])
    .filter((volume) => !dropped.has(volume.name))
    .map((volume) => withMountedDigest(volume, needs.digests))
    .map((volume) => {
      if (!needs.called.has(name) || !needs.secrets.has(secretOf(volume))) return volume;
      ledger.note(source, `its volume ${volume.name} has the Secret ${own}, which the installation issues`);
      return { ...volume, secret: { ...(volume['secret'] as object), secretName: own } };
    });
  const { volumes: _, containers, initContainers, ...rest } = pod;
  const change = (container: Container): Container => withDigest(unmount(container, dropped), needs.digests);
  const changed = {
    ...rest,
    ...(initContainers !== undefined && { initContainers: initContainers.map(change) }),
    containers: (containers ?? []).map(change),
    ...(volumes.length > 0 && { volumes }),
  };
  return {
    name,
    ...(labels !== undefined && Object.keys(labels).length > 0 && { label: labels }),
    spec: { ...spec, template: { ...spec.template, spec: changed } },
  };
}

/** Without the traces of a cluster and of an installation. */
function cleanSpec(spec: DeploymentSpec): DeploymentSpec {
  const { creationTimestamp: _, annotations, ...metadata } = spec.template.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !OF_INSTALLATIONS.has(key));
  const named = kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) };
  return { ...spec, template: { ...spec.template, metadata: named } };
}

const OF_INSTALLATIONS = new Set([
  'olm.operatorNamespace',
  'olm.targetNamespaces',
  'kubectl.kubernetes.io/restartedAt',
]);

/** Volumes that are used only at the folders where an installation mounts its certificates into each container. */
function mountedInFolders({ containers, initContainers }: PodSpec): ReadonlySet<string> {
  const mounts = mountsOf(containers ?? []);
  const inFolders = mounts.filter(({ mountPath }) => CERTIFICATE_FOLDERS.has(mountPath));
  const elsewhere = [...mounts.filter((mount) => !inFolders.includes(mount)), ...mountsOf(initContainers ?? [])];
  const needed = new Set(elsewhere.map(({ name }) => name));
  return new Set(inFolders.map(({ name }) => name).filter((name) => !needed.has(name)));
}

function unmount(container: Container, volumes: ReadonlySet<string>): Container {
  const { volumeMounts, ...rest } = container;
  const kept = (volumeMounts ?? []).filter(({ name }) => !volumes.has(name));
  return kept.length === 0 ? rest : { ...rest, volumeMounts: kept };
}

function secretOf(volume: Named): string {
  return (volume['secret'] as { readonly secretName?: string } | undefined)?.secretName ?? '';
}
