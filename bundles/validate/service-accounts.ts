import { at, type Check } from './check.ts';

/** A ServiceAccount of a Deployment is made from the CSV's permissions; a second one in the bundle gets in its way. */
export const serviceAccounts: Check = {
  name: 'service-accounts',
  suite: 'format',
  *run({ csv, objects }) {
    const used = new Set(
      (csv.spec.install.spec?.deployments ?? []).map(({ spec }) => spec.template.spec['serviceAccountName']),
    );
    for (const manifest of objects) {
      const { apiVersion, kind, metadata } = manifest.object;
      if (apiVersion !== 'v1' || kind !== 'ServiceAccount' || !used.has(metadata.name)) continue;
      yield {
        level: 'error',
        ...at(manifest),
        message: `the ServiceAccount "${metadata.name}" is used by a Deployment of the CSV, which has it made already`,
        advice: 'Remove the manifest, or rename one of the two',
      };
    }
  },
};
