/** Operators with webhooks: certificates by the manager and by cert-manager, and conversion that is never interrupted. */
import { connect, createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, publishFiles } from '../../lib/publish.ts';
import { expectUnchanged, snapshot } from '../../lib/snapshot.ts';
import { until } from '../../lib/until.ts';
import { makeNamespaces, requestReconcile } from '../../lib/writes.ts';
import { CRD, gadgetBundle, type GadgetVersion } from './gadget-operator.ts';
import { oldCertificate } from './old-certificate.ts';

const cluster = useCluster();
const CATALOG = { kind: 'catalog', name: 'gadgets' };
const NAMESPACE = 'gadgets';
const VERSIONS: readonly GadgetVersion[] = [
  { version: '1.0.0' },
  { version: '1.1.0', fields: ['weight'] },
  { version: '2.0.0', fields: ['weight', 'colour'], deployment: 'gadget-controller' },
];
const CRD_KIND = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
let manager: RunningManager;
let transport: Transport;
let client: Client;

beforeAll(async () => {
  const { config } = await loadKubeconfig(cluster().kubeconfig);
  transport = createTransport(config);
  client = createClient(transport);
  await installSlipway(cluster());
  manager = await startManager(cluster());
});
afterAll(async () => {
  await manager?.stop();
  transport?.close();
});

async function publish(count: number): Promise<void> {
  const published = await Promise.all(
    VERSIONS.slice(0, count).map(async (each, index) => ({
      version: each.version,
      image: await publishFiles(gadgetBundle(each), `${cluster().registry}/gadget-operator:v${each.version}`),
      ...(index > 0 && { replaces: (VERSIONS[index - 1] as GadgetVersion).version }),
    })),
  );
  await publishCatalog(packageDocuments('gadget-operator', published), `${cluster().registry}/gadgets:latest`);
}

interface Conversion {
  readonly strategy: string;
  readonly webhook?: { readonly clientConfig?: { readonly caBundle?: string; readonly service?: { name: string } } };
}

/** Every state of the CRD that any client could have seen, from now until `end` is called. */
function followCrd(): { readonly seen: KubeObject[]; end(): Promise<void> } {
  const over = new AbortController();
  const seen: KubeObject[] = [];
  const watching = (async () => {
    const { resourceVersion } = await client.listPage(CRD_KIND, { limit: 1 });
    const options = { resourceVersion, fieldSelector: `metadata.name=${CRD}` };
    for await (const { type, object } of client.watch(CRD_KIND, options, over.signal)) {
      if (type !== 'BOOKMARK') seen.push(object);
    }
  })().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  return {
    seen,
    async end() {
      over.abort(new Error('the story has ended'));
      await watching;
    },
  };
}

const conversionOf = (crd: KubeObject): Conversion => (crd['spec'] as { readonly conversion: Conversion }).conversion;

async function secretData(name: string): Promise<Readonly<Record<string, string>>> {
  const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace: NAMESPACE, name });
  return (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
}

/** Handshakes a server with the Secret's content under the Service's name, trusted by exactly this authority. */
async function handshake(secretName: string, caBundle: string): Promise<string> {
  const { 'tls.crt': cert = '', 'tls.key': key = '' } = await secretData(secretName);
  const server = createServer({ cert: Buffer.from(cert, 'base64'), key: Buffer.from(key, 'base64') }, (socket) =>
    socket.end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const servername = `${secretName.replace(/-cert$/, '')}.${NAMESPACE}.svc`;
  try {
    return await new Promise<string>((resolve) => {
      const { port } = server.address() as AddressInfo;
      const socket = connect({ port, host: '127.0.0.1', servername, ca: Buffer.from(caBundle, 'base64') });
      socket.once('secureConnect', () => resolve('trusted'));
      socket.once('error', ({ message }) => resolve(message));
    });
  } finally {
    server.close();
  }
}

/** The caBundle of each webhook of the operator, by kind of configuration. */
async function caBundles(): Promise<readonly string[]> {
  const admission = { apiVersion: 'admissionregistration.k8s.io/v1' };
  const [validating, mutating] = await Promise.all([
    client.list({ ...admission, kind: 'ValidatingWebhookConfiguration' }),
    client.list({ ...admission, kind: 'MutatingWebhookConfiguration' }),
  ]);
  const hooks = [...validating, ...mutating].flatMap(
    (object) => object['webhooks'] as readonly { readonly clientConfig: { readonly caBundle?: string } }[],
  );
  const crd = (await client.get({ ...CRD_KIND, name: CRD })) as KubeObject;
  return [
    ...hooks.map(({ clientConfig }) => clientConfig.caBundle),
    conversionOf(crd).webhook?.clientConfig?.caBundle,
  ].map((bundle) => bundle ?? '');
}

/** Waits until every configuration trusts so many authorities. */
async function awaitAuthorities(count: number): Promise<void> {
  await until(`every configuration trusts ${count}`, async () => {
    const texts = (await caBundles()).map((bundle) => Buffer.from(bundle, 'base64').toString());
    return texts.every((text) => text.match(/BEGIN CERTIFICATE/g)?.length === count);
  });
}

/** Calls as the API server would, by every configuration, until `end`; returns the result of each call. */
function callAgainAndAgain(secretName: string): { end(): Promise<readonly string[]> } {
  const outcomes: string[] = [];
  const over = new AbortController();
  const calling = (async () => {
    while (!over.signal.aborted) {
      for (const bundle of await caBundles()) outcomes.push(await handshake(secretName, bundle));
    }
  })();
  return {
    async end() {
      over.abort();
      await calling;
      return outcomes;
    },
  };
}

async function apply(manifest: string): Promise<void> {
  await cluster().kubectl(['apply', '-f', '-'], manifest);
}

describe('an operator with webhooks, its certificates issued by the manager', () => {
  const subscription = { kind: 'subscription', name: 'gadgets', namespace: NAMESPACE };
  let before: ReadonlySet<string>;
  let crd: ReturnType<typeof followCrd>;

  test('is installed, and every configuration trusts what the server presents', async () => {
    await publish(1);
    await makeNamespaces(cluster(), [NAMESPACE]);
    before = await snapshot(cluster());
    crd = followCrd();
    await apply(catalogOf('gadgets', `${cluster().registry}/gadgets:latest`, { interval: '10s' }));
    await waitFor(cluster(), CATALOG, isReady);
    await apply(subscriptionTo('gadgets', NAMESPACE, { package: 'gadget-operator', onFailure: { bakeTime: '1s' } }));
    await waitFor(cluster(), subscription, runs('1.0.0'));
    const bundles = await caBundles();
    expect(bundles).toHaveLength(3);
    for (const bundle of bundles) expect(await handshake('gadget-manager-service-cert', bundle)).toBe('trusted');
  });

  test('mounts the certificate at the path that its server reads', async () => {
    const text = await cluster().kubectl(['-n', NAMESPACE, 'get', 'deployment', 'gadget-manager', '-o', 'json']);
    expect(text).toContain('/tmp/k8s-webhook-server/serving-certs');
    expect(text).toContain('gadget-manager-service-cert');
  });

  test('is upgraded with the same certificate, and then to a Deployment of another name with one of its own', async () => {
    const [first] = await caBundles();
    await publish(2);
    await requestReconcile(cluster(), CATALOG);
    await waitFor(cluster(), subscription, runs('1.1.0'));
    expect(new Set(await caBundles())).toEqual(new Set([first]));
    await publish(3);
    await requestReconcile(cluster(), CATALOG);
    await waitFor(cluster(), subscription, runs('2.0.0'));
    for (const bundle of await caBundles()) {
      expect(bundle).not.toBe(first);
      expect(await handshake('gadget-controller-service-cert', bundle)).toBe('trusted');
    }
  });

  test('at no moment has its CRD been without conversion', async () => {
    await crd.end();
    const live = crd.seen.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(live.length).toBeGreaterThan(4);
    const lacking = live.filter((each) => {
      const { strategy, webhook } = conversionOf(each);
      const { caBundle = '', service } = webhook?.clientConfig ?? {};
      return strategy !== 'Webhook' || caBundle === '' || service === undefined;
    });
    expect(lacking).toEqual([]);
    const services = new Set(live.map((each) => conversionOf(each).webhook?.clientConfig?.service?.name));
    expect([...services]).toEqual(['gadget-manager-service', 'gadget-controller-service']);
  });

  test('is put right when its Secret is deleted', async () => {
    await cluster().kubectl(['-n', NAMESPACE, 'delete', 'secret', 'gadget-controller-service-cert']);
    const wait = ['-n', NAMESPACE, 'wait', '--for=create', '--timeout=180s', 'secret/gadget-controller-service-cert'];
    await cluster().kubectl(wait);
    await until('every configuration trusts the new certificate', async () => {
      const bundles = await caBundles();
      const outcomes = await Promise.all(bundles.map((one) => handshake('gadget-controller-service-cert', one)));
      return outcomes.every((outcome) => outcome === 'trusted');
    });
    await waitFor(cluster(), subscription, runs('2.0.0'));
  });

  test('gets another certificate before the old one runs out, and no call fails on the way', async () => {
    const secretName = 'gadget-controller-service-cert';
    const secret = ['-n', NAMESPACE, 'patch', 'secret', secretName, '--type=merge', '-p'];
    const host = `gadget-controller-service.${NAMESPACE}`;
    const old = await oldCertificate([host, `${host}.svc`, `${host}.svc.cluster.local`]);
    await cluster().kubectl([...secret, JSON.stringify({ data: old })]);
    await awaitAuthorities(2);
    const calls = callAgainAndAgain(secretName);
    const goOn = JSON.stringify({
      metadata: { annotations: { 'slipway.dev/certificate-due': '2026-01-01T00:00:00Z' } },
    });
    await cluster().kubectl([...secret, goOn]);
    await until('the new certificate serves', async () => (await secretData(secretName))['tls.crt'] !== old['tls.crt']);
    await cluster().kubectl([...secret, goOn]);
    await awaitAuthorities(1);
    await waitFor(cluster(), subscription, runs('2.0.0'));
    const outcomes = await calls.end();
    expect(outcomes.length).toBeGreaterThan(10);
    expect(outcomes.filter((outcome) => outcome !== 'trusted')).toEqual([]);
  });

  test('leaves nothing behind, keys included', async () => {
    await cluster().kubectl(['-n', NAMESPACE, 'delete', 'subscription', 'gadgets', '--timeout=180s']);
    await cluster().kubectl(['delete', 'catalog', 'gadgets']);
    await expectUnchanged(cluster(), before);
  });
});

describe('an operator with webhooks, its certificates issued by cert-manager', () => {
  const subscription = { kind: 'subscription', name: 'gadgets', namespace: 'certified' };

  test('waits for cert-manager if the cluster does not have it, and reports that', async () => {
    await publish(1);
    await makeNamespaces(cluster(), ['certified']);
    await apply(catalogOf('gadgets', `${cluster().registry}/gadgets:latest`, { interval: '10s' }));
    await apply(subscriptionTo('gadgets', 'certified', { package: 'gadget-operator', certificates: 'CertManager' }));
    const waiting = await waitFor(
      cluster(),
      subscription,
      (object) => condition(object, 'Ready')?.reason === 'DependencyNotReady',
    );
    expect(condition(waiting, 'Ready')?.message).toMatch(/cert-manager\.io/);
  });

  test('begins its workloads once the Certificate is there', async () => {
    await apply(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [certManagerCrd('Issuer'), certManagerCrd('Certificate')],
      }),
    );
    const names = ['issuer/gadget-manager-service-cert-selfsigned-issuer', 'certificate/gadget-manager-service-cert'];
    // each by itself: `kubectl wait` ends with an error if two objects are not there yet
    for (const name of names)
      await until(`${name} is there`, () => cluster().kubectl(['-n', 'certified', 'get', name, '-o', 'name']));
    await waitFor(cluster(), subscription, (object) =>
      /Certificate|Issuer/.test(condition(object, 'Ready')?.message ?? ''),
    );
    const absent = ['-n', 'certified', 'get', 'deployment,secret', '-l', 'slipway.dev/owner', '-o', 'name'];
    expect((await cluster().kubectl(absent)).trim()).toBe('');
    const status = JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    for (const name of names) {
      await cluster().kubectl(['-n', 'certified', 'patch', name, '--subresource=status', '--type=merge', '-p', status]);
    }
    await waitFor(cluster(), subscription, runs('1.0.0'));
  });
});

/** As much of cert-manager as Slipway relies on. */
function certManagerCrd(kind: 'Issuer' | 'Certificate'): object {
  const singular = kind.toLowerCase();
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.cert-manager.io` },
    spec: {
      group: 'cert-manager.io',
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
        },
      ],
    },
  };
}
