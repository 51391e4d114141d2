import type { GraphLane, GraphModel, GraphNode, NodeMark, PlanModel, UninstallModel } from '../../../data/models.ts';
import { HASH, HIGH, UID } from './operators.ts';

const SELF = '/subscriptions/lights/beacon';

function node(version: string, marks: readonly NodeMark[] = [], more: Partial<GraphNode> = {}): GraphNode {
  return { bundle: `beacon-operator.v${version}`, version, marks, href: `${SELF}/graph?version=${version}`, ...more };
}

function chain(versions: readonly string[], onPath: readonly string[]): GraphLane['edges'] {
  return versions.slice(1).map((version, index) => ({
    from: `beacon-operator.v${versions[index]}`,
    to: `beacon-operator.v${version}`,
    kind: 'replaces',
    onPath: onPath.includes(version),
  }));
}

export const graphModel: GraphModel = {
  title: 'Upgrade graph of lights/beacon',
  notices: [],
  namespace: 'lights',
  name: 'beacon',
  package: 'beacon-operator',
  catalog: 'team',
  installed: '1.0.0',
  available: '2.0.0',
  message: 'beacon-operator.v1.1.0 waits for approval; beacon-operator.v2.0.0 follows it.',
  lanes: [
    {
      channel: 'stable',
      isDefault: true,
      isFollowed: true,
      nodes: [
        node('3.0.0', ['refused', 'head']),
        node('2.0.0', ['available']),
        node('1.1.0', ['pending', 'path']),
        node('1.0.9', ['quarantined']),
        node('1.0.0', ['installed']),
        node('0.9.0', ['deprecated'], { deprecation: 'has a known data race' }),
      ],
      edges: [
        ...chain(['0.9.0', '1.0.0', '1.1.0', '2.0.0', '3.0.0'], ['1.1.0', '2.0.0']),
        { from: 'beacon-operator.v1.0.0', to: 'beacon-operator.v1.0.9', kind: 'replaces', onPath: false },
        { from: 'beacon-operator.v1.0.9', to: 'beacon-operator.v2.0.0', kind: 'skips', onPath: false },
        { from: 'beacon-operator.v0.9.0', to: 'beacon-operator.v1.1.0', kind: 'skipRange', onPath: false },
      ],
    },
    {
      channel: 'candidate',
      isDefault: false,
      isFollowed: false,
      nodes: [node('4.0.0-rc.1', ['head']), node('3.0.0', ['refused']), node('2.0.0', ['available'])],
      edges: chain(['2.0.0', '3.0.0', '4.0.0-rc.1'], []),
    },
  ],
  path: [
    { version: '1.1.0', message: 'waits for approval' },
    { version: '2.0.0', message: 'follows 1.1.0' },
  ],
  legend: [
    { mark: 'installed', words: 'runs in the cluster', badge: { word: 'Installed', tone: 'good' } },
    { mark: 'pending', words: 'waits, or is being applied', badge: { word: 'Pending', tone: 'working' } },
    { mark: 'path', words: 'is a step of the path', badge: { word: 'On the path', tone: 'working' } },
    { mark: 'available', words: 'is the end of the path', badge: { word: 'Available', tone: 'working' } },
    { mark: 'refused', words: 'cannot be installed', badge: { word: 'Refused', tone: 'waiting' } },
    { mark: 'quarantined', words: 'failed before', badge: { word: 'Quarantined', tone: 'bad' } },
    { mark: 'deprecated', words: 'the catalog advises against it', badge: { word: 'Deprecated', tone: 'off' } },
    { mark: 'head', words: 'no version of the channel replaces it', badge: { word: 'Head', tone: 'off' } },
  ],
  opened: {
    version: '3.0.0',
    chosen: false,
    standing: 'refused',
    summary: '3.0.0 is not installed: it needs a newer Kubernetes',
    causes: ['beacon-operator.v3.0.0 needs Kubernetes 1.34 or newer; this cluster has 1.33.2'],
    remedies: ['Upgrade the cluster to Kubernetes 1.34'],
    command: 'slipway why-not lights/beacon 3.0.0',
    buttons: [],
  },
  links: [],
};

export const planModel: PlanModel = {
  title: 'Plan of lights/beacon',
  notices: [],
  namespace: 'lights',
  name: 'beacon',
  revision: 'beacon-4',
  change: 'beacon-operator 1.0.0 → 1.1.0',
  hash: HASH,
  risk: HIGH,
  risks: [
    { level: HIGH, reason: 'RightsGained', message: 'The operator gains 2 rights, one of them dangerous' },
    {
      level: { word: 'Irreversible', tone: 'bad' },
      reason: 'StorageVersionChanged',
      message: 'beacons.example.com is stored as v2 from then on',
    },
    { level: { word: 'Low risk', tone: 'good' }, reason: 'Restarts', message: '1 Deployment restarts' },
  ],
  pointOfNoReturn: 'beacons.example.com is stored in version v2 afterwards, which 1.0.0 cannot read.',
  heldBy: ['maxRisk: low, and this plan has high', 'rights: None, and this plan gains 2'],
  facts: [],
  sections: [
    {
      title: 'Rights gained',
      summary: '2',
      lines: [
        'dangerous: ClusterRole beacon-operator may read all Secrets in every namespace',
        'usual: Role beacon-operator may create Events in its namespace',
      ],
    },
    {
      title: 'Images',
      summary: '2',
      lines: ['+ registry.example.com/beacon-operator:v1.1.0', '- registry.example.com/beacon-operator:v1.0.0'],
    },
    {
      title: 'CRDs',
      summary: '1 changed',
      lines: [
        'beacons.example.com is changed; custom resources: 14; stored versions: v1; storage version: v1 → v2',
        'beacons.example.com: refuses: spec.colour becomes required, and lights/harbour has none',
      ],
    },
    {
      title: 'Restarts',
      summary: '1',
      lines: ['Deployment.apps lights/beacon-operator: its Pod template changes'],
    },
    {
      title: 'Objects',
      summary: '1 created, 2 changed, 1 deleted, 9 unchanged',
      lines: [
        '+ ConfigMap lights/beacon-colours',
        '~ Deployment.apps lights/beacon-operator',
        '    spec.template.spec.containers[0].image: …:v1.0.0 → …:v1.1.0',
        '    spec.template.spec.containers[0].args[2]: added --colours',
        '~ ClusterRole.rbac.authorization.k8s.io beacon-operator',
        '- ConfigMap lights/beacon-legacy',
      ],
    },
  ],
  extent: 'whole',
  approval: { state: { word: 'Waits', tone: 'waiting' }, message: 'waits for approval' },
  buttons: [
    {
      label: 'Approve 1.1.0',
      command: `kubectl -n lights patch revisions.slipway.dev beacon-4 --type=merge -p '{"spec":{"approved":true,"approvedPlan":"${HASH}"}}'`,
      allowed: true,
      confirm: `Approve beacon-operator 1.0.0 → 1.1.0 with the plan ${HASH.slice(0, 19)}…? There is no way back.`,
      action: { kind: 'approve', namespace: 'lights', revision: 'beacon-4', uid: UID, plan: HASH },
    },
  ],
  links: [],
};

export const uninstallModel: UninstallModel = {
  title: 'Uninstall lights/beacon',
  notices: [],
  namespace: 'lights',
  name: 'beacon',
  state: { word: 'Preview', tone: 'unknown' },
  summary: 'An uninstall deletes 12 objects; custom resources: Retain',
  deleted: 12,
  steps: [
    {
      name: 'Webhooks',
      objects: 2,
      kinds: ['ValidatingWebhookConfiguration beacon-operator', 'MutatingWebhookConfiguration beacon-operator'],
    },
    { name: 'Workloads', objects: 1, kinds: ['Deployment.apps lights/beacon-operator'] },
    {
      name: 'The rest',
      objects: 9,
      kinds: ['2 ConfigMap', '3 ServiceAccount', '4 ClusterRole.rbac.authorization.k8s.io'],
    },
  ],
  customResources: [],
  givenByOlm: ['ClusterRoleBinding.rbac.authorization.k8s.io beacon-service-system:auth-delegator'],
  stays: [
    'CustomResourceDefinition beacons.example.com, with 14 objects (lights/harbour, lights/cape, …)',
    'Namespace lights',
  ],
  doubts: ['Custom resources of lamps.example.com could not be counted: you may not list them'],
  dependents: ['lights/lamp needs the kind Beacon'],
  choices: [
    {
      name: 'customResources',
      label: 'Custom resources of users',
      value: 'Retain',
      choices: [
        { value: 'Retain', label: 'Retain', help: 'The CRD and its objects stay.' },
        { value: 'Delete', label: 'Delete', help: 'The objects are deleted first, while the operator still runs.' },
        { value: 'Block', label: 'Block', help: 'Nothing is removed until the objects are gone.' },
      ],
    },
  ],
  buttons: [
    {
      label: 'Uninstall beacon',
      command: `kubectl -n lights patch subscriptions.slipway.dev beacon --type merge -p '{"metadata":{"uid":"${UID}"},"spec":{"uninstall":{"objects":"Delete","customResources":"Retain"}}}' &&
kubectl -n lights delete subscriptions.slipway.dev beacon --wait=false`,
      allowed: true,
      confirm: 'Uninstall beacon-operator 1.0.0? 12 objects are deleted.',
      typed: 'beacon',
      action: {
        kind: 'uninstall',
        namespace: 'lights',
        name: 'beacon',
        uid: UID,
        customResources: 'Retain',
        objects: 'Delete',
      },
    },
  ],
};
