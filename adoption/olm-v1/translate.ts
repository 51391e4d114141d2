/** Translates a ClusterExtension of OLM v1 into a Subscription of Slipway. Pure. */
import { API_VERSION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, itemsOf, textOf } from '../../api/untyped.ts';
import { catalogFilter, installedBundle } from './extension.ts';
import type { ExtensionSurvey } from './verdict.ts';

export interface Translation {
  /** Pinned to the version that is installed. */
  readonly manifest: KubeObject;
  /** The range of versions that follows the pin; absent: any. */
  readonly range?: string;
}

export interface SubscriptionNames {
  /** Name of Slipway's Subscription. */
  readonly name: string;
  /** Name of the only Catalog. */
  readonly catalog?: string;
}

/** The Subscription that goes on with the operator. */
export function translateExtension(
  { extension, objects }: ExtensionSurvey,
  { name, catalog }: SubscriptionNames,
): Translation {
  const spec = fieldsOf(extension?.['spec']);
  const filter = catalogFilter(extension);
  const [channel = '*'] = itemsOf(filter['channels']).map(textOf);
  const range = textOf(filter['version']);
  const { watchNamespace, deploymentConfig } = fieldsOf(fieldsOf(spec['config'])['inline']);
  const checks = fieldsOf(fieldsOf(fieldsOf(spec['install'])['preflight'])['crdUpgradeSafety']);
  const manifest: KubeObject = {
    apiVersion: API_VERSION,
    kind: 'Subscription',
    metadata: { name, namespace: textOf(spec['namespace']) },
    spec: {
      package: textOf(filter['packageName']),
      ...(catalog !== undefined && { catalog }),
      channel,
      version: installedBundle(extension).version,
      ...(filter['upgradeConstraintPolicy'] === 'SelfCertified' && { edges: 'Ignore' }),
      ...(textOf(watchNamespace) !== '' && { watchNamespaces: [textOf(watchNamespace)] }),
      ...(Object.keys(fieldsOf(deploymentConfig)).length > 0 && { config: fieldsOf(deploymentConfig) }),
      ...(objects.some(isCertificate) && { certificates: 'CertManager' }),
      ...(checks['enforcement'] === 'None' && { crdUpgradeSafety: { enforcement: 'None' } }),
    },
  };
  return { manifest, ...(range !== '' && { range }) };
}

/** cert-manager goes on issuing it, into the same Secret. */
function isCertificate({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'Certificate' && apiVersion.startsWith('cert-manager.io/');
}
