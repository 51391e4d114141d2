import { inCsv, type Check } from './check.ts';

const LEVELS = ['Basic Install', 'Seamless Upgrades', 'Full Lifecycle', 'Deep Insights', 'Auto Pilot'];

/** The capability level is one that hubs know. */
export const capabilities: Check = {
  name: 'capabilities',
  suite: 'operatorhub',
  *run(bundle) {
    const { annotations } = bundle.csv;
    const level = annotations['capabilities'];
    if (!Object.hasOwn(annotations, 'capabilities') || LEVELS.includes(level ?? '')) return;
    const path = 'metadata.annotations[capabilities]';
    const message = `the capability level "${level}" does not exist`;
    yield { level: 'error', ...inCsv(bundle, path), message, advice: `Use one of ${LEVELS.join(', ')}` };
  },
};
