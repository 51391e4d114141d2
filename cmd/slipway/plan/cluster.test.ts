import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseObject } from '../../../api/kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Revision } from '../../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { makeCrd, makeFiles, type BundleParts } from '../../../bundles/testing/bundle.ts';
import { packManifests } from '../../../controllers/manifests.ts';
import { createRevision } from '../../../controllers/subscription/revisions.ts';
import { renderBundle } from '../../../bundles/render/render.ts';
import { createClient, type Client } from '../../../kube/client/client.ts';
import type { Resource } from '../../../kube/client/resource-path.ts';
import { createTransport, type Transport } from '../../../kube/transport/transport.ts';
import { startFakeApi, type FakeApi } from '../../../kube/testing/fake-api.ts';
import type { Plan } from '../../../plan/model.ts';
import { formatData } from '../../../report/data.ts';
import { useWorkplace, type Finished } from '../testing/slipway.ts';
import type { PlanReport } from './report.ts';

const workplace = useWorkplace();
let api: FakeApi;
let transport: Transport;
let client: Client;

function resource(apiVersion: string, kind: string, plural: string, namespaced = true): Resource {
  return { apiVersion, kind, plural, namespaced, verbs: ['create', 'get', 'list'], subresources: [] };
}

const NAMESPACE = 'ops';
const RBAC = 'rbac.authorization.k8s.io';

function crdOf(properties: object): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } };
  const version = { name: 'v1', served: true, storage: true, schema };
  return makeCrd({ versions: [version] }) as KubeObject;
}

const OLD_CRD = crdOf({ size: { type: 'integer' }, colour: { type: 'string' } });
const NEW_CRD = crdOf({ size: { type: 'integer' } });
const EXTRA = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'extra' }, data: { a: 'b' } };
const BINDING = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: 'gadget-monitoring' },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'monitoring' },
  subjects: [{ kind: 'ServiceAccount', name: 'gadget', namespace: NAMESPACE }],
};
const BUNDLES: Readonly<Record<string, BundleParts>> = {
  '1.0.0': { objects: [OLD_CRD] },
  '1.1.0': { objects: [NEW_CRD, EXTRA, BINDING] },
};

beforeAll(async () => {
  api = await startFakeApi();
  for (const served of [
    resource('slipway.dev/v1alpha1', 'Subscription', 'subscriptions'),
    resource('slipway.dev/v1alpha1', 'Revision', 'revisions'),
    resource('v1', 'Secret', 'secrets'),
    resource('v1', 'ServiceAccount', 'serviceaccounts'),
    resource('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions', false),
    resource(`${RBAC}/v1`, 'ClusterRole', 'clusterroles', false),
    resource(`${RBAC}/v1`, 'ClusterRoleBinding', 'clusterrolebindings', false),
    resource('example.com/v1', 'Gadget', 'gadgets'),
  ])
    api.serve(served);
  transport = createTransport(api.config, { userAgent: 'test' });
  client = createClient(transport);
  await subscribe('gadget', ['1.0.0', '1.1.0']);
  await subscribe('quiet', ['1.0.0']);
  api.put({
    ...OLD_CRD,
    status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
    metadata: {
      name: 'gadgets.example.com',
      annotations: { 'slipway.dev/owner': 'ops/gadget', 'slipway.dev/owner-uid': 'x' },
    },
  });
  workplace().write(
    new Map([
      ['kubeconfig', kubeconfig()],
      ['catalog.yaml', CATALOG],
      ['sub.yaml', JSON.stringify({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', ...MANIFEST })],
    ]),
  );
  for (const [version, parts] of Object.entries(BUNDLES)) workplace().write(filesOf(version, parts), `v${version}`);
});
afterAll(async () => {
  transport.close();
  await api.close();
});

const MANIFEST = { metadata: { name: 'gadget', namespace: NAMESPACE }, spec: { package: 'gadget-operator' } };
const properties = (version: string): readonly { readonly type: string; readonly value: unknown }[] => [
  { type: 'olm.package', value: { packageName: 'gadget-operator', version } },
];
const CATALOG = [
  { schema: 'olm.package', name: 'gadget-operator', defaultChannel: 'stable' },
  {
    schema: 'olm.channel',
    package: 'gadget-operator',
    name: 'stable',
    entries: [
      { name: 'gadget-operator.v1.0.0' },
      { name: 'gadget-operator.v1.1.0', replaces: 'gadget-operator.v1.0.0' },
    ],
  },
  ...Object.keys(BUNDLES).map((version) => ({
    schema: 'olm.bundle',
    package: 'gadget-operator',
    name: `gadget-operator.v${version}`,
    image: `registry.invalid/gadget:v${version}`,
    properties: properties(version),
  })),
]
  .map((document) => JSON.stringify(document))
  .join('\n---\n');

function filesOf(version: string, parts: BundleParts): ReadonlyMap<string, Uint8Array> {
  return makeFiles({ ...parts, metadata: { name: `gadget-operator.v${version}` }, spec: { version } });
}

/** A Subscription with a Revision for each version, as the manager makes them: the first one is active. */
async function subscribe(name: string, versions: readonly string[]): Promise<void> {
  const [, next] = versions.map((_, at) => `${name}-${at + 1}`);
  const object = api.put({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    metadata: { name, namespace: NAMESPACE },
    spec: MANIFEST.spec,
    ...(next !== undefined && {
      status: {
        pending: { revision: next, bundle: 'gadget-operator.v1.1.0', version: '1.1.0', reason: 'ApprovalRequired' },
      },
    }),
  });
  const subscription = parseObject(SUBSCRIPTION, object);
  for (const [at, version] of versions.entries()) await makeRevision(subscription, version, at + 1);
}

async function makeRevision(subscription: Subscription, version: string, number: number): Promise<Revision> {
  const bundle = parseBundle(filesOf(version, BUNDLES[version] ?? {}));
  const manifests = await packManifests(renderBundle(bundle, { namespace: NAMESPACE, certificates: 'manager' }));
  return createRevision(client, {
    subscription,
    revisions: [],
    number,
    target: {
      bundle: {
        name: bundle.csv.name,
        package: bundle.package,
        version,
        image: '',
        properties: properties(version),
        relatedImages: [],
      },
      catalog: 'team',
      channel: 'stable',
      configHash: 'a',
    },
    bundle: { image: `registry.example/gadget@sha256:${'a'.repeat(64)}`, manifests },
    approved: false,
    active: number === 1,
  });
}

function kubeconfig(): string {
  const { server, ca } = api.config;
  const authority = Buffer.from(ca as string).toString('base64');
  return formatData({
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'u', user: { token: 'secret' } }],
  });
}

const run = (...args: readonly string[]): Promise<Finished> =>
  workplace().run('plan', ...args, '--kubeconfig', 'kubeconfig');

async function planOf(...args: readonly string[]): Promise<Plan> {
  const { stdout, stderr } = await run(...args, '-o', 'json');
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as PlanReport).plans[0] as Plan;
}

function gadget(name: string, spec: object): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name, namespace: NAMESPACE }, spec };
}

/** Puts objects for the time of one test. */
async function withObjects<Result>(objects: readonly KubeObject[], work: () => Promise<Result>): Promise<Result> {
  const put = objects.map((object) => api.put(object));
  try {
    return await work();
  } finally {
    for (const object of put) api.remove(object);
  }
}

describe('plan of a Subscription in the cluster', () => {
  test('has the hash of the plan from files', async () => {
    const args = [
      'plan',
      '-f',
      'sub.yaml',
      '--catalog',
      'catalog.yaml',
      '--from',
      '1.0.0',
      '--bundle',
      'v1.0.0',
      '--bundle',
      'v1.1.0',
    ];
    const { plans } = await workplace().json<PlanReport>(...args);
    expect(plans).toHaveLength(1);
    expect((await planOf('ops/gadget')).hash).toBe(plans[0]?.hash);
  });

  test('knows that no object is hurt by a CRD, if there is none', async () => {
    const { crds, risk, unknown } = await planOf('ops/gadget');
    expect(crds).toMatchObject([{ customResources: 0, storedVersions: ['v1'], findings: [] }]);
    expect(risk.reasons.map(({ reason }) => reason)).not.toContain('CRDLosesData');
    expect(unknown).toEqual([]);
  });

  test('counts and names the objects that a CRD hurts', async () => {
    await withObjects([gadget('red', { colour: 'red' }), gadget('plain', { size: 1 })], async () => {
      const { crds, risk } = await planOf('ops/gadget');
      expect(crds[0]?.customResources).toBe(2);
      expect(risk.reasons[0]).toMatchObject({
        reason: 'CRDLosesData',
        message: expect.stringContaining('existingFieldRemoval: the field is gone (ops/red)') as string,
      });
    });
  });

  test('finds the owner of an object that is to be created', async () => {
    const before = await planOf('ops/gadget');
    await withObjects([{ ...EXTRA, metadata: { name: 'extra', namespace: NAMESPACE } }], async () => {
      const { risk, hash } = await planOf('ops/gadget');
      expect(risk.reasons.filter(({ reason }) => reason === 'Collision').map(({ message }) => message)).toEqual([
        'ConfigMap ops/extra exists and belongs to no owner that Slipway knows',
      ]);
      expect(hash).not.toBe(before.hash);
    });
  });

  test('reads the rules of a ClusterRole that the bundle does not contain', async () => {
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }];
    const role = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'monitoring' }, rules };
    const words = async (): Promise<readonly string[]> =>
      (await planOf('ops/gadget')).rights.gained.map((right) => right.words);
    expect(await words()).toEqual(['has all rights of the ClusterRole monitoring in every namespace']);
    await withObjects([role], async () => expect(await words()).toEqual(['may read Pods in every namespace']));
  });

  test('sends no request for an object that does not change', async () => {
    const first = api.requests.length;
    await planOf('ops/gadget');
    const paths = api.requests.slice(first).map(({ path }) => path);
    expect(paths.filter((path) => /serviceaccounts|deployments/.test(path))).toEqual([]);
  });

  test.each([
    {
      because: 'the CRD cannot be read',
      path: /customresourcedefinitions/,
      says: 'how many custom resources of gadgets',
    },
    { because: 'a new object cannot be read', path: /configmaps/, says: 'whether ConfigMap ops/extra exists already' },
    {
      because: 'custom resources cannot be listed',
      path: /example\.com.*gadgets/,
      says: 'how many custom resources of',
    },
  ])('says that a fact is not known, and never "no change": $because', async ({ path, says }) => {
    const restore = api.fault((request, response) => {
      if (!path.test(request.path)) return false;
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, reason: 'Forbidden' }),
      );
      return true;
    });
    try {
      expect((await planOf('ops/gadget')).unknown.join('\n')).toContain(says);
    } finally {
      restore();
    }
  });

  test('reports that nothing comes next, and how to plan from a catalog', async () => {
    const { code, stdout } = await run('ops/quiet');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'Nothing changes: gadget-operator.v1.0.0 is installed, and the manager has prepared no other Revision; slipway plan --file plans from a catalog\n',
    });
  });

  test('of an uninstall lists every object, and keeps a CRD with its custom resources', async () => {
    await withObjects([gadget('red', { colour: 'red' })], async () => {
      const { to, objects } = await planOf('ops/gadget', '--uninstall');
      expect(to).toBeUndefined();
      expect(objects.kept.map(({ ref, message }) => [ref.name, message])).toEqual([
        ['gadgets.example.com', 'stays, as it has 1 custom resource'],
      ]);
      expect(objects.deleted.map(({ kind }) => kind).toSorted()).toEqual(['Deployment']);
    });
  });

  test('ignores a Revision that an earlier Subscription of that name has left', async () => {
    const ref = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Revision', namespace: NAMESPACE, name: 'quiet-1' };
    const own = (await client.get(ref)) as KubeObject;
    const left = {
      ...own,
      metadata: { name: 'bare-1', namespace: NAMESPACE, ownerReferences: [] },
      spec: { ...fieldsOf(own['spec']), subscription: 'bare' },
    };
    await subscribe('bare', []);
    await withObjects([left], async () =>
      expect((await run('ops/bare', '--uninstall')).stdout).toBe('Nothing changes: nothing is installed\n'),
    );
  });

  test('is refused while versions are switched, rather than made for a first installation', async () => {
    await subscribe('turning', ['1.0.0', '1.1.0']);
    const ref = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Revision', namespace: NAMESPACE, name: 'turning-1' };
    const first = (await client.get(ref)) as KubeObject;
    const inventory = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'gadget-manager', uid: 'a', hash: 'b' }];
    api.put({ ...first, spec: { ...fieldsOf(first['spec']), state: 'Archived' }, status: { inventory } });
    for (const args of [['ops/turning'], ['ops/turning', '--uninstall']])
      expect(await run(...args)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^slipway: Planning: /) as string,
      });
  });

  test.each([
    { because: 'there is no such Subscription', args: ['ops/other'] },
    { because: 'the namespace of the context has no Subscription of that name', args: ['gadget'] },
    { because: 'there are too many parts', args: ['a/b/c'] },
  ])('refuses with InputInvalid: $because', async ({ args }) => {
    expect(await run(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^slipway: InputInvalid: /) as string,
    });
  });
});
