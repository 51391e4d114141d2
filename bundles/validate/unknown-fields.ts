import type { Bundle } from '../bundle.ts';
import { CRD_API } from '../typed/crd.ts';
import { unknownFields as findUnknown } from '../typed/unknown-fields.ts';
import { at, inCsv, type Check, type FoundBy } from './check.ts';

/** Fields that Kubernetes does not have are dropped without a word: mostly they are misspelt or misplaced. */
export const unknownFields: Check = {
  name: 'unknown-fields',
  suite: 'format',
  *run(bundle) {
    yield* inDeployments(bundle);
    for (const manifest of bundle.crds) {
      if (manifest.object.apiVersion !== CRD_API) continue;
      for (const path of findUnknown('CustomResourceDefinition', manifest.object)) {
        if (/^(status|metadata)(\.|$)/.test(path)) continue;
        yield { ...dropped, ...at(manifest), path };
      }
    }
  },
};

const dropped = {
  level: 'warning',
  message: 'there is no such field, so it has no effect',
  advice: 'Correct its name or its place, or remove it',
} as const;

function* inDeployments(bundle: Bundle): Iterable<FoundBy> {
  const raw = bundle.csv.manifest.raw as { readonly spec?: { readonly install?: { readonly spec?: object } } };
  for (const path of findUnknown('CsvStrategy', raw.spec?.install?.spec)) {
    yield { ...dropped, ...inCsv(bundle, `spec.install.spec.${path}`) };
  }
}
