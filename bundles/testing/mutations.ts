/** A bundle that uses every feature, with unexpected values in one or two places. */
import fc from 'fast-check';
import { formatJson } from '../../api/json.ts';
import { isRecord } from '../../api/untyped.ts';
import { makeCrd, makeFiles, WEBHOOK } from './bundle.ts';

/** A webhook with all optional fields. */
const WHOLE_WEBHOOK = {
  ...WEBHOOK,
  failurePolicy: 'Fail',
  timeoutSeconds: 10,
  objectSelector: { matchLabels: { a: 'b' } },
};

const RULES = [
  { apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['get'] },
  { nonResourceURLs: ['/metrics'], verbs: ['get'] },
];

const VERSION = {
  name: 'v1',
  served: true,
  storage: true,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 0 }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      required: ['spec'],
      properties: {
        spec: {
          type: 'object',
          properties: { size: { type: 'integer', minimum: 1, default: 3, enum: [1, 3] } },
          additionalProperties: false,
          'x-kubernetes-validations': [{ rule: 'self.size > 0', message: 'too small' }],
        },
        list: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      },
    },
  },
};

const CONTAINER = {
  name: 'manager',
  image: 'quay.io/example/gadget:v1',
  args: ['--leader-elect'],
  ports: [{ name: 'metrics', containerPort: 8443 }],
  env: [{ name: 'LEVEL', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
  resources: { limits: { cpu: '0.5', memory: '128Mi' }, requests: { cpu: 1, memory: 1e6 } },
  livenessProbe: { httpGet: { path: '/healthz', port: 8081 }, initialDelaySeconds: 15 },
  volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
};

const OBJECTS: readonly unknown[] = [
  makeCrd({ versions: [VERSION], conversion: { strategy: 'None' } }),
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r', labels: { a: 'b' } },
    rules: RULES,
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'r', annotations: { a: 'b' } },
    subjects: [{ kind: 'ServiceAccount', name: 'gadget' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
  },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'p' }, spec: { maxUnavailable: 1 } },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'p' },
    value: 7,
    globalDefault: false,
  },
  {
    apiVersion: 'v1',
    kind: 'List',
    items: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } }],
  },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 8443 }] } },
];

const FILES: readonly (readonly [path: string, value: unknown])[] = [
  ...[
    ...makeFiles({
      modes: ['AllNamespaces'],
      metadata: {
        labels: { 'operatorframework.io/arch.amd64': 'supported' },
        annotations: {
          'alm-examples': '[{"apiVersion": "example.com/v1", "kind": "Gadget"}]',
          'olm.properties': '[{"type": "olm.maxOpenShiftVersion", "value": "4.18"}]',
          'olm.skipRange': '<1.0.0',
          capabilities: 'Full Lifecycle',
          categories: 'Database',
        },
      },
      permissions: [{ serviceAccountName: 'gadget', rules: RULES }],
      clusterPermissions: [{ serviceAccountName: 'gadget', rules: RULES }],
      deployments: [
        {
          name: 'gadget-manager',
          label: { a: 'b' },
          spec: {
            replicas: 1,
            selector: { matchLabels: { app: 'g' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
            strategy: { rollingUpdate: { maxSurge: '25%' } },
            template: {
              metadata: { labels: { app: 'g' }, annotations: { a: 'b' } },
              spec: {
                serviceAccountName: 'gadget',
                containers: [CONTAINER],
                initContainers: [CONTAINER],
                volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '1Gi' } }],
                tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 3 }],
                affinity: { nodeAffinity: {} },
              },
            },
          },
        },
      ],
      spec: {
        minKubeVersion: '1.27.0',
        replaces: 'gadget-operator.v0.9.0',
        skips: ['gadget-operator.v0.8.0'],
        relatedImages: [{ name: 'gadget', image: 'quay.io/example/gadget:v1' }],
        nativeAPIs: [{ group: '', version: 'v1', kind: 'Pod' }],
        provider: { name: 'Example' },
        maintainers: [{ name: 'Ann', email: 'ann@example.com' }],
        links: [{ name: 'Docs', url: 'https://example.com/docs' }],
        icon: [{ base64data: 'aWNvbg==', mediatype: 'image/png' }],
        webhookdefinitions: [
          WHOLE_WEBHOOK,
          { ...WHOLE_WEBHOOK, type: 'MutatingAdmissionWebhook', reinvocationPolicy: 'IfNeeded' },
          { ...WHOLE_WEBHOOK, type: 'ConversionWebhook', conversionCRDs: ['gadgets.example.com'] },
        ],
        customresourcedefinitions: {
          owned: [
            { name: 'gadgets.example.com', version: 'v1', kind: 'Gadget', resources: [{ version: 'v1', kind: 'Pod' }] },
          ],
          required: [],
        },
        apiservicedefinitions: {
          owned: [
            {
              name: 'a',
              group: 'a.example.com',
              version: 'v1',
              kind: 'A',
              deploymentName: 'gadget-manager',
              containerPort: 8443,
            },
          ],
        },
      },
      objects: OBJECTS,
    }),
  ].flatMap(([path, bytes]) =>
    path.startsWith('metadata/') ? [] : [[path, JSON.parse(Buffer.from(bytes).toString())] as const],
  ),
  [
    'metadata/annotations.yaml',
    {
      annotations: Object.fromEntries(
        [
          ['mediatype.v1', 'registry+v1'],
          ['package.v1', 'gadget-operator'],
          ['channels.v1', 'stable,fast'],
          ['channel.default.v1', 'stable'],
        ].map(([key, value]) => [`operators.operatorframework.io.bundle.${key}`, value]),
      ),
    },
  ],
  [
    'metadata/properties.yaml',
    { properties: [{ type: 'olm.package', value: { packageName: 'g', version: '1.0.0' } }] },
  ],
  [
    'metadata/dependencies.yaml',
    { dependencies: [{ type: 'olm.gvk', value: { group: 'g', version: 'v1', kind: 'K' } }] },
  ],
];

/** The unchanged bundle: it must be valid, or a fault would prove nothing. */
export const WHOLE_BUNDLE: ReadonlyMap<string, Uint8Array> = filesOf(FILES);

const ODD_TEXTS = ['', 'x', ' ', 'Bad_Name!', 'x'.repeat(300), '__proto__', '\uD800', '\u0000', 'a/b', '-', '*', '{{'];
const ODD_NUMBERS = [0, -1, 1.5, 70_000, 1e300, 10n ** 17n, -(10n ** 18n)];
const ODD_SHAPES: readonly unknown[] = [
  [],
  {},
  [null],
  [{}],
  [[]],
  [1],
  [''],
  { a: null },
  { toString: 1 },
  { constructor: [] },
  { length: 1 },
];
const ODD: readonly unknown[] = [null, true, false, ...ODD_TEXTS, ...ODD_NUMBERS, ...ODD_SHAPES];

export interface Mutation {
  readonly file: number;
  readonly place: number;
  /** Remove the value instead of replacing it. */
  readonly remove: boolean;
  readonly odd: unknown;
}

const MUTATION: fc.Arbitrary<Mutation> = fc.record({
  file: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(FILES.length - 1)),
  place: fc.nat(100_000),
  remove: fc.nat(5).map((number) => number === 0),
  odd: fc.constantFrom(...ODD),
});

/** One or two changes, which {@link mutatedFiles} makes. */
export const MUTATIONS: fc.Arbitrary<readonly Mutation[]> = fc.array(MUTATION, { minLength: 1, maxLength: 2 });

/** The files of the bundle with these places changed. */
export function mutatedFiles(mutations: readonly Mutation[]): ReadonlyMap<string, Uint8Array> {
  return filesOf(mutations.reduce(mutate, structuredClone(FILES)));
}

function mutate(files: typeof FILES, mutation: Mutation): typeof FILES {
  const [, value] = files[mutation.file] ?? [];
  change(value, mutation);
  return files;
}

/** Changes one place somewhere inside of the value. */
function change(value: unknown, { place, remove, odd }: Omit<Mutation, 'file'>): void {
  const places = placesIn(value);
  const at = places[place % places.length];
  if (at === undefined) return;
  if (remove && Array.isArray(at.parent)) at.parent.splice(Number(at.key), 1);
  else if (remove) delete at.parent[at.key];
  else at.parent[at.key] = structuredClone(odd);
}

/** The value with these places changed, regardless of the file. */
export function mutated(value: unknown, mutations: readonly Mutation[]): unknown {
  const copy = structuredClone(value);
  for (const mutation of mutations) change(copy, mutation);
  return copy;
}

interface Place {
  readonly parent: Record<string, unknown>;
  readonly key: string;
}

function placesIn(value: unknown): readonly Place[] {
  if (!isRecord(value) && !Array.isArray(value)) return [];
  const parent = value as Record<string, unknown>;
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesIn(parent[key])]);
}

function filesOf(files: typeof FILES): ReadonlyMap<string, Uint8Array> {
  return new Map(files.map(([path, value]) => [path, new TextEncoder().encode(formatJson(value))]));
}
