import { WEBHOOK_TYPES } from '../bundle.ts';
import { inCsv, type Check } from './check.ts';

/** The API server never calls a webhook of an unknown type, and reports nothing. */
export const webhookTypes: Check = {
  name: 'webhook-types',
  suite: 'format',
  *run(bundle) {
    for (const [index, { type }] of (bundle.csv.spec.webhookdefinitions ?? []).entries()) {
      if (WEBHOOK_TYPES.some((known) => known === type)) continue;
      const path = `spec.webhookdefinitions[${index}].type`;
      const message = `the webhook type "${type}" does not exist, so nothing is made of the webhook`;
      yield { level: 'warning', ...inCsv(bundle, path), message, advice: `Use one of ${WEBHOOK_TYPES.join(', ')}` };
    }
  },
};
