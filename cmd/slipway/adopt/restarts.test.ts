/** Which Deployments a hand-over would restart, by dry runs of an API server that merges maps and replaces lists. */
import { beforeAll, describe, expect, test } from 'vitest';
import { mergePatch } from '../../../api/json.ts';
import { refOf, type KubeObject, type ObjectRef } from '../../../api/object.ts';
import { refusal } from '../../../api/testing/refusal.ts';
import { NEVER } from '../../../api/testing/never.ts';
import type { Fields } from '../../../api/untyped.ts';
import { identityOf } from '../../../apply/identity.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { makeCrd, makeFiles, WEBHOOK } from '../../../bundles/testing/bundle.ts';
import { issueCertificate } from '../../../controllers/revision/certificates/issue.ts';
import { LIFETIME_MS } from '../../../controllers/revision/certificates/plan.ts';
import type { TrialRestart } from '../../../controllers/hand-over-trial.ts';
import type { PublishedBundle } from './published.ts';
import { restartsOf } from './restarts.ts';

const NOW = new Date('2026-11-23T00:00:00Z');
const NAME = { name: 'gadget', namespace: 'ops' };
const SUBSCRIPTION = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', metadata: NAME };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'gadget-manager' };
const CERTIFICATE = { apiVersion: 'v1', kind: 'Secret', namespace: 'ops', name: 'gadget-manager-service-cert' };

const UNKNOWN: PublishedBundle = { kind: 'unknown', why: 'it cannot be read' };

const csv = csvOf();

/** With the annotations that OLM adds. */
function csvOf(): KubeObject {
  const text = makeFiles({ spec: { webhookdefinitions: [WEBHOOK] } }).get('manifests/csv.yaml') ?? new Uint8Array();
  const object = JSON.parse(Buffer.from(text).toString()) as KubeObject;
  const annotations = {
    'olm.operatorGroup': 'all',
    'olm.targetNamespaces': '',
    'operatorframework.io/properties': '{}',
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The API server keeps the fields that only OLM has. */
class Server {
  readonly objects = new Map<string, KubeObject>();
  readonly applied: KubeObject[] = [];
  answers: Error | undefined;

  put(...objects: readonly KubeObject[]): this {
    for (const object of objects) this.objects.set(identityOf(refOf(object)), object);
    return this;
  }

  async get(ref: ObjectRef): Promise<KubeObject | undefined> {
    return this.objects.get(identityOf(ref));
  }

  async apply(object: KubeObject, { dryRun = false } = {}): Promise<KubeObject> {
    if (!dryRun) throw new Error('nothing may be written');
    if (this.answers !== undefined) throw this.answers;
    this.applied.push(object);
    return mergePatch((await this.get(refOf(object))) ?? {}, object) as KubeObject;
  }
}

const edit = (object: KubeObject, template: Fields): KubeObject =>
  mergePatch(object, { spec: { template } }) as KubeObject;

async function restarts(
  server: Server,
  spec: Fields = {},
  published: PublishedBundle = UNKNOWN,
): Promise<readonly TrialRestart[]> {
  const wanted = { ...SUBSCRIPTION, spec: { package: 'gadget-operator', ...spec } };
  return restartsOf(server, { csv, wanted, published, now: NOW, signal: NEVER });
}

describe('a hand-over', () => {
  /** The Secret of OLM, and the Deployment as OLM has made it. */
  let secret: KubeObject;
  let live: KubeObject;

  beforeAll(async () => {
    const dnsNames = ['gadget-manager-service.ops', 'gadget-manager-service.ops.svc'];
    const { pair, authority } = await issueCertificate({ dnsNames, now: NOW, lifetimeMs: LIFETIME_MS });
    const data = Object.entries({ 'tls.crt': pair.certificate, 'tls.key': pair.key, olmCAKey: authority });
    const encoded = data.map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    const { apiVersion, kind, ...metadata } = CERTIFICATE;
    secret = { apiVersion, kind, metadata, data: Object.fromEntries(encoded) as Fields };
    const server = new Server().put(secret, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'gadget-manager', namespace: 'ops' } }); // prettier-ignore
    await restarts(server);
    const annotations = { olmcahash: 'a', 'olm.operatorGroup': 'all', 'operatorframework.io/properties': '{}' };
    live = edit(server.applied[0]!, { metadata: { annotations } });
  });

  test('restarts nothing that OLM has made', async () => {
    expect(await restarts(new Server().put(secret, live))).toEqual([]);
  });

  test('may restart a Deployment that cannot be compared, as one with a variable that is given twice', async () => {
    const server = new Server().put(secret, live);
    server.answers = refusal(500, '', 'failed to create typed patch object (gadget): env: duplicate entries for key');
    expect(await restarts(server)).toEqual([
      { deployment: 'Deployment.apps ops/gadget-manager', why: [expect.stringContaining('cannot be compared')] },
    ]);
    server.answers = refusal(503, 'ServiceUnavailable', 'the server is not ready');
    await expect(restarts(server)).rejects.toMatchObject({ reason: 'ApiUnavailable' });
  });

  test('restarts nothing of a ClusterServiceVersion that lists each version of a CRD', async () => {
    const crd = makeCrd() as KubeObject;
    const owned = ['v1alpha1', 'v1'].map((version) => ({ name: crd.metadata.name, version, kind: 'Gadget' }));
    const spec = mergePatch(csv['spec'], { customresourcedefinitions: { owned } });
    const both = { csv: { ...csv, spec }, wanted: { ...SUBSCRIPTION, spec: { package: 'gadget-operator' } } };
    expect(
      await restartsOf(new Server().put(secret, live, crd), { ...both, published: UNKNOWN, now: NOW, signal: NEVER }),
    ).toEqual([]);
  });

  test('compares the version as it is published: a change that a person has made in OLM is undone', async () => {
    const files = makeFiles({ spec: { webhookdefinitions: [WEBHOOK] } });
    const bundle = parseBundle(files);
    const text = Buffer.from(files.get('manifests/csv.yaml') ?? '').toString();
    const changed = text.replace('"containers":[', '"priorityClassName":"as-published","containers":[');
    const published = parseBundle(new Map([...files, ['manifests/csv.yaml', Buffer.from(changed)]]));
    const [restart] = await restarts(new Server().put(secret, live), {}, { kind: 'known', bundle: published });
    expect(restart?.why).toEqual([expect.stringMatching(/priorityClassName.*as-published/)]);
    expect(await restarts(new Server().put(secret, live), {}, { kind: 'known', bundle })).toEqual([]);
  });

  test.each([
    {
      because: 'an annotation differs',
      server: () =>
        new Server().put(secret, edit(live, { metadata: { annotations: { 'olm.targetNamespaces': 'one' } } })),
      spec: {},
      why: /^spec\.template\.metadata\.annotations.*olm\.targetNamespaces.*: "one" becomes ""$/,
    },
    {
      because: 'the Subscription has a setting that OLM does not have',
      server: () => new Server().put(secret, live),
      spec: { config: { nodeSelector: { disk: 'fast' } } },
      why: /^spec\.template\.spec\.nodeSelector.*: absent becomes .*fast/,
    },
    {
      because: 'its certificate was not issued by OLM, so that a new one is issued',
      server: () => new Server().put({ ...secret, data: {} }, live),
      spec: {},
      why: /slipway\.dev\/certificate.*: absent becomes/,
    },
    {
      because: 'the Deployment is gone',
      server: () => new Server().put(secret),
      spec: {},
      why: /^it does not exist, and is created$/,
    },
  ])('says the field if $because', async ({ server, spec, why }) => {
    const [restart, ...others] = await restarts(server(), spec);
    expect(others).toEqual([]);
    expect(restart?.deployment).toBe(`Deployment.apps ${DEPLOYMENT.namespace}/${DEPLOYMENT.name}`);
    expect(restart?.why).toEqual([expect.stringMatching(why)]);
  });
});
