import { beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../e2e/lib/cluster.ts';
import { pathOf } from '../e2e/lib/objects.ts';
import { until } from '../e2e/lib/until.ts';
import { objectOf, REVISION_SPEC, RULE_CASES, type RuleCase } from './crd/testing/rule-cases.ts';
import { KINDS } from './kinds.ts';
import { parseObject } from './kind.ts';
import { API_VERSION, GROUP } from './names.ts';
import type { KubeObject } from './object.ts';
import { MAX_OBJECTS, REVISION } from './revision.ts';
import { SUBSCRIPTION } from './subscription.ts';

const CRDS = 'deploy/crds';

const cluster = useCluster();

beforeAll(async () => {
  await cluster().kubectl(['apply', '--server-side', '--warnings-as-errors', '-f', CRDS]);
});

describe('the CRDs', () => {
  test.each(KINDS)(
    'the CRDs of $plural are established, without a warning, as kinds of one category',
    async ({ plural, kind }) => {
      const name = `crd/${plural}.${GROUP}`;
      await cluster().kubectl(['wait', '--for=condition=Established', '--timeout=30s', name]);
      const crd = JSON.parse(await cluster().kubectl(['get', name, '-o', 'json'])) as { status: Conditioned };
      expect(crd.status.conditions.filter(({ type }) => /NonStructural|Violat/.test(type))).toEqual([]);
      // the list of all kinds is made after a CRD is established
      await until('it is one of the category', async () =>
        (await cluster().kubectl(['api-resources', '--categories=slipway', '--no-headers'])).includes(kind),
      );
    },
  );
});

describe('the API server and this repository agree on the schemas', () => {
  const taken = RULE_CASES.filter(({ refused, misfit, before }) => !refused && misfit === undefined && !before);
  const refused = RULE_CASES.filter(
    ({ refused: rule, misfit, before }) => !before && (rule !== undefined || misfit !== undefined),
  );
  const changes = RULE_CASES.filter(({ before }) => before !== undefined);

  test.each(taken)('a $kind.kind is accepted, with the same defaults: $because', async (row) => {
    const object = objectOf(row, row.spec);
    const stored = await create(object, DRY_RUN);
    const { spec } = parseObject(row.kind, object) as KubeObject;
    expect(stored['spec']).toEqual(spec);
    expect(stored['status']).toEqual({ observedGeneration: -1 });
  });

  test.each(refused)('a $kind.kind is rejected: $because', async (row) => {
    await expect(create(objectOf(row, row.spec), DRY_RUN)).rejects.toThrow(whatIsSaid(row));
  });

  test.each(changes)('a change of a $kind.kind is accepted or rejected as expected: $because', async (row) => {
    const name = `change-${changes.indexOf(row)}`;
    const { metadata } = await create(objectOf({ ...row, name }, row.before ?? {}));
    const changed = { ...objectOf({ ...row, name }, row.spec), metadata };
    const path = pathOf(changed.kind, name, metadata.namespace);
    const change = cluster().request('PUT', `${path}${STRICT}`, changed);
    await (row.refused
      ? expect(change).rejects.toThrow(whatIsSaid(row))
      : expect(change).resolves.toMatchObject({ metadata: { name } }));
  });

  test('a namespace that is watched twice is rejected', async () => {
    const twice = sample('twice', SUBSCRIPTION.kind, { package: 'a', watchNamespaces: ['a', 'a'] });
    await expect(create(twice, DRY_RUN)).rejects.toThrow(/watchNamespaces\[1\]: Duplicate value/);
  });

  test('strict validation names an unknown field to its author', async () => {
    const typo = sample('typo', SUBSCRIPTION.kind, { package: 'a', chanel: 'b' });
    await expect(create(typo, DRY_RUN)).rejects.toThrow(/unknown field "spec.chanel"/);
  });
});

describe('the output of kubectl', () => {
  test('kubectl get answers the common questions about a Subscription', async () => {
    await create(sample('get-me', SUBSCRIPTION.kind, { package: 'gadget' }));
    await setStatus('subscription', 'get-me', {
      installed: {
        bundle: 'gadget.v1',
        version: '1.0.0',
        image: 'r.example/g@sha256:0',
        catalog: 'main',
        channel: 'stable',
        revision: 'get-me-1',
      },
      available: { bundle: 'gadget.v2', version: '2.0.0' },
      conditions: [condition('ApprovalRequired', 'Version 2.0.0 waits for approval')],
    });
    const [head, row] = await rows(['get', `subscriptions.${GROUP}`, 'get-me']);
    expect(head).toEqual(['NAME', 'PACKAGE', 'INSTALLED', 'AVAILABLE', 'READY', 'AGE', 'STATUS']);
    expect(row).toMatchObject({
      0: 'get-me',
      1: 'gadget',
      2: '1.0.0',
      3: '2.0.0',
      4: 'True',
      6: 'Version 2.0.0 waits for approval',
    });
    const [wide] = await rows(['get', `subscriptions.${GROUP}`, 'get-me', '-o', 'wide']);
    expect(wide).toEqual([
      'NAME',
      'PACKAGE',
      'INSTALLED',
      'AVAILABLE',
      'READY',
      'CHANNEL',
      'CATALOG',
      'SUSPENDED',
      'AGE',
      'STATUS',
    ]);
  });

  test('kubectl get answers the common questions about a Catalog and a Revision', async () => {
    await create(sample('main', 'Catalog', { source: { image: { ref: 'r.example/c:v1' } } }));
    await setStatus('catalog', 'main', {
      packages: 370,
      bundles: 4473,
      conditions: [condition('Succeeded', 'Serving')],
    });
    const [, catalog] = await rows(['get', `catalogs.${GROUP}`, 'main']);
    expect(catalog).toMatchObject({ 0: 'main', 1: 'True', 2: '370', 3: '4473' });
    await create(sample('get-me-1', 'Revision', REVISION_SPEC));
    const [head, revision] = await rows(['get', `revisions.${GROUP}`, 'get-me-1']);
    expect(head).toEqual(['NAME', 'SUBSCRIPTION', 'VERSION', 'STATE', 'APPROVED', 'READY', 'AGE', 'STATUS']);
    expect(revision).toMatchObject({ 0: 'get-me-1', 1: 'gadget', 2: '1.0.0', 3: 'Active', 4: 'false' });
  });

  test('kubectl get lists all kinds as one category', async () => {
    await create(sample('team', 'RegistryPolicy', { prefix: 'r.example/team' }));
    const names = await cluster().kubectl(['get', 'slipway', '-A', '-o', 'name']);
    for (const { singular } of KINDS) expect(names).toContain(`${singular}.${GROUP}/`);
  });

  test('kubectl explain shows the descriptions of the schema', async () => {
    const text = await cluster().kubectl(['explain', `subscriptions.spec.version`, `--api-version=${API_VERSION}`]);
    expect(text.replaceAll(/\s+/g, ' ')).toContain('An exact version is a pin.');
  });
});

describe('the status subresource', () => {
  test('a status is written through its subresource', async () => {
    await create(sample('apart', SUBSCRIPTION.kind, { package: 'gadget' }));
    await setStatus('subscription', 'apart', { observedGeneration: 1 });
    const patch = JSON.stringify({ spec: { channel: 'beta' }, status: { observedGeneration: 7 } });
    await cluster().kubectl(['patch', `subscriptions.${GROUP}/apart`, '--type=merge', '-p', patch]);
    const stored = JSON.parse(
      await cluster().kubectl(['get', `subscriptions.${GROUP}/apart`, '-o', 'json']),
    ) as KubeObject;
    expect(stored).toMatchObject({ metadata: { generation: 2 }, status: { observedGeneration: 1 } });
  });

  test('the status of a Revision holds the largest possible inventory', async () => {
    await create(
      sample('large', REVISION.kind, {
        ...REVISION_SPEC,
        manifests: { ...REVISION_SPEC.manifests, objects: MAX_OBJECTS },
      }),
    );
    const inventory = Array.from({ length: MAX_OBJECTS }, (_, at) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      namespace: 'a-namespace-of-some-length',
      name: `gadget-with-a-rather-long-name-${at}.example.com`,
      uid: '00000000-0000-0000-0000-000000000000',
      hash: '0'.repeat(32),
    }));
    const body = sample('large', REVISION.kind, undefined, { inventory });
    await cluster().kubectl(['apply', '--server-side', '--subresource=status', '-f', '-'], JSON.stringify(body));
    const stored = JSON.parse(await cluster().kubectl(['get', `revisions.${GROUP}/large`, '-o', 'json'])) as {
      status: { inventory: unknown[] };
    };
    expect(stored.status.inventory).toHaveLength(MAX_OBJECTS);
  });
});

interface Conditioned {
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

/** The query that kubectl sends. */
const STRICT = '?fieldValidation=Strict';
const DRY_RUN = `${STRICT}&dryRun=All`;

async function create(object: KubeObject, query = STRICT): Promise<KubeObject> {
  const path = pathOf(object.kind, undefined, object.metadata.namespace);
  return (await cluster().request('POST', `${path}${query}`, object)) as unknown as KubeObject;
}

function sample(name: string, kind: string, spec: unknown, status?: unknown): KubeObject {
  const isCluster = kind === 'Catalog' || kind === 'RegistryPolicy';
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: { name, ...(!isCluster && { namespace: 'default' }) },
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  };
}

function condition(reason: string, message: string): Readonly<Record<string, string>> {
  return { type: 'Ready', status: 'True', reason, message, lastTransitionTime: '2026-01-02T03:04:05Z' };
}

async function setStatus(kind: string, name: string, status: unknown): Promise<void> {
  const target = `${kind}s.${GROUP}/${name}`;
  await cluster().kubectl(['patch', target, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
}

/** The output of kubectl, cut into cells: columns are three spaces apart. */
async function rows(args: readonly string[]): Promise<readonly (readonly string[])[]> {
  const printed = await cluster().kubectl(args);
  return printed
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/));
}

/** The API server's name of the field and the message of the rule. */
function whatIsSaid({ refused, misfit }: RuleCase): RegExp {
  const said = refused ? [refused.path, refused.message] : [misfit ?? ''];
  return new RegExp(said.map((part) => part.replaceAll(/[[\](){}.*+?^$|\\]/g, String.raw`\$&`)).join('[^]*'));
}
