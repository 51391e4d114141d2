/** `bundle init --from live`: reads a cluster, changes nothing in it, and makes the bundle that plain YAML would make. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { GADGET, gadgetYaml, NAMESPACE } from '../../../bundles/author/testing/gadget-source.ts';
import { startFakeApi, type FakeApi } from '../../../kube/testing/fake-api.ts';
import { resource } from '../../../kube/testing/fake-kinds.ts';
import { clusterEntry, kubeconfigText } from '../../../kube/testing/kubeconfig-text.ts';
import { useWorkplace, type Finished } from '../testing/slipway.ts';

const workplace = useWorkplace();
let api: FakeApi;

const SECRET: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'token', namespace: NAMESPACE },
  data: { key: 'aGlkZGVu' },
};
const POD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'controller-1',
    namespace: NAMESPACE,
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'controller', uid: 'u' }],
  },
};

beforeAll(async () => {
  api = await startFakeApi();
  for (const [kind, plural] of [
    ['Issuer', 'issuers'],
    ['Certificate', 'certificates'],
  ] as const)
    // prettier-ignore
    api.serve(resource('cert-manager.io/v1', kind, plural));
  api.serve(resource('example.com/v1', 'Gadget', 'gadgets'));
  for (const object of GADGET.values()) {
    const sample = object['kind'] === 'Gadget' ? { metadata: { name: 'first', namespace: NAMESPACE } } : {};
    api.put({ ...object, ...sample } as unknown as KubeObject);
  }
  for (const object of [SECRET, POD]) api.put(object);
  workplace().write(new Map([['kubeconfig', kubeconfigText({ token: 't' }, clusterEntry(api.config))]]));
});
let before = 0;
beforeEach(() => {
  before = api.requests.length;
});
afterAll(() => api.close());

const CLUSTER = ['--kubeconfig', 'kubeconfig', '--context', 'two'];
const init = (folder: string, ...args: readonly string[]): Promise<Finished> =>
  workplace().run('bundle', 'init', folder, '--from', 'live', NAMESPACE, ...CLUSTER, ...args);

/** Every file of a folder by its path. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const root = join(workplace().folder, folder);
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    paths
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  );
}

describe('bundle init --from live', () => {
  test('makes the bundle that the YAML of the operator makes, and only reads', async () => {
    const { code, stdout, stderr } = await init('live/gadget');
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    await workplace().runWith({ input: gadgetYaml() }, 'bundle', 'init', 'yaml/gadget', '--from', '-');
    expect(filesOf('live/gadget')).toEqual(filesOf('yaml/gadget'));
    const methods = new Set(api.requests.slice(before).map(({ method }) => method));
    expect(methods).toEqual(new Set(['GET']));
  });

  test('names the objects that it leaves out, and copies no Secret', async () => {
    const { stdout } = await init('named/gadget');
    expect(stdout).toMatch(/Pod gadget-system\/controller-1 +left out +ReplicaSet controller makes it/);
    expect(stdout).toMatch(/Secret gadget-system\/token +left out +a Secret is copied only if --include names it/);
    expect(JSON.stringify(filesOf('named/gadget'))).not.toContain('aGlkZGVu');
  });

  test('copies a Secret that is named, and warns of it', async () => {
    const { code, stdout } = await init('copied/gadget', '--include', 'Secret/token');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Secret gadget-system\/token +manifests\//);
    expect(stdout).toContain('(copied-secret)');
    expect(filesOf('copied/gadget')['manifests/token.secret.yaml']).toContain('key: aGlkZGVu');
  });

  test('changes nothing in a second run', async () => {
    await init('again/gadget');
    expect((await init('again/gadget')).stdout).toMatch(/files: \d+ unchanged\n$/);
  });

  test('goes on without kinds that the user may not list, and names them', async () => {
    const stop = forbid('/secrets');
    const { code, stderr } = await init('partly/gadget');
    stop();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^slipway: objects of the kind Secret \(v1\) are left out: .*\n$/) as unknown,
    });
  });

  test.each([
    { because: 'Deployments', path: '/deployments' },
    { because: 'ClusterRoles', path: '/clusterroles' },
    { because: 'CRDs', path: '/customresourcedefinitions' },
  ])(
    'is refused if the user may not list objects without which it would be another operator: $because',
    async ({ path }) => {
      const stop = forbid(path);
      const { code, stdout, stderr } = await init('refused/gadget');
      stop();
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^slipway: Forbidden: /);
    },
  );

  test.each([
    {
      because: 'no such namespace',
      args: ['--from', 'live', 'nowhere', ...CLUSTER],
      message: /no namespace "nowhere"/,
    },
    {
      because: 'two namespaces',
      args: ['--from', 'live', NAMESPACE, 'ops', ...CLUSTER],
      message: /more than a namespace: ops/,
    },
    {
      because: 'a namespace without an operator',
      args: ['--from', 'live', 'ops', ...CLUSTER, '--version', '1.0.0'],
      message: /has no Deployment/,
    },
    {
      because: 'an object that does not exist',
      args: ['--from', 'live', NAMESPACE, ...CLUSTER, '--include', 'Secret/x'],
      message: /no object "Secret\/x" to include/,
    },
    {
      because: 'an option of another source',
      args: ['--from', '-', '--include', 'Secret/x'],
      message: /--include is about objects of a cluster/,
    },
    { because: 'no kubeconfig', args: ['--from', 'live', NAMESPACE], message: /there is no kubeconfig/ },
  ])('is refused with the remedy: $because', async ({ args, message }) => {
    const { code, stdout, stderr } = await workplace().run('bundle', 'init', 'bad/gadget', ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: InputInvalid: .*\n {2}\S/);
    expect(stderr).toMatch(message);
  });
});

/** Refuses every request whose path ends so; returns the function that ends this. */
function forbid(path: string): () => void {
  return api.fault((request, response) => {
    if (!request.path.endsWith(path)) return false;
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Forbidden',
      code: 403,
      message: 'no',
    };
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(status));
    return true;
  });
}
