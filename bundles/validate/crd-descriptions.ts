import { inCsv, type Check } from './check.ts';

/** The CSV describes the CRDs that it owns and requires. */
export const crdDescriptions: Check = {
  name: 'crd-descriptions',
  suite: 'good-practices',
  *run(bundle) {
    const { owned = [], required = [] } = bundle.csv.spec.customresourcedefinitions;
    for (const [list, crds] of Object.entries({ owned, required })) {
      for (const [index, { name, description = '' }] of crds.entries()) {
        if (description !== '') continue;
        const path = `spec.customresourcedefinitions.${list}[${index}].description`;
        yield {
          level: 'warning',
          ...inCsv(bundle, path),
          message: `"${name}" is not described`,
          advice: 'Describe it',
        };
      }
    }
  },
};
