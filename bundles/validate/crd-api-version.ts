import { CRD_API } from '../typed/crd.ts';
import { at, type Check } from './check.ts';

/** CRDs of v1beta1 are not served since Kubernetes 1.22 and cannot be read as v1 without losing their schema. */
export const crdApiVersion: Check = {
  name: 'crd-api-version',
  suite: 'install',
  reason: 'BundleUnsupported',
  *run({ crds }) {
    for (const manifest of crds) {
      const { apiVersion } = manifest.object;
      if (apiVersion === CRD_API) continue;
      const unserved = `the CRD has the version "${apiVersion}", which no API server takes since Kubernetes 1.22`;
      const message = apiVersion === '' ? 'the CRD has none' : unserved;
      yield {
        level: 'error',
        ...at(manifest),
        path: 'apiVersion',
        message,
        advice: 'Convert it to apiextensions.k8s.io/v1',
      };
    }
  },
};
