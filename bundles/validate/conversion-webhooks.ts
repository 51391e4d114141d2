import type { Bundle, CsvWebhook } from '../bundle.ts';
import { at, duplicates, inCsv, type Check, type FoundBy } from './check.ts';

/** A CRD is converted by one webhook of the CSV that owns it, for the whole cluster. */
export const conversionWebhooks: Check = {
  name: 'conversion-webhooks',
  suite: 'install',
  *run(bundle) {
    const webhooks = conversions(bundle);
    if (webhooks.length === 0) return;
    yield* checkModes(bundle);
    yield* checkOwned(bundle, webhooks);
    yield* checkUnique(bundle, webhooks);
    yield* checkPruning(bundle, webhooks);
  },
};

type Indexed = readonly { readonly webhook: CsvWebhook; readonly index: number }[];

function conversions({ csv }: Bundle): Indexed {
  return (csv.spec.webhookdefinitions ?? [])
    .map((webhook, index) => ({ webhook, index }))
    .filter(({ webhook }) => webhook.type === 'ConversionWebhook');
}

function* checkModes(bundle: Bundle): Iterable<FoundBy> {
  const modes = (bundle.csv.spec.installModes ?? []).filter(({ supported }) => supported).map(({ type }) => type);
  if (modes.length === 1 && modes[0] === 'AllNamespaces') return;
  yield {
    level: 'error',
    ...inCsv(bundle, 'spec.installModes'),
    message: 'a bundle with conversion webhooks must support the install mode AllNamespaces and no other',
    advice: 'A CRD has one converter for all namespaces: set supported to false for the other modes',
  };
}

function* checkOwned(bundle: Bundle, webhooks: Indexed): Iterable<FoundBy> {
  const owned = new Set((bundle.csv.spec.customresourcedefinitions.owned ?? []).map(({ name }) => name));
  for (const { webhook, index } of webhooks) {
    for (const [at, crd] of (webhook.conversionCRDs ?? []).entries()) {
      if (owned.has(crd)) continue;
      yield {
        level: 'error',
        ...inCsv(bundle, `spec.webhookdefinitions[${index}].conversionCRDs[${at}]`),
        message: `the CSV does not own the CRD "${crd}" that its webhook "${webhook.generateName}" converts`,
        advice: 'Add it to the owned CRDs, or take it from the webhook',
      };
    }
  }
}

function* checkUnique(bundle: Bundle, webhooks: Indexed): Iterable<FoundBy> {
  for (const crd of duplicates(webhooks.flatMap(({ webhook }) => webhook.conversionCRDs ?? []))) {
    const message = `several webhooks convert the CRD "${crd}"`;
    const advice = 'Leave it to one of them';
    yield { level: 'error', ...inCsv(bundle, 'spec.webhookdefinitions'), message, advice };
  }
}

function* checkPruning({ crds }: Bundle, webhooks: Indexed): Iterable<FoundBy> {
  const converted = new Set(webhooks.flatMap(({ webhook }) => webhook.conversionCRDs ?? []));
  for (const manifest of crds) {
    const spec = manifest.object['spec'] as { readonly preserveUnknownFields?: unknown } | undefined;
    if (!converted.has(manifest.object.metadata.name) || spec?.preserveUnknownFields !== true) continue;
    yield {
      level: 'error',
      ...at(manifest),
      path: 'spec.preserveUnknownFields',
      message: 'a CRD that keeps unknown fields cannot have a conversion webhook',
      advice: 'Set spec.preserveUnknownFields to false',
    };
  }
}
