/**
 * Finds the Deployments that the API server calls over TLS, puts the authorities of their certificates into the objects
 * that need them, and renders the objects by which cert-manager issues certificates.
 */
import { isCrd } from '../../api/crd-kind.ts';
import { CA_INJECTION } from '../../api/names.ts';
import { groupKind, type KubeObject, type ObjectRef } from '../../api/object.ts';
import type { Bundle } from '../bundle.ts';
import { certificateName, issuerName, MAX_COMMON_NAME, serviceHosts, serviceName } from './names.ts';
import type { RenderContext } from './options.ts';
import type { RequiredCertificate } from './required-certificates.ts';

/** Names of the Deployments that the API server calls: those of webhooks and of APIServices, in the CSV's order. */
export function calledDeployments({ csv }: Bundle): readonly string[] {
  const called = new Set((csv.spec.webhookdefinitions ?? []).map(({ deploymentName = '' }) => deploymentName));
  for (const { deploymentName = '' } of csv.spec.apiservicedefinitions.owned ?? []) called.add(deploymentName);
  return (csv.spec.install.spec?.deployments ?? []).map(({ name }) => name).filter((name) => called.has(name));
}

export const ADMISSION = 'admissionregistration.k8s.io/v1';
export const APISERVICE_API = 'apiregistration.k8s.io/v1';

/** Name of a webhook's configuration: its generateName without the dash at the end. */
export function configurationName(generateName: string): string {
  return generateName.replace(/-$/, '');
}

/** The `caBundle` field of a client config, if the authority is known. */
export function caBundle({ options }: RenderContext, deployment: string): { readonly caBundle?: string } {
  const pem = options.certificates === 'manager' ? options.caBundles?.get(certificateName(deployment)) : undefined;
  return pem === undefined ? {} : { caBundle: Buffer.from(pem, 'utf8').toString('base64') };
}

/** The annotation that makes cert-manager put the authority in place. */
export function injection({ options }: RenderContext, deployment: string): Readonly<Record<string, string>> {
  if (options.certificates !== 'cert-manager') return {};
  return { 'cert-manager.io/inject-ca-from': `${options.namespace}/${certificateName(deployment)}` };
}

/** Issuer and Certificate of each called Deployment, for cert-manager. */
export function renderCertificates({ bundle, options }: RenderContext): readonly KubeObject[] {
  if (options.certificates !== 'cert-manager') return [];
  return calledDeployments(bundle).flatMap((deployment) => issuerAndCertificate(deployment, options.namespace));
}

function issuerAndCertificate(deployment: string, namespace: string): readonly KubeObject[] {
  const apiVersion = 'cert-manager.io/v1';
  const secretName = certificateName(deployment);
  const names = serviceHosts(deployment, namespace);
  const [short = ''] = names;
  return [
    {
      apiVersion,
      kind: 'Issuer',
      metadata: { name: issuerName(deployment), namespace },
      spec: { selfSigned: {} },
    },
    {
      apiVersion,
      kind: 'Certificate',
      metadata: { name: secretName, namespace },
      spec: {
        // Never left out: a self-signed certificate would have an issuer without a name, which strict clients refuse.
        commonName: short.length <= MAX_COMMON_NAME ? short : serviceName(deployment),
        dnsNames: names,
        duration: '17520h0m0s',
        renewBefore: '24h0m0s',
        issuerRef: { name: issuerName(deployment) },
        secretName,
        usages: ['server auth'],
      },
    },
  ];
}

/**
 * The objects with the authorities of their certificates filled in, for an installation whose certificates were issued
 * after it was rendered. `caBundles` is PEM by name of the Secret.
 */
export function injectCaBundles(
  objects: readonly KubeObject[],
  required: readonly RequiredCertificate[],
  caBundles: ReadonlyMap<string, string>,
): readonly KubeObject[] {
  const encoded = new Map<string, string>();
  for (const { secretName, injectInto } of required) {
    const pem = caBundles.get(secretName);
    if (pem === undefined) continue;
    for (const ref of injectInto) encoded.set(identity(ref), Buffer.from(pem, 'utf8').toString('base64'));
  }
  return objects.map((object) => {
    const ca = encoded.get(identity({ ...object, name: object.metadata.name }));
    return ca === undefined ? object : inject(object, ca);
  });
}

function identity(ref: Pick<ObjectRef, 'apiVersion' | 'kind' | 'name'>): string {
  return `${groupKind(ref)} ${ref.name}`;
}

interface Called {
  readonly spec?: {
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: object } };
  };
  readonly webhooks?: readonly { readonly clientConfig?: object }[];
}

function inject(object: KubeObject, ca: string): KubeObject {
  const { spec = {}, webhooks = [] } = object as KubeObject & Called;
  if (object.kind === 'APIService') return { ...object, spec: { ...spec, caBundle: ca } };
  if (!isCrd(object)) {
    return { ...object, webhooks: webhooks.map((webhook) => withAuthority(webhook, ca)) };
  }
  const { conversion = {} } = spec;
  const { webhook = {} } = conversion;
  const clientConfig = { ...webhook.clientConfig, caBundle: ca };
  return {
    ...object,
    metadata: withoutInjection(object.metadata),
    spec: { ...spec, conversion: { ...conversion, webhook: { ...webhook, clientConfig } } },
  };
}

/** Another program that is to inject an authority would overwrite this one. */
function withoutInjection(metadata: KubeObject['metadata']): KubeObject['metadata'] {
  const given = Object.entries(metadata.annotations ?? {});
  const others = given.filter(([key]) => !CA_INJECTION.has(key));
  return others.length === given.length ? metadata : { ...metadata, annotations: Object.fromEntries(others) };
}

function withAuthority(webhook: { readonly clientConfig?: object }, ca: string): object {
  return { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle: ca } };
}
