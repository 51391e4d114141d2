/** The objects that are deleted with Slipway's Subscription although Slipway does not manage them. */
import { describe, expect, test } from 'vitest';
import { ANNOTATION, API_VERSION } from '../../api/names.ts';
import { describeRef, type KubeObject } from '../../api/object.ts';
import { handedOverByV0 } from '../handed-over.ts';
import { makeBackup } from './backup.ts';
import { csvOf, ofOlm, subscriptionOf, surveyOf } from './testing/survey.ts';
import { tiedRefs, tiedTo, untied } from './tied.ts';
import { translateSubscription } from './translate.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const operator = { namespace: 'ops', subscription: 'gadget', package: 'gadget-operator', csv: 'gadget.v1' };
const survey = { ...surveyOf(), subscription: subscriptionOf(), csv: csvOf('gadget.v1') };
const { manifest: wanted } = translateSubscription(survey, { name: 'gadget', version: '1.0.0' });

function object(kind: string, name: string, namespace?: string): KubeObject {
  const apiVersion = kind === 'Service' ? 'v1' : RBAC;
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

test('are the OperatorCondition and the rights in the namespace of the operator', () => {
  const objects = [
    object('Role', 'leases', 'ops'),
    object('RoleBinding', 'leases', 'ops'),
    object('RoleBinding', 'auth-reader', 'kube-system'),
    object('ClusterRoleBinding', 'auth-delegator'),
    object('Service', 'metrics', 'ops'),
  ];
  const backup = makeBackup(survey, operator, { wanted, objects });
  expect(tiedRefs(backup).map(describeRef)).toEqual([
    'OperatorCondition.operators.coreos.com ops/gadget.v1',
    'Role.rbac.authorization.k8s.io ops/leases',
    'RoleBinding.rbac.authorization.k8s.io ops/leases',
  ]);
});

test('are the rights that stand in for those of OLM too, if OLM was slow', () => {
  const operatorCondition = ofOlm('operatorCondition', 'gadget.v1', { spec: { serviceAccounts: ['gadget'] } });
  const backup = makeBackup({ ...survey, operatorCondition }, operator, { wanted, objects: [] });
  expect(tiedRefs(backup).map(describeRef).slice(1)).toEqual([
    'Role.rbac.authorization.k8s.io ops/gadget.v1-handed-over',
    'RoleBinding.rbac.authorization.k8s.io ops/gadget.v1-handed-over',
  ]);
  expect(handedOverByV0(backup).refs).toEqual(tiedRefs(backup));
});

const subscription = { apiVersion: API_VERSION, kind: 'Subscription', metadata: { name: 'gadget', namespace: 'ops', uid: 'own' } }; // prettier-ignore
const own = { apiVersion: API_VERSION, kind: 'Subscription', name: 'gadget', uid: 'own' };
const foreign = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other', uid: 'other' };
const role = (metadata: object): KubeObject => ({
  apiVersion: RBAC,
  kind: 'Role',
  metadata: { name: 'r', ...metadata },
});

describe('the owner references with the Subscription', () => {
  test.each([
    { because: 'it has none', metadata: {}, wanted: [own] },
    { because: 'those of others stay', metadata: { ownerReferences: [foreign] }, wanted: [foreign, own] },
    { because: 'it has them already', metadata: { ownerReferences: [own] }, wanted: undefined },
    {
      because: 'Slipway manages it',
      metadata: { annotations: { [ANNOTATION.owner]: 'ops/gadget' } },
      wanted: undefined,
    },
  ])('$because', ({ metadata, wanted: expected }) => {
    expect(tiedTo(role(metadata), subscription)).toEqual(expected);
  });
});

describe('the owner references without it', () => {
  test.each([
    { because: 'the reference goes', metadata: { ownerReferences: [own] }, wanted: [] },
    { because: 'those of others stay', metadata: { ownerReferences: [foreign, own] }, wanted: [foreign] },
    { because: 'there is none to take off', metadata: { ownerReferences: [foreign] }, wanted: undefined },
  ])('$because', ({ metadata, wanted: expected }) => {
    expect(untied(role(metadata))).toEqual(expected);
  });
});
