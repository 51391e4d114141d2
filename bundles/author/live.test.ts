import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { takeLive, type LiveSource } from './live.ts';
import { withoutServerFields } from './live-fields.ts';
import { account, CRD, deployment, NAMESPACE, rbac, roleRef, RULES } from './testing/gadget-source.ts';

type Fields = Readonly<Record<string, unknown>>;

const IN = { namespace: NAMESPACE };
const as = (object: Fields): KubeObject => object as unknown as KubeObject;
const named = (apiVersion: string, kind: string, name: string, fields: Fields = {}): KubeObject => {
  const { metadata, ...others } = fields;
  return as({ apiVersion, kind, metadata: { name, ...IN, ...(metadata as Fields | undefined) }, ...others });
};
const outer = (apiVersion: string, kind: string, name: string, fields: Fields = {}): KubeObject =>
  as({ apiVersion, kind, metadata: { name }, ...fields });
const owned = (kind: string): Fields => ({
  metadata: { ownerReferences: [{ apiVersion: 'x/v1', kind, name: 'owner', uid: 'u' }] },
});
const OPERATOR = as(deployment());
const ACCOUNT = named('v1', 'ServiceAccount', 'manager');
const CRB = as(rbac('ClusterRoleBinding', 'manager', { ...roleRef('ClusterRole', 'manager-role'), subjects: [account('manager')] })); // prettier-ignore
const status = { apiGroups: ['example.com'], resources: ['gadgets/status'], verbs: ['update'] };
const ROLE = as(rbac('ClusterRole', 'manager-role', { rules: [...RULES, status] }));
const { conversion: _conversion, ...UNCONVERTED } = CRD['spec'] as Fields;
const OWN_CRD = as({ ...CRD, spec: { ...(CRD['spec'] as Fields), conversion: { strategy: 'None' } } });

function take(inside: readonly KubeObject[], outside: readonly KubeObject[] = [], include: readonly string[] = []): LiveSource {
  return takeLive({ inside: [OPERATOR, ACCOUNT, ...inside], outside }, { namespace: NAMESPACE, include });
} // prettier-ignore

const taken = ({ sources }: LiveSource): readonly string[] => sources.map(({ object }) => `${object.kind} ${object.metadata.name}`); // prettier-ignore

describe('an object of the namespace', () => {
  test.each([
    { object: named('v1', 'ConfigMap', 'settings'), because: 'its author wrote it' },
    { object: named('v1', 'ConfigMap', 'settings', { metadata: { ownerReferences: [] } }), because: 'nothing owns it' },
    { object: named('example.com/v1', 'Gadget', 'first'), because: 'a custom resource is an example' },
    { object: named('secrets.example/v1', 'Secret', 'mine'), because: 'the kind of another group is no Secret' },
  ])('is taken: $because', ({ object }) => {
    expect(taken(take([object]))).toContain(`${object.kind} ${object.metadata.name}`);
  });

  test.each([
    { object: named('apps/v1', 'ReplicaSet', 'x', owned('Deployment')), note: 'Deployment owner makes it' },
    { object: named('v1', 'ConfigMap', 'x', owned('Gadget')), note: 'Gadget owner makes it' },
    {
      object: named('v1', 'Secret', 'token', { data: { a: 'eA==' } }),
      note: 'a Secret is copied only if --include names it',
    },
    { object: named('v1', 'Endpoints', 'x'), note: 'the cluster makes it for a Service' },
    { object: named('coordination.k8s.io/v1', 'Lease', 'x'), note: 'programs make Leases to choose their leaders' },
    { object: named('v1', 'ServiceAccount', 'default'), note: 'every namespace has it' },
    { object: named('v1', 'ConfigMap', 'kube-root-ca.crt'), note: 'every namespace has it' },
    { object: named('slipway.dev/v1alpha1', 'Subscription', 'x'), note: 'it belongs to an installation by Slipway' },
    {
      object: named('operators.coreos.com/v1alpha1', 'InstallPlan', 'x'),
      note: 'it belongs to an installation by OLM',
    },
  ])('is left out by name: $note', ({ object, note }) => {
    const { sources, leftOut } = take([object]);
    expect(sources.map((source) => source.object)).not.toContain(object);
    expect(leftOut).toEqual([
      {
        object: expect.stringContaining(`/${object.metadata.name}`) as unknown,
        source: 'the cluster',
        places: [],
        notes: [note],
      },
    ]);
  });

  test.each([
    { name: 'Secret/token', because: 'a Secret by its name' },
    { name: 'Secret', because: 'all of a kind' },
  ])('is taken if it is included: $because', ({ name }) => {
    const { sources, leftOut, findings } = take([named('v1', 'Secret', 'token')], [], [name]);
    expect(taken({ sources, leftOut, findings })).toContain('Secret token');
    expect({ leftOut, checks: findings.map(({ check }) => check) }).toEqual({ leftOut: [], checks: ['copied-secret'] });
  });

  test('that does not exist cannot be included', () => {
    const refused = { reason: 'InputInvalid', retry: 'never', message: expect.stringContaining('Secret/other') };
    expect(() => take([], [], ['Secret/other'])).toThrowError(expect.objectContaining(refused));
  });
});

describe('a Secret that is left out', () => {
  const pod = (fields: Fields) => as(deployment('controller', fields));
  const container = (fields: Fields) => ({ containers: [{ name: 'manager', image: 'x', ...fields }] });
  test.each([
    { because: 'a volume', operator: pod({ volumes: [{ name: 'v', secret: { secretName: 'token' } }] }) },
    {
      because: 'a projected volume',
      operator: pod({ volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'token' } }] } }] }),
    },
    {
      because: 'a variable',
      operator: pod(container({ env: [{ name: 'T', valueFrom: { secretKeyRef: { name: 'token', key: 'a' } } }] })),
    },
    { because: 'all variables', operator: pod(container({ envFrom: [{ secretRef: { name: 'token' } }] })) },
    {
      because: 'an init container',
      operator: pod({ initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'token' } }] }] }),
    },
    { because: 'pulling images', operator: pod({ imagePullSecrets: [{ name: 'token' }] }) },
  ])('is a warning if Pods need it: $because', ({ operator }) => {
    const secret = named('v1', 'Secret', 'token', { data: { a: 'c2VjcmV0' } });
    const found = takeLive({ inside: [operator, secret], outside: [] }, { namespace: NAMESPACE, include: [] });
    expect(found.findings).toMatchObject([
      { level: 'warning', check: 'needed-secret', object: `Secret ${NAMESPACE}/token` },
    ]);
    expect(JSON.stringify(found)).not.toContain('c2VjcmV0');
  });

  test('is none if no Pod needs it', () => {
    expect(take([named('v1', 'Secret', 'token')]).findings).toEqual([]);
  });
});

describe('an object outside of the namespace', () => {
  const service = { name: 'webhook-service', namespace: NAMESPACE };
  const elsewhere = { name: 'webhook-service', namespace: 'other' };
  const hooks = (kind: string, at: Fields) =>
    outer('admissionregistration.k8s.io/v1', kind, 'hooks', {
      webhooks: [{ name: 'a', clientConfig: { service: at } }],
    });
  const otherRole = { metadata: { name: 'reader', namespace: 'kube-system' } };
  const reader = as({
    ...rbac('RoleBinding', 'reader', { ...roleRef('Role', 'reader'), subjects: [account('manager')] }),
    ...otherRole,
  });
  const priority = outer('scheduling.k8s.io/v1', 'PriorityClass', 'urgent');
  const urgent = as(deployment('urgent', { priorityClassName: 'urgent' }));
  const apiService = (at: Fields | undefined) =>
    outer('apiregistration.k8s.io/v1', 'APIService', 'v1.x', { spec: { service: at } });

  test.each([
    { because: 'it binds an account of the namespace', outside: [CRB], found: ['ClusterRoleBinding manager'] },
    {
      because: 'such a binding names it',
      outside: [CRB, ROLE],
      found: ['ClusterRole manager-role', 'ClusterRoleBinding manager'],
    },
    {
      because: 'a binding in another namespace has an account of this one',
      outside: [reader, as({ ...rbac('Role', 'reader', { rules: RULES }), ...otherRole })],
      found: ['Role reader', 'RoleBinding reader'],
    },
    {
      because: 'it validates through a Service of the namespace',
      outside: [hooks('ValidatingWebhookConfiguration', service)],
      found: ['ValidatingWebhookConfiguration hooks'],
    },
    {
      because: 'it mutates through a Service of the namespace',
      outside: [hooks('MutatingWebhookConfiguration', service)],
      found: ['MutatingWebhookConfiguration hooks'],
    },
    {
      because: 'it is served by a Service of the namespace',
      outside: [apiService(service)],
      found: ['APIService v1.x'],
    },
    {
      because: 'the operator converts its objects',
      outside: [as(CRD)],
      found: ['CustomResourceDefinition gadgets.example.com'],
    },
    {
      because: 'the operator writes the status of its objects',
      outside: [CRB, ROLE, OWN_CRD],
      found: ['ClusterRole manager-role', 'ClusterRoleBinding manager', 'CustomResourceDefinition gadgets.example.com'],
    },
    {
      because: 'it is a role for users of such objects',
      outside: [as(CRD), as(rbac('ClusterRole', 'viewer', { rules: RULES }))],
      found: ['ClusterRole viewer', 'CustomResourceDefinition gadgets.example.com'],
    },
    { because: 'Pods have its priority', inside: [urgent], outside: [priority], found: ['PriorityClass urgent'] },
    {
      because: 'it is the namespace',
      outside: [outer('v1', 'Namespace', NAMESPACE)],
      found: [`Namespace ${NAMESPACE}`],
    },
  ])('is taken: $because', ({ inside = [], outside, found }) => {
    const base = taken(take(inside));
    expect(taken(take(inside, outside)).filter((one) => !base.includes(one))).toEqual(found);
  });

  test.each([
    {
      because: 'a binding of others',
      outside: [
        as(
          rbac('ClusterRoleBinding', 'x', {
            ...roleRef('ClusterRole', 'manager-role'),
            subjects: [account('manager', 'other')],
          }),
        ),
        ROLE,
      ],
    },
    {
      because: 'a role that every cluster has',
      outside: [
        as({ ...CRB, roleRef: { kind: 'ClusterRole', name: 'edit' } }),
        as({
          ...rbac('ClusterRole', 'edit', { rules: RULES }),
          metadata: { name: 'edit', labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
        }),
      ],
      but: ['ClusterRoleBinding manager'],
    },
    { because: 'webhooks of others', outside: [hooks('ValidatingWebhookConfiguration', elsewhere)] },
    { because: 'an API of others', outside: [apiService(elsewhere), apiService(undefined)] },
    { because: 'a CRD of others', outside: [OWN_CRD] },
    {
      because: 'a role of others that is about everything',
      outside: [
        as(CRD),
        as(rbac('ClusterRole', 'x', { rules: [{ ...RULES[0], apiGroups: ['example.com', 'other'] }] })),
      ],
      but: ['CustomResourceDefinition gadgets.example.com'],
    },
    { because: 'a priority of others', outside: [priority] },
    { because: 'another namespace', outside: [outer('v1', 'Namespace', 'other')] },
  ])('is not taken: $because', ({ outside, but = [] }) => {
    const base = taken(take([]));
    expect(taken(take([], outside)).filter((one) => !base.includes(one))).toEqual(but);
  });

  test.each([
    { because: 'its objects are only read', verbs: ['get'], resources: ['gadgets/status'] },
    { because: 'its status is not written', verbs: ['update'], resources: ['gadgets'] },
  ])(
    'that is a CRD of which the operator has rights is named, and taken if it is included: $because',
    ({ verbs, resources }) => {
      const role = as(
        rbac('ClusterRole', 'manager-role', { rules: [{ apiGroups: ['example.com'], verbs, resources }] }),
      );
      const crd = 'CustomResourceDefinition.apiextensions.k8s.io';
      expect(take([], [CRB, role, OWN_CRD]).leftOut).toMatchObject([
        { object: `${crd} gadgets.example.com`, notes: [expect.stringContaining('--include')] },
      ]);
      const included = take([], [CRB, role, OWN_CRD], [`${crd}/gadgets.example.com`]);
      expect(taken(included)).toContain('CustomResourceDefinition gadgets.example.com');
      expect(included.leftOut).toEqual([]);
    },
  );
});

test('an operator that was made from a bundle is refused with the owner of its Deployments', () => {
  const inside = [named('apps/v1', 'Deployment', 'x', owned('ClusterServiceVersion'))];
  expect(() => takeLive({ inside, outside: [] }, { namespace: NAMESPACE, include: [] })).toThrowError(
    expect.objectContaining({
      reason: 'InputInvalid',
      message: expect.stringContaining('ClusterServiceVersion owner') as unknown,
    }),
  );
});

test('the order of the API server does not matter', () => {
  const some = [
    named('v1', 'ConfigMap', 'b'),
    named('v1', 'ConfigMap', 'a'),
    named('v1', 'Secret', 'z'),
    named('v1', 'Secret', 'y'),
  ];
  expect(take(some.toReversed())).toEqual(take(some));
});

describe('fields of the server are removed', () => {
  test.each([
    {
      because: 'a Service got addresses',
      live: named('v1', 'Service', 'x', {
        spec: {
          clusterIP: '10.0.0.1',
          clusterIPs: ['10.0.0.1'],
          ipFamilies: ['IPv4'],
          ipFamilyPolicy: 'SingleStack',
          internalTrafficPolicy: 'Cluster',
          sessionAffinity: 'None',
          type: 'ClusterIP',
          selector: { a: 'b' },
          ports: [{ port: 443, protocol: 'TCP', targetPort: 9443, nodePort: 30_000 }],
        },
      }),
      spec: { selector: { a: 'b' }, ports: [{ port: 443, targetPort: 9443 }] },
    },
    {
      because: 'a headless Service has none, as its author wrote',
      live: named('v1', 'Service', 'x', { spec: { clusterIP: 'None', clusterIPs: ['None'], type: 'ClusterIP' } }),
      spec: { clusterIP: 'None' },
    },
    {
      because: 'an author chose other values',
      live: named('v1', 'Service', 'x', {
        spec: {
          type: 'NodePort',
          sessionAffinity: 'ClientIP',
          internalTrafficPolicy: 'Local',
          ports: [{ port: 1, protocol: 'UDP' }],
        },
      }),
      spec: {
        type: 'NodePort',
        sessionAffinity: 'ClientIP',
        internalTrafficPolicy: 'Local',
        ports: [{ port: 1, protocol: 'UDP' }],
      },
    },
    {
      because: 'a CRD is not converted',
      live: OWN_CRD,
      spec: UNCONVERTED,
    },
    {
      because: 'a CRD got the usual names',
      live: outer('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'x', {
        spec: { names: { kind: 'Gadget', listKind: 'GadgetList', singular: 'gadget', plural: 'gadgets' } },
      }),
      spec: { names: { kind: 'Gadget', plural: 'gadgets' } },
    },
    {
      because: 'the author of a CRD chose other names',
      live: outer('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'x', {
        spec: { names: { kind: 'Gadget', listKind: 'AllGadgets', singular: 'gad' } },
      }),
      spec: { names: { kind: 'Gadget', listKind: 'AllGadgets', singular: 'gad' } },
    },
  ])('$because', ({ live, spec }) => {
    expect(withoutServerFields(live)['spec']).toEqual(spec);
  });

  test('a Deployment is the one that its author applied', () => {
    const authored = deployment();
    const { spec } = authored as { readonly spec: { readonly template: { readonly spec: Fields } } };
    const [container] = spec.template.spec['containers'] as readonly Fields[];
    const pod = {
      ...spec.template.spec,
      serviceAccount: 'manager',
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      containers: [
        {
          ...container,
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          ports: [{ name: 'webhook', containerPort: 9443, protocol: 'TCP' }],
        },
      ],
      volumes: [{ name: 'cert', secret: { secretName: 'webhook-server-cert', defaultMode: 420 } }],
    };
    const live = {
      ...authored,
      spec: {
        ...spec,
        progressDeadlineSeconds: 600,
        revisionHistoryLimit: 10,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        template: { ...spec.template, spec: pod },
      },
    };
    expect(withoutServerFields(as(live))).toEqual(authored);
  });

  test.each([
    { because: 'an emptyDir is empty on purpose', volume: { name: 'v', emptyDir: {} } },
    { because: 'a mode was chosen', volume: { name: 'v', secret: { secretName: 's', defaultMode: 256 } } },
  ])('a volume stays: $because', ({ volume }) => {
    const live = as(deployment('x', { volumes: [volume] }));
    expect(withoutServerFields(live)).toEqual(live);
  });

  test.each([
    { image: 'registry.example:5000/x:v1', policy: 'IfNotPresent', isKept: false },
    { image: 'registry.example:5000/x@sha256:0', policy: 'IfNotPresent', isKept: false },
    { image: 'registry.example:5000/x', policy: 'Always', isKept: false },
    { image: 'x:latest', policy: 'Always', isKept: false },
    { image: 'x:v1', policy: 'Always', isKept: true },
    { image: 'x', policy: 'IfNotPresent', isKept: true },
    { image: 'x:v1', policy: 'Never', isKept: true },
  ])('imagePullPolicy $policy of $image is kept: $isKept', ({ image, policy, isKept }) => {
    const live = as(deployment('x', { containers: [{ name: 'manager', image, imagePullPolicy: policy }] }));
    expect(JSON.stringify(withoutServerFields(live)).includes('imagePullPolicy')).toBe(isKept);
  });

  test('a webhook has no defaults', () => {
    const webhook = { name: 'a', failurePolicy: 'Ignore', rules: [{ resources: ['x'] }], sideEffects: 'None' };
    const defaults = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {}, timeoutSeconds: 10 };
    const hooks = (one: Fields) => outer('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'x', { webhooks: [one] }); // prettier-ignore
    const live = { ...webhook, ...defaults, rules: [{ resources: ['x'], scope: '*' }] };
    expect(withoutServerFields(hooks(live))).toEqual(hooks(webhook));
    const chosen = { ...webhook, matchPolicy: 'Exact', objectSelector: { matchLabels: { a: 'b' } }, timeoutSeconds: 3 };
    expect(withoutServerFields(hooks(chosen))).toEqual(hooks(chosen));
  });

  test('the marks of installers go, and other labels and annotations stay', () => {
    const metadata = {
      name: 'x',
      labels: {
        app: 'x',
        'app.kubernetes.io/managed-by': 'Helm',
        'olm.managed': 'true',
        'operators.coreos.com/x.y': '',
      },
      annotations: {
        mine: 'y',
        'meta.helm.sh/release-name': 'r',
        'argocd.argoproj.io/tracking-id': 't',
        'kustomize.toolkit.fluxcd.io/checksum': 'c',
        'slipway.dev/owner': 'o',
      },
    };
    const cleaned = withoutServerFields(as({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
    expect(cleaned.metadata).toEqual({ name: 'x', labels: { app: 'x' }, annotations: { mine: 'y' } });
  });

  test.each([
    { because: 'a person wrote another manager', labels: { 'app.kubernetes.io/managed-by': 'kustomize' } },
    { because: 'a key only begins alike', labels: { 'olmec/x': 'y', 'slipway.device/x': 'y' } },
  ])('a label stays: $because', ({ labels }) => {
    expect(withoutServerFields(named('v1', 'ConfigMap', 'x', { metadata: { labels } })).metadata.labels).toEqual(
      labels,
    );
  });

  test('the tokens of a ServiceAccount go', () => {
    expect(withoutServerFields(named('v1', 'ServiceAccount', 'x', { secrets: [{ name: 't' }] }))).toEqual(
      named('v1', 'ServiceAccount', 'x'),
    );
  });
});
