/** An operator that was installed with kubectl becomes the bundle that its YAML becomes, read from a real API server. */
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { CRD, gadgetWith, NAMESPACE } from '../../../bundles/author/testing/gadget-source.ts';
import { useWorkplace } from '../../../cmd/slipway/testing/slipway.ts';
import { useCluster } from '../../lib/cluster.ts';

const cluster = useCluster();
const workplace = useWorkplace();

/** A schema that keeps the fields of the example; no certificates, of which this cluster has no kind. */
const KEEPING = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const { conversion, ...CRD_SPEC } = CRD['spec'] as Readonly<Record<string, unknown>>;
const SOURCE: readonly KubeObject[] = gadgetWith({
  issuer: undefined,
  certificate: undefined,
  crd: {
    ...CRD,
    spec: {
      ...CRD_SPEC,
      conversion,
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: KEEPING } },
        { name: 'v1beta1', served: true, storage: false, schema: { openAPIV3Schema: KEEPING } },
      ],
    },
  },
}).map(({ object }) => object);

const yaml = (objects: readonly KubeObject[]): string =>
  objects.map((object) => `---\n${JSON.stringify(object)}\n`).join('');

beforeAll(async () => {
  const { kubectl } = cluster();
  const isWebhook = ({ kind }: KubeObject): boolean => kind.endsWith('WebhookConfiguration');
  const [samples, others] = [true, false].map((isSample) =>
    SOURCE.filter((object) => !isWebhook(object) && (object.kind === 'Gadget') === isSample),
  ) as [KubeObject[], KubeObject[]];
  await kubectl(['apply', '-f', '-'], yaml(others));
  await kubectl(['wait', 'crd/gadgets.example.com', '--for=condition=Established', '--timeout=180s']);
  await kubectl(['apply', '-n', NAMESPACE, '-f', '-'], yaml(samples));
  // Nothing answers the webhooks, so that they come last.
  await kubectl(['apply', '-f', '-'], yaml(SOURCE.filter(isWebhook)));
  await kubectl(['-n', NAMESPACE, 'create', 'secret', 'generic', 'token', '--from-literal=key=hidden']);
});

async function rendered(folder: string): Promise<readonly KubeObject[]> {
  return workplace().json('bundle', 'render', folder, '--namespace', 'ops', '--certificates', 'manager');
}

test('the bundle of a cluster installs the same objects as the one of the YAML', async () => {
  const live = await workplace().run(
    'bundle',
    'init',
    'live/gadget',
    '--from',
    'live',
    NAMESPACE,
    '--kubeconfig',
    cluster().kubeconfig,
  );
  expect({ code: live.code, stderr: live.stderr }, live.stdout).toEqual({ code: 0, stderr: '' });
  expect(live.stdout).toMatch(/Secret gadget-system\/token +left out/);
  expect(live.stdout).toMatch(/ServiceAccount gadget-system\/default +left out/);
  await workplace().runWith({ input: yaml(SOURCE) }, 'bundle', 'init', 'yaml/gadget', '--from', '-');
  const byName = (one: KubeObject, other: KubeObject): number => (key(one) < key(other) ? -1 : 1);
  expect((await rendered('live/gadget')).toSorted(byName)).toEqual((await rendered('yaml/gadget')).toSorted(byName));
});

function key({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace ?? ''} ${metadata.name}`;
}
