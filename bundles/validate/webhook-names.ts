import { configurationName } from '../render/certificates.ts';
import { duplicates, inCsv, isSubdomain, SUBDOMAIN_ADVICE, type Check } from './check.ts';

/** Webhooks of one type have names of their own, which Kubernetes takes once the dash at the end is gone. */
export const webhookNames: Check = {
  name: 'webhook-names',
  suite: 'install',
  *run(bundle) {
    const webhooks = bundle.csv.spec.webhookdefinitions ?? [];
    for (const type of new Set(webhooks.map((webhook) => webhook.type))) {
      const names = webhooks.filter((webhook) => webhook.type === type).map(({ generateName }) => generateName);
      for (const name of duplicates(names.map(configurationName))) {
        const message = `there are several webhooks of the type ${type} named "${name}"`;
        const advice = 'Give each webhook a generateName of its own';
        yield { level: 'error', ...inCsv(bundle, 'spec.webhookdefinitions'), message, advice };
      }
    }
    for (const [index, { generateName }] of webhooks.entries()) {
      if (isSubdomain(configurationName(generateName))) continue;
      const path = `spec.webhookdefinitions[${index}].generateName`;
      const message = `"${generateName}" cannot be the name of a webhook`;
      yield { level: 'error', ...inCsv(bundle, path), message, advice: SUBDOMAIN_ADVICE };
    }
  },
};
