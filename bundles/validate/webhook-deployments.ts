import { inCsv, someOf, type Check } from './check.ts';

/** Every webhook is served by one of the Deployments of the CSV. */
export const webhookDeployments: Check = {
  name: 'webhook-deployments',
  suite: 'install',
  *run(bundle) {
    const { webhookdefinitions = [], apiservicedefinitions, install } = bundle.csv.spec;
    const existing = new Set((install.spec?.deployments ?? []).map(({ name }) => name));
    const advice = `Name one of ${someOf(existing).join(', ') || 'its Deployments'}`;
    const calls = [
      ...webhookdefinitions.map((call, index) => ({ call, path: `spec.webhookdefinitions[${index}]` })),
      ...(apiservicedefinitions.owned ?? []).map((call, index) => ({
        call,
        path: `spec.apiservicedefinitions.owned[${index}]`,
      })),
    ];
    for (const { call, path } of calls) {
      if (existing.has(call.deploymentName ?? '')) continue;
      const message = `the CSV has no Deployment "${call.deploymentName ?? ''}"`;
      yield { level: 'error', ...inCsv(bundle, `${path}.deploymentName`), message, advice };
    }
  },
};
