import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { INSTALLED, READY, condition, revision, subscription } from '../../../report/testing/objects.ts';
import { treeOf, type Found, type TreeNode } from '../../../report/tree-nodes.ts';
import { drawTree } from './draw-tree.ts';

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

test('the drawing has Revisions from the newest on, objects in the order of the phases, and the Pods of a Deployment', () => {
  expect(drawTree(tree())).toBe(`Subscription ops/gadget: Ready
├─ Revision gadget-4 (4.0.0): Waits (OutsideWindow)
├─ Revision gadget-3 (3.0.0): Not approved
├─ Revision gadget-2 (2.0.0): Active, not ready, it crashes
│  ├─ ConfigMap ops/settings: Missing, the object does not exist
│  ├─ CustomResourceDefinition.apiextensions.k8s.io gadgets.example.com: Unreadable, crds is forbidden
│  └─ Deployment.apps ops/gadget: Progressing, 0 of 1 replicas are available
│     └─ Pod new-1: CrashLooping, container operator of Pod new-1 crashes: exit code 1, restarted 3 times
└─ Revision gadget-1 (1.0.0): Archived
`);
});

describe('the drawing', () => {
  test.each([40, 80, 160])('fits into %d columns', (columns) => {
    const lines = drawTree(tree(), columns).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  test('has no character on which a terminal acts', () => {
    const evil = { ref: { ...CONFIG, name: 'a\u001b]0;x\u0007b' }, failure: '\u202eabc\nd' };
    const text = drawTree(tree([evil]));
    expect(text).toContain('abc d');
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });
});
