/** Has the CSV make the ServiceAccounts of the operator, each with the rights of the source, or with none. */
import type { KubeObject } from '../../api/object.ts';
import type { CsvPermission } from '../bundle.ts';
import type { Ledger } from './ledger.ts';
import type { Permissions } from './rights.ts';
import { accountOf, isInside, type Scene } from './scene.ts';
import type { SourceObject } from './source.ts';

const GROUP = 'rbac.authorization.k8s.io';

interface AccountBinding extends KubeObject {
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

/**
 * Has the CSV make every account of the Deployments. An account with rights in one namespace only, or none, gets an
 * entry without rules.
 */
export function takeAccounts(
  scene: Scene,
  ledger: Ledger,
  { permissions, clusterPermissions }: Permissions,
): Permissions {
  const made = new Set([...permissions, ...clusterPermissions].map(({ serviceAccountName }) => serviceAccountName));
  const published = new Map((scene.byKind.get('ServiceAccount') ?? []).map((one) => [one.object.metadata.name, one]));
  const added: CsvPermission[] = [];
  for (const name of scene.deploymentAccounts) {
    const isNamed = published.has(name) || isBound(scene, name);
    if (!published.has(name)) reportMissingAccount(scene, ledger, { name, isNamed });
    if (made.has(name) || !isNamed) continue;
    made.add(name);
    added.push({ serviceAccountName: name, rules: [] });
  }
  for (const source of published.values())
    placeAccount(scene, ledger, { source, isMade: made.has(source.object.metadata.name) });
  return { permissions, clusterPermissions: [...clusterPermissions, ...added] };
}

function isBound({ byKind }: Scene, name: string): boolean {
  return [...(byKind.get(`RoleBinding.${GROUP}`) ?? []), ...(byKind.get(`ClusterRoleBinding.${GROUP}`) ?? [])].some(
    ({ object }) =>
      ((object as AccountBinding).subjects ?? []).some(
        (subject) => subject.kind === 'ServiceAccount' && subject.name === name,
      ),
  );
}

function reportMissingAccount(
  { byKind }: Scene,
  ledger: Ledger,
  { name, isNamed }: { readonly name: string; readonly isNamed: boolean },
): void {
  for (const source of byKind.get('Deployment.apps') ?? []) {
    if (accountOf(source.object) !== name) continue;
    const message = `it runs as the ServiceAccount ${name}, which is not in the source`;
    if (isNamed)
      ledger.find('warning', 'missing-account', source, [
        `${message}; the installation makes it, since bindings name it`,
        'Add the ServiceAccount to the source',
      ]);
    else
      ledger.find('error', 'missing-account', source, [
        `${message}, and no binding gives it rights: its Pods cannot be created`,
        'Add the ServiceAccount, or correct spec.template.spec.serviceAccountName',
      ]);
  }
}

/**
 * An account of a Deployment is made from the permissions by its name alone; OLM refuses a bundle that brings it besides.
 */
function placeAccount(
  { deploymentAccounts, namespace }: Scene,
  ledger: Ledger,
  { source, isMade }: { readonly source: SourceObject; readonly isMade: boolean },
): void {
  const { apiVersion: _v, kind: _k, metadata, ...settings } = source.object;
  const further = [
    ...['labels', 'annotations'].filter(
      (field) => Object.keys((metadata as unknown as Record<string, object | undefined>)[field] ?? {}).length > 0,
    ),
    ...Object.keys(settings).filter((field) => field !== 'secrets'),
  ];
  if (!isInside(source.object, namespace)) {
    ledger.leaveOut(source, `it is in the namespace ${metadata.namespace}`);
    ledger.find('error', 'other-namespace', source, [
      'it is outside of the namespace of the operator: a bundle has objects in one namespace only',
      'Have an administrator apply the object beside the Subscription',
    ]);
  } else if (deploymentAccounts.has(metadata.name) && isMade) {
    ledger.inCsv(source, 'spec.install.spec');
    if (further.length > 0) ledger.note(source, `without its ${further.join(', ')}: the CSV names accounts only`);
    if (further.some((field) => field !== 'labels'))
      ledger.find('warning', 'lost-part', source, [
        `its ${further.join(', ')} are left out: the account of a Deployment is made by its name`,
        'Set them on the Pods, or on the account after the installation',
      ]);
  } else if (isMade && further.length === 0) ledger.inCsv(source, 'spec.install.spec');
  else ledger.inManifests(source);
}
