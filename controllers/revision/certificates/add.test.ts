/**
 * TLS handshakes at every step of a rotation: the API server must trust the certificate that the webhook server
 * presents.
 */
import { setImmediate } from 'node:timers/promises';
import { createServer, connect, type TlsOptions } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeCluster, type FakeCluster } from '../../../kube/testing/fake-cluster.ts';
import { entryOf, type InventoryEntry } from '../../../apply/inventory.ts';
import { prepareObjects, type PrepareOptions } from '../../../apply/prepare.ts';
import { ANNOTATION } from '../../../api/names.ts';
import { refOf, type KubeObject } from '../../../api/object.ts';
import { renderBundle } from '../../../bundles/render/render.ts';
import { makeBundle, makeCrd, makeDeployment } from '../../../bundles/testing/bundle.ts';
import { addCertificates } from './add.ts';
import { issueCertificate } from './issue.ts';
import { LIFETIME_MS, type CertificateStep } from './plan.ts';
import { requiredIn } from '../../../bundles/render/required-certificates.ts';
import { DUE_ANNOTATION } from './secret.ts';

const DAY = 24 * 3600_000;
const NAMESPACE = 'ops';
const HOST = 'gadget-manager-service.ops.svc';
const prepare: PrepareOptions = {
  owner: { namespace: NAMESPACE, name: 'gadgets', uid: 'subscription-uid' },
  package: 'gadget-operator',
  revision: 'gadgets-1',
  installNamespace: NAMESPACE,
};
const webhook = (type: string, fields: object): object => ({
  type,
  generateName: `${type.toLowerCase()}.example.com`,
  deploymentName: 'gadget-manager',
  containerPort: 443,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  webhookPath: '/call',
  ...fields,
});
const bundle = makeBundle({
  deployments: [makeDeployment('gadget-manager'), makeDeployment('other')],
  objects: [makeCrd()],
  spec: {
    customresourcedefinitions: { owned: [{ name: 'gadgets.example.com', version: 'v1', kind: 'Gadget' }] },
    webhookdefinitions: [
      webhook('ValidatingAdmissionWebhook', {}),
      webhook('MutatingAdmissionWebhook', {}),
      webhook('ConversionWebhook', { conversionCRDs: ['gadgets.example.com'] }),
    ],
  },
});
const options = { namespace: NAMESPACE, certificates: 'manager' } as const;
const rendered = prepareObjects(renderBundle(bundle, options), prepare);

/** One state of the cluster: the objects that are applied at a step. */
interface Applied {
  readonly step: CertificateStep | 'keep';
  readonly objects: readonly KubeObject[];
}

// So that every certificate of the rotation is valid at the time of the test, by the clock that TLS uses.
const START = Date.now() - LIFETIME_MS * 0.7;
let cluster: FakeCluster;
let time: number;

/** One roll-out: decides, and applies the Secret. */
async function rollOut(settled = true, inventory: readonly InventoryEntry[] = []): Promise<Applied> {
  let step: Applied['step'] = 'keep';
  const objects = await addCertificates(rendered, {
    cluster,
    prepare,
    inventory,
    now: new Date(time),
    settled,
    signal: new AbortController().signal,
    onStep: (taken) => void (step = taken),
  });
  await cluster.apply(secretIn(objects), { force: true });
  return { step, objects };
}

const secretIn = (objects: readonly KubeObject[]): KubeObject =>
  objects.find(({ kind }) => kind === 'Secret') as KubeObject;
const dataOf = (objects: readonly KubeObject[]): Readonly<Record<string, string>> =>
  secretIn(objects)['data'] as Readonly<Record<string, string>>;
const fingerprint = (objects: readonly KubeObject[]): string | undefined =>
  /"slipway\.dev\/certificate":"(?<hash>[a-f0-9]{16})"/.exec(JSON.stringify(objects))?.groups?.['hash'];

/** Every caBundle of the configurations, decoded. */
function bundlesIn(objects: readonly KubeObject[]): string[] {
  const found = JSON.stringify(objects).matchAll(/"caBundle":"(?<pem>[^"]*)"/g);
  return [...found].map(({ groups }) => Buffer.from(groups?.['pem'] ?? '', 'base64').toString());
}

/** A handshake of a server that mounts the Secret of `server` with a client that trusts exactly `ca`. */
async function handshake(server: readonly KubeObject[], ca: string, host = HOST): Promise<string> {
  const { 'tls.crt': cert = '', 'tls.key': key = '' } = dataOf(server);
  const serverOptions: TlsOptions = { cert: Buffer.from(cert, 'base64'), key: Buffer.from(key, 'base64') };
  const listener = createServer(serverOptions, (socket) => socket.end());
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  try {
    return await new Promise<string>((resolve) => {
      const { port } = listener.address() as AddressInfo;
      const socket = connect({ port, host: '127.0.0.1', servername: host, ca });
      socket.once('secureConnect', () => resolve('trusted'));
      socket.once('error', ({ message, ...rest }) => resolve(String((rest as { code?: string }).code ?? message)));
      socket.once('close', () => socket.destroy());
    });
  } finally {
    listener.close();
  }
}

beforeEach(() => {
  cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE }, status: { phase: 'Active' } });
  time = START;
});

describe('a rotation', () => {
  const applied: Applied[] = [];

  beforeAll(async () => {
    cluster = createFakeCluster();
    cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE }, status: { phase: 'Active' } });
    time = START;
    const until = [0, 1 * DAY, (LIFETIME_MS * 2) / 3, 60_000, 10 * 60_000, 3600_000, DAY, 1];
    for (const passed of until) {
      time += passed;
      applied.push(await rollOut());
    }
  });

  test('a rotation goes from one certificate to the other in four steps, and waits in between', () => {
    expect(applied.map(({ step }) => step)).toEqual([
      'issue',
      'keep',
      'prepare',
      'keep',
      'switch',
      'keep',
      'drop',
      'keep',
    ]);
  });

  test('during a rotation every configuration trusts the same authorities, and all trust the server', async () => {
    for (const { objects } of applied) {
      const bundles = bundlesIn(objects);
      expect(bundles).toHaveLength(3);
      for (const ca of new Set(bundles)) expect(await handshake(objects, ca)).toBe('trusted');
    }
  });

  test.each([
    { server: 0, because: 'the configurations are written before the Pods have the new Secret' },
    { server: 1, because: 'the Pods have the new Secret before the configurations are written' },
  ])('during a rotation no handshake fails between one step and the next, although $because', async ({ server }) => {
    for (const [index, { objects: before }] of applied.entries()) {
      const after = applied[index + 1]?.objects;
      if (after === undefined) continue;
      const pair = [before, after] as const;
      const [ca = ''] = bundlesIn(pair[1 - server] as readonly KubeObject[]);
      expect([index, await handshake(pair[server] as readonly KubeObject[], ca)]).toEqual([index, 'trusted']);
    }
  });

  test('after a rotation the old authority is trusted no longer', async () => {
    const [ca = ''] = bundlesIn(applied.at(-1)?.objects ?? []);
    expect(await handshake(applied[0]?.objects ?? [], ca)).not.toBe('trusted');
    expect(ca.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    expect(dataOf(applied.at(-1)?.objects ?? [])['next.key']).toBeUndefined();
  });

  test('a rotation restarts the Pods once: when the new certificate begins to serve', () => {
    const marks = applied.map(({ objects }) => fingerprint(objects));
    expect(new Set(marks).size).toBe(2);
    expect(marks.indexOf(marks.at(-1))).toBe(applied.findIndex(({ step }) => step === 'switch'));
  });

  test('the Secret shows when its rotation goes on', () => {
    const dues = applied.map(({ objects }) => secretIn(objects).metadata.annotations?.[DUE_ANNOTATION] ?? '');
    expect(dues.map((due, index) => index === 0 || due >= (dues[index - 1] ?? ''))).not.toContain(false);
  });
});

describe('a certificate', () => {
  test('a certificate is for the names of the Service only', async () => {
    const { objects } = await rollOut();
    const [ca = ''] = bundlesIn(objects);
    const outcomes = ['gadget-manager-service.ops.svc.cluster.local', 'gadget-manager-service.ops', 'example.com'];
    expect(await Promise.all(outcomes.map((name) => handshake(objects, ca, name)))).toEqual([
      'trusted',
      'trusted',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ]);
  });

  test('an upgrade keeps the certificate: the same Secret, the same bytes', async () => {
    const first = await rollOut();
    time += DAY;
    const second = await addCertificates(rendered, {
      cluster,
      prepare: { ...prepare, revision: 'gadgets-2' },
      inventory: [],
      now: new Date(time),
      settled: false,
      signal: new AbortController().signal,
    });
    expect(dataOf(second)).toEqual(dataOf(first.objects));
    expect(bundlesIn(second)).toEqual(bundlesIn(first.objects));
  });

  test('a certificate of the release before, without a uid of the owner, is kept by the uid in the inventory', async () => {
    const first = await rollOut();
    const secret = secretIn(first.objects);
    cluster.change(refOf(secret), ({ metadata: { annotations, ...metadata }, ...rest }) => {
      const { [ANNOTATION.ownerUid]: _uid, ...others } = annotations ?? {};
      return { ...rest, metadata: { ...metadata, annotations: others } };
    });
    const live = (await cluster.get(refOf(secret))) as KubeObject;
    expect((await rollOut(true, [entryOf(secret, live)])).step).toBe('keep');
  });

  test('a certificate is mounted by the Deployment that is called, and restarts only that one', async () => {
    const { objects } = await rollOut();
    const marked = objects.filter((object) => JSON.stringify(object).includes('slipway.dev/certificate'));
    expect(marked.map(({ metadata }) => metadata.name)).toContain('gadget-manager');
    expect(marked.map(({ metadata }) => metadata.name)).not.toContain('other');
    expect(JSON.stringify(marked[0])).toContain(`"secretName":"${secretIn(objects).metadata.name}"`);
  });

  test.each([
    { change: { 'tls.key': 'bm8ga2V5' }, because: 'its key is invalid' },
    { change: { 'tls.crt': 'bm8=' }, because: 'it is invalid' },
    { change: { 'ca.crt': '' }, because: 'no caller trusts it' },
  ])('a certificate is issued again if $because', async ({ change }) => {
    const { objects } = await rollOut();
    cluster.change(refOf(secretIn(objects)), (secret) => ({
      ...secret,
      data: { ...(secret['data'] as object), ...change },
    }));
    const again = await rollOut();
    expect(again.step).toBe('issue');
    const [ca = ''] = bundlesIn(again.objects);
    expect(await handshake(again.objects, ca)).toBe('trusted');
  });

  test('a certificate that was issued again is trusted beside the one that Pods may still present', async () => {
    const first = await rollOut();
    cluster.change(refOf(secretIn(first.objects)), (secret) => ({
      ...secret,
      data: { ...(secret['data'] as object), 'tls.key': 'bm8ga2V5' },
    }));
    const [ca = ''] = bundlesIn((await rollOut()).objects);
    expect(await handshake(first.objects, ca)).toBe('trusted');
  });

  test("a certificate is not taken from another owner's Secret of that name", async () => {
    const { objects } = await rollOut();
    const { metadata, ...rest } = secretIn(objects);
    const foreign = { ...rest, metadata: { name: metadata.name, namespace: NAMESPACE } } as KubeObject;
    cluster = createFakeCluster();
    cluster.put(foreign);
    const added = await addCertificates(rendered, {
      cluster,
      prepare,
      inventory: [],
      now: new Date(time),
      settled: true,
      signal: new AbortController().signal,
    });
    expect(dataOf(added)['tls.key']).not.toBe(dataOf(objects)['tls.key']);
  });

  test('a certificate for a name too long to be a common name is valid by its alternative names', async () => {
    const name = `${'a'.repeat(60)}.namespace.svc`;
    const { pair, authority } = await issueCertificate({ dnsNames: [name], now: new Date(), lifetimeMs: DAY });
    const secret = { data: { 'tls.crt': btoa(pair.certificate), 'tls.key': btoa(pair.key) }, kind: 'Secret' };
    expect(await handshake([secret as unknown as KubeObject], authority, name)).toBe('trusted');
  });
});

describe('which certificates are needed', () => {
  test('the Secrets of several webhook servers are read at the same time', async () => {
    const servers = ['first', 'second'];
    const both = makeBundle({
      deployments: servers.map((name) => makeDeployment(name)),
      spec: {
        webhookdefinitions: servers.map((deploymentName) =>
          webhook('ValidatingAdmissionWebhook', { deploymentName, generateName: `${deploymentName}.example.com` }),
        ),
      },
    });
    const order: string[] = [];
    const objects = await addCertificates(prepareObjects(renderBundle(both, options), prepare), {
      cluster: {
        async get({ name }) {
          order.push(`read ${name}`);
          await setImmediate();
          order.push('answered');
          return undefined;
        },
      },
      prepare,
      inventory: [],
      now: new Date(time),
      settled: true,
      signal: new AbortController().signal,
    });
    expect(order.slice(0, 2)).toEqual(servers.map((name) => `read ${name}-service-cert`));
    const secrets = objects.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);
    expect(secrets).toEqual(servers.map((name) => `${name}-service-cert`));
  });

  test('no certificate is needed if the API server calls no webhook', async () => {
    const objects = prepareObjects(renderBundle(makeBundle(), options), prepare);
    expect(requiredIn(objects)).toEqual([]);
    const before = cluster.requests.length;
    const added = await addCertificates(objects, {
      cluster,
      prepare,
      inventory: [],
      now: new Date(time),
      settled: true,
      signal: new AbortController().signal,
    });
    expect(added).toBe(objects);
    expect(cluster.requests.length).toBe(before);
  });
});

describe('a certificate that OLM v0 has issued, and that is handed over', () => {
  const OLM_LIFETIME_MS = 2 * LIFETIME_MS;
  let authority: string;

  beforeEach(async () => {
    time = Date.now() - OLM_LIFETIME_MS * 0.7;
    const dnsNames = ['gadget-manager-service.ops', HOST];
    const issued = await issueCertificate({ dnsNames, now: new Date(time), lifetimeMs: OLM_LIFETIME_MS });
    ({ authority } = issued);
    const texts = { 'tls.crt': issued.pair.certificate, 'tls.key': issued.pair.key, olmCAKey: authority };
    const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    cluster.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'gadget-manager-service-cert',
        namespace: NAMESPACE,
        annotations: { [ANNOTATION.adoptBy]: `${NAMESPACE}/gadgets` },
      },
      type: 'kubernetes.io/tls',
      data: Object.fromEntries(data) as Readonly<Record<string, string>>,
    });
  });

  test('serves on with its authority, and no Pod is replaced for it', async () => {
    const { step, objects } = await rollOut();
    expect(step).toBe('keep');
    expect(new Set(bundlesIn(objects))).toEqual(new Set([authority]));
    expect(fingerprint(objects)).toBeUndefined();
    expect(await handshake(objects, authority)).toBe('trusted');
  });

  test('is replaced before it ends, and each caller trusts the server at each step', async () => {
    const end = time + OLM_LIFETIME_MS;
    const steps: string[] = [];
    let before = (await rollOut()).objects;
    time += OLM_LIFETIME_MS * 0.67;
    for (let round = 0; !steps.includes('drop') && round < 10; round += 1) {
      const { step, objects } = await rollOut();
      if (step !== 'keep') steps.push(step);
      const [trusted = ''] = bundlesIn(objects);
      expect(await handshake(before, trusted), `callers of ${step}, Pods of the step before`).toBe('trusted');
      expect(await handshake(objects, trusted), `callers and Pods of ${step}`).toBe('trusted');
      expect(fingerprint(objects) === undefined, `Pods are replaced by ${step}`).toBe(!steps.includes('switch'));
      before = objects;
      time += DAY + 1;
    }
    expect(steps).toEqual(['prepare', 'switch', 'drop']);
    expect(time).toBeLessThan(end);
    expect(bundlesIn(before).join('')).not.toContain(authority);
  });
});
