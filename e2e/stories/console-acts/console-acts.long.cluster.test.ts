/** The line of each button and the request behind it leave the same object on a real API server. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '../../../console/data/actions.ts';
import { kubectlLine } from '../../../console/data/kubectl.ts';
import { requestsOf, type ActRequest } from '../../../console/data/requests.ts';
import { ACTIONS } from '../../../console/data/testing/actions.ts';
import { loadKubeconfig } from '../../../kube/kubeconfig/kubeconfig.ts';
import { createTransport, type RootTransport } from '../../../kube/transport/transport.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { revision, subscription } from '../../../report/testing/objects.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway } from '../../lib/manager.ts';
import { catalogOf } from '../../lib/objects.ts';

const cluster = useCluster();
const API = '/apis/slipway.dev/v1alpha1';
const HASH = `sha256:${'c'.repeat(64)}`;
/** The same objects, once for the line and once for the requests. */
const PLACES = ['by-line', 'by-request'] as const;
let transport: RootTransport;

beforeAll(async () => {
  await installSlipway(cluster(), { policy: false });
  const { config } = await loadKubeconfig(cluster().kubeconfig);
  transport = createTransport(config);
  for (const namespace of PLACES) await cluster().kubectl(['create', 'namespace', namespace]);
});

interface Stored {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec?: unknown;
}

/** The objects of one place, made again. @returns Their uids, by kind */
async function prepare(
  namespace: string,
  hash: string,
): Promise<Readonly<Record<'subscription' | 'revision', string>>> {
  const { request } = cluster();
  for (const path of ['subscriptions/gadget', 'revisions/gadget-2'])
    await request('DELETE', `${API}/namespaces/${namespace}/${path}`).catch(() => undefined);
  const made = subscription({ metadata: { namespace }, spec: { version: '2.0.0', suspend: false } });
  const { uid: _, ...metadata } = made.metadata;
  const one = await request('POST', `${API}/namespaces/${namespace}/subscriptions`, { ...made, metadata });
  const next = revision(2, '2.0.0', { metadata: { namespace }, spec: { state: 'Archived', approved: false } });
  const { uid: __, ...own } = next.metadata;
  const two = await request('POST', `${API}/namespaces/${namespace}/revisions`, { ...next, metadata: own });
  await request('PATCH', `${API}/namespaces/${namespace}/revisions/gadget-2/status`, {
    status: { plan: { inputs: 'i', hash } },
  });
  return { subscription: uidOf(one), revision: uidOf(two) };
}

function uidOf(object: unknown): string {
  return String((object as Stored).metadata['uid']);
}

/** The act in another place, on the objects that are there. */
function actIn(action: Action, namespace: string, uids: Awaited<ReturnType<typeof prepare>>): Action {
  const placed = 'namespace' in action ? { ...action, namespace } : { ...action, catalog: namespace };
  if (placed.kind === 'approve') return { ...placed, uid: uids.revision };
  return placed.kind === 'uninstall' ? { ...placed, uid: uids.subscription } : placed;
}

/** As a person pastes it. */
async function runLine(line: string): Promise<void> {
  const { tools, kubeconfig } = cluster();
  const env = { ...process.env, PATH: `${tools}:${process.env['PATH']}`, KUBECONFIG: kubeconfig };
  await promisify(execFile)('sh', ['-euc', line], { env });
}

async function send(request: ActRequest): Promise<void> {
  await transport.request(request);
}

/** Its objects, without the fields that differ by place and time. */
async function objectsIn(namespace: string): Promise<unknown> {
  const lists = await Promise.all(
    ['subscriptions', 'revisions'].map((plural) => cluster().read(`${API}/namespaces/${namespace}/${plural}`)),
  );
  const catalog = await cluster().read(`${API}/catalogs/${namespace}`);
  const items = [
    ...lists.flatMap((list) => list['items'] as readonly Stored[]),
    { metadata: fieldsOf(catalog['metadata']), spec: catalog['spec'] },
  ];
  return JSON.parse(JSON.stringify(items.map(comparable)).replaceAll(namespace, 'PLACE')) as unknown;
}

function comparable({ metadata, spec }: Stored): object {
  const { name, annotations = {}, generation, deletionTimestamp } = metadata;
  const requested = Object.keys(annotations as object).filter((key) => key.startsWith('slipway.dev/'));
  return { name, requested, generation, isDeleted: deletionTimestamp !== undefined, spec };
}

describe.each(ACTIONS)('$action.kind: $because', ({ action }) => {
  test('the line and the requests lead to the same objects, and change them', async () => {
    for (const namespace of PLACES) await cluster().kubectl(['apply', '-f', '-'], catalogOf(namespace, 'registry.example/x:v1')); // prettier-ignore
    const [byLine, byRequest] = PLACES;
    const uids = { line: await prepare(byLine, HASH), request: await prepare(byRequest, HASH) };
    if (action.kind === 'subscribe' || action.kind === 'resume')
      for (const namespace of PLACES) await prepareFor(action.kind, namespace);
    const before = await objectsIn(byLine);
    expect(await objectsIn(byRequest)).toEqual(before);
    await runLine(kubectlLine(actIn(action, byLine, uids.line)));
    for (const request of requestsOf(actIn(action, byRequest, uids.request), new Date())) await send(request);
    const after = await objectsIn(byRequest);
    expect(await objectsIn(byLine)).toEqual(after);
    expect(after).not.toEqual(before);
    if (action.kind === 'reconcile' || action.kind === 'refresh' || action.kind === 'acknowledge') await forget();
  });
});

/** What an act needs before it can change anything. */
async function prepareFor(kind: 'subscribe' | 'resume', namespace: string): Promise<void> {
  const path = `${API}/namespaces/${namespace}/subscriptions/gadget`;
  await (kind === 'subscribe' ? cluster().request('DELETE', path) : cluster().request('PATCH', path, { spec: { suspend: true } })); // prettier-ignore
}

/** Annotations of the next case are new ones again. */
async function forget(): Promise<void> {
  for (const namespace of PLACES) await cluster().request('DELETE', `${API}/catalogs/${namespace}`);
}

describe('an approval', () => {
  test.each([
    { because: 'the plan is another one by now', hash: `sha256:${'d'.repeat(64)}`, uid: undefined },
    { because: 'the Revision was made again under its name', hash: HASH, uid: 'another' },
  ])('is refused by line and by request: $because', async ({ hash, uid }) => {
    await cluster().kubectl(['apply', '-f', '-'], catalogOf('by-request', 'registry.example/x:v1'));
    const uids = await prepare('by-request', hash);
    const action = actIn(ACTIONS[0]!.action, 'by-request', { ...uids, revision: uid ?? uids.revision });
    const [request] = requestsOf(action, new Date());
    await expect(send(request!)).rejects.toMatchObject({ code: request!.refusal?.status });
    await expect(runLine(kubectlLine(action))).rejects.toThrow('test');
    const kept = (await cluster().read(`${API}/namespaces/by-request/revisions/gadget-2`)) as unknown as {
      spec: { approved: boolean };
    };
    expect(kept.spec.approved).toBe(false);
  });
});

test('an uninstall of a Subscription that was made again is refused', async () => {
  const uids = await prepare('by-request', HASH);
  const action = actIn(ACTIONS.at(-2)!.action, 'by-request', { ...uids, subscription: 'another' });
  const [policies, deletion] = requestsOf(action, new Date());
  await expect(send(policies!)).rejects.toMatchObject({ reason: 'ObjectInvalid' });
  await expect(send(deletion!)).rejects.toMatchObject({ reason: 'Conflict' });
});
