import { inCsv, tolerantVersion, type Check } from './check.ts';

/** The oldest Kubernetes that the operator works with can be read. */
export const minKubeVersion: Check = {
  name: 'min-kube-version',
  suite: 'format',
  *run(bundle) {
    const { minKubeVersion: text = '' } = bundle.csv.spec;
    if (text.trim() === '' || tolerantVersion(text) !== undefined) return;
    const message = `"${text}" is not a version of Kubernetes`;
    const advice = 'Write it as MAJOR.MINOR.PATCH: 1.22.0';
    yield { level: 'error', ...inCsv(bundle, 'spec.minKubeVersion'), message, advice };
  },
};
