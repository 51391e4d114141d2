/** The bundle's CRDs as Go reads them, with the conversion stanza of those that a conversion webhook serves. */
import type { KubeObject } from '../../api/object.ts';
import type { CsvWebhook, Manifest } from '../bundle.ts';
import { readCrd, type CrdObject } from '../typed/crd.ts';
import { caBundle, injection } from './certificates.ts';
import { publishedMetadata } from './metadata.ts';
import { serviceName } from './names.ts';
import type { RenderContext } from './options.ts';
import { calledPort } from './services.ts';

export function renderCrds(context: RenderContext): readonly KubeObject[] {
  const converters = new Map<string, CsvWebhook>();
  for (const webhook of context.bundle.csv.spec.webhookdefinitions ?? []) {
    if (webhook.type !== 'ConversionWebhook') continue;
    for (const crd of webhook.conversionCRDs ?? []) converters.set(crd, webhook);
  }
  return context.bundle.crds.map((manifest) => {
    const crd = publishedCrd(manifest);
    const converter = converters.get(crd.metadata.name);
    return converter === undefined ? crd : withConversion(context, crd, converter);
  });
}

function publishedCrd(manifest: Manifest): CrdObject {
  const { apiVersion, kind, metadata, spec } = readCrd(manifest);
  return { apiVersion, kind, metadata: publishedMetadata(metadata), spec };
}

function withConversion(context: RenderContext, crd: CrdObject, webhook: CsvWebhook): KubeObject {
  const { deploymentName = '', webhookPath = '/', admissionReviewVersions } = webhook;
  const service = {
    namespace: context.options.namespace,
    name: serviceName(deploymentName),
    path: webhookPath,
    port: calledPort(webhook),
  };
  const clientConfig = { service, ...caBundle(context, deploymentName) };
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig, conversionReviewVersions: admissionReviewVersions },
  };
  const annotations = { ...crd.metadata.annotations, ...injection(context, deploymentName) };
  const metadata = Object.keys(annotations).length === 0 ? crd.metadata : { ...crd.metadata, annotations };
  return { ...crd, metadata, spec: { ...crd.spec, conversion } };
}
