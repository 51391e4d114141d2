import type { WebhookRule } from '../bundle.ts';
import { inCsv, type Check } from './check.ts';

const LIFECYCLE_GROUPS = new Set(['*', 'olm.operatorframework.io', 'slipway.dev']);
const ADMISSION = 'admissionregistration.k8s.io';
const CONFIGURATIONS = new Set([
  '*',
  'mutatingwebhookconfiguration',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfiguration',
  'validatingwebhookconfigurations',
]);

/**
 * A webhook must not intercept requests for webhook configurations, because these requests also repair or remove it.
 */
export const webhookRules: Check = {
  name: 'webhook-rules',
  suite: 'install',
  reason: 'BundleUnsupported',
  *run(bundle) {
    for (const [index, webhook] of (bundle.csv.spec.webhookdefinitions ?? []).entries()) {
      if (webhook.type === 'ConversionWebhook') continue;
      for (const [rule, found] of (webhook.rules ?? []).entries()) {
        const forbidden = forbiddenIn(found);
        if (forbidden === undefined) continue;
        const path = `spec.webhookdefinitions[${index}].rules[${rule}]`;
        const message = `the webhook "${webhook.generateName}" may not intercept ${forbidden}`;
        yield { level: 'error', ...inCsv(bundle, path), message, advice: 'Name only the groups that it is for' };
      }
    }
  },
};

function forbiddenIn({ apiGroups = [], resources = [] }: WebhookRule): string | undefined {
  const group = apiGroups.find((candidate) => LIFECYCLE_GROUPS.has(candidate));
  if (group !== undefined) return group === '*' ? 'all groups' : `the group ${group}`;
  const resource = apiGroups.includes(ADMISSION)
    ? resources.find((candidate) => CONFIGURATIONS.has(candidate.toLowerCase()))
    : undefined;
  return resource === undefined ? undefined : `${resource} of ${ADMISSION}`;
}
