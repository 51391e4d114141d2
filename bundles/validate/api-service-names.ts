import { inCsv, isLabel, isSubdomain, type Check } from './check.ts';

/** An APIService that the CSV owns is named by its version and group. */
export const apiServiceNames: Check = {
  name: 'api-service-names',
  suite: 'install',
  *run(bundle) {
    for (const [index, { group, version }] of (bundle.csv.spec.apiservicedefinitions.owned ?? []).entries()) {
      if (isSubdomain(group) && isLabel(version)) continue;
      const path = `spec.apiservicedefinitions.owned[${index}]`;
      const message = `"${version}.${group}" cannot be the name of an APIService`;
      const advice = 'Give it a group that is a domain, and a version such as v1';
      yield { level: 'error', ...inCsv(bundle, path), message, advice };
    }
  },
};
