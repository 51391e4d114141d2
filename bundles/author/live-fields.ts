/**
 * Removes the fields that an API server fills in from objects that were read from a cluster, and the marks of the programs
 * that applied them. The metadata and the status are cleaned with every other source. Pure.
 */
import { canonicalJson } from '../../api/json.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import { isRecord } from '../../api/untyped.ts';

type LiveFields = Readonly<Record<string, unknown>>;

/** The object as its author may have written it. */
export function withoutServerFields(object: KubeObject): KubeObject {
  const metadata = withoutMarks(object.metadata as unknown as LiveFields) as unknown as KubeObject['metadata'];
  const defaults = DEFAULTS.get(groupKind(object));
  const { secrets: _, ...account } = object;
  const named = { ...(groupKind(object) === 'ServiceAccount' ? account : object), metadata };
  return defaults === undefined ? named : (without(named, defaults) as KubeObject);
}

/** Keys of labels and annotations that programs write for themselves. */
const MARKS =
  /^(?:meta\.helm\.sh|helm\.sh|helm\.toolkit\.fluxcd\.io|kustomize\.toolkit\.fluxcd\.io|argocd\.argoproj\.io|objectset\.rio\.cattle\.io|olm\.operatorframework\.io|slipway\.dev|[\w.-]*\.olm|olm)(?:\/|\.|$)|^operators\.coreos\.com\//;
const MANAGED_BY = 'app.kubernetes.io/managed-by';
const MANAGERS = new Set(['Helm', 'slipway']);

function withoutMarks(metadata: LiveFields): LiveFields {
  const { labels, annotations, ...others } = metadata;
  const kept = { labels: clean(labels), annotations: clean(annotations) };
  return { ...others, ...Object.fromEntries(Object.entries(kept).filter(([, map]) => map !== undefined)) };
}

function clean(map: unknown): LiveFields | undefined {
  if (!isRecord(map)) return undefined;
  const kept = Object.entries(map).filter(
    ([key, value]) => !MARKS.test(key) && !(key === MANAGED_BY && MANAGERS.has(String(value))),
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/**
 * LiveFields to remove, by the values that an API server fills in; `ANY` for fields that it sets itself, or a function that
 * judges the value by the fields beside it. A list of one entry is about each entry.
 */
type Defaults = { readonly [field: string]: unknown };
const ANY = Symbol('any value');

/** A Service without an address has the word None, which its author wrote. */
function isAddress(value: unknown): boolean {
  return value !== 'None';
}

/** Images without a tag, and those of the tag `latest`, are pulled again each time. */
function isUsualPull(value: unknown, { image }: LiveFields): boolean {
  const isMoving = typeof image === 'string' && !image.includes('@') && !/:(?!latest$)[^/]+$/.test(image);
  return value === (isMoving ? 'Always' : 'IfNotPresent');
}

function isUsualList(value: unknown, { kind }: LiveFields): boolean {
  return value === `${String(kind)}List`;
}

function isUsualSingular(value: unknown, { kind }: LiveFields): boolean {
  return value === String(kind).toLowerCase();
}

const PROBE: Defaults = {
  failureThreshold: 3,
  periodSeconds: 10,
  successThreshold: 1,
  timeoutSeconds: 1,
  httpGet: { scheme: 'HTTP' },
};

const CONTAINER: Defaults = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
  imagePullPolicy: isUsualPull,
  ports: [{ protocol: 'TCP' }],
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
};

const WEBHOOK: Defaults = {
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  reinvocationPolicy: 'Never',
  timeoutSeconds: 10,
  rules: [{ scope: '*' }],
};

const DEFAULTS: ReadonlyMap<string, Defaults> = new Map<string, Defaults>([
  [
    'Service',
    {
      spec: {
        clusterIPs: ANY,
        clusterIP: isAddress,
        ipFamilies: ANY,
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
        sessionAffinity: 'None',
        type: 'ClusterIP',
        healthCheckNodePort: ANY,
        ports: [{ protocol: 'TCP', nodePort: ANY }],
      },
    },
  ],
  [
    'Deployment.apps',
    {
      spec: {
        progressDeadlineSeconds: 600,
        revisionHistoryLimit: 10,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        template: {
          spec: {
            dnsPolicy: 'ClusterFirst',
            restartPolicy: 'Always',
            schedulerName: 'default-scheduler',
            securityContext: {},
            serviceAccount: ANY,
            terminationGracePeriodSeconds: 30,
            containers: [CONTAINER],
            initContainers: [CONTAINER],
            volumes: [
              { secret: { defaultMode: 420 }, configMap: { defaultMode: 420 }, projected: { defaultMode: 420 } },
            ],
          },
        },
      },
    },
  ],
  [
    'CustomResourceDefinition.apiextensions.k8s.io',
    {
      spec: { conversion: { strategy: 'None' }, names: { listKind: isUsualList, singular: isUsualSingular } },
    },
  ],
  ['ValidatingWebhookConfiguration.admissionregistration.k8s.io', { webhooks: [WEBHOOK] }],
  ['MutatingWebhookConfiguration.admissionregistration.k8s.io', { webhooks: [WEBHOOK] }],
]);

/** A map that has only defaults is removed with them; one that was empty before stays. */
function without(value: unknown, defaults: Defaults): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).flatMap(([field, content]) => {
    if (!Object.hasOwn(defaults, field)) return [[field, content] as const];
    const rest = withoutDefault(content, defaults[field], value);
    return rest === undefined ? [] : [[field, rest] as const];
  });
  return Object.fromEntries(kept);
}

function withoutDefault(content: unknown, expected: unknown, parent: LiveFields): unknown {
  if (expected === ANY) return undefined;
  if (typeof expected === 'function') return expected(content, parent) === true ? undefined : content;
  if (Array.isArray(expected)) return Array.isArray(content) ? content.map((one) => without(one, expected[0] as Defaults)) : content; // prettier-ignore
  if (!isRecord(expected)) return canonicalJson([content]) === canonicalJson([expected]) ? undefined : content;
  const rest = without(content, expected);
  const isEmptied = isRecord(rest) && Object.keys(rest).length === 0;
  return isEmptied && (Object.keys(expected).length === 0 || !isEmpty(content)) ? undefined : rest;
}

function isEmpty(content: unknown): boolean {
  return isRecord(content) && Object.keys(content).length === 0;
}
