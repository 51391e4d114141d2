import { inCsv, tolerantVersion, type Check } from './check.ts';

const SEMVER_AT_END = /(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** A bundle has a version, says so in its name, and says from which Kubernetes on it works. */
export const csvVersion: Check = {
  name: 'csv-version',
  suite: 'operatorhub',
  *run(bundle) {
    const { name, spec } = bundle.csv;
    const { version = '', minKubeVersion = '' } = spec;
    if (version === '' || version === '0.0.0') {
      const message = 'the CSV has no version';
      yield { level: 'error', ...inCsv(bundle, 'spec.version'), message, advice: 'Set spec.version' };
    } else if (tolerantVersion(version) === undefined) {
      const message = `"${version}" is not a semantic version`;
      yield { level: 'error', ...inCsv(bundle, 'spec.version'), message, advice: 'Write it as MAJOR.MINOR.PATCH' };
    }
    const where = { level: 'warning', ...inCsv(bundle, 'metadata.name') } as const;
    if (name.length > 253 || !SEMVER_AT_END.test(name) || !name.includes('.v')) {
      const message = `the name "${name.slice(0, 253)}" does not end in .v and a semantic version`;
      yield { ...where, message, advice: `Name it ${bundle.package || 'operator'}.v${version || '1.0.0'}` };
    }
    if (minKubeVersion.trim() !== '') return;
    const message = 'it is not said from which version of Kubernetes on the operator works';
    const advice = 'Set spec.minKubeVersion';
    yield { level: 'warning', ...inCsv(bundle, 'spec.minKubeVersion'), message, advice };
  },
};
