import { CRD_API, readCrd } from '../typed/crd.ts';
import { DecodeError } from '../typed/decode.ts';
import type { Manifest } from '../bundle.ts';
import { at, type Check } from './check.ts';

/** The fields of a CRD have the types that Kubernetes gives them: no API server could read it otherwise. */
export const crdFields: Check = {
  name: 'crd-fields',
  suite: 'install',
  *run({ crds }) {
    for (const manifest of crds) {
      const wrong = manifest.object.apiVersion === CRD_API ? wrongField(manifest) : undefined;
      if (wrong === undefined) continue;
      const advice = 'Give the field a value of that type';
      yield { level: 'error', ...at(manifest), path: wrong.path, message: `the field ${wrong.what}`, advice };
    }
  },
};

/** The first field of the wrong type; those behind it are found once it is right. */
function wrongField(manifest: Manifest): DecodeError | undefined {
  try {
    readCrd(manifest);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}
