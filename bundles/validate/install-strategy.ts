import { inCsv, type Check } from './check.ts';

/** The only way to install that was ever defined is by Deployments. */
export const installStrategy: Check = {
  name: 'install-strategy',
  suite: 'install',
  reason: 'BundleUnsupported',
  *run(bundle) {
    const { strategy } = bundle.csv.spec.install;
    if (strategy === 'deployment') return;
    const message =
      strategy === '' ? 'there is no install strategy' : `the install strategy "${strategy}" is not known`;
    yield { level: 'error', ...inCsv(bundle, 'spec.install.strategy'), message, advice: 'Use "deployment"' };
  },
};
