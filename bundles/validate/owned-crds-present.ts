import { inCsv, type Check } from './check.ts';

/** The CRDs that the CSV owns are in the bundle. */
export const ownedCrdsPresent: Check = {
  name: 'owned-crds-present',
  suite: 'install',
  *run(bundle) {
    const present = new Set(bundle.crds.map(({ object }) => object.metadata.name));
    for (const [index, { name }] of (bundle.csv.spec.customresourcedefinitions.owned ?? []).entries()) {
      if (present.has(name)) continue;
      yield {
        level: 'error',
        ...inCsv(bundle, `spec.customresourcedefinitions.owned[${index}].name`),
        message: `the bundle does not hold the CRD "${name}" that it owns`,
        advice: 'Add its manifest, or take it from the list of owned CRDs',
      };
    }
  },
};
