import { inCsv, isSubdomain, SUBDOMAIN_ADVICE, type Check } from './check.ts';

/** ServiceAccounts are made of the names in the permissions; without one, the default one of the namespace is meant. */
export const serviceAccountNames: Check = {
  name: 'service-account-names',
  suite: 'install',
  *run(bundle) {
    const { permissions = [], clusterPermissions = [] } = bundle.csv.spec.install.spec ?? {};
    for (const [list, found] of Object.entries({ permissions, clusterPermissions })) {
      for (const [index, { serviceAccountName: name }] of found.entries()) {
        if (name === '' || isSubdomain(name)) continue;
        const path = `spec.install.spec.${list}[${index}].serviceAccountName`;
        const message = `"${name.slice(0, 300)}" cannot be the name of a ServiceAccount`;
        yield { level: 'error', ...inCsv(bundle, path), message, advice: SUBDOMAIN_ADVICE };
      }
    }
  },
};
