import type { Bundle } from '../bundle.ts';
import { inCsv, type Check, type FoundBy } from './check.ts';

/** Fields without which a CSV means nothing. */
export const csvFields: Check = {
  name: 'csv-fields',
  suite: 'format',
  *run(bundle) {
    const { spec } = bundle.csv;
    yield* required(bundle, 'spec.displayName', spec.displayName);
    yield* required(bundle, 'spec.install.strategy', spec.install.strategy);
    if ((spec.install.spec?.deployments ?? []).length > 0) return;
    const message = 'the CSV has no Deployment, so nothing would run';
    const advice = 'Add the operator Deployment';
    yield { level: 'warning', ...inCsv(bundle, 'spec.install.spec.deployments'), message, advice };
  },
};

function* required(bundle: Bundle, path: string, value: string | undefined): Iterable<FoundBy> {
  if (value !== undefined && value !== '') return;
  yield { level: 'error', ...inCsv(bundle, path), message: `${path} is missing`, advice: 'Add the field' };
}
