/**
 * Renders the Deployments of the CSV: with the namespaces to watch, their certificates, and the configuration applied.
 */
import type { KubeObject } from '../../api/object.ts';
import type { Container, CsvDeployment, Named, VolumeMount } from '../bundle.ts';
import { calledDeployments } from './certificates.ts';
import { configureDeployment } from './config/configure.ts';
import type { Deployment } from './model.ts';
import { certificateName } from './names.ts';
import { withOperatorCondition } from './operator-condition.ts';
import type { RenderContext } from './options.ts';

export function renderDeployments(context: RenderContext): readonly KubeObject[] {
  const called = new Set(context.options.certificates === 'none' ? [] : calledDeployments(context.bundle));
  return (context.bundle.csv.spec.install.spec?.deployments ?? []).map((published) => {
    const deployment = deploymentOf(context, published);
    const mounted = called.has(published.name) ? withCertificates(deployment) : deployment;
    return withOperatorCondition(configureDeployment(mounted, context.options.config), context);
  });
}

function deploymentOf(context: RenderContext, { name, label, spec }: CsvDeployment): Deployment {
  const { template } = spec;
  const annotations = {
    ...context.bundle.csv.annotations,
    ...template.metadata.annotations,
    'olm.operatorNamespace': context.options.namespace,
    'olm.targetNamespaces': context.targets.join(','),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: context.options.namespace, ...(label !== undefined && { labels: label }) },
    spec: {
      ...spec,
      revisionHistoryLimit: 1,
      template: { ...template, metadata: { ...template.metadata, annotations } },
    },
  };
}

/** The names and paths under which operators read their certificates; they replace other mounts at these paths. */
const MOUNTS = [
  { name: 'webhook-cert', path: '/tmp/k8s-webhook-server/serving-certs', certificate: 'tls.crt', key: 'tls.key' },
  {
    name: 'apiservice-cert',
    path: '/apiserver.local.config/certificates',
    certificate: 'apiserver.crt',
    key: 'apiserver.key',
  },
] as const;

/** The folders in which an installation mounts certificates, in place of anything that a bundle mounts there. */
export const CERTIFICATE_FOLDERS: ReadonlySet<string> = new Set(MOUNTS.map(({ path }) => path));

function withCertificates(deployment: Deployment): Deployment {
  const { template } = deployment.spec;
  const { containers, initContainers, volumes = [] } = template.spec;
  const serving = (containers ?? []).map(mountCertificates);
  // An init container may write what it mounts: it keeps its own mounts, and names those of certificates if it reads them.
  const needed = new Set(mountsOf([...serving, ...(initContainers ?? [])]).map(({ name }) => name));
  const left = mountsOf(containers ?? []).filter(
    ({ name, mountPath }) => CERTIFICATE_FOLDERS.has(mountPath) && !needed.has(name),
  );
  const replaced = new Set([...MOUNTS, ...left].map(({ name }) => name));
  const pod = {
    ...template.spec,
    containers: serving,
    volumes: [
      ...volumes.filter(({ name }) => !replaced.has(name)),
      ...certificateVolumes(certificateName(deployment.metadata.name)),
    ],
  };
  return { ...deployment, spec: { ...deployment.spec, template: { ...template, spec: pod } } };
}

/** All mounts of some containers. */
export function mountsOf(containers: readonly Container[]): readonly VolumeMount[] {
  return containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
}

/** A volume that is mounted at another path too stays: another program may read the same files there. */
function mountCertificates(container: Container): Container {
  const kept = (container.volumeMounts ?? []).filter(({ mountPath }) => !CERTIFICATE_FOLDERS.has(mountPath));
  const added = MOUNTS.map(({ name, path }): VolumeMount => ({ name, mountPath: path }));
  return { ...container, volumeMounts: [...kept, ...added] };
}

function certificateVolumes(secretName: string): readonly Named[] {
  return MOUNTS.map(({ name, certificate, key }) => ({
    name,
    secret: {
      secretName,
      items: [
        { key: 'tls.crt', path: certificate },
        { key: 'tls.key', path: key },
      ],
    },
  }));
}
