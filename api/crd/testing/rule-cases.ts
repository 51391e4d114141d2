/**
 * Specs that the schemas accept and reject, as data: rules.test.ts runs them against the evaluator of this repository,
 * and crds.cluster.test.ts against a real API server, so that the two agree.
 */
import type { CustomKind } from '../../kind.ts';
import { CATALOG } from '../../catalog.ts';
import { API_VERSION } from '../../names.ts';
import type { KubeObject } from '../../object.ts';
import { REGISTRY_POLICY } from '../../registry-policy.ts';
import { REVISION } from '../../revision.ts';
import { SUBSCRIPTION } from '../../subscription.ts';

type Spec = Readonly<Record<string, unknown>>;

export interface RuleCase {
  readonly because: string;
  readonly kind: CustomKind;
  /** The existing object, for rules about changes. */
  readonly before?: Spec;
  readonly spec: Spec;
  readonly name?: string;
  /** The rule that rejects it; absent if it is accepted. */
  readonly refused?: { readonly path: string; readonly message: string };
  /** The field at fault, if a bound or type rejects it; each checker words the message differently. */
  readonly misfit?: string;
}

/** The object of a case. */
export function objectOf({ kind, name }: RuleCase, spec: Spec, namespace = 'default'): KubeObject {
  return {
    apiVersion: API_VERSION,
    kind: kind.kind,
    metadata: { name: name ?? 'sample', ...(kind.scope === 'Namespaced' && { namespace }) },
    spec,
  };
}

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const image = { image: { ref: 'registry.example/catalog:v1' } };

const CATALOG_SPEC = { source: image } as const;
export const SUBSCRIPTION_SPEC = { package: 'gadget' } as const;
export const REVISION_SPEC = {
  subscription: 'gadget',
  number: 1,
  package: 'gadget',
  bundle: 'gadget.v1.0.0',
  version: '1.0.0',
  catalog: 'main',
  image: `registry.example/gadget@${DIGEST}`,
  configHash: 'abc',
  manifests: { secrets: ['gadget-1-0'], digest: DIGEST, objects: 7 },
  certificates: 'Manager',
  state: 'Active',
} as const;

const KIND = { type: 'olm.gvk', value: '{"group":"a.example","version":"v1","kind":"A"}' };
const KEY = { name: 'release', pem: '-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n' };
const ONE_SOURCE = { path: 'spec.source', message: 'must have exactly one of image and repositories' };
const INTERVAL = { path: 'spec.interval', message: 'must be between 10s and 24h' };

const catalogs: readonly Omit<RuleCase, 'kind'>[] = [
  { because: 'an image by tag is a source', spec: CATALOG_SPEC },
  {
    because: 'a repository is a source',
    spec: { source: { repositories: [{ repository: 'registry.example/gadget' }] } },
  },
  { because: 'a catalog needs a source', spec: { source: {} }, refused: ONE_SOURCE },
  {
    because: 'a catalog has only one source',
    spec: { source: { ...image, repositories: [{ repository: 'registry.example/gadget' }] } },
    refused: ONE_SOURCE,
  },
  { because: 'a spec needs a source', spec: {}, misfit: 'spec.source' },
  {
    because: 'an empty list of repositories is no source',
    spec: { source: { repositories: [] } },
    misfit: 'spec.source.repositories',
  },
  {
    because: 'a tag in a repository would hide all other tags',
    spec: { source: { repositories: [{ repository: 'registry.example/gadget@sha256:0' }] } },
    misfit: 'spec.source.repositories',
  },
  { because: 'a tag is resolved again at each interval', spec: { source: image, interval: '1h30m' } },
  { because: 'a digest has no interval', spec: { source: { image: { ref: `r.example/c@${DIGEST}` } } } },
  {
    because: 'the content of a digest cannot change',
    spec: { source: { image: { ref: `r.example/c@${DIGEST}` } }, interval: '5m' },
    refused: { path: 'spec.interval', message: 'must be absent for an image by digest: its content cannot change' },
  },
  { because: 'the shortest interval is allowed', spec: { source: image, interval: '10s' } },
  { because: 'the longest interval is allowed', spec: { source: image, interval: '24h' } },
  { because: 'zero would hammer the registry', spec: { source: image, interval: '0s' }, refused: INTERVAL },
  { because: 'just below the shortest', spec: { source: image, interval: '9999ms' }, refused: INTERVAL },
  { because: 'just above the longest', spec: { source: image, interval: '24h1s' }, refused: INTERVAL },
  {
    because: 'a huge duration is out of bounds',
    spec: { source: image, interval: '999999h999999h' },
    refused: INTERVAL,
  },
  { because: 'a negative duration is invalid', spec: { source: image, interval: '-5m' }, misfit: 'spec.interval' },
  { because: 'an exponent is no duration', spec: { source: image, interval: '1e9h' }, misfit: 'spec.interval' },
  {
    because: 'a number too long to hold is no duration',
    spec: { source: image, interval: '999999999999999999s' },
    misfit: 'spec.interval',
  },
  { because: 'a duration needs a unit', spec: { source: image, interval: '300' }, misfit: 'spec.interval' },
  { because: 'a number is no text', spec: { source: image, interval: 300 }, misfit: 'spec.interval' },
  { because: 'a key can be required for signatures', spec: { source: image, verify: { keys: [KEY] } } },
  {
    because: 'a policy that trusts no key would refuse everything',
    spec: { source: image, verify: {} },
    refused: { path: 'spec.verify', message: 'must have keys or identities' },
  },
  {
    because: 'attestations are required by the types of their predicates',
    spec: {
      source: image,
      verify: {
        keys: [KEY],
        attestations: [
          { predicateType: 'https://slsa.dev/provenance' },
          { predicateType: 'https://cyclonedx.org/bom' },
        ],
      },
    },
  },
  {
    because: 'the type of a predicate is an address, without a slash at its end',
    spec: { source: image, verify: { keys: [KEY], attestations: [{ predicateType: 'https://slsa.dev/provenance/' }] } },
    misfit: 'spec.verify.attestations',
  },
  {
    because: 'a short name of an attestation has no meaning here',
    spec: { source: image, verify: { keys: [KEY], attestations: [{ predicateType: 'slsaprovenance' }] } },
    misfit: 'spec.verify.attestations',
  },
  {
    because: 'a private key is refused',
    spec: { source: image, verify: { keys: [{ name: 'a', pem: 'x' }] } },
    misfit: 'spec.verify.keys',
  },
  {
    because: 'the Secret of another namespace cannot be named',
    spec: { source: image, pullSecret: { name: 'kube-system/registry-login' } },
    misfit: 'spec.pullSecret.name',
  },
  {
    because: 'a Secret reference has no namespace field',
    spec: { source: image, pullSecret: { name: '../kube-system/secrets/registry-login' } },
    misfit: 'spec.pullSecret.name',
  },
  { because: 'a priority has bounds', spec: { source: image, priority: 1000001 }, misfit: 'spec.priority' },
];

const SELECTOR = {
  path: 'spec.catalogSelector.matchExpressions[0]',
  message: 'must have values with In and NotIn, and none with Exists and DoesNotExist',
};

const subscriptions: readonly Omit<RuleCase, 'kind'>[] = [
  {
    because: 'an upgrade policy limits versions, rights and registries',
    spec: {
      ...SUBSCRIPTION_SPEC,
      upgradePolicy: {
        automatic: 'Minor',
        rights: 'MayNotGrow',
        allowedRights: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['ops'] }],
        registries: ['registry.example:5000/team'],
        irreversible: 'Wait',
      },
    },
  },
  {
    because: 'a growth that does not exist would permit nothing or everything',
    spec: { ...SUBSCRIPTION_SPEC, upgradePolicy: { automatic: 'minor' } },
    misfit: 'spec.upgradePolicy.automatic',
  },
  {
    because: 'an empty list of registries would hold every upgrade',
    spec: { ...SUBSCRIPTION_SPEC, upgradePolicy: { registries: [] } },
    misfit: 'spec.upgradePolicy.registries',
  },
  {
    because: 'a plan is approved by version and hash',
    spec: { ...SUBSCRIPTION_SPEC, approve: { version: '1.1.0', plan: DIGEST } },
  },
  {
    because: 'a shortened hash may fit several plans',
    spec: { ...SUBSCRIPTION_SPEC, approve: { version: '1.1.0', plan: 'sha256:0123' } },
    misfit: 'spec.approve.plan',
  },
  { because: 'only the package is required', spec: SUBSCRIPTION_SPEC },
  { because: 'a Subscription needs a package', spec: {}, misfit: 'spec.package' },
  {
    because: 'a value is accepted for every field',
    spec: {
      package: 'gadget',
      catalogSelector: {
        matchLabels: { team: 'a' },
        matchExpressions: [
          { key: 'tier', operator: 'In', values: ['gold'] },
          { key: 'old', operator: 'DoesNotExist' },
        ],
      },
      channel: '*',
      version: '>=1.2.0 <2.0.0 || ~3.1',
      approval: 'Manual',
      edges: 'Ignore',
      dependencies: 'Require',
      watchNamespaces: ['a', 'b'],
      config: {
        env: [
          { name: 'LEVEL', value: 'debug' },
          { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        ],
        envFrom: [{ prefix: 'X_', secretRef: { name: 'token', optional: true } }],
        resources: { limits: { cpu: 2, memory: '512Mi' }, requests: { cpu: '500m' } },
        nodeSelector: { 'kubernetes.io/os': 'linux' },
        tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
        affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
        volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Gi' } }],
        volumeMounts: [{ name: 'data', mountPath: '/data', readOnly: true }],
        annotations: { note: 'x'.repeat(1000) },
        labels: { tier: 'gold' },
        replicas: 2,
        args: ['--verbose'],
        deployments: [
          {
            name: 'manager',
            replicas: 1,
            env: [{ name: 'ONLY', value: 'here' }],
            containers: [{ name: 'proxy', resources: { limits: { cpu: '10m' } }, args: ['-v'] }],
          },
        ],
      },
      certificates: 'CertManager',
      serviceAccountName: 'installer',
      onFailure: { strategy: 'Hold', progressDeadline: '30s', bakeTime: '0s' },
      crdUpgradeSafety: {
        enforcement: 'Enforce',
        waivers: [{ crd: 'gadgets.example.com', rule: 'ScopeChange', reason: 'no objects yet' }],
      },
      windows: [{ cron: '0 2 * * SAT', duration: '4h', timeZone: 'Europe/Berlin' }],
      uninstall: { customResources: 'Block' },
      historyLimit: 3,
      suspend: true,
    },
  },
  {
    because: 'a Subscription cannot change its package',
    before: SUBSCRIPTION_SPEC,
    spec: { package: 'widget' },
    refused: { path: 'spec.package', message: 'cannot be changed; create another Subscription' },
  },
  { because: 'every other field may change', before: SUBSCRIPTION_SPEC, spec: { package: 'gadget', channel: 'beta' } },
  {
    because: 'a catalog name and a selector could contradict each other',
    spec: { package: 'gadget', catalog: 'main', catalogSelector: {} },
    refused: { path: 'spec', message: 'may not have both catalog and catalogSelector' },
  },
  {
    because: 'In needs values',
    spec: { package: 'gadget', catalogSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    refused: SELECTOR,
  },
  {
    because: 'Exists has no values',
    spec: {
      package: 'gadget',
      catalogSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
    },
    refused: SELECTOR,
  },
  {
    because: 'the name must leave room for the names of Revisions',
    name: 'n'.repeat(201),
    spec: SUBSCRIPTION_SPEC,
    refused: { path: '', message: 'metadata.name must be at most 200 characters long' },
  },
  { because: 'the longest name is allowed', name: 'n'.repeat(200), spec: SUBSCRIPTION_SPEC },
  {
    because: 'volumes and affinity have the fields of a Pod, and each may be null',
    spec: {
      package: 'gadget',
      config: {
        env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' }, fieldRef: null } }],
        volumes: [
          { name: 'claim', ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: 1 } } } } } },
          { name: 'image', image: { reference: 'registry.example/data:1', pullPolicy: null } },
          { name: 'driver', csi: { driver: 'd', volumeAttributes: { a: 'b' }, nodePublishSecretRef: null } },
          {
            name: 'token',
            projected: {
              sources: [
                { serviceAccountToken: { path: 'p', expirationSeconds: 600 } },
                { clusterTrustBundle: { signerName: 's', path: 'p', labelSelector: { matchLabels: null } } },
                { podCertificate: { signerName: 's', keyType: 'ED25519', userAnnotations: { a: 'b' } } },
                { downwardAPI: { items: [{ path: 'p', resourceFieldRef: { resource: 'r', divisor: '1m' } }] } },
              ],
            },
          },
        ],
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'zone', labelSelector: { matchExpressions: null }, namespaces: null },
            ],
          },
        },
      },
    },
  },
  {
    because: 'a condition without an operator is none',
    spec: {
      package: 'gadget',
      config: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a' }] }],
            },
          },
        },
      },
    },
    misfit: 'operator',
  },
  {
    because: 'a variable has one source',
    spec: { package: 'gadget', config: { env: [{ name: 'A', value: 'b', valueFrom: { fieldRef: {} } }] } },
    refused: { path: 'spec.config.env[0]', message: 'may not have both value and valueFrom' },
  },
  {
    because: 'a variable of a container has one source too',
    spec: {
      package: 'gadget',
      config: {
        deployments: [{ name: 'd', containers: [{ name: 'c', env: [{ name: 'A', value: '', valueFrom: {} }] }] }],
      },
    },
    refused: {
      path: 'spec.config.deployments[0].containers[0].env[0]',
      message: 'may not have both value and valueFrom',
    },
  },
  {
    because: 'variables come from a ConfigMap or a Secret',
    spec: { package: 'gadget', config: { envFrom: [{ configMapRef: { name: 'a' }, secretRef: { name: 'b' } }] } },
    refused: {
      path: 'spec.config.envFrom[0]',
      message: 'must have exactly one of configMapRef and secretRef',
    },
  },
  {
    because: 'a deadline of zero would fail at once',
    spec: { package: 'gadget', onFailure: { progressDeadline: '0s' } },
    refused: { path: 'spec.onFailure.progressDeadline', message: 'must be between 1s and 24h' },
  },
  {
    because: 'the bake time is at most a day',
    spec: { package: 'gadget', onFailure: { bakeTime: '25h' } },
    refused: { path: 'spec.onFailure.bakeTime', message: 'must be between 0s and 24h' },
  },
  {
    because: 'a window of seconds would be missed',
    spec: { package: 'gadget', windows: [{ cron: '0 2 * * *', duration: '59s' }] },
    refused: { path: 'spec.windows[0].duration', message: 'must be between 1m and 168h' },
  },
  {
    because: 'a cron expression has only the characters of cron',
    spec: { package: 'gadget', windows: [{ cron: '$(reboot)', duration: '1h' }] },
    misfit: 'spec.windows',
  },
  {
    because: 'a time zone is a name, not a path',
    spec: { package: 'gadget', windows: [{ cron: '0 2 * * *', duration: '1h', timeZone: '../zone' }] },
    misfit: 'spec.windows',
  },
  {
    because: 'an empty list of windows would mean no restriction, not never',
    spec: { package: 'gadget', windows: [] },
    misfit: 'spec.windows',
  },
  {
    because: 'an empty list of namespaces would mean none, not all',
    spec: { package: 'gadget', watchNamespaces: [] },
    misfit: 'spec.watchNamespaces',
  },
  {
    because: 'an empty name is no namespace',
    spec: { package: 'gadget', watchNamespaces: [''] },
    misfit: 'spec.watchNamespaces',
  },
  {
    because: 'more namespaces than can be handled',
    spec: { package: 'gadget', watchNamespaces: Array.from({ length: 101 }, (_, at) => `n${at}`) },
    misfit: 'spec.watchNamespaces',
  },
  {
    because: 'the strategy is one of three',
    spec: { package: 'gadget', onFailure: { strategy: 'Panic' } },
    misfit: 'spec.onFailure',
  },
  ...[
    { because: 'an account of another namespace cannot be named', name: 'kube-system:admin' },
    { because: 'an account is no user', name: 'system:admin' },
    { because: 'an account is no path', name: 'kube-system/admin' },
    { because: 'an account is one line', name: 'installer\r\nImpersonate-Group: system:masters' },
    { because: 'an account has a name', name: '' },
  ].map(({ because, name }) => ({
    because,
    spec: { package: 'gadget', serviceAccountName: name },
    misfit: 'spec.serviceAccountName',
  })),
  {
    because: 'an operator of OLM is adopted by the name of its Subscription',
    spec: { package: 'gadget', adopt: { from: 'OLMv0', subscription: 'gadget' } },
  },
  {
    because: 'operators are adopted from programs that are known',
    spec: { package: 'gadget', adopt: { from: 'Helm', subscription: 'gadget' } },
    misfit: 'spec.adopt.from',
  },
  {
    because: 'an operator of OLM v1 is adopted by the name of its ClusterExtension',
    spec: { package: 'gadget', adopt: { from: 'OLMv1', clusterExtension: 'gadget' } },
  },
  ...[{}, { clusterExtension: 'gadget' }, { subscription: 'gadget', clusterExtension: 'gadget' }].map((named) => ({
    because: 'OLM v0 has Subscriptions and no ClusterExtensions',
    spec: { package: 'gadget', adopt: { from: 'OLMv0', ...named } },
    refused: { path: 'spec.adopt', message: 'must have subscription and no clusterExtension with from: OLMv0' },
  })),
  ...[{}, { subscription: 'gadget' }, { subscription: 'gadget', clusterExtension: 'gadget' }].map((named) => ({
    because: 'OLM v1 has ClusterExtensions and no Subscriptions',
    spec: { package: 'gadget', adopt: { from: 'OLMv1', ...named } },
    refused: { path: 'spec.adopt', message: 'must have clusterExtension and no subscription with from: OLMv1' },
  })),
  {
    because: 'the name of a ClusterExtension is one of Kubernetes',
    spec: { package: 'gadget', adopt: { from: 'OLMv1', clusterExtension: 'Gadget!' } },
    misfit: 'spec.adopt.clusterExtension',
  },
  { because: 'some history is always kept', spec: { package: 'gadget', historyLimit: 0 }, misfit: 'spec.historyLimit' },
  {
    because: 'a text of a megabyte is no version',
    spec: { package: 'gadget', version: 'x'.repeat(1 << 20) },
    misfit: 'spec.version',
  },
];

const FIXED = { path: 'spec', message: 'cannot be changed, except approved and state' };

const revisions: readonly Omit<RuleCase, 'kind'>[] = [
  {
    because: 'a revision as the manager creates it is accepted',
    spec: { ...REVISION_SPEC, channel: 'stable', watchNamespaces: ['a'], previous: 'p', properties: [KIND] },
  },
  {
    because: 'the dependencies are fixed',
    before: { ...REVISION_SPEC, properties: [KIND] },
    spec: { ...REVISION_SPEC, properties: [KIND, KIND] },
    refused: FIXED,
  },
  { because: 'a person approves it', before: REVISION_SPEC, spec: { ...REVISION_SPEC, approved: true } },
  {
    because: 'an approval cannot be taken back',
    before: { ...REVISION_SPEC, approved: true },
    spec: REVISION_SPEC,
    refused: { path: 'spec.approved', message: 'cannot be taken back; suspend the Subscription instead' },
  },
  { because: 'a newer Revision may replace it', before: REVISION_SPEC, spec: { ...REVISION_SPEC, state: 'Archived' } },
  { because: 'a rollback makes it active again', before: { ...REVISION_SPEC, state: 'Archived' }, spec: REVISION_SPEC },
  {
    because: 'another image is another revision',
    before: REVISION_SPEC,
    spec: { ...REVISION_SPEC, image: `r.example/x@${DIGEST}` },
    refused: FIXED,
  },
  {
    because: 'the package is fixed',
    before: REVISION_SPEC,
    spec: { ...REVISION_SPEC, package: 'widget' },
    refused: { path: 'spec.package', message: 'cannot be changed' },
  },
  {
    because: 'the manifests are fixed',
    before: REVISION_SPEC,
    spec: { ...REVISION_SPEC, manifests: { ...REVISION_SPEC.manifests, objects: 8 } },
    refused: FIXED,
  },
  {
    because: 'an absent field cannot be added',
    before: REVISION_SPEC,
    spec: { ...REVISION_SPEC, serviceAccountName: 'admin' },
    refused: FIXED,
  },
  {
    because: 'a present field cannot be removed',
    before: { ...REVISION_SPEC, watchNamespaces: ['a'] },
    spec: REVISION_SPEC,
    refused: FIXED,
  },
  {
    because: 'a present field cannot change',
    before: { ...REVISION_SPEC, channel: 'a' },
    spec: { ...REVISION_SPEC, channel: 'b' },
    refused: FIXED,
  },
  {
    because: 'a tag can change, a digest cannot',
    spec: { ...REVISION_SPEC, image: 'r.example/x:v1' },
    misfit: 'spec.image',
  },
  {
    because: 'a Revision needs manifests, to be applied again',
    spec: { ...REVISION_SPEC, manifests: { ...REVISION_SPEC.manifests, secrets: [] } },
    misfit: 'spec.manifests',
  },
];

const policies: readonly Omit<RuleCase, 'kind'>[] = [
  {
    because: 'every field has its place',
    spec: {
      prefix: 'registry.example:5000/team',
      pullSecret: { name: 'registry-login' },
      certificateAuthority: { name: 'registry-ca' },
      insecure: false,
      mirrors: [{ prefix: 'mirror.example/team' }, { prefix: 'far.example/copies/team' }],
      source: 'Never',
      verify: { keys: [KEY] },
    },
  },
  { because: 'a registry as a whole is a prefix', spec: { prefix: 'quay.io', verify: { keys: [KEY] } } },
  { because: 'a registry has an address of the newer kind', spec: { prefix: '[::1]:5000/team', insecure: true } },
  { because: 'a policy is for some images', spec: { verify: { keys: [KEY] } }, misfit: 'spec.prefix' },
  { because: 'a tag is no part of a prefix', spec: { prefix: 'quay.io/team/app:v1' }, misfit: 'spec.prefix' },
  { because: 'a digest is no part of a prefix', spec: { prefix: `quay.io/a@${DIGEST}` }, misfit: 'spec.prefix' },
  { because: 'a prefix has whole parts', spec: { prefix: 'quay.io/team/' }, misfit: 'spec.prefix' },
  { because: 'a prefix is compared as it is', spec: { prefix: 'quay.io/*' }, misfit: 'spec.prefix' },
  { because: 'a scheme is no part of a name', spec: { prefix: 'https://quay.io' }, misfit: 'spec.prefix' },
  {
    because: 'a policy that trusts no key would refuse everything',
    spec: { prefix: 'quay.io', verify: {} },
    refused: { path: 'spec.verify', message: 'must have keys or identities' },
  },
  {
    because: 'without a mirror the source is all that there is',
    spec: { prefix: 'quay.io', source: 'Never' },
    refused: { path: 'spec.source', message: 'must be absent without mirrors' },
  },
  {
    because: 'without TLS nothing shows a certificate',
    spec: { prefix: 'quay.io', insecure: true, certificateAuthority: { name: 'ca' } },
    refused: {
      path: 'spec.certificateAuthority',
      message: 'must be absent for an insecure registry: without TLS there is no certificate',
    },
  },
  {
    because: 'the Secret of another namespace cannot be named',
    spec: { prefix: 'quay.io', pullSecret: { name: 'kube-system/login' } },
    misfit: 'spec.pullSecret.name',
  },
];

/** Every case, of every kind. */
export const RULE_CASES: readonly RuleCase[] = [
  ...ofKind(CATALOG, catalogs),
  ...ofKind(SUBSCRIPTION, subscriptions),
  ...ofKind(REVISION, revisions),
  ...ofKind(REGISTRY_POLICY, policies),
];

function ofKind(kind: CustomKind, rows: readonly Omit<RuleCase, 'kind'>[]): readonly RuleCase[] {
  return rows.map((row) => Object.assign({ kind }, row));
}
