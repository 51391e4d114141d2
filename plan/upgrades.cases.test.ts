/** Twenty and more upgrades made by hand, one for each risk; the words that a person reads are pinned. */
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { sample, sampleCrd } from '../apply/testing/sample-objects.ts';
import { fieldsOf } from '../api/untyped.ts';
import type { PlanClusterFacts } from './input.ts';
import { planChange } from './plan.ts';
import { RISK_REASONS, RISKS, type RiskReason } from './risks.ts';
import {
  boundRole,
  changed,
  clusterBinding,
  DIGEST,
  IMAGE,
  OTHER_DIGEST,
  RBAC,
  upgrade,
  type SideParts,
} from './testing/sides.ts';

interface Upgrade {
  readonly because: string;
  readonly before?: SideParts;
  readonly after: SideParts;
  readonly facts?: PlanClusterFacts;
  /** All risks but ObjectsChanged, in order. */
  readonly says: readonly (readonly [RiskReason, string])[];
}

const rule = (verbs: readonly string[], resources: readonly string[], apiGroups: readonly string[] = ['']): object => ({
  verbs,
  apiGroups,
  resources,
});

function clusterRole(name: string, rules: readonly object[], labels: object): KubeObject {
  return sample(`${RBAC}/v1`, 'ClusterRole', name, { metadata: { name, labels }, rules });
}

/** A ClusterRole whose rules the API server fills. */
function filledRole(name: string, clusterRoleSelectors: readonly object[], labels: object = {}): KubeObject {
  return { ...clusterRole(name, [], labels), aggregationRule: { clusterRoleSelectors } };
}

function webhook(kind: string, rules: readonly object[]): KubeObject {
  return sample('admissionregistration.k8s.io/v1', kind, 'guard', {
    webhooks: [{ name: 'guard.example.com', rules, clientConfig: {}, sideEffects: 'None' }],
  });
}

const crdWith = (versions: readonly object[], more: object = {}): KubeObject => {
  const crd = sampleCrd('Widget');
  return { ...crd, spec: { ...fieldsOf(crd['spec']), versions, ...more } };
};

function crdVersion(
  name: string,
  storage: boolean,
  properties: object = { size: { type: 'integer' } },
  served = true,
): object {
  const spec = { type: 'object', properties };
  return { name, served, storage, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } };
}

const withCrd = (crd: KubeObject): SideParts => ({ objects: changed('CustomResourceDefinition', () => crd) });

const deployment = (change: (spec: Readonly<Record<string, unknown>>) => object): SideParts => ({
  objects: changed('Deployment', ({ spec }) => ({ spec: change(fieldsOf(spec)) })),
});

const template = (spec: Readonly<Record<string, unknown>>, pod: object): object => {
  const of = fieldsOf(spec['template']);
  return { ...spec, template: { ...of, spec: { ...fieldsOf(of['spec']), ...pod } } };
};

const container = (more: object): object => ({ containers: [{ name: 'manager', image: IMAGE, ...more }] });

const TOKENS = { name: 'widget-metrics', namespace: 'ops', port: 8443 };

function consolePlugin(version: string, spec: object): KubeObject {
  return sample(`console.openshift.io/${version}`, 'ConsolePlugin', 'widgets', { spec });
}

const RESTART = [
  'WorkloadRestarts',
  'Deployment.apps ops/widget-manager restarts: the template of its Pods changes',
] as const;

const UPGRADES: readonly Upgrade[] = [
  {
    because: 'a wildcard of verbs and resources takes over the cluster',
    after: { more: boundRole([rule(['*'], ['*'], ['*'])]) },
    says: [
      [
        'DangerousRights',
        'the operator may do everything with all objects in every namespace, so it can change everything there',
      ],
    ],
  },
  {
    because: 'secrets of all namespaces can be read',
    after: { more: boundRole([rule(['get', 'list'], ['secrets'])]) },
    says: [
      ['DangerousRights', 'the operator may read Secrets in every namespace, so it can read passwords and tokens'],
    ],
  },
  {
    because: 'who creates bindings passes rights on',
    after: { more: boundRole([rule(['create'], ['clusterrolebindings'], [RBAC])]) },
    says: [
      [
        'DangerousRights',
        'the operator may create ClusterRoleBindings, so it can pass its rights on in the whole cluster',
      ],
    ],
  },
  {
    because: 'escalate lifts the limit on the rights that a role may give',
    after: { more: boundRole([rule(['escalate'], ['clusterroles'], [RBAC])]) },
    says: [['DangerousRights', 'the operator may escalate ClusterRoles, so it can give itself every right']],
  },
  {
    because: 'bind gives the rights of existing roles',
    after: { more: boundRole([rule(['bind'], ['clusterroles'], [RBAC])]) },
    says: [['DangerousRights', 'the operator may bind ClusterRoles, so it can give itself the rights of these roles']],
  },
  {
    because: 'impersonation acts as any user',
    after: { more: boundRole([rule(['impersonate'], ['users', 'groups'])]) },
    says: [['DangerousRights', 'the operator may impersonate Groups and Users, so it can act as others']],
  },
  {
    because: 'a limited impersonation acts as any user too, if other rights say for which requests',
    after: { more: boundRole([rule(['impersonate:user-info'], ['users'], ['authentication.k8s.io'])]) },
    says: [
      [
        'DangerousRights',
        'the operator may impersonate:user-info users.authentication.k8s.io in every namespace, so it can act as others',
      ],
    ],
  },
  {
    because: 'who writes Catalogs decides about all operators',
    after: { more: boundRole([rule(['patch'], ['catalogs'], ['slipway.dev'])]) },
    says: [
      [
        'DangerousRights',
        'the operator may change catalogs.slipway.dev in every namespace, so it can choose what operators of the whole cluster are upgraded to',
      ],
    ],
  },
  {
    because: 'a role without rules of its own collects those of others',
    after: {
      more: boundRole([], {
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'widgets.example.com/aggregate': 'true' } }] },
      }),
    },
    says: [
      [
        'RightsNotKnown',
        'the operator has all rights of every ClusterRole with the labels widgets.example.com/aggregate=true in every namespace, so any ClusterRole that gets these labels adds to its rights',
      ],
    ],
  },
  ...[[], [{ matchLabels: { 'widgets.example.com/aggregate': 'true' } }]].map((clusterRoleSelectors) => ({
    because: `the API server fills no Role, so it keeps the rules of one beside an aggregationRule of ${clusterRoleSelectors.length} selectors`,
    after: {
      more: [
        sample(`${RBAC}/v1`, 'Role', 'filled', {
          namespace: 'ops',
          rules: [rule(['get'], ['secrets'])],
          aggregationRule: { clusterRoleSelectors },
        }),
        sample(`${RBAC}/v1`, 'RoleBinding', 'filled', {
          namespace: 'ops',
          roleRef: { apiGroup: RBAC, kind: 'Role', name: 'filled' },
          subjects: [{ kind: 'ServiceAccount', name: 'widget-manager', namespace: 'ops' }],
        }),
      ],
    },
    says: [
      ['DangerousRights', 'the operator may read Secrets in the namespace ops, so it can read passwords and tokens'],
    ] as const,
  })),
  {
    because: 'a label adds rules to a ClusterRole that users hold',
    after: {
      more: [
        sample(`${RBAC}/v1`, 'ClusterRole', 'for-editors', {
          metadata: { name: 'for-editors', labels: { [`${RBAC}/aggregate-to-edit`]: 'true' } },
          rules: [rule(['create', 'delete'], ['widgets'], ['example.com'])],
        }),
      ],
    },
    says: [
      [
        'MoreRights',
        'every holder of the ClusterRole edit may create and delete widgets.example.com in the namespaces of that role',
      ],
    ],
  },
  {
    because: 'a ClusterRole that the API server fills passes the rights of all roles on to users',
    after: { more: [filledRole('hub', [{}], { [`${RBAC}/aggregate-to-edit`]: 'true' })] },
    says: [
      [
        'RightsNotKnown',
        'every holder of the ClusterRole edit has all rights of every ClusterRole with any labels in the namespaces of that role, cluster-admin among them',
      ],
      [
        'MoreRights',
        'every holder of the ClusterRole edit may read all objects of example.com in the namespaces of that role',
      ],
    ],
  },
  {
    because: 'a ClusterRole that the API server fills passes the rights of another one of the bundle on to users',
    after: {
      more: [
        filledRole('hub', [{ matchLabels: { part: 'yes' } }], { [`${RBAC}/aggregate-to-view`]: 'true' }),
        clusterRole('part', [rule(['*'], ['*'], ['*'])], { part: 'yes' }),
      ],
    },
    says: [
      [
        'DangerousRights',
        'every holder of the ClusterRole view may do everything with all objects in the namespaces of that role, so it can change everything there',
      ],
      [
        'RightsNotKnown',
        'every holder of the ClusterRole view has all rights of every ClusterRole with the labels part=yes in the namespaces of that role, so any ClusterRole that gets these labels adds to its rights',
      ],
    ],
  },
  {
    because: 'a ClusterRole is filled from one that is filled itself',
    before: { more: [filledRole('hub', [{ matchLabels: { part: 'yes' } }]), clusterBinding('hub')] },
    after: {
      more: [
        filledRole('hub', [{ matchLabels: { part: 'yes' } }]),
        clusterBinding('hub'),
        filledRole('inner', [{ matchExpressions: [{ key: 'deep', operator: 'Exists' }] }], { part: 'yes' }),
        clusterRole('deep', [rule(['get'], ['secrets'])], { deep: 'yes', part: 'no' }),
      ],
    },
    says: [
      ['DangerousRights', 'the operator may read Secrets in every namespace, so it can read passwords and tokens'],
      [
        'RightsNotKnown',
        'the operator has all rights of every ClusterRole with the labels deep Exists in every namespace, so any ClusterRole that gets these labels adds to its rights',
      ],
    ],
  },
  {
    because: 'a ClusterRole is filled by each that lacks a label, cluster-admin among them',
    after: {
      more: [
        filledRole('hub', [{ matchExpressions: [{ key: 'frozen', operator: 'DoesNotExist' }] }]),
        clusterBinding('hub'),
      ],
    },
    says: [
      [
        'RightsNotKnown',
        'the operator has all rights of every ClusterRole with the labels frozen DoesNotExist in every namespace, cluster-admin among them',
      ],
    ],
  },
  {
    because: 'an existing ClusterRole is bound, and the bundle does not contain its rules',
    after: { more: [clusterBinding('prometheus-k8s')] },
    says: [
      [
        'RightsNotKnown',
        'the operator has all rights of the ClusterRole prometheus-k8s in every namespace, whose rules the bundle does not contain',
      ],
    ],
  },
  {
    because: 'the rules of cluster-admin are known without a cluster',
    after: { more: [clusterBinding('cluster-admin')] },
    says: [
      [
        'DangerousRights',
        'the operator may do everything with all objects in every namespace, so it can change everything there',
      ],
      ['MoreRights', 'the operator may send every request to every path of the API server'],
    ],
  },
  {
    because: 'every user who is logged in gets a right',
    after: {
      more: [
        sample(`${RBAC}/v1`, 'ClusterRole', 'for-all', { rules: [rule(['get'], ['configmaps'])] }),
        sample(`${RBAC}/v1`, 'ClusterRoleBinding', 'for-all', {
          roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'for-all' },
          subjects: [{ kind: 'Group', name: 'system:authenticated' }],
        }),
      ],
    },
    says: [['MoreRights', 'the group system:authenticated may read ConfigMaps in every namespace']],
  },
  {
    because: 'Pods run as a ServiceAccount that is not of the bundle',
    after: deployment((spec) => template(spec, { serviceAccountName: 'sql-operator' })),
    says: [
      [
        'RightsNotKnown',
        'the operator may act as the ServiceAccount ops/sql-operator, which the bundle does not bring',
      ],
      RESTART,
    ],
  },
  {
    because: 'the bundle does not bring the ServiceAccount of its Pods any more',
    before: deployment((spec) => template(spec, { serviceAccountName: 'widget-manager' })),
    after: {
      objects: deployment((spec) => template(spec, { serviceAccountName: 'widget-manager' })).objects?.filter(
        ({ kind }) => kind !== 'ServiceAccount',
      ) as readonly KubeObject[],
    },
    says: [
      [
        'RightsNotKnown',
        'the operator may act as the ServiceAccount ops/widget-manager, which the bundle does not bring',
      ],
      ['ObjectsDeleted', '1 object is deleted'],
    ],
  },
  {
    because: 'Pods run as the default ServiceAccount, which every namespace has',
    before: deployment((spec) => template(spec, { serviceAccountName: 'widget-manager' })),
    after: deployment((spec) => template(spec, { serviceAccountName: '' })),
    says: [
      ['MoreRights', 'the operator may act as the ServiceAccount ops/default, which the bundle does not bring'],
      RESTART,
    ],
  },
  {
    because: 'a Secret gets a token of a ServiceAccount that is not of the bundle',
    after: {
      more: [
        sample('v1', 'Secret', 'token', {
          metadata: {
            name: 'token',
            namespace: 'ops',
            annotations: { 'kubernetes.io/service-account.name': 'sql-operator' },
          },
          type: 'kubernetes.io/service-account-token',
        }),
      ],
    },
    says: [
      [
        'RightsNotKnown',
        'the operator may act as the ServiceAccount ops/sql-operator, which the bundle does not bring',
      ],
    ],
  },
  {
    because: 'a webhook on Pods can change every Pod of the cluster',
    after: {
      more: [
        webhook('MutatingWebhookConfiguration', [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
        ]),
      ],
    },
    says: [['WebhookIntercepts', 'the operator intercepts writes of Pods, and may change or reject them']],
  },
  {
    because: 'a webhook on its own kinds is the usual one',
    after: {
      more: [
        webhook('ValidatingWebhookConfiguration', [
          { apiGroups: ['example.com'], apiVersions: ['*'], operations: ['*'], resources: ['widgets'] },
        ]),
      ],
    },
    says: [['WebhookAdded', 'the operator intercepts writes of widgets.example.com, and may reject them']],
  },
  {
    because: 'another registry is another supplier',
    after: { image: `elsewhere.example/operator@${DIGEST}` },
    says: [
      [
        'OtherRegistry',
        `the image elsewhere.example/operator@${DIGEST} comes from elsewhere.example, and no installed image does`,
      ],
      RESTART,
    ],
  },
  {
    because: 'a related image counts as one of a container',
    after: deployment((spec) =>
      template(spec, container({ env: [{ name: 'RELATED_IMAGE_DB', value: `other.example/db@${OTHER_DIGEST}` }] })),
    ),
    says: [
      [
        'OtherRegistry',
        `the image other.example/db@${OTHER_DIGEST} comes from other.example, and no installed image does`,
      ],
      RESTART,
    ],
  },
  {
    because: 'a tag can come to mean another image',
    after: { image: 'registry.example/operator:v2' },
    says: [RESTART, ['ImageNotPinned', 'the image registry.example/operator:v2 is named without its digest']],
  },
  {
    because: 'a removed field loses its values with the next write',
    after: withCrd(crdWith([crdVersion('v1', true, {})])),
    says: [['CRDLosesData', 'widgets.example.com: v1: ^.spec.size: existingFieldRemoval: the field is gone']],
  },
  {
    because: 'a smaller maximum rejects objects that were valid',
    after: withCrd(crdWith([crdVersion('v1', true, { size: { type: 'integer', maximum: 3 } })])),
    says: [['CRDRejectsObjects', 'widgets.example.com: v1: ^.spec.size: maximum: maximum 3 is new']],
  },
  {
    because: 'objects are stored in a version that the installed CRD does not have',
    after: withCrd(crdWith([crdVersion('v1', false), crdVersion('v2', true)])),
    says: [['StorageVersionMoves', 'point of no return: widgets.example.com moves its storage version from v1 to v2']],
  },
  {
    because: 'the installed CRD can read the new storage version, so there is a way back',
    before: withCrd(crdWith([crdVersion('v1', true), crdVersion('v2', false)])),
    after: withCrd(crdWith([crdVersion('v1', false), crdVersion('v2', true)])),
    says: [],
  },
  {
    because: 'clients of a version that is no longer served fail',
    before: withCrd(crdWith([crdVersion('v1', true), crdVersion('v0', false)])),
    after: withCrd(crdWith([crdVersion('v1', true), crdVersion('v0', false, undefined, false)])),
    says: [['CRDVersionUnserved', 'widgets.example.com: servedVersionRemoval: v0 is no longer served']],
  },
  {
    because: 'a CRD that is not brought any more has no operator',
    after: { objects: changed('CustomResourceDefinition', () => sampleCrd('Gadget')) },
    says: [
      [
        'CRDRemoved',
        'the new version does not bring widgets.example.com: it is deleted if it has no custom resources, and else stays without an operator',
      ],
    ],
  },
  {
    because: 'a CRD with custom resources stays, and their number is known in the cluster',
    after: { objects: changed('CustomResourceDefinition', () => sampleCrd('Gadget')) },
    facts: { customResources: new Map([['widgets.example.com', 3]]) },
    says: [
      [
        'CRDRemoved',
        'the new version does not bring widgets.example.com: it stays with 3 custom resources, without an operator',
      ],
    ],
  },
  {
    because: 'a strategy of Recreate ends all Pods first',
    after: deployment((spec) => ({
      ...template(spec, container({ args: ['--new'] })),
      strategy: { type: 'Recreate' },
    })),
    says: [
      [
        'Downtime',
        'Deployment.apps ops/widget-manager restarts: the template of its Pods changes, and its strategy Recreate ends all old Pods first',
      ],
    ],
  },
  {
    because: 'a Service becomes reachable from outside',
    after: { objects: changed('Service', ({ spec }) => ({ spec: { ...fieldsOf(spec), type: 'LoadBalancer' } })) },
    says: [['ServiceExposed', 'Service ops/widget-metrics gets the type LoadBalancer']],
  },
  {
    because: 'a deleted claim takes its data along',
    before: { more: [sample('v1', 'PersistentVolumeClaim', 'data', { namespace: 'ops' })] },
    after: {},
    says: [['DataDeleted', 'PersistentVolumeClaim ops/data is deleted with its data']],
  },
  {
    because: 'a network policy protected the operator',
    before: { more: [sample('networking.k8s.io/v1', 'NetworkPolicy', 'closed', { namespace: 'ops', spec: {} })] },
    after: {},
    says: [['ProtectionRemoved', 'NetworkPolicy.networking.k8s.io ops/closed is deleted']],
  },
  {
    because: 'the selector of a Deployment cannot change',
    after: deployment((spec) => ({ ...spec, selector: { matchLabels: { app: 'other' } } })),
    says: [
      [
        'ImmutableField',
        'Deployment.apps ops/widget-manager changes spec.selector, which the API server rejects while the object exists',
      ],
    ],
  },
  {
    because: 'an object of another owner is in the place of a new one',
    after: { more: [sample('v1', 'ConfigMap', 'extra', { namespace: 'ops' })] },
    facts: { existing: new Map([['ConfigMap|ops|extra', { owner: 'Subscription ops/other' }]]) },
    says: [['Collision', 'ConfigMap ops/extra exists and belongs to Subscription ops/other']],
  },
  {
    because: 'the kind of a new object belongs to a program that the cluster does not have',
    after: { more: [sample('monitoring.example.com/v1', 'Alert', 'extra', { namespace: 'ops' })] },
    facts: { unserved: new Set(['Alert.monitoring.example.com|ops|extra']) },
    says: [
      [
        'KindNotServed',
        'Alert.monitoring.example.com ops/extra cannot be created, as the cluster does not serve its kind in monitoring.example.com/v1',
      ],
    ],
  },
  {
    because: 'a Service gets a port on every node',
    after: { objects: changed('Service', ({ spec }) => ({ spec: { ...fieldsOf(spec), type: 'NodePort' } })) },
    says: [['ServiceExposed', 'Service ops/widget-metrics gets the type NodePort']],
  },
  {
    because: 'a privileged Pod is not confined',
    after: deployment((spec) =>
      template(spec, { hostNetwork: true, ...container({ securityContext: { privileged: true } }) }),
    ),
    says: [
      ['DangerousRights', 'the operator runs privileged containers, so its Pods are not confined to their containers'],
      [
        'DangerousRights',
        'the operator uses the network of its nodes, so its Pods are not confined to their containers',
      ],
      RESTART,
    ],
  },
  {
    because: 'a Service takes the traffic to another address from every Pod of the cluster',
    before: {
      objects: changed('Service', ({ spec }) => ({ spec: { ...fieldsOf(spec), externalIPs: ['192.0.2.1'] } })),
    },
    after: {
      objects: changed('Service', ({ spec }) => ({
        spec: { ...fieldsOf(spec), externalIPs: ['192.0.2.1', '192.0.2.2'] },
      })),
    },
    says: [['ServiceExposed', 'Service ops/widget-metrics takes all traffic of the cluster to 192.0.2.2']],
  },
  {
    because: 'a new Service takes the traffic to an address',
    after: { more: [sample('v1', 'Service', 'extra', { namespace: 'ops', spec: { externalIPs: ['192.0.2.1'] } })] },
    says: [['ServiceExposed', 'Service ops/extra takes all traffic of the cluster to 192.0.2.1']],
  },
  {
    because: 'a Pod is a process of its Windows node',
    after: deployment((spec) =>
      template(spec, { securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'x' } } }),
    ),
    says: [
      [
        'DangerousRights',
        'the operator runs as processes of its Windows nodes, so its Pods are not confined to their containers',
      ],
      RESTART,
    ],
  },
  {
    because: 'a container is a process of its Windows node, or sees the whole of /proc',
    after: deployment((spec) =>
      template(spec, container({ securityContext: { procMount: 'Unmasked', windowsOptions: { hostProcess: true } } })),
    ),
    says: [
      [
        'DangerousRights',
        'the operator runs as processes of its Windows nodes, so its Pods are not confined to their containers',
      ],
      [
        'DangerousRights',
        'the operator runs containers with an unmasked /proc, so its Pods are not confined to their containers',
      ],
      RESTART,
    ],
  },
  {
    because: 'a plugin may be enabled in the console of OpenShift',
    after: { more: [consolePlugin('v1', {})] },
    says: [['MoreRights', 'the operator may run the plugin widgets in the OpenShift console']],
  },
  ...(
    [
      ['v1', { alias: 'api', authorization: 'UserToken', endpoint: { type: 'Service', service: TOKENS } }],
      ['v1alpha1', { alias: 'api', authorize: true, type: 'Service', service: TOKENS }],
    ] as const
  ).map(([version, proxy]) => ({
    because: `a plugin of the console in ${version} is given the tokens of its users`,
    before: { more: [consolePlugin(version, { proxy: [{ alias: 'api', service: TOKENS }] })] },
    after: { more: [consolePlugin(version, { proxy: [proxy] })] },
    says: [
      [
        'DangerousRights',
        'the operator receives the tokens of users of the OpenShift console at the Service ops/widget-metrics, so it can act as them',
      ],
    ] as const,
  })),
  {
    because: 'a new dependency is installed along',
    after: { properties: [{ type: 'olm.package.required', value: { packageName: 'lamp', versionRange: '>=1.0.0' } }] },
    says: [['DependencyAdded', 'it needs package lamp in ">=1.0.0"']],
  },
  {
    because: 'a major version may break its users',
    after: { version: '2.0.0' },
    says: [['MajorVersion', 'the major version grows from 1 to 2']],
  },
  {
    because: 'a lower version was never tested after a higher one',
    before: { version: '1.1.0' },
    after: {},
    says: [['Downgrade', '1.0.1 is lower than the installed 1.1.0']],
  },
  {
    because: 'an ordinary object is deleted',
    before: { more: [sample('v1', 'ConfigMap', 'extra', { namespace: 'ops' })] },
    after: {},
    says: [['ObjectsDeleted', '1 object is deleted']],
  },
];

describe('an upgrade is judged in words', () => {
  test.each(UPGRADES)('$because', ({ before = {}, after, facts, says }) => {
    const { risk } = planChange(upgrade(before, after, facts));
    const stated = risk.reasons.filter(({ reason }) => reason !== 'ObjectsChanged');
    expect(stated.map(({ reason, message }) => [reason, message])).toEqual(says);
    for (const { reason, level } of risk.reasons) expect(level).toBe(RISKS[reason].level);
    expect(risk.level).toBe(risk.reasons[0]?.level ?? 'none');
  });

  test('every risk of the closed list has an upgrade', () => {
    const shown = new Set<RiskReason>(UPGRADES.flatMap(({ says }) => says.map(([reason]) => reason)));
    expect(RISK_REASONS.filter((reason) => !shown.has(reason) && reason !== 'ObjectsChanged')).toEqual([]);
  });
});
