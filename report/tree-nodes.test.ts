import { expect, test } from 'vitest';
import type { KubeObject } from '../api/object.ts';
import { INSTALLED, READY, condition, revision, subscription } from './testing/objects.ts';
import { treeOf, type Found, type TreeNode } from './tree-nodes.ts';

const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'gadgets.example.com' };
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'settings' };
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ops', name: 'gadget' };

const objectOf = ({ name, namespace, ...kind }: typeof CONFIG, fields: object = {}): KubeObject => ({
  ...kind,
  metadata: { name, namespace, uid: name },
  ...fields,
});
const owned = (kind: string, name: string, owner: string, fields: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: {
    name,
    namespace: 'ops',
    uid: name,
    ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner }],
  },
  ...fields,
});

const CRASHING = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False' }],
  containerStatuses: [{ name: 'operator', restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 1 } } }], // prettier-ignore
};
const FOUND: readonly Found[] = [
  {
    ref: DEPLOYMENT,
    object: objectOf(DEPLOYMENT, { status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1 } }),
    replicaSets: [owned('ReplicaSet', 'new', 'gadget')],
    pods: [owned('Pod', 'new-1', 'new', { status: CRASHING }), owned('Pod', 'other-1', 'other')],
  },
  { ref: CONFIG },
  { ref: CRD, failure: 'crds is forbidden' },
];

function tree(found: readonly Found[] = FOUND): TreeNode {
  return treeOf({
    subscription: subscription({ status: { installed: INSTALLED, conditions: [READY] } }),
    revisions: [
      revision(1, '1.0.0', { spec: { state: 'Archived' } }),
      revision(2, '2.0.0', {
        status: { conditions: [condition('Ready', 'False', 'WorkloadUnhealthy', 'it crashes')] },
      }),
      revision(3, '3.0.0', { spec: { state: 'Archived', approved: false } }),
      revision(4, '4.0.0', {
        spec: { state: 'Archived', approved: false },
        status: { conditions: [condition('Ready', 'False', 'OutsideWindow', 'waits for the next window')] },
      }),
    ],
    objects: new Map([['gadget-2', found]]),
  });
}

/** Each node with its depth, its state and its message. */
function outline({ name, state, message, children }: TreeNode, depth = 0): readonly string[] {
  const line = `${'  '.repeat(depth)}${name}: ${state}${message === undefined ? '' : `, ${message}`}`;
  return [line, ...children.flatMap((child) => outline(child, depth + 1))];
}

test('the tree has Revisions from the newest on, objects in the order of the phases, and the Pods of a Deployment', () => {
  expect(outline(tree())).toEqual([
    'Subscription ops/gadget: Ready',
    '  Revision gadget-4 (4.0.0): Waits (OutsideWindow)',
    '  Revision gadget-3 (3.0.0): Not approved',
    '  Revision gadget-2 (2.0.0): Active, not ready, it crashes',
    '    ConfigMap ops/settings: Missing, the object does not exist',
    '    CustomResourceDefinition.apiextensions.k8s.io gadgets.example.com: Unreadable, crds is forbidden',
    '    Deployment.apps ops/gadget: Progressing, 0 of 1 replicas are available',
    '      Pod new-1: CrashLooping, container operator of Pod new-1 crashes: exit code 1, restarted 3 times',
    '  Revision gadget-1 (1.0.0): Archived',
  ]);
});
