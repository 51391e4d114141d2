import { inCsv, type Check } from './check.ts';

/** Hubs show the provider of an operator. */
export const provider: Check = {
  name: 'provider',
  suite: 'operatorhub',
  *run(bundle) {
    if ((bundle.csv.spec.provider.name ?? '') !== '') return;
    const message = 'the provider has no name';
    yield {
      level: 'error',
      ...inCsv(bundle, 'spec.provider.name'),
      message,
      advice: 'Name the provider of the operator',
    };
  },
};
