/**
 * Builds KUBERNETES_EXEC_INFO, which describes the request to a credential plugin. Pure except for reading one file.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { KubeconfigEntry } from './choose.ts';
import type { KubeconfigCluster, ExecPlugin } from './schema.ts';

/** Name of the cluster extension with settings for the plugin. */
const EXTENSION = 'client.authentication.k8s.io/exec';

/** An ExecCredential as JSON, with the cluster if the kubeconfig asks for that. */
export function execInfo(
  { apiVersion, provideClusterInfo = false }: ExecPlugin,
  cluster: KubeconfigEntry<KubeconfigCluster>,
): string {
  const spec = { interactive: false, ...(provideClusterInfo && { cluster: clusterInfo(cluster) }) };
  return JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
}

function clusterInfo({ value, path }: KubeconfigEntry<KubeconfigCluster>): object {
  const { server, extensions } = value;
  const extension = extensions?.find(({ name }) => name === EXTENSION)?.extension;
  return {
    server,
    'tls-server-name': value['tls-server-name'],
    'insecure-skip-tls-verify': value['insecure-skip-tls-verify'],
    'certificate-authority-data': authorityOf(value, path),
    'proxy-url': value['proxy-url'],
    config: extension,
  };
}

function authorityOf(cluster: KubeconfigCluster, path: string): string | undefined {
  const { 'certificate-authority-data': data, 'certificate-authority': file = '' } = cluster;
  return file === '' || data ? data : readFileSync(resolve(dirname(path), file)).toString('base64');
}
