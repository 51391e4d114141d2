/** A ServiceAccount for each that the CSV's permissions name; the default one of the namespace exists already. */
import type { KubeObject } from '../../api/object.ts';
import type { CsvPermission } from '../bundle.ts';
import type { RenderContext } from './options.ts';

export function renderServiceAccounts({ bundle, options }: RenderContext): readonly KubeObject[] {
  const { permissions = [], clusterPermissions = [] } = bundle.csv.spec.install.spec ?? {};
  const names = new Set([...permissions, ...clusterPermissions].map(accountName));
  names.delete(DEFAULT_ACCOUNT);
  return [...names].map((name) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: options.namespace },
  }));
}

const DEFAULT_ACCOUNT = 'default';

/** The ServiceAccount that a permission is for. */
export function accountName({ serviceAccountName }: CsvPermission): string {
  return serviceAccountName === '' ? DEFAULT_ACCOUNT : serviceAccountName;
}
