import type {
  Badge,
  OperatorRow,
  OverviewModel,
  RevisionModel,
  SubscriptionModel,
  TreeItem,
} from '../../../data/models.ts';

const READY: Badge = { word: 'Ready', tone: 'good' };
export const HIGH: Badge = { word: 'High risk', tone: 'bad' };
export const UID = '7a1f6f0e-0000-4000-8000-000000000001';
export const HASH = `sha256:${'4be1'.repeat(16)}`;

function operator(namespace: string, name: string, more: Partial<OperatorRow> = {}): OperatorRow {
  return {
    href: `/subscriptions/${namespace}/${name}`,
    namespace,
    name,
    package: `${name}-operator`,
    state: READY,
    message: `${name}-operator.v1.4.0 is installed and healthy`,
    installed: '1.4.0',
    ...more,
  };
}

const beacon = operator('lights', 'beacon', {
  state: { word: 'Waiting', tone: 'waiting' },
  message: 'beacon-operator.v1.0.0 is installed and healthy; beacon-operator.v1.1.0 waits for approval',
  installed: '1.0.0',
  available: '2.0.0',
  outdated: 'beacon-operator.v1.1.0 waits for approval: its plan gains rights, which the upgrade policy does not allow',
});
const lamp = operator('lights', 'lamp', {
  state: { word: 'Failed', tone: 'bad' },
  message:
    'The upgrade to lamp-operator.v3.0.0 failed: Deployment lights/lamp-operator: container operator: CrashLoopBackOff',
  installed: '2.0.0',
  available: '3.0.0',
  outdated: 'lamp-operator.v3.0.0 failed before, and is not tried again until a newer version exists',
});
const kafka = operator('streams', 'kafka', {
  state: { word: 'Upgrading', tone: 'working' },
  message: 'strimzi-kafka-operator.v0.44.0 is being applied: 3 of 5 phases are ready',
  package: 'strimzi-kafka-operator',
  installed: '0.43.0',
  available: '0.44.0',
});

export const overviewModel: OverviewModel = {
  title: 'Overview',
  notices: [{ tone: 'unknown', text: 'You may list Subscriptions in 4 of the namespaces; others are not shown.' }],
  summary: '10 operators: 7 ready, 1 upgrading, 1 waits for approval, 1 failed',
  counts: [
    { word: 'Ready', tone: 'good', count: 7 },
    { word: 'Upgrading', tone: 'working', count: 1 },
    { word: 'Waiting', tone: 'waiting', count: 1 },
    { word: 'Failed', tone: 'bad', count: 1 },
  ],
  waiting: [
    {
      ...beacon,
      change: 'beacon-operator 1.0.0 → 1.1.0',
      risk: HIGH,
      plan: { label: 'Read the plan', href: '/subscriptions/lights/beacon/plan' },
    },
  ],
  wrong: [lamp],
  catalogs: [
    {
      name: 'public',
      state: { word: 'Stale', tone: 'waiting' },
      message: 'The registry cannot be reached since 07:12; the content of yesterday stays in service',
      buttons: [
        {
          label: 'Ask the registry now',
          command: 'kubectl annotate catalogs.slipway.dev public slipway.dev/reconcile-requested-at=now --overwrite',
          allowed: false,
          because: 'You may not patch Catalogs. An administrator of the cluster may.',
          action: { kind: 'refresh', catalog: 'public' },
        },
      ],
    },
  ],
  operators: [
    operator('data', 'postgres'),
    operator('data', 'redis'),
    beacon,
    lamp,
    operator('monitoring', 'grafana'),
    operator('monitoring', 'prometheus'),
    operator('security', 'cert-manager', { package: 'cert-manager' }),
    operator('security', 'external-secrets'),
    kafka,
    operator('streams', 'nats'),
  ],
};

export const subscriptionModel: SubscriptionModel = {
  title: 'lights/beacon',
  notices: [],
  namespace: 'lights',
  name: 'beacon',
  package: 'beacon-operator',
  state: { word: 'Upgrading', tone: 'working' },
  message: 'beacon-operator.v1.1.0 is being applied: Deployment lights/beacon-operator has 0 of 1 replicas available',
  installed: '1.0.0',
  available: '2.0.0',
  path: ['1.1.0', '2.0.0'],
  outdated: 'beacon-operator.v2.0.0 follows beacon-operator.v1.1.0, which is being installed.',
  pending: { version: '1.1.0', reason: 'Upgrading', isWaiting: false, step: 1, steps: 2 },
  facts: [
    { name: 'Package', values: ['beacon-operator'], href: '/catalog/team/beacon-operator' },
    { name: 'Installed', values: ['1.0.0 (channel stable, catalog team)'], href: '/revisions/lights/beacon-3' },
    { name: 'Approval', values: ['Manual'] },
    { name: 'ServiceAccount', values: ['beacon-installer'] },
    { name: 'Depends on', values: ['security/cert-manager', 'data/redis'] },
  ],
  moments: [{ name: 'Next window', time: '2026-11-23T22:00:00Z' }],
  phases: [
    { name: 'Identity', state: READY, ready: 2, objects: 2 },
    { name: 'CRDs', state: READY, ready: 4, objects: 4 },
    { name: 'Roles', state: READY, ready: 5, objects: 5 },
    {
      name: 'Deployments',
      state: { word: 'Waiting', tone: 'working' },
      ready: 0,
      objects: 1,
      message: 'Deployment lights/beacon-operator: 0 of 1 replicas available',
    },
    { name: 'Webhooks', state: { word: 'Not begun', tone: 'off' }, ready: 0, objects: 2 },
  ],
  problems: [
    {
      condition: 'Contested',
      reason: 'Contested',
      message:
        'Deployment lights/beacon-operator: spec.replicas was changed back five times by autoscaler. Remove one of both.',
      since: '2026-11-23T06:30:00Z',
    },
  ],
  quarantined: [
    {
      bundle: 'beacon-operator.v1.0.9',
      version: '1.0.9',
      reason: 'WorkloadUnhealthy',
      message: 'Deployment lights/beacon-operator: container operator: CrashLoopBackOff',
      since: '2026-11-20T10:00:00Z',
    },
  ],
  refused: [
    {
      version: '3.0.0',
      reason: 'KubernetesTooOld',
      message: 'beacon-operator.v3.0.0 needs Kubernetes 1.34 or newer; this cluster has 1.33.2',
      href: '/subscriptions/lights/beacon/graph?version=3.0.0',
    },
  ],
  pods: [
    {
      namespace: 'lights',
      name: 'beacon-operator-6c9d8f7b54-x2x8z',
      state: { word: 'CrashLoopBackOff', tone: 'bad' },
      message: 'container operator ended with exit code 1, 4 times',
      logs: [
        {
          container: 'operator',
          run: 'previous',
          lines: [
            '2026-11-23T07:41:02Z INFO  starting beacon-operator 1.1.0',
            '2026-11-23T07:41:03Z INFO  reading configuration from /etc/beacon/config.yaml',
            '2026-11-23T07:41:03Z ERROR configuration: unknown field "colour", did you mean "color"?',
            '2026-11-23T07:41:03Z FATAL giving up',
          ],
        },
      ],
      command: 'kubectl -n lights logs beacon-operator-6c9d8f7b54-x2x8z -c operator --previous --tail=20',
    },
  ],
  history: [
    {
      revision: 'beacon-1',
      href: '/revisions/lights/beacon-1',
      number: 1,
      version: '0.9.0',
      bundle: 'beacon-operator.v0.9.0',
      state: { word: 'Archived', tone: 'off' },
      digest: `sha256:${'a1b2'.repeat(16)}`,
      created: '2026-10-01T09:00:00Z',
      readyTime: '2026-10-01T09:00:14Z',
      rollOutSeconds: 14,
      endTime: '2026-11-02T09:00:00Z',
      outcome: 'worked; 1.0.0 took over',
      buttons: [
        {
          label: 'Go back to 0.9.0',
          command: `kubectl -n lights patch subscriptions.slipway.dev beacon --type=merge -p '{"spec":{"version":"0.9.0","upgradeEdges":"Ignore"}}'`,
          allowed: true,
          confirm: 'Go back to 0.9.0, against the edges of the catalog? The operator stays there until you unpin it.',
          action: { kind: 'rollback', namespace: 'lights', name: 'beacon', version: '0.9.0' },
        },
      ],
    },
    {
      revision: 'beacon-3',
      href: '/revisions/lights/beacon-3',
      number: 3,
      version: '1.0.0',
      bundle: 'beacon-operator.v1.0.0',
      state: { word: 'Installed', tone: 'good' },
      digest: `sha256:${'c3d4'.repeat(16)}`,
      signature: 'signed by release@example.com',
      created: '2026-11-02T09:00:00Z',
      approvedBy: 'ben@example.com',
      approvedTime: '2026-11-02T08:59:20Z',
      approvedPlan: HASH,
      readyTime: '2026-11-02T09:00:41Z',
      rollOutSeconds: 41,
      outcome: 'works',
      buttons: [],
    },
  ],
  conditions: [
    {
      type: 'Ready',
      question: 'Does the operator work as the spec asks?',
      status: 'False',
      tone: 'working',
      reason: 'Upgrading',
      message: 'beacon-operator.v1.1.0 is being applied',
      since: '2026-11-23T07:40:00Z',
    },
  ],
  hints: [{ command: 'slipway events lights/beacon', effect: 'shows each step until now' }],
  links: [
    { label: 'Upgrade graph', href: '/subscriptions/lights/beacon/graph' },
    { label: 'Events', href: '/events?namespace=lights' },
  ],
  buttons: [
    {
      label: 'Suspend',
      command: `kubectl -n lights patch subscriptions.slipway.dev beacon --type=merge -p '{"spec":{"suspend":true}}'`,
      allowed: true,
      action: { kind: 'suspend', namespace: 'lights', name: 'beacon' },
    },
    {
      label: 'Reconcile now',
      command:
        'kubectl -n lights annotate subscriptions.slipway.dev beacon slipway.dev/reconcile-requested-at=now --overwrite',
      allowed: 'unknown',
      because: 'Whether you may do it could not be reviewed; the API server decides.',
      action: { kind: 'reconcile', namespace: 'lights', name: 'beacon' },
    },
  ],
  yaml: `apiVersion: slipway.dev/v1alpha1
kind: Subscription
metadata:
  name: beacon
  namespace: lights
spec:
  package: beacon-operator
  channel: stable
  approval: Manual
`,
};

function item(name: string, more: Partial<TreeItem> = {}): TreeItem {
  return { key: name, name, state: READY, owners: [], children: [], ...more };
}

export const revisionModel: RevisionModel = {
  title: 'Revision lights/beacon-3',
  notices: [],
  namespace: 'lights',
  name: 'beacon-3',
  subscription: { label: 'lights/beacon', href: '/subscriptions/lights/beacon' },
  version: '1.0.0',
  state: READY,
  message: 'All 12 objects are applied and healthy',
  facts: [
    { name: 'Image', values: [`registry.example.com/beacon-operator@sha256:${'c3d4'.repeat(16)}`] },
    { name: 'Channel', values: ['stable'] },
  ],
  moments: [{ name: 'Created', time: '2026-11-02T09:00:00Z' }],
  phases: [],
  groups: [
    {
      phase: 'CRDs',
      summary: '2 objects, all ready',
      state: READY,
      items: [item('CustomResourceDefinition.apiextensions.k8s.io beacons.example.com')],
    },
    {
      phase: 'Deployments',
      summary: '1 object, changed by another program',
      state: READY,
      items: [
        item('Deployment.apps lights/beacon-operator', {
          message: '1 of 1 replicas available',
          drift: 'spec.replicas is owned by kubectl-scale, which wrote it after Slipway did',
          owners: [
            { manager: 'slipway', isSlipway: true, fields: ['spec.template', 'spec.selector'], count: 31 },
            {
              manager: 'kubectl-scale',
              isSlipway: false,
              fields: ['spec.replicas'],
              count: 1,
              time: '2026-11-22T10:00:00Z',
            },
          ],
          command: 'kubectl -n lights get deployment beacon-operator -o yaml',
          children: [
            item('ReplicaSet.apps beacon-operator-6c9d8f7b54', {
              children: [item('Pod beacon-operator-6c9d8f7b54-x2x8z')],
            }),
          ],
        }),
      ],
    },
  ],
  repair: {
    time: '2026-11-22T10:00:05Z',
    message: 'Deployment lights/beacon-operator: spec.replicas was changed by kubectl-scale',
  },
  losses: [],
  conditions: subscriptionModel.conditions,
  buttons: [],
  links: [{ label: 'Events', href: '/events?namespace=lights' }],
};
