/** Which roles and bindings of OLM go once Slipway has made its own: none that grants a right which Slipway's do not. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import { replacedRights } from './rights.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const GET = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
const LEASE = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['update'] };

interface Granted {
  readonly name: string;
  /** Absent: in all of them. */
  readonly namespace?: string;
  readonly rules?: readonly object[];
  readonly account?: string;
  /** A role that is not among the objects. */
  readonly role?: string;
}

function rights({ name, namespace, rules = [GET], account = 'gadget', role }: Granted): readonly KubeObject[] {
  const prefix = namespace === undefined ? 'Cluster' : '';
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  const binding = {
    apiVersion: RBAC,
    kind: `${prefix}RoleBinding`,
    metadata,
    roleRef: { kind: `${prefix}Role`, name: role ?? name },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: 'ops' }],
  };
  return role === undefined ? [{ apiVersion: RBAC, kind: `${prefix}Role`, metadata, rules }, binding] : [binding];
}

const CASES: readonly { because: string; olm: Granted; slipway: readonly Granted[]; goes: boolean }[] = [
  {
    because: 'Slipway grants the same',
    olm: { name: 'a', namespace: 'ops' },
    slipway: [{ name: 'b', namespace: 'ops' }],
    goes: true,
  },
  {
    because: 'Slipway grants it in all namespaces',
    olm: { name: 'a', namespace: 'ops' },
    slipway: [{ name: 'b' }],
    goes: true,
  },
  { because: 'Slipway grants nothing', olm: { name: 'a', namespace: 'ops' }, slipway: [], goes: false },
  {
    because: 'Slipway grants it in the target namespace only',
    olm: { name: 'a', namespace: 'ops' },
    slipway: [{ name: 'a', namespace: 'target' }],
    goes: false,
  },
  {
    because: 'Slipway grants it in one namespace only',
    olm: { name: 'a' },
    slipway: [{ name: 'b', namespace: 'ops' }],
    goes: false,
  },
  {
    because: 'Slipway grants it to another account',
    olm: { name: 'a', namespace: 'ops' },
    slipway: [{ name: 'b', namespace: 'ops', account: 'other' }],
    goes: false,
  },
  {
    because: 'one rule is missing',
    olm: { name: 'a', namespace: 'ops', rules: [GET, LEASE] },
    slipway: [{ name: 'b', namespace: 'ops' }],
    goes: false,
  },
  {
    because: 'two roles of Slipway have the two rules',
    olm: { name: 'a', namespace: 'ops', rules: [GET, LEASE] },
    slipway: [
      { name: 'b', namespace: 'ops' },
      { name: 'c', rules: [LEASE] },
    ],
    goes: true,
  },
  {
    because: 'the rules of its role are not known',
    olm: { name: 'a', role: 'system:auth-delegator' },
    slipway: [{ name: 'b' }],
    goes: false,
  },
];

test.each(CASES)('a right of OLM goes: $goes, because $because', ({ olm, slipway, goes }) => {
  const ofOlm = rights(olm);
  expect(replacedRights(ofOlm, slipway.flatMap(rights))).toEqual(goes ? ofOlm : []);
});
