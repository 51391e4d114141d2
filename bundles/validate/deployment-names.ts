import { duplicates, inCsv, isSubdomain, SUBDOMAIN_ADVICE, type Check } from './check.ts';

/** Deployments of the CSV have names of their own, which Kubernetes takes. */
export const deploymentNames: Check = {
  name: 'deployment-names',
  suite: 'install',
  *run(bundle) {
    const names = (bundle.csv.spec.install.spec?.deployments ?? []).map(({ name }) => name);
    const path = 'spec.install.spec.deployments';
    for (const name of duplicates(names)) {
      const message = `there are several Deployments named "${name}"`;
      yield { level: 'error', ...inCsv(bundle, path), message, advice: 'Give each Deployment a name of its own' };
    }
    for (const name of new Set(names)) {
      if (isSubdomain(name)) continue;
      const message = `"${name}" cannot be the name of a Deployment`;
      yield { level: 'error', ...inCsv(bundle, path), message, advice: SUBDOMAIN_ADVICE };
    }
  },
};
