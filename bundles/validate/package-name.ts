import { BUNDLE_ANNOTATION } from '../annotations.ts';
import type { Check } from './check.ts';

/** A bundle belongs to a package. */
export const packageName: Check = {
  name: 'package-name',
  suite: 'install',
  *run(bundle) {
    if (bundle.package !== '') return;
    yield {
      level: 'error',
      file: 'metadata/annotations.yaml',
      path: `annotations[${BUNDLE_ANNOTATION.package}]`,
      message: 'the bundle has no package name',
      advice: 'Add the annotation',
    };
  },
};
