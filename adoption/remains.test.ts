/** Which rights of OLM an uninstall deletes: those of the hand-over that nothing else uses, and no other object. */
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../api/names.ts';
import { describeRef, refOf, type KubeObject } from '../api/object.ts';
import { handedOverByV0 } from './handed-over.ts';
import { makeBackup } from './olm-v0/backup.ts';
import { OLM } from './olm-v0/kinds.ts';
import { judgeRemains } from './remains.ts';
import { csvOf, subscriptionOf, surveyOf } from './olm-v0/testing/survey.ts';
import { translateSubscription } from './olm-v0/translate.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };
const survey = { ...surveyOf(), subscription: subscriptionOf(), csv: csvOf('gadget.v1') };
const { manifest: wanted } = translateSubscription(survey, { name: 'gadget', version: '1.0.0' });
const backup = makeBackup(survey, operator, { wanted, objects: [] });

const MARK = { [ANNOTATION.adoptBy]: 'ops/gadget' };
const OWN = { kind: 'ServiceAccount', name: 'gadget', namespace: 'ops' };

function object(kind: string, metadata: object, more: object = {}): KubeObject {
  return { apiVersion: RBAC, kind, metadata: { name: 'given', annotations: MARK, ...metadata }, ...more };
}

const binding = (metadata: object = {}, subjects: readonly object[] = [OWN], role = 'given'): KubeObject =>
  object('ClusterRoleBinding', metadata, { roleRef: { kind: 'ClusterRole', name: role }, subjects });
const role = (metadata: object = {}): KubeObject => object('ClusterRole', metadata);
/** Of a person, to the role `given`. */
const foreign = binding({ name: 'auditors', annotations: {} }, [{ kind: 'Group', name: 'auditors' }]);

/** Bindings of the ClusterRole `given`, one in each namespace. */
const inNamespaces = (...namespaces: readonly string[]): readonly KubeObject[] =>
  namespaces.map((namespace) =>
    object(
      'RoleBinding',
      { name: 'users', namespace, annotations: {} },
      { roleRef: { kind: 'ClusterRole', name: 'given' }, subjects: [{ kind: 'Group', name: 'users' }] },
    ),
  );

const service = (metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'gadget-service', namespace: 'ops', ...metadata },
});

/** With a webhook for each Service. */
function hook(services: readonly string[], namespace = 'ops'): KubeObject {
  const webhooks = services.map((name) => ({ clientConfig: { service: { namespace, name } } }));
  return {
    ...object('ValidatingWebhookConfiguration', {}, { webhooks }),
    apiVersion: 'admissionregistration.k8s.io/v1',
  };
}

interface Case {
  readonly because: string;
  readonly live: readonly KubeObject[];
  readonly others?: readonly KubeObject[];
  readonly services?: readonly KubeObject[];
  readonly due: readonly string[];
  readonly kept?: readonly string[];
  /** For readers of the namespace `ops` alone; the same as `kept` if that names nothing outside of it. */
  readonly shown?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    because: 'bindings go before the roles that they name',
    live: [role(), binding()],
    due: ['ClusterRoleBinding given', 'ClusterRole given'],
  },
  {
    because: 'a binding of a role of Kubernetes goes, and the role is none of the backup',
    live: [binding({}, [OWN], 'system:auth-delegator')],
    due: ['ClusterRoleBinding given'],
  },
  {
    because: 'rights in other namespaces go as those of the cluster do',
    live: [
      object(
        'RoleBinding',
        { namespace: 'kube-system' },
        { roleRef: { kind: 'Role', name: 'reader' }, subjects: [OWN] },
      ),
    ],
    due: ['RoleBinding kube-system/given'],
  },
  {
    because: 'one that is tied to the Subscription by an owner reference goes too',
    live: [
      object('Role', {
        namespace: 'ops',
        ownerReferences: [{ apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', name: 'gadget', uid: 'own' }],
      }),
    ],
    due: ['Role ops/given'],
  },
  {
    because: 'an object without the mark of the hand-over is another one',
    live: [binding({ annotations: {} })],
    due: [],
  },
  {
    because: 'an object with the mark of another hand-over belongs to that one',
    live: [binding({ annotations: { [ANNOTATION.adoptBy]: 'ops/lamp' } })],
    due: [],
  },
  {
    because: 'Slipway deletes by itself whatever it manages',
    live: [binding({ annotations: { ...MARK, [ANNOTATION.owner]: 'ops/gadget' } })],
    due: [],
  },
  {
    because: 'OLM has it again',
    live: [binding({ labels: { 'olm.owner': 'other.v1' } })],
    due: [],
    kept: ['ClusterRoleBinding given: OLM has marked it again'],
  },
  {
    because: 'another object owns it',
    live: [
      object('Role', {
        namespace: 'ops',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' }],
      }),
    ],
    due: [],
    kept: ['Role ops/given: it belongs to ConfigMap x'],
  },
  {
    because: 'a person has bound a user by it too',
    live: [binding({}, [OWN, { kind: 'User', name: 'jo' }])],
    due: [],
    kept: ['ClusterRoleBinding given: it binds User jo too'],
    shown: ['ClusterRoleBinding given: it binds a User too'],
  },
  {
    because: 'an account of another namespace is not the operator',
    live: [binding({}, [{ ...OWN, namespace: 'elsewhere' }])],
    due: [],
    kept: ['ClusterRoleBinding given: it binds ServiceAccount gadget too'],
    shown: ['ClusterRoleBinding given: it binds a ServiceAccount of another namespace too'],
  },
  {
    because: 'a role that a person has bound stays, and the binding of OLM goes',
    live: [role(), binding()],
    others: [foreign],
    due: ['ClusterRoleBinding given'],
    kept: ['ClusterRole given: ClusterRoleBinding.rbac.authorization.k8s.io auditors uses it'],
    shown: ['ClusterRole given: a ClusterRoleBinding uses it'],
  },
  {
    because: 'a role that other tenants have bound stays, and none of them is named to this one',
    live: [role()],
    others: [...inNamespaces('theirs', 'other'), foreign],
    due: [],
    kept: ['ClusterRole given: RoleBinding theirs/users uses it'],
    shown: ['ClusterRole given: 2 RoleBindings of other namespaces and a ClusterRoleBinding use it'],
  },
  {
    because: 'another tenant has bound it',
    live: [role()],
    others: inNamespaces('theirs'),
    due: [],
    kept: ['ClusterRole given: RoleBinding theirs/users uses it'],
    shown: ['ClusterRole given: a RoleBinding of another namespace uses it'],
  },
  {
    because: 'a binding of its own namespace is named, whatever binds it besides',
    live: [role()],
    others: inNamespaces('theirs', 'ops'),
    due: [],
    kept: ['ClusterRole given: RoleBinding ops/users uses it'],
  },
  {
    because: 'a person has bound a user in the own namespace, where each reader may see that',
    live: [
      object(
        'RoleBinding',
        { namespace: 'ops' },
        { roleRef: { kind: 'Role', name: 'reader' }, subjects: [{ kind: 'User', name: 'jo' }] },
      ),
    ],
    due: [],
    kept: ['RoleBinding ops/given: it binds User jo too'],
  },
  {
    because: 'an object of another namespace owns it',
    live: [
      object('Role', {
        namespace: 'theirs',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'secret-plan', uid: 'x' }],
      }),
    ],
    due: [],
    kept: ['Role theirs/given: it belongs to ConfigMap secret-plan'],
    shown: ['Role theirs/given: it belongs to a ConfigMap'],
  },
  {
    because: 'a binding that Slipway manages goes with the Subscription',
    live: [role()],
    others: [binding({ name: 'own', annotations: { [ANNOTATION.owner]: 'ops/gadget' } })],
    due: ['ClusterRole given'],
  },
  {
    because: 'a Role of the same name as the ClusterRole that is bound is another one',
    live: [object('Role', { namespace: 'ops' })],
    others: [foreign],
    due: ['Role ops/given'],
  },
  {
    because: 'the OperatorCondition was kept by an uninstall that left the objects',
    live: [{ ...object('OperatorCondition', { namespace: 'ops' }), ...OLM.operatorCondition }],
    due: ['OperatorCondition.operators.coreos.com ops/given'],
  },
  {
    because: 'the API server would reject each write of the kinds, as no Service answers its webhooks',
    live: [hook(['gadget-service'])],
    due: ['ValidatingWebhookConfiguration.admissionregistration.k8s.io given'],
  },
  {
    because: 'the Service that answers goes with the Subscription',
    live: [hook(['gadget-service'])],
    services: [service({ annotations: { [ANNOTATION.owner]: 'ops/gadget' } })],
    due: ['ValidatingWebhookConfiguration.admissionregistration.k8s.io given'],
  },
  {
    because: 'the Service of one of its webhooks stays',
    live: [hook(['gone', 'gadget-service'])],
    services: [service()],
    due: [],
    kept: ['ValidatingWebhookConfiguration.admissionregistration.k8s.io given: a program may serve its webhooks'],
  },
  {
    because: 'a webhook in another namespace may have a server that is none of the operator',
    live: [hook(['gadget-service'], 'theirs')],
    due: [],
    kept: ['ValidatingWebhookConfiguration.admissionregistration.k8s.io given: a program may serve its webhooks'],
  },
  {
    because: 'a webhook may have a server outside of the cluster',
    live: [{ ...hook([]), webhooks: [{ clientConfig: { url: 'https://gadget.example' } }] }],
    due: [],
    kept: ['ValidatingWebhookConfiguration.admissionregistration.k8s.io given: a program may serve its webhooks'],
  },
  {
    because: 'whether a ConfigMap is in use is not known',
    live: [{ ...object('ConfigMap', { namespace: 'ops' }), apiVersion: 'v1' }],
    due: [],
    kept: ['ConfigMap ops/given: only rights are deleted, and other objects may be in use'],
  },
];

describe('of the objects in a backup', () => {
  test.each(CASES)('$because', ({ live, others = [], services = [], due, kept = [], shown = kept }) => {
    const bindings = [...live.filter(({ kind }) => kind.endsWith('Binding')), ...others];
    const found = judgeRemains(handedOverByV0(backup), live, { bindings, services });
    const short = (text: string): string => text.replaceAll('.rbac.authorization.k8s.io', '');
    expect(found.due.map((one) => short(describeRef(refOf(one))))).toEqual(due);
    const kepts = found.kept.map(({ ref, why, named = why }) => ({
      named: short(`${describeRef(ref)}: ${named}`),
      why: short(`${describeRef(ref)}: ${why}`),
    }));
    expect(kepts.map(({ named }) => named)).toEqual(kept.map(short));
    expect(kepts.map(({ why }) => why)).toEqual(shown.map(short));
  });
});
