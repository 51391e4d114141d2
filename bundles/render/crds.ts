/** The bundle's CRDs as Go reads them, with the conversion stanza of those that a conversion webhook serves. */
import type { KubeObject } from '../../api/object.ts';
import type { CsvWebhook, Manifest } from '../bundle.ts';
import { decode } from '../typed/decode.ts';
import { caBundle, injection } from './certificates.ts';
import { publishedMetadata } from './metadata.ts';
import { serviceName } from './names.ts';
import type { RenderContext } from './options.ts';

export function renderCrds(context: RenderContext): readonly KubeObject[] {
  const converters = new Map<string, CsvWebhook>();
  for (const webhook of context.bundle.csv.spec.webhookdefinitions ?? []) {
    if (webhook.type !== 'ConversionWebhook') continue;
    for (const crd of webhook.conversionCRDs ?? []) converters.set(crd, webhook);
  }
  return context.bundle.crds.map((manifest) => {
    const crd = decodeCrd(manifest);
    const converter = converters.get(crd.metadata.name);
    return converter === undefined ? crd : withConversion(context, crd, converter);
  });
}

interface Crd extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Reading a large CRD takes as long as rendering all else, and a bundle may be rendered several times. */
const decoded = new WeakMap<Manifest, Crd>();

function decodeCrd(manifest: Manifest): Crd {
  const known = decoded.get(manifest);
  if (known !== undefined) return known;
  const { apiVersion, kind, metadata, spec } = decode('CustomResourceDefinition', manifest.object) as Crd;
  const crd = { apiVersion, kind, metadata: publishedMetadata(metadata), spec };
  decoded.set(manifest, crd);
  return crd;
}

function withConversion(context: RenderContext, crd: Crd, webhook: CsvWebhook): KubeObject {
  const { deploymentName = '', webhookPath = '/', containerPort = 0, admissionReviewVersions } = webhook;
  const service = {
    namespace: context.options.namespace,
    name: serviceName(deploymentName),
    path: webhookPath,
    port: containerPort,
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
