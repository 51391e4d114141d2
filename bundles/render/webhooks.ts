/** Validating and mutating webhook configurations of the CSV, one each, limited to the watched namespaces. */
import type { KubeObject } from '../../api/object.ts';
import type { CsvWebhook } from '../bundle.ts';
import { ADMISSION, caBundle, configurationName, injection } from './certificates.ts';
import { serviceName } from './names.ts';
import { watchesAll, type RenderContext } from './options.ts';
import { calledPort } from './services.ts';

export function renderValidatingWebhooks(context: RenderContext): readonly KubeObject[] {
  return webhooksOf(context, 'ValidatingAdmissionWebhook').map((webhook) =>
    configuration(context, webhook, 'ValidatingWebhookConfiguration'),
  );
}

export function renderMutatingWebhooks(context: RenderContext): readonly KubeObject[] {
  return webhooksOf(context, 'MutatingAdmissionWebhook').map((webhook) =>
    configuration(context, webhook, 'MutatingWebhookConfiguration'),
  );
}

function webhooksOf({ bundle }: RenderContext, type: string): readonly CsvWebhook[] {
  return (bundle.csv.spec.webhookdefinitions ?? []).filter((webhook) => webhook.type === type);
}

/** The kind is cluster-scoped; it carries the namespace nevertheless, as OLM v1 has it, and the API server drops it. */
function configuration(context: RenderContext, webhook: CsvWebhook, kind: string): KubeObject {
  const { generateName, deploymentName = '' } = webhook;
  const name = configurationName(generateName);
  const annotations = injection(context, deploymentName);
  return {
    apiVersion: ADMISSION,
    kind,
    metadata: {
      name,
      namespace: context.options.namespace,
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    webhooks: [
      {
        name,
        clientConfig: clientConfig(context, webhook),
        ...selectors(context, webhook),
        ...behaviour(webhook, kind),
      },
    ],
  };
}

function clientConfig(context: RenderContext, webhook: CsvWebhook): Readonly<Record<string, unknown>> {
  const { deploymentName = '', webhookPath } = webhook;
  return {
    service: {
      namespace: context.options.namespace,
      name: serviceName(deploymentName),
      ...(webhookPath !== undefined && { path: webhookPath }),
      port: calledPort(webhook),
    },
    ...caBundle(context, deploymentName),
  };
}

function selectors(context: RenderContext, webhook: CsvWebhook): Readonly<Record<string, unknown>> {
  const expression = { key: 'kubernetes.io/metadata.name', operator: 'In', values: context.targets };
  return {
    ...(!watchesAll(context) && { namespaceSelector: { matchExpressions: [expression] } }),
    ...(webhook.objectSelector !== undefined && { objectSelector: webhook.objectSelector }),
    ...(webhook.rules !== undefined && { rules: webhook.rules }),
  };
}

function behaviour(webhook: CsvWebhook, kind: string): Readonly<Record<string, unknown>> {
  const { failurePolicy, matchPolicy, timeoutSeconds, reinvocationPolicy } = webhook;
  const reinvoked = kind === 'MutatingWebhookConfiguration' && reinvocationPolicy !== undefined;
  return {
    ...(failurePolicy !== undefined && { failurePolicy }),
    ...(matchPolicy !== undefined && { matchPolicy }),
    sideEffects: webhook.sideEffects,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    admissionReviewVersions: webhook.admissionReviewVersions,
    ...(reinvoked && { reinvocationPolicy }),
  };
}
