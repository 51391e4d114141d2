/** As much of cert-manager as OLM v1 and Slipway rely on: it issues each Certificate and injects its authority. */
import { setTimeout as delay } from 'node:timers/promises';
import { refOf, type Kind, type KubeObject } from '../../../api/object.ts';
import { fieldsOf, itemsOf, listOf, textOf, type Fields } from '../../../api/untyped.ts';
import type { Client } from '../../../kube/client/client.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { createAuthority, type Authority } from '../../cluster/certificates.ts';

const GROUP = 'cert-manager.io';
const INJECT = `${GROUP}/inject-ca-from`;
const LOOK_EVERY_MS = 100;
const CRD: Kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const ADMISSION = 'admissionregistration.k8s.io/v1';
/** With their plurals. */
const INJECTED: readonly (readonly [Kind, string])[] = [
  [CRD, 'customresourcedefinitions'],
  [{ apiVersion: ADMISSION, kind: 'ValidatingWebhookConfiguration' }, 'validatingwebhookconfigurations'],
  [{ apiVersion: ADMISSION, kind: 'MutatingWebhookConfiguration' }, 'mutatingwebhookconfigurations'],
];

type Requests = Pick<TestCluster, 'request'>;

/** Runs until the signal. */
export async function runCertManager(cluster: Requests, client: Client, signal: AbortSignal): Promise<void> {
  const authority = await createAuthority('cert-manager');
  while (!signal.aborted) {
    await reconcile(cluster, client, authority).catch((error: unknown) => {
      if (!/answered 409/.test(String(error)) && !signal.aborted) throw error;
    });
    await delay(LOOK_EVERY_MS);
  }
}

/** Creates both kinds. */
export async function installCertManager(client: Client): Promise<void> {
  for (const kind of ['Issuer', 'Certificate']) await client.create(crdOf(kind));
}

async function reconcile(cluster: Requests, client: Client, authority: Authority): Promise<void> {
  const kind = (name: string): Kind => ({ apiVersion: `${GROUP}/v1`, kind: name });
  for (const issuer of await client.list(kind('Issuer'), {})) await reportReady(client, issuer);
  for (const certificate of await client.list(kind('Certificate'), {})) {
    await issue(client, authority, certificate);
    await reportReady(client, certificate);
  }
  for (const [one, plural] of INJECTED)
    for (const object of await client.list(one, {}))
      await inject(cluster, authority, { object, path: `/apis/${one.apiVersion}/${plural}/${object.metadata.name}` });
}

async function reportReady(client: Client, object: KubeObject): Promise<void> {
  const conditions = listOf(fieldsOf(object['status'])['conditions']);
  if (conditions.length > 0) return;
  await client.patchStatus(refOf(object), { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
}

async function issue(client: Client, authority: Authority, { metadata, spec }: KubeObject): Promise<void> {
  const { secretName, dnsNames } = fieldsOf(spec);
  const { namespace = '' } = metadata;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: textOf(secretName) };
  if ((await client.get(ref)) !== undefined) return;
  const { publicPem, privatePem } = await authority.issue({
    commonName: metadata.name,
    dnsNames: itemsOf(dnsNames).map(textOf),
  });
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: ref.name, namespace },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': publicPem, 'tls.key': privatePem, 'ca.crt': authority.certificatePem },
  });
}

/** As a field manager of its own, so that these fields are not taken for ones of Slipway. */
async function inject(
  cluster: Requests,
  { certificatePem }: Authority,
  { object, path }: { readonly object: KubeObject; readonly path: string },
): Promise<void> {
  if (object.metadata.annotations?.[INJECT] === undefined) return;
  const caBundle = Buffer.from(certificatePem).toString('base64');
  const webhooks = listOf(object['webhooks']);
  if (hasEverywhere(object, caBundle)) return;
  const patch =
    object.kind === CRD.kind
      ? { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } }
      : { webhooks: webhooks.map((one) => ({ ...one, clientConfig: { ...fieldsOf(one['clientConfig']), caBundle } })) };
  const { resourceVersion } = object.metadata;
  await cluster.request('PATCH', `${path}?fieldManager=cert-manager-cainjector`, {
    metadata: { resourceVersion },
    ...patch,
  });
}

function hasEverywhere(object: KubeObject, caBundle: string): boolean {
  return configsOf(object).every((one) => one['caBundle'] === caBundle);
}

/** Each `clientConfig` of its webhooks, or of its conversion. */
function configsOf(object: KubeObject): readonly Fields[] {
  const conversion = fieldsOf(fieldsOf(fieldsOf(object['spec'])['conversion'])['webhook']);
  const configs = [...listOf(object['webhooks']), conversion].map((one) => fieldsOf(one['clientConfig']));
  return configs.filter((one) => Object.keys(one).length > 0);
}

/** Whether each object that asks for the authority has it. OLM does not wait for that. */
export async function isInjectedEverywhere(client: Client): Promise<boolean> {
  const objects = (await Promise.all(INJECTED.map(([kind]) => client.list(kind, {})))).flat();
  const asking = objects.filter(({ metadata }) => metadata.annotations?.[INJECT] !== undefined);
  const injected = new Set(asking.flatMap(configsOf).map((one) => textOf(one['caBundle'])));
  // There is one authority, so that two values are the one of a bundle and that of the authority.
  return injected.size <= 1 && !injected.has('');
}

function crdOf(kind: string): KubeObject {
  const singular = kind.toLowerCase();
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } };
  return {
    ...CRD,
    metadata: { name: `${singular}s.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      versions: [{ name: 'v1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}
