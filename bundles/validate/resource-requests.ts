import { inCsv, type Check } from './check.ts';

/** Containers state their requests: some clusters accept no others. */
export const resourceRequests: Check = {
  name: 'resource-requests',
  suite: 'good-practices',
  *run(bundle) {
    for (const [index, { spec }] of (bundle.csv.spec.install.spec?.deployments ?? []).entries()) {
      for (const [at, { name, resources }] of (spec.template.spec.containers ?? []).entries()) {
        const requested = resources.requests ?? {};
        if (Object.hasOwn(requested, 'cpu') || Object.hasOwn(requested, 'memory')) continue;
        const path = `spec.install.spec.deployments[${index}].spec.template.spec.containers[${at}].resources.requests`;
        const message = `the container "${name}" requests neither CPU nor memory`;
        yield { level: 'warning', ...inCsv(bundle, path), message, advice: 'Add requests' };
      }
    }
  },
};
