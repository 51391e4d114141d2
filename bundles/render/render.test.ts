import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatJson } from '../../api/json.ts';
import type { KubeObject } from '../../api/object.ts';
import { makeBundle, makeCrd, makeDeployment, WEBHOOK, type BundleParts } from '../testing/bundle.ts';
import { GENERATORS, injectCaBundles, renderBundle, supportedModes, type RenderOptions } from './render.ts';
import { requiredIn } from './required-certificates.ts';

const ALL_MODES = ['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace'];
const PERMISSION = { serviceAccountName: 'gadget', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
const CONVERSION = {
  type: 'ConversionWebhook',
  generateName: 'cgadget',
  deploymentName: 'gadget-manager',
  containerPort: 8443,
  conversionCRDs: ['gadgets.example.com'],
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
};
const OWNED = { owned: [{ name: 'gadgets.example.com', version: 'v1', kind: 'Gadget' }] };

function render(parts: BundleParts = {}, options: Partial<RenderOptions> = {}): readonly KubeObject[] {
  return renderBundle(makeBundle(parts), { namespace: 'ops', certificates: 'none', ...options });
}

function names(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(
    ({ kind, metadata }) =>
      `${kind} ${metadata.namespace ?? ''}/${metadata.name.replace(/\.v[\w.-]*-[0-9a-z]{40,}$/, '')}`,
  );
}

describe('the namespaces to watch', () => {
  const SCOPES = [
    { modes: ['AllNamespaces'], watch: undefined, targets: '', because: 'all are watched if the bundle supports it' },
    { modes: ALL_MODES, watch: undefined, targets: '', because: 'all of them, though others are supported too' },
    {
      modes: ['OwnNamespace'],
      watch: undefined,
      targets: 'ops',
      because: 'its own is watched if nothing else is supported',
    },
    { modes: ['OwnNamespace', 'SingleNamespace'], watch: undefined, targets: 'ops', because: 'its own before another' },
    { modes: ALL_MODES, watch: [''], targets: '', because: 'the empty name means all' },
    { modes: ['OwnNamespace'], watch: ['ops'], targets: 'ops', because: 'its own by its name' },
    { modes: ['SingleNamespace'], watch: ['a'], targets: 'a', because: 'one other is named' },
    { modes: ['MultiNamespace'], watch: ['a', 'b'], targets: 'a,b', because: 'several' },
    {
      modes: ['MultiNamespace', 'OwnNamespace'],
      watch: ['a', 'ops'],
      targets: 'a,ops',
      because: 'its own among several',
    },
  ] as const;

  it.each(SCOPES)('the namespaces to watch are $targets: $because', ({ modes, watch, targets }) => {
    const objects = render({ modes }, watch === undefined ? {} : { watchNamespaces: watch });
    expect(podAnnotations(objects)).toMatchObject({ 'olm.targetNamespaces': targets, 'olm.operatorNamespace': 'ops' });
  });

  const UNSUPPORTED = [
    { modes: ['SingleNamespace'], watch: undefined, because: 'none is named and no default is supported' },
    { modes: ['OwnNamespace'], watch: [''], because: 'all are not supported' },
    { modes: ['AllNamespaces'], watch: ['ops'], because: 'its own is not supported' },
    { modes: ['OwnNamespace'], watch: ['a'], because: 'another is not supported' },
    { modes: ['SingleNamespace'], watch: ['a', 'b'], because: 'several are not supported' },
    { modes: ['MultiNamespace'], watch: ['a', 'ops'], because: 'several, but not its own' },
    { modes: ['AllNamespaces'], watch: ['', 'a'], because: 'all and another contradict each other' },
    { modes: ALL_MODES, watch: [], because: 'an empty list names none' },
    { modes: [], watch: undefined, because: 'no mode is supported at all' },
  ] as const;

  it.each(UNSUPPORTED)('namespaces are refused with the supported modes: $because', ({ modes, watch }) => {
    const error = thrown(() => render({ modes }, watch === undefined ? {} : { watchNamespaces: watch }));
    expect(error).toMatchObject({ reason: 'InstallModeUnsupported', retry: 'never' });
    for (const mode of modes) expect((error as Error).message).toContain(mode);
  });

  it.each([
    { namespace: 'UPPER', watch: undefined, named: '"UPPER"', because: 'it has capitals' },
    { namespace: '', watch: undefined, named: '""', because: 'it is empty' },
    { namespace: 'a.b', watch: undefined, named: '"a.b"', because: 'it has a dot' },
    { namespace: 'a'.repeat(64), watch: undefined, named: 'aaaa', because: 'it is too long' },
    { namespace: 'ops', watch: ['a b'], named: '"a b"', because: 'a watched namespace has a space' },
    { namespace: 'ops', watch: ['a', '-'], named: '"-"', because: 'one of several watched namespaces is invalid' },
  ])('namespaces are refused if a name is invalid: $because', ({ namespace, watch, named }) => {
    const options = { namespace, ...(watch !== undefined && { watchNamespaces: watch }) };
    const error = thrown(() => render({ modes: ALL_MODES }, options));
    expect(error).toMatchObject({ reason: 'InvalidConfiguration', retry: 'never' });
    expect((error as Error).message).toContain(named);
  });

  it('an install mode that does not exist is never supported', () => {
    const installModes = [
      { type: 'AllNamespace', supported: true },
      { type: 'OwnNamespace', supported: true },
    ];
    expect(supportedModes(makeBundle({ spec: { installModes } }))).toEqual(['OwnNamespace']);
  });
});

describe('roles', () => {
  const parts = { modes: ALL_MODES, permissions: [PERMISSION], clusterPermissions: [PERMISSION] };

  it('roles become cluster roles when all namespaces are watched, with the right to see namespaces', () => {
    const objects = render(parts);
    expect(names(objects)).toEqual([
      'ServiceAccount ops/gadget',
      'ClusterRole /gadget-operator',
      'ClusterRoleBinding /gadget-operator',
      'ClusterRole /gadget-operator',
      'ClusterRoleBinding /gadget-operator',
      'Deployment ops/gadget-manager',
    ]);
    expect(objects[3]?.['rules']).toEqual([
      ...PERMISSION.rules.map(({ verbs, ...rule }) => ({ verbs, ...rule })),
      { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['namespaces'] },
    ]);
  });

  it.each([
    { watch: ['ops'], places: ['ops'], because: 'it watches no other' },
    { watch: ['a'], places: ['a', 'ops'], because: 'it watches another, and elects its leader at home' },
    { watch: ['a', 'b'], places: ['a', 'b', 'ops'], because: 'it watches several others' },
    { watch: ['a', 'ops'], places: ['a', 'ops'], because: 'its own is among the watched ones' },
  ])(
    'roles are created in the watched namespaces and in the own one, for the account of the operator: $because',
    ({ watch, places }) => {
      const objects = render(parts, { watchNamespaces: watch });
      for (const kind of ['Role', 'RoleBinding']) {
        const made = objects.filter((object) => object.kind === kind);
        expect(made.map(({ metadata }) => metadata.namespace)).toEqual(places);
        expect(new Set(made.map(({ metadata }) => metadata.name)).size).toBe(1);
      }
      for (const { subjects } of objects.filter(({ kind }) => kind === 'RoleBinding'))
        expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'gadget', namespace: 'ops' }]);
    },
  );

  it('roles are named by a hash of their JSON as Go writes it', () => {
    const rules = [{ nonResourceURLs: ['/a<b>&c'], verbs: ['get'] }];
    const [, role] = render({ clusterPermissions: [{ rules, serviceAccountName: 'gadget' }] });
    const json =
      '{"serviceAccountName":"gadget","rules":[{"verbs":["get"],"nonResourceURLs":["/a\\u003cb\\u003e\\u0026c"]}]}\n';
    const hash = BigInt(`0x${createHash('sha224').update(json).digest('hex')}`).toString(36);
    expect(role?.metadata.name).toBe(`${'gadget-operator.v1.0.0-gadget'.slice(0, 62 - hash.length)}-${hash}`);
  });

  it('roles for the default ServiceAccount render no ServiceAccount', () => {
    const objects = render({ clusterPermissions: [{ rules: [] }, { serviceAccountName: 'default', rules: [] }] });
    expect(names(objects)).not.toContain('ServiceAccount ops/default');
    expect(objects.find(({ kind }) => kind === 'ClusterRoleBinding')?.['subjects']).toMatchObject([
      { name: 'default' },
    ]);
  });
});

describe('objects of the bundle', () => {
  it.each([
    { scope: 'Namespaced', kind: 'Secret', namespace: 'ops', because: 'its CRD is namespaced' },
    { scope: 'Cluster', kind: 'Secret', namespace: undefined, because: 'its CRD is cluster-scoped' },
    { scope: 'Namespaced', kind: 'Gadget', namespace: 'ops', because: 'no other kind has that name' },
  ])('a bundle may bring $scope of a kind $kind that it defines; $because', ({ scope, kind, namespace }) => {
    const names = { kind, plural: 'gadgets' };
    const objects = render({
      objects: [
        makeCrd({ names, scope }),
        {
          apiVersion: 'example.com/v1',
          kind,
          metadata: { name: 'example', namespace: 'elsewhere' },
          spec: { size: 1 },
        },
      ],
    });
    expect(objects.find(({ apiVersion }) => apiVersion === 'example.com/v1')).toEqual({
      apiVersion: 'example.com/v1',
      kind,
      metadata: { name: 'example', ...(namespace !== undefined && { namespace }) },
      spec: { size: 1 },
    });
  });

  it('namespaced objects of the bundle go to the namespace of the operator, without cluster-specific metadata', () => {
    const metadata = {
      namespace: 'elsewhere',
      uid: 'u',
      resourceVersion: '7',
      ownerReferences: [{ uid: 'x' }],
      finalizers: ['a/b'],
      managedFields: [{}],
      creationTimestamp: null,
      labels: { a: 'b' },
    };
    const [secret, role] = render({
      objects: [
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', ...metadata }, status: {} },
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r' }, rules: [] },
      ],
    });
    expect(secret).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'ops', labels: { a: 'b' } },
    });
    expect(role?.metadata).toEqual({ name: 'r' });
  });

  it('objects without apiVersion, or of a removed RBAC version, get the served one', () => {
    const beta = { apiVersion: 'rbac.authorization.k8s.io/v1beta1', kind: 'Role', metadata: { name: 'r' } };
    const other = { apiVersion: 'example.com/v1', kind: 'Secret', metadata: { name: 'o' } };
    const own = makeCrd({ names: { kind: 'Secret', plural: 'gadgets' } });
    const [, ...objects] = render({ objects: [own, { kind: 'Service', metadata: { name: 's' } }, beta, other] });
    expect(objects.slice(0, 3).map(({ apiVersion }) => apiVersion)).toEqual([
      'v1',
      'rbac.authorization.k8s.io/v1',
      'example.com/v1',
    ]);
  });

  it('objects of the bundle replace generated ones of the same identity, in their place', () => {
    const account = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'gadget' },
      imagePullSecrets: [{ name: 'p' }],
    };
    const objects = render({ clusterPermissions: [PERMISSION], objects: [account] });
    expect(objects.filter(({ kind }) => kind === 'ServiceAccount')).toEqual([
      { ...account, metadata: { name: 'gadget', namespace: 'ops' } },
    ]);
    expect(objects[0]?.kind).toBe('ServiceAccount');
  });

  it('a Service of the bundle is replaced by the generated one of its name, which has the ports of the webhooks', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'gadget-manager-service' } };
    const objects = render({
      spec: { webhookdefinitions: [WEBHOOK] },
      objects: [{ ...service, spec: { ports: [{ name: 'metrics', port: 8080 }] } }],
    });
    const ports = objects.filter(({ kind }) => kind === 'Service').map(({ spec }) => spec);
    expect(ports).toEqual([expect.objectContaining({ ports: [{ name: '443', port: 443, targetPort: 9443 }] })]);
  });

  it('of objects that differ only in their namespaces the last is rendered, in the namespace of the operator', () => {
    const objects = ['a', 'b'].map((namespace) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm', namespace },
      data: { namespace },
    }));
    expect(render({ objects }).filter(({ kind }) => kind === 'ConfigMap')).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'ops' }, data: { namespace: 'b' } },
    ]);
  });

  const REFUSED: readonly (BundleParts & {
    readonly because: string;
    readonly reason: string;
    readonly names: string;
  })[] = [
    {
      because: 'a kind is not allowed',
      reason: 'BundleUnsupported',
      names: 'DaemonSet.apps d',
      objects: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd' } }],
    },
    {
      because: 'a kind is written in lower case',
      reason: 'BundleUnsupported',
      names: 'secret',
      objects: [{ apiVersion: 'v1', kind: 'secret', metadata: { name: 's' } }],
    },
    {
      because: 'a CRD is of v1beta1',
      reason: 'BundleUnsupported',
      names: 'gadgets.example.com',
      objects: [{ ...(makeCrd() as object), apiVersion: 'apiextensions.k8s.io/v1beta1' }],
    },
    {
      because: 'a field of a CRD has the wrong type',
      reason: 'BundleInvalid',
      names: 'manifests/object-0.yaml: CustomResourceDefinition.apiextensions.k8s.io gadgets.example.com: spec.names',
      objects: [makeCrd({ names: 7 })],
    },
    {
      because: 'a number of a CRD is beyond 2^53',
      reason: 'BundleInvalid',
      names: 'spec.conversion.strategy',
      objects: [makeCrd({ conversion: { strategy: 10n ** 17n } })],
    },
    {
      because: 'a printer column has no path',
      reason: 'BundleInvalid',
      names: 'spec.versions[0].additionalPrinterColumns[0].jsonPath',
      objects: [
        makeCrd({
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object' } },
              additionalPrinterColumns: [{ name: 'Phase', type: 'string', JSONPath: '.status.phase' }],
            },
          ],
        }),
      ],
    },
    {
      because: 'a name is to be generated',
      reason: 'BundleInvalid',
      names: 'no name',
      objects: [{ apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 's-' } }],
    },
    {
      because: 'an object is larger than etcd takes',
      reason: 'BundleUnsupported',
      names: 'ConfigMap c',
      objects: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'x'.repeat(1_600_000) } }],
    },
    {
      because: 'annotations are larger than the API server takes',
      reason: 'BundleUnsupported',
      names: 'annotations',
      objects: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'c', annotations: { a: 'x'.repeat(300_000) } } }],
    },
    {
      because: 'the install strategy is unknown',
      reason: 'BundleUnsupported',
      names: 'magic',
      spec: { install: { strategy: 'magic' } },
    },
    {
      because: 'no install strategy is given',
      reason: 'BundleUnsupported',
      names: 'spec.install.strategy: there is no install strategy',
      spec: { install: {} },
    },
    {
      because: 'a CRD has no apiVersion',
      reason: 'BundleUnsupported',
      names: 'apiVersion: the CRD has none',
      objects: [{ ...(makeCrd() as object), apiVersion: undefined }],
    },
    {
      because: 'an owned CRD is missing',
      reason: 'BundleInvalid',
      names: 'gadgets.example.com',
      spec: { customresourcedefinitions: OWNED },
    },
    {
      because: 'a CRD is there twice',
      reason: 'BundleInvalid',
      names: 'object-1.yaml',
      objects: [makeCrd(), makeCrd()],
    },
    {
      because: 'two Deployments have one name',
      reason: 'BundleInvalid',
      names: 'several Deployments',
      deployments: [makeDeployment('d'), makeDeployment('d')],
    },
    {
      because: 'a Deployment has no proper name',
      reason: 'BundleInvalid',
      names: 'My_D',
      deployments: [makeDeployment('My_D')],
    },
    {
      because: 'a webhook has no Deployment',
      reason: 'BundleInvalid',
      names: '"nowhere"',
      spec: { webhookdefinitions: [{ ...WEBHOOK, deploymentName: 'nowhere' }] },
    },
    {
      because: 'a webhook intercepts everything',
      reason: 'BundleUnsupported',
      names: 'all groups',
      spec: { webhookdefinitions: [{ ...WEBHOOK, rules: [{ apiGroups: ['*'] }] }] },
    },
    {
      because: 'a webhook intercepts webhook configurations',
      reason: 'BundleUnsupported',
      names: 'ValidatingWebhookConfigurations',
      spec: {
        webhookdefinitions: [
          {
            ...WEBHOOK,
            rules: [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['ValidatingWebhookConfigurations'] }],
          },
        ],
      },
    },
    {
      because: 'two webhooks have one name',
      reason: 'BundleInvalid',
      names: 'several webhooks',
      spec: { webhookdefinitions: [WEBHOOK, { ...WEBHOOK, generateName: 'vgadget.example.com' }] },
    },
    {
      because: 'a converted CRD is not owned',
      reason: 'BundleInvalid',
      names: 'gadgets.example.com',
      objects: [makeCrd()],
      spec: { webhookdefinitions: [CONVERSION] },
    },
    {
      because: 'a converted CRD keeps unknown fields',
      reason: 'BundleInvalid',
      names: 'preserveUnknownFields',
      objects: [makeCrd({ preserveUnknownFields: true })],
      spec: { webhookdefinitions: [CONVERSION], customresourcedefinitions: OWNED },
    },
    {
      because: 'a conversion is for some namespaces only',
      reason: 'BundleInvalid',
      names: 'AllNamespaces',
      modes: ALL_MODES,
      objects: [makeCrd()],
      spec: { webhookdefinitions: [CONVERSION], customresourcedefinitions: OWNED },
    },
    {
      because: 'it belongs to no package',
      reason: 'BundleInvalid',
      names: 'package',
      files: { 'metadata/annotations.yaml': '' },
    },
  ];

  it.each(REFUSED)(
    'a bundle is refused before anything is applied when $because',
    ({ reason, names: named, ...parts }) => {
      const error = thrown(() => render(parts));
      expect(error).toMatchObject({ reason, retry: 'never' });
      expect((error as Error).message).toContain(named);
    },
  );
});

describe('webhooks', () => {
  const parts = {
    objects: [makeCrd()],
    spec: {
      webhookdefinitions: [
        WEBHOOK,
        { ...WEBHOOK, type: 'MutatingAdmissionWebhook', reinvocationPolicy: 'IfNeeded' },
        CONVERSION,
      ],
      customresourcedefinitions: OWNED,
    },
  };

  it('webhooks are called through a Service of their Deployment', () => {
    const objects = render(parts);
    expect(names(objects)).toEqual([
      'CustomResourceDefinition /gadgets.example.com',
      'Deployment ops/gadget-manager',
      'ValidatingWebhookConfiguration ops/vgadget.example.com',
      'MutatingWebhookConfiguration ops/vgadget.example.com',
      'Service ops/gadget-manager-service',
    ]);
    expect(objects[4]?.['spec']).toEqual({
      ports: [
        { name: '443', port: 443, targetPort: 9443 },
        { name: '8443', port: 8443, targetPort: 8443 },
      ],
      selector: { app: 'gadget-manager' },
    });
    expect(objects[3]?.['webhooks']).toMatchObject([{ reinvocationPolicy: 'IfNeeded' }]);
    expect(objects[0]?.['spec']).toMatchObject({
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { service: { name: 'gadget-manager-service', path: '/', port: 8443 } } },
      },
    });
  });

  it.each([{ containerPort: 0 }, { containerPort: undefined }])(
    'webhooks without a port are called at the port of HTTPS: %o',
    (unset) => {
      const webhookdefinitions = [WEBHOOK, CONVERSION].map((webhook) => ({ ...webhook, ...unset, targetPort: 9443 }));
      const objects = render({ ...parts, spec: { ...parts.spec, webhookdefinitions } });
      const [crd, , configuration, service] = objects.map((object) => formatJson(object));
      expect(crd).toContain('"port":443');
      expect(configuration).toContain('"port":443');
      expect(service).toContain('"port":443');
    },
  );

  it('webhooks are limited to the watched namespaces', () => {
    const spec = { webhookdefinitions: [WEBHOOK] };
    const objects = render({ modes: ALL_MODES, spec }, { watchNamespaces: ['a', 'b'] });
    expect(objects.find(({ kind }) => kind === 'ValidatingWebhookConfiguration')?.['webhooks']).toMatchObject([
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] }],
        },
      },
    ]);
  });

  it('webhooks have no certificates if none are requested', () => {
    expect(formatJson(render(parts))).not.toMatch(/caBundle|webhook-cert/);
  });

  const SERVING = '/tmp/k8s-webhook-server/serving-certs';
  const API_SERVING = '/apiserver.local.config/certificates';
  const ISSUED = [`webhook-cert at ${SERVING}`, `apiservice-cert at ${API_SERVING}`];
  const at = (name: string, mountPath: string): object => ({ name, mountPath });
  const container = (...volumeMounts: readonly object[]): object => ({ name: 'manager', volumeMounts });
  it.each<{ because: string; pod: object; volumes: readonly string[]; mounts: readonly (readonly string[])[] }>([
    {
      because: 'the volume at this path is in no other use',
      pod: { containers: [container(at('own', SERVING), at('more', '/more'))] },
      volumes: ['more'],
      mounts: [['more at /more', ...ISSUED]],
    },
    {
      because: 'a volume at the path for APIServices is replaced likewise',
      pod: { containers: [container(at('own', API_SERVING))] },
      volumes: ['more'],
      mounts: [ISSUED],
    },
    {
      because: 'the same volume is mounted at another path, by another container',
      pod: { containers: [container(at('own', SERVING)), container(at('own', '/etc/tls/private'))] },
      volumes: ['own', 'more'],
      mounts: [ISSUED, ['own at /etc/tls/private', ...ISSUED]],
    },
    {
      because: 'the same container mounts the volume at another path',
      pod: { containers: [container(at('own', SERVING), at('own', '/tls'))] },
      volumes: ['own', 'more'],
      mounts: [['own at /tls', ...ISSUED]],
    },
    {
      because: 'an init container writes certificates of its own, as for OLM v0',
      pod: { containers: [container(at('own', SERVING))], initContainers: [container(at('own', SERVING))] },
      volumes: ['own', 'more'],
      mounts: [ISSUED, [`own at ${SERVING}`]],
    },
    {
      because: 'flink has an init container that reads the certificate, and names the volume that OLM v0 adds',
      pod: { containers: [container()], initContainers: [container(at('apiservice-cert', '/certs'))] },
      volumes: ['own', 'more'],
      mounts: [ISSUED, ['apiservice-cert at /certs']],
    },
    {
      because: 'an init container mounts the volume at another path',
      pod: { containers: [container(at('own', SERVING))], initContainers: [container(at('own', '/tls'))] },
      volumes: ['own', 'more'],
      mounts: [ISSUED, ['own at /tls']],
    },
    {
      because: 'enmasse mounts the volume that OLM v0 adds, and has none of this name',
      pod: { containers: [container(at('apiservice-cert', '/api-server-cert'))] },
      volumes: ['own', 'more'],
      mounts: [['apiservice-cert at /api-server-cert', ...ISSUED]],
    },
    {
      because: 'a volume has the name of a certificate, and a path of its own',
      pod: {
        containers: [container(at('webhook-cert', '/tls'))],
        initContainers: [container(at('apiservice-cert', '/tls'))],
        volumes: ['webhook-cert', 'apiservice-cert'].map((name) => ({ name, emptyDir: {} })),
      },
      volumes: [],
      mounts: [['webhook-cert at /tls', ...ISSUED], ['apiservice-cert at /tls']],
    },
  ])(
    "webhooks use the Secret with the manager's certificate at their paths, and other mounts stay: $because",
    ({ pod, volumes, mounts }) => {
      const own = ['own', 'more'].map((name) => ({ name, emptyDir: {} }));
      const deployments = [makeDeployment('gadget-manager', { volumes: own, ...pod })];
      const rendered = podOf(render({ ...parts, deployments }, { certificates: 'manager' }));
      expect(rendered.volumes?.map(({ name }) => name)).toEqual([...volumes, 'webhook-cert', 'apiservice-cert']);
      expect(rendered.volumes?.at(-2)).toMatchObject({ secret: { secretName: 'gadget-manager-service-cert' } });
      const found = [...(rendered.containers ?? []), ...(rendered.initContainers ?? [])];
      const described = found.map(({ volumeMounts = [] }) =>
        volumeMounts.map(({ name, mountPath }) => `${name} at ${mountPath}`),
      );
      expect(described).toEqual(mounts);
    },
  );

  it('a rendering lists the certificates that the manager issues, and the objects that need the authority', () => {
    const bundle = makeBundle(parts);
    const options: RenderOptions = { namespace: 'ops', certificates: 'manager' };
    const rendered = renderBundle(bundle, options);
    const required = requiredIn(rendered);
    expect(required).toMatchObject([
      {
        deployment: 'gadget-manager',
        secretName: 'gadget-manager-service-cert',
        dnsNames: [
          'gadget-manager-service.ops',
          'gadget-manager-service.ops.svc',
          'gadget-manager-service.ops.svc.cluster.local',
        ],
      },
    ]);
    expect(required[0]?.injectInto.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'CustomResourceDefinition gadgets.example.com',
      'ValidatingWebhookConfiguration vgadget.example.com',
      'MutatingWebhookConfiguration vgadget.example.com',
    ]);
    const authorities = new Map([['gadget-manager-service-cert', 'PEM']]);
    const injected = injectCaBundles(rendered, required, authorities);
    expect(injected).toEqual(renderBundle(bundle, { ...options, caBundles: authorities }));
    expect(formatJson(injected).split('"caBundle":"UEVN"')).toHaveLength(4);
  });

  it('no other program is asked to inject an authority into a CRD that has one', () => {
    const rendered = render(parts, { certificates: 'manager' });
    const required = requiredIn(rendered);
    const authorities = new Map([['gadget-manager-service-cert', 'PEM']]);
    const annotations = { 'cert-manager.io/inject-ca-from': 'ops/cert', note: 'kept' };
    const crds = rendered
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map((crd) => ({ ...crd, metadata: { ...crd.metadata, annotations } }));
    const [injected] = injectCaBundles(crds, required, authorities);
    expect(injected?.metadata.annotations).toEqual({ note: 'kept' });
  });

  it('cert-manager issues certificates of webhooks if requested', () => {
    const objects = render(parts, { certificates: 'cert-manager' });
    expect(names(objects).slice(-2)).toEqual([
      'Issuer ops/gadget-manager-service-cert-selfsigned-issuer',
      'Certificate ops/gadget-manager-service-cert',
    ]);
    const injected = objects.filter(
      ({ metadata }) => metadata.annotations?.['cert-manager.io/inject-ca-from'] !== undefined,
    );
    expect(injected.map(({ kind }) => kind)).toEqual([
      'CustomResourceDefinition',
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
    ]);
  });
});

describe('cert-manager is asked for a common name of at most 64 characters', () => {
  const short = 'gadget-manager';
  const long = 'opentelemetry-operator-controller-manager';
  it.each([
    { deployment: short, namespace: 'ops', name: 'gadget-manager-service.ops', because: 'the host is short' },
    {
      deployment: long,
      namespace: 'n'.repeat(14),
      name: `${long}-service.${'n'.repeat(14)}`,
      because: '64 are allowed',
    },
    { deployment: long, namespace: 'n'.repeat(15), name: `${long}-service`, because: 'the host has 65' },
    { deployment: 'd'.repeat(60), namespace: 'ops', name: `${'d'.repeat(55)}-service`, because: 'the Service is cut' },
  ])('$name: $because', ({ deployment, namespace, name }) => {
    const parts = {
      deployments: [makeDeployment(deployment)],
      spec: { webhookdefinitions: [{ ...WEBHOOK, deploymentName: deployment }] },
    };
    const objects = render(parts, { namespace, certificates: 'cert-manager' });
    const spec = objects.find(({ kind }) => kind === 'Certificate')?.['spec'];
    expect(spec).toMatchObject({
      commonName: name,
      dnsNames: expect.arrayContaining([expect.stringMatching(/\.svc$/)]),
    });
  });
});

describe('APIServices', () => {
  const parts = {
    spec: {
      apiservicedefinitions: {
        owned: [
          {
            name: 'gadgets',
            group: 'api.example.com',
            version: 'v1',
            kind: 'Gadget',
            deploymentName: 'gadget-manager',
          },
        ],
      },
    },
  };

  it('APIServices get a Service, a certificate and the rights to authenticate callers', () => {
    const caBundles = new Map([['gadget-manager-service-cert', 'PEM']]);
    const objects = render(parts, { certificates: 'manager', caBundles });
    expect(names(objects)).toEqual([
      'Deployment ops/gadget-manager',
      'Service ops/gadget-manager-service',
      'ClusterRoleBinding /gadget-manager-service-system:auth-delegator',
      'RoleBinding kube-system/gadget-manager-service-auth-reader',
      'APIService /v1.api.example.com',
    ]);
    expect(objects[4]?.['spec']).toMatchObject({
      service: { port: 443 },
      groupPriorityMinimum: 2000,
      caBundle: 'UEVN',
    });
    expect(objects[3]?.['subjects']).toEqual([{ kind: 'ServiceAccount', name: 'gadget', namespace: 'ops' }]);
    const required = requiredIn(objects);
    expect(required[0]?.injectInto).toMatchObject([{ kind: 'APIService', name: 'v1.api.example.com' }]);
  });

  it('APIServices are left out without certificates: they cannot work', () => {
    expect(names(render(parts))).toEqual(['Deployment ops/gadget-manager']);
  });
});

describe('a bundle without objects of its own', () => {
  const REQUIRED = { type: 'olm.package.required', value: { packageName: 'a', versionRange: '1.0.0' } };
  const inFile = (file: string, list: readonly unknown[]): Readonly<Record<string, string>> => ({
    [`metadata/${file}.yaml`]: formatJson({ [file]: list }),
  });

  it.each<{ because: string; parts: BundleParts }>([
    {
      because: 'a file of dependencies',
      parts: { files: inFile('dependencies', [{ type: 'olm.package', value: {} }]) },
    },
    { because: 'a property', parts: { files: inFile('properties', [REQUIRED]) } },
    { because: 'a constraint', parts: { files: inFile('properties', [{ type: 'olm.constraint', value: {} }]) } },
    { because: 'a required kind', parts: { spec: { customresourcedefinitions: { required: OWNED.owned } } } },
  ])('a package that consists of its dependencies renders to a ConfigMap that says so: $because', ({ parts }) => {
    const objects = render({ deployments: [], ...parts });
    expect(names(objects)).toEqual(['ConfigMap ops/gadget-operator.v1.0.0']);
    expect(objects[0]?.['data']).toEqual({ content: expect.stringContaining('only dependencies') as unknown });
  });

  it('its ConfigMap has a valid name whatever the bundle is called', () => {
    const files = inFile('properties', [REQUIRED]);
    const [object] = render({ deployments: [], metadata: { name: 'Gadget_1+x' }, files });
    expect(object?.metadata.name).toMatch(/^dependencies-[0-9a-z]+$/);
  });

  it('it has no ConfigMap if anything else is rendered', () => {
    const parts = { deployments: [], objects: [makeCrd()], files: inFile('properties', [REQUIRED]) };
    expect(names(render(parts))).toEqual(['CustomResourceDefinition /gadgets.example.com']);
  });

  it('a bundle with neither objects nor dependencies is refused: as an upgrade it would delete the operator', () => {
    expect(thrown(() => render({ deployments: [] }))).toMatchObject({ reason: 'BundleInvalid', retry: 'never' });
  });
});

describe('rendering', () => {
  it('kinds that a bundle expects of the cluster in spec.nativeAPIs change nothing', () => {
    const nativeAPIs = [{ group: 'route.openshift.io', version: 'v1', kind: 'Route' }];
    expect(render({ spec: { nativeAPIs } })).toEqual(render());
  });

  it('rendering gives the same bytes for the same bundle, and does not change it', () => {
    const bundle = makeBundle({
      clusterPermissions: [PERMISSION],
      objects: [makeCrd()],
      spec: { webhookdefinitions: [WEBHOOK] },
    });
    const before = formatJson(bundle.csv);
    const options: RenderOptions = { namespace: 'ops', certificates: 'manager', config: { replicas: 3, args: ['-v'] } };
    expect(formatJson(renderBundle(bundle, options))).toBe(formatJson(renderBundle(bundle, options)));
    expect(formatJson(bundle.csv)).toBe(before);
  });

  it('every generator of the folder is in the list', () => {
    const source = readdirSync(import.meta.dirname).filter(
      (name) => !/test|^(names|model|options|metadata|kinds|render|one-of|required-|client-|only-)/.test(name),
    );
    expect(source.filter((name) => name.endsWith('.ts'))).toHaveLength(GENERATORS.length);
  });
});

interface RenderedContainer {
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

function podOf(objects: readonly KubeObject[]): {
  readonly containers?: readonly RenderedContainer[];
  readonly initContainers?: readonly RenderedContainer[];
  readonly volumes?: readonly { readonly name: string }[];
} {
  return templateOf(objects).spec;
}

function podAnnotations(objects: readonly KubeObject[]): unknown {
  return templateOf(objects).metadata.annotations;
}

function templateOf(objects: readonly KubeObject[]): {
  readonly metadata: { readonly annotations: unknown };
  readonly spec: ReturnType<typeof podOf>;
} {
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  const { template } = (deployment?.['spec'] ?? {}) as { readonly template?: ReturnType<typeof templateOf> };
  if (template === undefined) throw new Error('there is no Deployment');
  return template;
}

function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
