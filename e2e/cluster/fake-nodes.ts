/** The Nodes that kwok pretends to have. */
import type { Admin } from './admin.ts';

const SELECTED = 'type=kwok';

export interface FakeNodes {
  readonly count: number;
  /** Only Pods that tolerate the taint are scheduled to them: if there are real nodes, Pods should run there. */
  readonly tainted: boolean;
}

/** Creates `fake-0` and so on. kwok looks after Nodes with this annotation, and after no others. */
export async function createFakeNodes(admin: Admin, { count, tainted }: FakeNodes): Promise<void> {
  const names = Array.from({ length: count }, (_none, index) => `fake-${index}`);
  await Promise.all(names.map((name) => createFakeNode(admin, name, tainted)));
}

/** Whether every fake Node says that it is ready and, where asked, takes Pods. */
export async function fakeNodesReady(admin: Admin, { untainted }: { readonly untainted: boolean }): Promise<boolean> {
  const { items } = (await admin.call('GET', `/api/v1/nodes?labelSelector=${SELECTED}`)) as unknown as NodeList;
  return items.length > 0 && items.every((node) => isReady(node) && !(untainted && isTainted(node)));
}

interface NodeList {
  readonly items: readonly Node[];
}

interface Node {
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function createFakeNode(admin: Admin, name: string, tainted: boolean): Promise<void> {
  const room = { cpu: '256', memory: '1Ti', pods: '10000' };
  await admin.call('POST', '/api/v1/nodes', {
    metadata: {
      name,
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
      labels: {
        type: 'kwok',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
      },
    },
    spec: { taints: tainted ? [{ key: 'kwok.x-k8s.io/node', value: 'fake', effect: 'NoSchedule' }] : [] },
    status: { allocatable: room, capacity: room },
  });
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

function isTainted({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready') ?? false;
}
