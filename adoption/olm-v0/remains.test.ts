/** Which rights of OLM an uninstall deletes: those of the hand-over that nothing else uses, and no other object. */
import { describe, expect, test } from 'vitest';
import { ANNOTATION } from '../../api/names.ts';
import { describeRef, refOf, type KubeObject } from '../../api/object.ts';
import { makeBackup } from './backup.ts';
import { OLM } from './kinds.ts';
import { judgeRemains } from './remains.ts';
import { csvOf, subscriptionOf, surveyOf } from './testing/survey.ts';
import { translateSubscription } from './translate.ts';

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

interface Case {
  readonly because: string;
  readonly live: readonly KubeObject[];
  readonly others?: readonly KubeObject[];
  readonly due: readonly string[];
  readonly kept?: readonly string[];
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
  },
  {
    because: 'an account of another namespace is not the operator',
    live: [binding({}, [{ ...OWN, namespace: 'elsewhere' }])],
    due: [],
    kept: ['ClusterRoleBinding given: it binds ServiceAccount gadget too'],
  },
  {
    because: 'a role that a person has bound stays, and the binding of OLM goes',
    live: [role(), binding()],
    others: [foreign],
    due: ['ClusterRoleBinding given'],
    kept: ['ClusterRole given: ClusterRoleBinding.rbac.authorization.k8s.io auditors uses it'],
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
    because: 'whether a ConfigMap is in use is not known',
    live: [{ ...object('ConfigMap', { namespace: 'ops' }), apiVersion: 'v1' }],
    due: [],
    kept: ['ConfigMap ops/given: only rights are deleted, and other objects may be in use'],
  },
];

describe('of the objects in a backup', () => {
  test.each(CASES)('$because', ({ live, others = [], due, kept = [] }) => {
    const bindings = [...live.filter(({ kind }) => kind.endsWith('Binding')), ...others];
    const found = judgeRemains(backup, live, bindings);
    const short = (text: string): string => text.replace('.rbac.authorization.k8s.io', '');
    expect(found.due.map((one) => short(describeRef(refOf(one))))).toEqual(due);
    expect(found.kept.map(({ ref, why }) => `${short(describeRef(ref))}: ${why}`)).toEqual(kept);
  });
});
