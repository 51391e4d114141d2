import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { formatJson } from '../../api/json.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import type { Bundle } from '../bundle.ts';
import { parseBundle } from '../parse.ts';
import { renderBundle } from '../render/render.ts';
import { validateBundle } from '../validate/validate.ts';
import { AUTHOR_CHECKS } from './ledger.ts';
import { composeBundle, type AuthorOptions, type ComposedBundle, type ExistingBundle } from './compose.ts';
import type { SourceObject } from './source.ts';
import {
  account,
  CRD,
  deployment,
  gadgetWith,
  GADGET,
  LEASES,
  NAMESPACE,
  rbac,
  roleRef,
  RULES,
  SAMPLE,
  sourceOf,
  WEBHOOKS,
} from './testing/gadget-source.ts';
import { rightsOf } from './testing/rights.ts';

const OPTIONS: AuthorOptions = { package: 'gadget-operator', version: '1.2.0', channels: ['stable'] };

function compose(
  sources: readonly SourceObject[] = gadgetWith(),
  options: Partial<AuthorOptions> = {},
  existing?: ExistingBundle,
): ComposedBundle {
  return composeBundle(sources, { ...OPTIONS, ...options }, existing);
}

/** The bundle as other tools read it. */
function parse({ csv, objects, annotations }: ComposedBundle): Bundle {
  const texts = [
    ['metadata/annotations.yaml', formatJson({ annotations: Object.fromEntries(annotations) })],
    ...[csv, ...objects].map((object, index) => [`manifests/${index}.yaml`, formatJson(object)]),
  ] as const;
  return parseBundle(new Map(texts.map(([path, text]) => [path, Buffer.from(text)])));
}

function render(composed: ComposedBundle, namespace = NAMESPACE): readonly KubeObject[] {
  return renderBundle(parse(composed), { namespace, certificates: 'manager' });
}

function find(objects: readonly KubeObject[], name: string): KubeObject | undefined {
  return objects.find((object) => describeRef(refOf(object)) === name);
}

const spec = ({ csv }: ComposedBundle): Readonly<Record<string, unknown>> =>
  csv['spec'] as Readonly<Record<string, unknown>>;

const isError = ({ level }: { readonly level: string }): boolean => level === 'error';

describe('every object of the source', () => {
  test.each([
    { word: 'namespace', places: [], note: /namespace of its Subscription/ },
    { word: 'crd', places: ['manifests'], note: /cert-manager/ },
    { word: 'account', places: ['csv'], field: 'spec.install.spec' },
    { word: 'role', places: ['csv'], field: 'spec.install.spec.clusterPermissions' },
    { word: 'binding', places: ['csv'], field: 'spec.install.spec.clusterPermissions' },
    { word: 'leases', places: ['manifests'] },
    { word: 'leader', places: ['manifests'] },
    { word: 'viewer', places: ['manifests'] },
    { word: 'settings', places: ['manifests'] },
    { word: 'service', places: ['csv'], field: 'spec.webhookdefinitions', note: /Service of its own/ },
    { word: 'deployment', places: ['csv'], field: 'spec.install.spec.deployments', note: /volume cert/ },
    { word: 'issuer', places: [], note: /issuer/ },
    { word: 'certificate', places: [], note: /issued, mounted and trusted/ },
    { word: 'webhooks', places: ['csv'], field: 'spec.webhookdefinitions' },
    { word: 'sample', places: ['csv'], field: 'metadata.annotations[alm-examples]' },
  ])('is in the bundle, or left out with the reason: the $word', ({ word, places, field, note }) => {
    const { placements } = compose();
    expect(placements).toHaveLength(GADGET.size);
    const placement = placements[[...GADGET.keys()].indexOf(word)];
    expect(placement).toMatchObject({ places, ...(field !== undefined && { field }) });
    expect(placement?.notes.join()).toMatch(note ?? /^$/);
  });

  test('is in a bundle that can be installed and published', () => {
    const findings = validateBundle(parse(compose()), { suites: ['install', 'format'] });
    expect(findings.filter(isError)).toEqual([]);
    expect(render(compose()).map(({ kind }) => kind)).toContain('Deployment');
  });

  test('loses the namespace of the source, so that the operator can be installed into any', () => {
    for (const { metadata } of render(compose(), 'elsewhere').filter(
      (object) => object.metadata.namespace !== undefined,
    ))
      expect(metadata.namespace, metadata.name).toBe('elsewhere');
  });

  test('has the same place in the next run, which changes nothing', () => {
    const first = compose();
    const { csv, annotations, dockerfile } = first;
    expect(compose(gadgetWith(), {}, { csv, annotations, dockerfile })).toEqual(first);
  });
});

describe('a field that is null is absent, as for the API server', () => {
  const webhooks = (fields: Readonly<Record<string, unknown>>) => ({
    ...WEBHOOKS,
    metadata: { name: 'other' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { service: { name: 'webhook-service', namespace: NAMESPACE, port: null } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...fields,
      },
    ],
  });
  test.each<{ readonly because: string; readonly object: Readonly<Record<string, unknown>> }>([
    {
      because: 'a certificate',
      object: {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { name: 'other', namespace: NAMESPACE, annotations: null },
        spec: { secretName: null, dnsNames: null },
      },
    },
    { because: 'the conditions of a webhook', object: webhooks({ matchConditions: null, rules: null }) },
    {
      because: 'the selector of a webhook',
      object: webhooks({ namespaceSelector: { matchLabels: null, matchExpressions: null } }),
    },
    {
      because: 'the parts of Pods',
      object: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'second', namespace: NAMESPACE, labels: null },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' }, annotations: null },
            spec: {
              initContainers: null,
              volumes: null,
              containers: [{ name: 'c', image: 'quay.io/x/y:v1', env: null, volumeMounts: null }],
            },
          },
        },
      },
    },
  ])('$because', ({ object }) => {
    const withNull = composeBundle([...gadgetWith(), ...sourceOf([object])], OPTIONS);
    const without = composeBundle(
      [...gadgetWith(), ...sourceOf([JSON.parse(JSON.stringify(object), dropNull)])],
      OPTIONS,
    );
    expect(formatJson(withNull.csv)).toBe(formatJson(without.csv));
  });

  function dropNull(_key: string, value: unknown): unknown {
    return value === null ? undefined : value;
  }
});

describe('the rights of an installation are those of the source', () => {
  const two = (subject: string) =>
    rbac('ClusterRoleBinding', `two-${subject}`, {
      ...roleRef('ClusterRole', 'gadget-viewer'),
      subjects: [account(subject)],
    });
  test.each([
    { because: 'rights of the cluster, and rights of the namespace', changes: {} },
    {
      because: 'a second Deployment has an account of its own',
      changes: {
        worker: deployment('worker', { serviceAccountName: 'worker' }),
        workerAccount: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'worker', namespace: NAMESPACE } },
        workerBinding: two('worker'),
      },
    },
    {
      because: 'an account that no Deployment uses has rights of the cluster',
      changes: {
        helper: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'helper', namespace: NAMESPACE } },
        helperBinding: two('helper'),
      },
    },
    {
      because: 'a ClusterRole counts in one namespace',
      changes: {
        leader: rbac(
          'RoleBinding',
          'leader',
          { ...roleRef('ClusterRole', 'gadget-viewer'), subjects: [account('manager')] },
          NAMESPACE,
        ),
      },
    },
    {
      because: 'one binding names the account and another one',
      changes: {
        binding: rbac('ClusterRoleBinding', 'manager', {
          ...roleRef('ClusterRole', 'manager-role'),
          subjects: [account('manager'), account('prometheus', 'monitoring')],
        }),
      },
    },
    {
      because: 'a RoleBinding of the namespace names the account and another one',
      changes: {
        leader: rbac(
          'RoleBinding',
          'leader',
          { ...roleRef('Role', 'leader-election'), subjects: [account('manager'), account('x', 'monitoring')] },
          NAMESPACE,
        ),
      },
    },
    {
      because: 'the account has rights in its namespace only',
      changes: {
        binding: undefined,
        crd: { ...CRD, spec: { ...(CRD['spec'] as object), conversion: undefined } },
        webhooks: undefined,
      },
    },
    {
      because: 'an account of the same name is in another namespace',
      changes: {
        binding: rbac('ClusterRoleBinding', 'manager', {
          ...roleRef('ClusterRole', 'manager-role'),
          subjects: [account('manager', 'other')],
        }),
      },
    },
    { because: 'the account has no rights', changes: { binding: undefined, leader: undefined } },
    {
      because: 'the Deployment runs as the default account',
      changes: {
        deployment: deployment('controller', { serviceAccountName: undefined }),
        binding: rbac('ClusterRoleBinding', 'manager', {
          ...roleRef('ClusterRole', 'manager-role'),
          subjects: [account('default')],
        }),
      },
    },
    {
      because: 'two roles have the same rules',
      changes: {
        again: rbac('ClusterRole', 'again', { rules: RULES }),
        againBinding: rbac('ClusterRoleBinding', 'again', {
          ...roleRef('ClusterRole', 'again'),
          subjects: [account('manager')],
        }),
      },
    },
  ])('$because', ({ changes }) => {
    const sources = gadgetWith(changes);
    const elsewhere = JSON.parse(formatJson(sources).replaceAll(NAMESPACE, 'elsewhere')) as readonly SourceObject[];
    const composed = compose(sources);
    expect(validateBundle(parse(composed), { suites: ['install', 'format'] }).filter(isError)).toEqual([]);
    const objects = render(composed, 'elsewhere');
    expect(rightsOf(objects)).toEqual(rightsOf(elsewhere.map(({ object }) => object)));
    expect(accountsOf(objects)).toEqual(accountsOf(elsewhere.map(({ object }) => object)));
  });

  const accountsOf = (objects: readonly KubeObject[]): ReadonlySet<string> =>
    new Set(objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name));

  test('a right of the namespace is in permissions if the operator watches no other', () => {
    const composed = compose(
      gadgetWith({ binding: undefined, webhooks: undefined, crd: undefined, sample: undefined }),
    );
    expect(composed.modes).toEqual(['OwnNamespace']);
    expect(spec(composed)['install']).toMatchObject({
      spec: { permissions: [{ serviceAccountName: 'manager', rules: LEASES }] },
    });
  });

  test('a ClusterRole of every cluster has its rules in the CSV', () => {
    const changes = {
      binding: rbac('ClusterRoleBinding', 'manager', {
        ...roleRef('ClusterRole', 'system:auth-delegator'),
        subjects: [account('manager')],
      }),
    };
    const rights = rightsOf(render(compose(gadgetWith(changes))));
    expect([...rights].join('\n')).toContain('create tokenreviews');
    expect([...rights].join('\n')).toContain('create subjectaccessreviews');
  });
});

describe('webhooks', () => {
  const called = (composed: ComposedBundle): KubeObject | undefined =>
    find(render(composed), `Service ${NAMESPACE}/controller-service`);

  test('are called at the same path and port of the same Pods as in the source', () => {
    const composed = compose();
    expect(spec(composed)['webhookdefinitions']).toMatchObject([
      {
        type: 'ValidatingAdmissionWebhook',
        generateName: 'vgadget.example.com',
        webhookPath: '/validate',
        targetPort: 9443,
      },
      { type: 'ConversionWebhook', webhookPath: '/convert', conversionCRDs: ['gadgets.example.com'] },
    ]);
    const crd = composed.objects.find(({ kind }) => kind === 'CustomResourceDefinition');
    expect(crd?.['spec']).not.toHaveProperty('conversion');
    expect(called(composed)?.['spec']).toMatchObject({
      ports: [{ port: 443, targetPort: 9443 }],
      selector: { app: 'controller' },
    });
  });

  test('of a named port keep its name', () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'webhook-service' },
      spec: { selector: { app: 'controller' }, ports: [{ port: 443, targetPort: 'webhook' }] },
    };
    expect(called(compose(gadgetWith({ service })))?.['spec']).toMatchObject({
      ports: [{ port: 443, targetPort: 'webhook' }],
    });
  });

  test('of one name and type in two configurations have names of their own', () => {
    const again = { ...WEBHOOKS, metadata: { name: 'again' } };
    const names = (
      spec(compose(gadgetWith({ again })))['webhookdefinitions'] as readonly { readonly generateName: string }[]
    ).map(({ generateName }) => generateName);
    expect(names).toEqual(['vgadget.example.com', 'again.vgadget.example.com', 'cgadgets.example.com']);
  });

  test('a Service with further ports is kept for them', () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'webhook-service' },
      spec: {
        selector: { app: 'controller' },
        ports: [
          { port: 443, name: 'a' },
          { port: 8443, name: 'metrics' },
        ],
      },
    };
    expect(find(render(compose(gadgetWith({ service }))), `Service ${NAMESPACE}/webhook-service`)).toBeDefined();
  });
});

describe('certificates', () => {
  const pod = (path: string) => ({
    containers: [
      { name: 'manager', image: 'registry.example/gadget:v1.2.0', volumeMounts: [{ name: 'cert', mountPath: path }] },
    ],
  });
  const volumesOf = (composed: ComposedBundle): readonly unknown[] => {
    const deployments = (
      spec(composed)['install'] as {
        readonly spec: {
          readonly deployments: readonly {
            readonly spec: { readonly template: { readonly spec: { readonly volumes?: readonly unknown[] } } };
          }[];
        };
      }
    ).spec.deployments;
    return deployments[0]?.spec.template.spec.volumes ?? [];
  };

  test('at the usual place are mounted by the installation alone', () => {
    expect(volumesOf(compose())).toEqual([]);
  });

  test('at another place are those that the installation issues', () => {
    const composed = compose(gadgetWith({ deployment: deployment('controller', pod('/certs')) }));
    expect(volumesOf(composed)).toEqual([{ name: 'cert', secret: { secretName: 'controller-service-cert' } }]);
  });

  const USUAL = '/tmp/k8s-webhook-server/serving-certs';
  test.each([
    { because: 'another container', more: { containers: [...pod(USUAL).containers, ...pod('/certs').containers] } },
    { because: 'an init container', more: { ...pod(USUAL), initContainers: pod(USUAL).containers } },
  ])('at the usual place stay if $because mounts them too', ({ more }) => {
    const composed = compose(gadgetWith({ deployment: deployment('controller', more) }));
    expect(volumesOf(composed)).toEqual([{ name: 'cert', secret: { secretName: 'controller-service-cert' } }]);
  });

  test('of a Deployment without webhooks stay as they are', () => {
    const composed = compose(gadgetWith({ webhooks: undefined, crd: undefined, sample: undefined }));
    expect(volumesOf(composed)).toHaveLength(1);
    expect(composed.findings.map(({ check }) => check)).toContain('certificate');
  });
});

describe('the ClusterServiceVersion', () => {
  const edited = (changes: object): ExistingBundle => {
    const { csv } = compose();
    return { csv: { ...csv, spec: { ...(csv['spec'] as object), ...changes } } };
  };

  test.each([
    { field: 'displayName', value: 'Gadgets' },
    { field: 'description', value: '# Gadgets' },
    { field: 'icon', value: [{ base64data: 'AA==', mediatype: 'image/png' }] },
    { field: 'maturity', value: 'beta' },
    { field: 'links', value: [{ name: 'Home', url: 'https://example.com' }] },
    { field: 'nativeAPIs', value: [{ group: '', version: 'v1', kind: 'Pod' }] },
    { field: 'skips', value: ['gadget-operator.v1.1.9'] },
  ])('keeps the $field that a person has written', ({ field, value }) => {
    expect(spec(compose(gadgetWith(), {}, edited({ [field]: value })))[field]).toEqual(value);
  });

  test('keeps the words about a kind, and the images that a person has added', () => {
    const owned = [
      {
        name: 'gadgets.example.com',
        version: 'v1',
        kind: 'Gadget',
        displayName: 'The gadget',
        specDescriptors: [{ path: 'ticks' }],
      },
    ];
    const relatedImages = [
      { name: 'operand', image: 'registry.example/operand:v1' },
      { name: 'manager', image: 'registry.example/gadget:v1.2.0' },
    ];
    const { customresourcedefinitions, relatedImages: images } = spec(
      compose(gadgetWith(), {}, edited({ customresourcedefinitions: { owned }, relatedImages })),
    );
    expect(customresourcedefinitions).toMatchObject({ owned: [owned[0], { version: 'v1beta1' }] });
    expect(images).toEqual([relatedImages[1], relatedImages[0]]);
  });

  test('does not get back a suggestion that a person has removed', () => {
    const { csv } = compose();
    const { keywords, ...others } = csv['spec'] as Readonly<Record<string, unknown>>;
    expect(keywords).toEqual(['gadget']);
    expect(spec(compose(gadgetWith(), {}, { csv: { ...csv, spec: others } }))).not.toHaveProperty('keywords');
  });

  test('follows the source in everything that an installation needs', () => {
    const existing = edited({ install: { strategy: 'helm' }, webhookdefinitions: [], installModes: [] });
    expect(compose(gadgetWith(), {}, existing).csv['spec']).toEqual(compose().csv['spec']);
  });

  test('of the source gives the words of a first run', () => {
    const base = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: { name: 'gadget.v0.0.0' },
      spec: { displayName: 'From the base' },
    };
    const composed = compose(gadgetWith({ base }));
    expect(spec(composed)['displayName']).toBe('From the base');
    expect(composed.csv.metadata.name).toBe('gadget-operator.v1.2.0');
  });

  test('names images by digest, in containers, variables and related images', () => {
    const env = [
      { name: 'RELATED_IMAGE_TICKER', value: 'registry.example/ticker:v3' },
      { name: 'OTHER', value: 'registry.example/ticker:v3' },
    ];
    const containers = [{ name: 'manager', image: 'registry.example/gadget:v1.2.0', env }];
    const digests = new Map(
      ['gadget:v1.2.0', 'ticker:v3'].map((image) => [
        `registry.example/${image}`,
        `registry.example/${image.split(':')[0]}@sha256:${'0'.repeat(64)}`,
      ]),
    );
    const composed = compose(gadgetWith({ deployment: deployment('controller', { containers, volumes: undefined }) }), {
      digests,
    });
    const text = formatJson(composed.csv);
    expect(text.match(/gadget@sha256/g)).toHaveLength(2);
    expect(text.match(/ticker@sha256/g)).toHaveLength(2);
    expect(composed.findings).toEqual([]);
  });
});

describe('a custom resource of the operator’s own kinds', () => {
  test('is an example unless it is said to be installed', () => {
    expect(find(render(compose()), 'Gadget.example.com gadget-system/first')).toBeUndefined();
    expect(JSON.parse(compose().csv.metadata.annotations?.['alm-examples'] ?? '')).toEqual([SAMPLE]);
    const placed = { ...SAMPLE, metadata: { name: 'first', namespace: NAMESPACE } };
    const { csv } = compose(gadgetWith({ sample: placed })); // as kustomize writes it
    expect(JSON.parse(csv.metadata.annotations?.['alm-examples'] ?? '')).toEqual([SAMPLE]);
    const installed = compose(gadgetWith(), { customResources: 'install' });
    expect(find(render(installed), 'Gadget.example.com gadget-system/first')).toBeDefined();
    expect(installed.csv.metadata.annotations).not.toHaveProperty('alm-examples');
  });
});

describe('a source of which no bundle can be made is refused', () => {
  const service = (spec: unknown): object => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec });
  test.each([
    {
      because: 'two Deployments have one name',
      sources: gadgetWith({ again: deployment() }),
      says: ['Deployment.apps gadget-system/controller is there twice', '15.yaml'],
    },
    { because: 'there is no Deployment', sources: gadgetWith({ deployment: undefined }), says: ['no Deployment'] },
    { because: 'there is nothing', sources: [], says: ['no objects'] },
    {
      because: 'Deployments are in two namespaces',
      sources: gadgetWith({ b: { ...deployment('b'), metadata: { name: 'b', namespace: 'other' } } }),
      says: ['gadget-system, other'],
    },
    {
      because: 'a Deployment has no container',
      sources: gadgetWith({ deployment: deployment('controller', { containers: [] }) }),
      says: ['10.yaml', 'containers'],
    },
    {
      because: 'a field has another type',
      sources: gadgetWith({ deployment: deployment('controller', { containers: [{ name: 'm', image: 1 }] }) }),
      says: ['image must be a string'],
    },
    {
      because: 'subjects are no list',
      sources: gadgetWith({
        binding: rbac('ClusterRoleBinding', 'b', { ...roleRef('ClusterRole', 'x'), subjects: 'all' }),
      }),
      says: ['subjects'],
    },
    {
      because: 'a port is no number',
      sources: gadgetWith({ s: service({ ports: [{ port: 'http' }] }) as never }),
      says: ['spec.ports.0.port'],
    },
    {
      because: 'an object to be left out is not there',
      sources: gadgetWith(),
      options: { leaveOut: ['Job.batch'] },
      says: ['"Job.batch"'],
    },
    {
      because: 'there are two CSVs',
      sources: gadgetWith(
        Object.fromEntries(
          ['a', 'b'].map((name) => [
            name,
            { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion', metadata: { name } },
          ]),
        ),
      ),
      says: ['15.yaml', '16.yaml'],
    },
  ])('$because', ({ sources, options, says }) => {
    const error = refusalOf(() => compose(sources, options));
    expect(error).toMatchObject({ reason: 'InputInvalid', retry: 'never', hint: expect.any(String) });
    for (const text of says) expect(error.message).toContain(text);
  });
});

function refusalOf(act: () => unknown): ReasonedError {
  try {
    act();
  } catch (error) {
    if (error instanceof ReasonedError) return error;
    throw error;
  }
  throw new Error('it is not refused');
}

describe('a finding names the check, the object and the remedy', () => {
  const DAEMON = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent', namespace: NAMESPACE } };
  const selector = { matchLabels: { team: 'a' } };
  const METRICS = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.metrics.example' },
    spec: { group: 'metrics.example', version: 'v1', service: { name: 'webhook-service', namespace: NAMESPACE } },
  };
  const CASES = [
    {
      because: 'no bundle may have the kind',
      changes: { DAEMON },
      found: ['error', 'unsupported-kind', 'DaemonSet.apps gadget-system/agent'],
    },
    {
      because: 'no API server knows the kind',
      changes: { x: { apiVersion: 'unknown.example/v1', kind: 'Thing', metadata: { name: 't' } } },
      found: ['error', 'unsupported-kind', 'Thing.unknown.example t'],
    },
    {
      because: 'an object is in another namespace',
      changes: { x: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'kube-system' } } },
      found: ['error', 'other-namespace', 'ConfigMap kube-system/x'],
    },
    {
      because: 'rights are in another namespace',
      changes: {
        x: rbac(
          'RoleBinding',
          'reader',
          { ...roleRef('Role', 'extension-apiserver-authentication-reader'), subjects: [account('manager')] },
          'kube-system',
        ),
      },
      found: ['error', 'other-namespace', 'RoleBinding.rbac.authorization.k8s.io kube-system/reader'],
    },
    {
      because: 'a Role is bound to an account of others',
      changes: {
        leader: rbac(
          'RoleBinding',
          'leader',
          { ...roleRef('Role', 'leader-election'), subjects: [account('prometheus', 'monitoring')] },
          NAMESPACE,
        ),
      },
      found: ['warning', 'foreign-account', 'RoleBinding.rbac.authorization.k8s.io gadget-system/leader'],
    },
    {
      because: 'the account of a Deployment is missing',
      changes: { account: undefined, binding: undefined, leader: undefined },
      found: ['error', 'missing-account', 'Deployment.apps gadget-system/controller'],
    },
    {
      because: 'the account is missing, and bindings name it',
      changes: { account: undefined },
      found: ['warning', 'missing-account', 'Deployment.apps gadget-system/controller'],
    },
    {
      because: 'a role is missing',
      changes: { leases: undefined },
      found: ['error', 'missing-role', 'RoleBinding.rbac.authorization.k8s.io gadget-system/leader'],
    },
    {
      because: 'a ClusterRole gets its rules in a cluster',
      changes: { role: rbac('ClusterRole', 'manager-role', { rules: [], aggregationRule: {} }) },
      found: ['error', 'fixed-namespace', 'ClusterRoleBinding.rbac.authorization.k8s.io manager'],
    },
    {
      because: 'the Service of a webhook is missing',
      changes: { service: undefined },
      found: ['error', 'missing-service', 'ValidatingWebhookConfiguration.admissionregistration.k8s.io validating'],
    },
    {
      because: 'the Service of a webhook selects no Deployment',
      changes: {
        service: {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'webhook-service' },
          spec: { selector: { app: 'x' } },
        },
      },
      found: ['error', 'missing-service', 'CustomResourceDefinition.apiextensions.k8s.io gadgets.example.com'],
    },
    {
      because: 'a webhook is called by its address',
      changes: { webhooks: withWebhook({ clientConfig: { url: 'https://x' } }) },
      found: ['error', 'missing-service', 'ValidatingWebhookConfiguration.admissionregistration.k8s.io validating'],
    },
    {
      because: 'a webhook is limited to some namespaces',
      changes: { webhooks: withWebhook({ namespaceSelector: selector }) },
      found: ['error', 'lost-part', 'ValidatingWebhookConfiguration.admissionregistration.k8s.io validating'],
    },
    {
      because: 'a webhook has conditions',
      changes: { webhooks: withWebhook({ matchConditions: [{ name: 'a', expression: 'true' }] }) },
      found: ['error', 'lost-part', 'ValidatingWebhookConfiguration.admissionregistration.k8s.io validating'],
    },
    {
      because: 'an account has annotations',
      changes: {
        account: {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: 'manager', annotations: { role: 'x' } },
        },
      },
      found: ['warning', 'lost-part', 'ServiceAccount manager'],
    },
    {
      because: 'a certificate is for no webhook',
      changes: {
        metrics: {
          apiVersion: 'cert-manager.io/v1',
          kind: 'Certificate',
          metadata: { name: 'metrics', namespace: NAMESPACE },
          spec: { secretName: 'metrics', dnsNames: ['metrics'] },
        },
      },
      found: ['error', 'certificate', 'Certificate.cert-manager.io gadget-system/metrics'],
    },
    {
      because: 'an image has no digest',
      changes: {},
      found: ['warning', 'unpinned-image', 'Deployment.apps gadget-system/controller'],
    },
    {
      because: 'no object shows the kinds of an APIService',
      changes: { x: METRICS },
      found: ['error', 'unknown-kind', 'APIService.apiregistration.k8s.io v1.metrics.example'],
    },
    {
      because: 'an installation gives the server of an API its usual rights',
      changes: { x: METRICS, y: { apiVersion: 'metrics.example/v1', kind: 'Metric', metadata: { name: 'y' } } },
      found: ['warning', 'added-right', 'Deployment.apps gadget-system/controller'],
    },
  ];

  test.each(CASES)('$because', ({ changes, found: [level, check, object] }) => {
    const { findings } = compose(gadgetWith(changes));
    expect(findings).toContainEqual({ level, check, object, message: expect.any(String), advice: expect.any(String) });
  });

  test('every check has a case, but those about files and clusters, which other tests have', () => {
    const checks = new Set(CASES.map(({ found: [, check] }) => check));
    expect(new Set([...checks, 'leftover-file', 'copied-secret', 'needed-secret'])).toEqual(
      new Set(Object.keys(AUTHOR_CHECKS)),
    );
  });

  test('the sample itself has none but that of its image', () => {
    expect(compose().findings.map(({ check }) => check)).toEqual(['unpinned-image']);
  });

  test('there is none about an object that the author leaves out on purpose', () => {
    const { findings, placements } = compose(gadgetWith({ DAEMON }), { leaveOut: ['DaemonSet.apps/agent'] });
    expect(findings.map(({ check }) => check)).toEqual(['unpinned-image']);
    expect(placements.at(-1)).toMatchObject({ places: [], notes: ['--leave-out DaemonSet.apps/agent'] });
  });
});

function withWebhook(changes: object): Readonly<Record<string, unknown>> {
  const [webhook] = WEBHOOKS['webhooks'] as readonly object[];
  return { ...WEBHOOKS, webhooks: [{ ...webhook, ...changes }] };
}

describe('an object of a cluster', () => {
  test('loses the fields that the API server and its clients have set', () => {
    const live = {
      ...GADGET.get('settings'),
      metadata: {
        name: 'settings',
        namespace: NAMESPACE,
        uid: 'x',
        resourceVersion: '1',
        managedFields: [],
        creationTimestamp: '2026-01-01T00:00:00Z',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', mine: 'yes' },
      },
      status: {},
    };
    const settings = compose(gadgetWith({ settings: live })).objects.find(({ kind }) => kind === 'ConfigMap');
    expect(settings).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', annotations: { mine: 'yes' } },
      data: { level: 'info' },
    });
  });

  test('of a list is taken by itself', () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [...GADGET.values()] };
    expect(compose(sourceOf([list])).csv).toEqual(compose().csv);
  });
});

describe('APIServices', () => {
  const GROUP = 'api.example.com';
  const apiService = (changes: object = {}, version = 'v1') => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      name: `${version}.${GROUP}`,
      annotations: { 'cert-manager.io/inject-ca-from': `${NAMESPACE}/api-cert` },
    },
    spec: {
      group: GROUP,
      version,
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: { name: 'api', namespace: NAMESPACE },
      ...changes,
    },
  });
  const service = (targetPort: number | string, others: readonly object[] = []) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'api', namespace: NAMESPACE },
    spec: { selector: { app: 'controller' }, ports: [{ port: 443, targetPort }, ...others] },
  });
  const certificate = {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name: 'api-cert', namespace: NAMESPACE },
    spec: { dnsNames: [`api.${NAMESPACE}.svc`], secretName: 'api-tls' },
  };
  const delegator = rbac('ClusterRoleBinding', 'api-delegator', {
    ...roleRef('ClusterRole', 'system:auth-delegator'),
    subjects: [account('manager')],
  });
  const reader = rbac(
    'RoleBinding',
    'api-reader',
    { ...roleRef('Role', 'extension-apiserver-authentication-reader'), subjects: [account('manager')] },
    'kube-system',
  );
  const reading = { apiVersion: `${GROUP}/v1`, kind: 'Reading', metadata: { name: 'now', namespace: NAMESPACE } };
  const serving = deployment('controller', {
    containers: [
      {
        name: 'manager',
        image: `registry.example/gadget@sha256:${'0'.repeat(64)}`,
        ports: [{ name: 'api', containerPort: 8443 }],
        volumeMounts: [{ name: 'serving', mountPath: '/apiserver.local.config/certificates' }],
      },
    ],
    volumes: [{ name: 'serving', secret: { secretName: 'api-tls' } }],
  });
  const all = {
    apiService: apiService(),
    api: service(8443),
    apiCertificate: certificate,
    delegator,
    reader,
    reading,
    deployment: serving,
  };
  const owned = (composed: ComposedBundle) =>
    (spec(composed)['apiservicedefinitions'] as { owned?: readonly object[] } | undefined)?.owned;
  const DEFINITION = {
    name: 'readings',
    group: GROUP,
    version: 'v1',
    kind: 'Reading',
    deploymentName: 'controller',
    containerPort: 8443,
  };

  test('are definitions of the CSV, with their kinds, port, certificate and bindings; nothing is left in manifests', () => {
    const composed = compose(gadgetWith(all));
    expect(owned(composed)).toEqual([DEFINITION]);
    expect(composed.findings.filter(isError)).toEqual([]);
    const placeOf = (name: string) => composed.placements.find(({ object }) => object === name);
    for (const name of [
      `APIService.apiregistration.k8s.io v1.${GROUP}`,
      `Service ${NAMESPACE}/api`,
      'ClusterRoleBinding.rbac.authorization.k8s.io api-delegator',
      'RoleBinding.rbac.authorization.k8s.io kube-system/api-reader',
    ])
      expect(placeOf(name), name).toMatchObject({ places: ['csv'], field: 'spec.apiservicedefinitions' });
    expect(placeOf(`Certificate.cert-manager.io ${NAMESPACE}/api-cert`)).toMatchObject({ places: [] });
    expect(placeOf(`Reading.${GROUP} ${NAMESPACE}/now`)).toMatchObject({ field: 'metadata.annotations[alm-examples]' });
    expect(JSON.stringify(spec(composed)['install'])).not.toContain('api-tls');
    expect(validateBundle(parse(composed), { suites: ['install', 'format'] }).filter(isError)).toEqual([]);
  });

  test('are installed as they were: the same API, called on the port of the server, with the same rights', () => {
    const composed = compose(gadgetWith(all));
    const rendered = render(composed);
    expect(find(rendered, `APIService.apiregistration.k8s.io v1.${GROUP}`)?.['spec']).toMatchObject({
      group: GROUP,
      version: 'v1',
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      service: { namespace: NAMESPACE, name: 'controller-service', port: 8443 },
    });
    expect(find(rendered, `Service ${NAMESPACE}/controller-service`)?.['spec']).toMatchObject({
      ports: expect.arrayContaining([{ name: '8443', port: 8443, targetPort: 8443 }]) as unknown,
    });
    const bindingsTo = (name: string, objects: readonly KubeObject[]) =>
      objects
        .filter(({ roleRef: role }) => (role as { readonly name?: string } | undefined)?.name === name)
        .map(({ kind, metadata: { namespace }, subjects }) => ({ kind, namespace, subjects }));
    const published = gadgetWith(all).map(({ object }) => object);
    for (const role of ['system:auth-delegator', 'extension-apiserver-authentication-reader'])
      expect(bindingsTo(role, rendered), role).toEqual(bindingsTo(role, published));
  });

  test('stay the same in the next run, with the words of a person', () => {
    const first = compose(gadgetWith(all));
    const { csv, annotations, dockerfile } = first;
    expect(compose(gadgetWith(all), {}, { csv, annotations, dockerfile })).toEqual(first);
    const edited = { ...DEFINITION, name: 'readingen', displayName: 'Readings' };
    const changed = {
      ...csv,
      spec: { ...spec(first), apiservicedefinitions: { owned: [edited], required: [{ name: 'x' }] } },
    } as KubeObject;
    expect(spec(compose(gadgetWith(all), {}, { csv: changed }))['apiservicedefinitions']).toEqual({
      owned: [edited],
      required: [{ name: 'x' }],
    });
    const gone = spec(compose(gadgetWith(), {}, { csv: changed }))['apiservicedefinitions'];
    expect(gone).toEqual({ required: [{ name: 'x' }] });
  });

  test('have the kinds that the CSV of the author names, without an example', () => {
    const { reading: _, ...others } = all;
    const base = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: { name: 'base' },
      spec: { apiservicedefinitions: { owned: [{ group: GROUP, version: 'v1', kind: 'Metric', name: 'metrics' }] } },
    };
    expect(owned(compose(gadgetWith({ ...others, base })))).toEqual([
      { ...DEFINITION, kind: 'Metric', name: 'metrics' },
    ]);
  });

  test.each([
    { because: 'its Service names the port of the container', changes: { api: service('api') }, ports: [8443] },
    {
      because: 'two versions are two definitions',
      changes: {
        second: apiService({}, 'v2'),
        later: { ...reading, apiVersion: `${GROUP}/v2`, metadata: { name: 'later', namespace: NAMESPACE } },
      },
      ports: [8443, 8443],
    },
    { because: 'one Service is called for webhooks, too', changes: { webhooks: WEBHOOKS }, ports: [8443] },
  ])('have the port of the server: $because', ({ changes, ports }) => {
    const definitions = owned(compose(gadgetWith({ ...all, ...changes }))) as readonly (typeof DEFINITION)[];
    expect(definitions.map(({ containerPort }) => containerPort)).toEqual(ports);
  });

  test('whose Service has further ports keep that Service, too', () => {
    const composed = compose(gadgetWith({ ...all, api: service(8443, [{ port: 9090 }]) }));
    expect(composed.placements.find(({ object }) => object === `Service ${NAMESPACE}/api`)?.places).toEqual([
      'csv',
      'manifests',
    ]);
  });

  test.each([
    { because: 'no kind of the API is known', changes: { reading: undefined }, check: 'unknown-kind' },
    { because: 'its Service is not in the source', changes: { api: undefined }, check: 'missing-service' },
    {
      because: 'its Service calls a port that no container names',
      changes: { api: service('tls') },
      check: 'missing-service',
    },
  ])('are left out with an error that names the remedy: $because', ({ changes, check }) => {
    const composed = compose(gadgetWith({ ...all, ...changes }));
    expect(owned(composed)).toBeUndefined();
    expect(composed.findings.filter(isError)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          check,
          object: `APIService.apiregistration.k8s.io v1.${GROUP}`,
          advice: expect.stringMatching(/\w/) as unknown,
        }),
      ]) as object,
    );
  });

  test('of CRDs are left out without a finding, as the API server makes them itself', () => {
    const composed = compose(
      gadgetWith({ local: { ...apiService({ service: undefined }), metadata: { name: 'v1.example.com' } } }),
    );
    expect(composed.findings.filter(isError)).toEqual([]);
    expect(composed.placements.at(-1)).toMatchObject({
      places: [],
      notes: ['an API server makes it for a CRD by itself'],
    });
  });

  test.each([
    { because: 'the server may not check tokens', lacks: { delegator: undefined }, role: 'system:auth-delegator' },
    {
      because: 'the server may not read the client CA',
      lacks: { reader: undefined },
      role: 'extension-apiserver-authentication-reader',
    },
  ])('a right that an installation adds is a warning: $because', ({ lacks, role }) => {
    const { findings } = compose(gadgetWith({ ...all, ...lacks }));
    expect(findings.filter(({ check }) => check === 'added-right')).toMatchObject([
      { level: 'warning', message: expect.stringContaining(role) as unknown },
    ]);
  });

  test.each([
    { because: 'other priorities', changes: { groupPriorityMinimum: 100 }, note: /priorities 2000 and 15/ },
    { because: 'a certificate that nothing verified', changes: { insecureSkipTLSVerify: true }, note: /verifies it/ },
  ])('a part without a place is a note: $because', ({ changes, note }) => {
    const { placements } = compose(gadgetWith({ ...all, apiService: apiService(changes) }));
    expect(placements.find(({ object }) => object.startsWith('APIService'))?.notes.join()).toMatch(note);
  });
});
