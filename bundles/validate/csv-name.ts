import { at, inCsv, isSubdomain, SUBDOMAIN_ADVICE, type Check } from './check.ts';

/** The CSV's name names the bundle in every catalog, and is the value of labels. */
export const csvName: Check = {
  name: 'csv-name',
  suite: 'format',
  *run(bundle) {
    const { name, manifest } = bundle.csv;
    const { apiVersion } = manifest.object;
    if (!isSubdomain(name) || name.length > 63) {
      const message = `"${name}" cannot be the name of a bundle`;
      const advice = `${SUBDOMAIN_ADVICE}, and no more than 63 of them`;
      yield { level: 'error', ...inCsv(bundle, 'metadata.name'), message, advice };
    }
    if (apiVersion === 'operators.coreos.com/v1alpha1') return;
    const message = `the CSV has the apiVersion "${apiVersion}"`;
    const advice = 'Use operators.coreos.com/v1alpha1';
    yield { level: 'warning', ...at(manifest), path: 'apiVersion', message, advice };
  },
};
