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

/** The names and paths under which operators read their certificates; they replace any others of the bundle. */
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
  const { containers, volumes = [] } = template.spec;
  const replaced = replacedVolumes(containers ?? []);
  const secretName = certificateName(deployment.metadata.name);
  const pod = {
    ...template.spec,
    containers: (containers ?? []).map((container) => mountCertificates(container, replaced)),
    volumes: [...volumes.filter(({ name }) => !replaced.has(name)), ...certificateVolumes(secretName)],
  };
  return { ...deployment, spec: { ...deployment.spec, template: { ...template, spec: pod } } };
}

function replacedVolumes(containers: readonly Container[]): ReadonlySet<string> {
  const atPaths = containers.flatMap(({ volumeMounts = [] }) =>
    volumeMounts.filter(({ mountPath }) => CERTIFICATE_FOLDERS.has(mountPath)),
  );
  return new Set([...MOUNTS.map(({ name }) => name), ...atPaths.map(({ name }) => name)]);
}

function mountCertificates(container: Container, replaced: ReadonlySet<string>): Container {
  const kept = (container.volumeMounts ?? []).filter(({ name }) => !replaced.has(name));
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
