/** The parts of objects by which the API server finds a webhook. Pure. */
import { groupKind, type KubeObject } from '../../api/object.ts';
import { fieldsOf, listOf, type Fields } from '../../api/untyped.ts';

/** `clientConfig` of each webhook in an object, and whether requests are rejected if it does not answer. */
export function configsIn(object: KubeObject): readonly { readonly config: Fields; readonly isRequired: boolean }[] {
  switch (groupKind(object)) {
    case 'ValidatingWebhookConfiguration.admissionregistration.k8s.io':
    case 'MutatingWebhookConfiguration.admissionregistration.k8s.io':
      return listOf(object['webhooks']).map(({ clientConfig, failurePolicy }) => ({
        config: fieldsOf(clientConfig),
        isRequired: failurePolicy !== 'Ignore',
      }));
    case 'CustomResourceDefinition.apiextensions.k8s.io':
      return [{ config: conversionConfig(object), isRequired: true }];
    default:
      return [];
  }
}

/** `spec.conversion.webhook.clientConfig` of a CRD; empty if it has none. */
export function conversionConfig({ spec }: KubeObject): Fields {
  return fieldsOf(fieldsOf(fieldsOf(fieldsOf(spec)['conversion'])['webhook'])['clientConfig']);
}
