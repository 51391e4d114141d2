/**
 * The rights of a team with its own account over objects that others left or have. The manager has the rights that are
 * shipped. Whether the team may write such a Subscription at all is another story.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANNOTATION } from '../../../api/names.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, get, isReady, list, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog } from '../../lib/publish.ts';
import { crdNameOf, publishTiny } from '../../lib/tiny-operator.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, remove, startRemoval } from '../../lib/writes.ts';

const cluster = useCluster();
const [TEAM, PLATFORM] = ['team-a', 'platform'] as const;
const ACCOUNT = `system:serviceaccount:${TEAM}:installer`;
const CRD = crdNameOf('Gadget');
const STORE = { kind: 'subscription', name: 'store', namespace: TEAM };
let manager: RunningManager;

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  const { registry } = cluster();
  const image = await publishTiny(registry, { name: 'store', version: '1.0.0', kind: 'Gadget' });
  await publishCatalog(packageDocuments('store', [{ version: '1.0.0', image }]), `${registry}/catalog:latest`);
  await apply(cluster(), catalogOf('examples', `${registry}/catalog:latest`));
  await waitFor(cluster(), { kind: 'catalog', name: 'examples' }, isReady);
  await makeNamespaces(cluster(), [TEAM, PLATFORM]);
  await kubectl('-n', TEAM, 'create', 'serviceaccount', 'installer');
  await cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: roles() }));
});
afterAll(async () => {
  await manager?.stop();
});

const rbac = 'rbac.authorization.k8s.io';
const crds = { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] };
/** What an account may need in the whole cluster, by the name of a role. */
const CRD_RIGHTS = {
  'crds-without-delete': { ...crds, verbs: ['get', 'list', 'create', 'patch'] },
  'crds-with-delete': { ...crds, verbs: ['get', 'list', 'create', 'patch', 'delete'] },
  'delete-gadgets': { apiGroups: ['tiny.example'], resources: ['gadgets'], verbs: ['list', 'delete'] },
} as const;

/** The account may do everything in its namespace; roles for the cluster are there and not bound yet. */
function roles(): readonly object[] {
  const apiVersion = `${rbac}/v1`;
  const metadata = { name: 'installer', namespace: TEAM };
  const subjects = [{ kind: 'ServiceAccount', name: 'installer', namespace: TEAM }];
  const roleRef = { apiGroup: rbac, kind: 'Role', name: 'installer' };
  const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
  const forCluster = Object.entries(CRD_RIGHTS).map(([name, rule]) => ({
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name },
    rules: [rule],
  }));
  return [
    { apiVersion, kind: 'Role', metadata, rules: everything },
    { apiVersion, kind: 'RoleBinding', metadata, subjects, roleRef },
    ...forCluster,
  ];
}

function kubectl(...args: readonly string[]): Promise<string> {
  return cluster().kubectl(args);
}

async function grant(...roles: readonly (keyof typeof CRD_RIGHTS)[]): Promise<void> {
  for (const role of roles)
    await kubectl('create', 'clusterrolebinding', role, `--clusterrole=${role}`, `--serviceaccount=${TEAM}:installer`);
}

async function revokeAll(): Promise<void> {
  await kubectl('delete', 'clusterrolebinding', '--ignore-not-found', ...Object.keys(CRD_RIGHTS));
}

/** As the team, or as an administrator who names no account. */
async function subscribe(spec: object): Promise<void> {
  await apply(cluster(), subscriptionTo('store', TEAM, { package: 'store', ...spec }));
}

/** The operator watches the team's namespace only, and so needs no right in the cluster. */
const asTeam = { serviceAccountName: 'installer', watchNamespaces: [TEAM] };
const deleting = { uninstall: { customResources: 'Delete' } };

async function makeGadget(name: string, namespace: string): Promise<void> {
  const manifest = { apiVersion: 'tiny.example/v1', kind: 'Gadget', metadata: { name, namespace } };
  await cluster().kubectl(['apply', '-f', '-'], JSON.stringify(manifest));
}

/** `namespace/name` of every Gadget; undefined if the kind is gone. */
async function gadgetsLeft(): Promise<readonly string[] | undefined> {
  const crd = await kubectl('get', 'crd', CRD, '--ignore-not-found', '-o', 'name');
  if (crd.trim() === '') return undefined;
  const items = await kubectl(
    'get',
    'gadgets.tiny.example',
    '-A',
    '-o',
    'jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {end}',
  );
  return items
    .trim()
    .split(' ')
    .filter((item) => item !== '')
    .toSorted();
}

async function reasonIs(reason: string): Promise<string> {
  const judged = await waitFor(cluster(), STORE, (one) => condition(one, 'Ready')?.reason === reason);
  return condition(judged, 'Ready')?.message ?? '';
}

interface Event {
  readonly note?: string;
  readonly reason?: string;
}

/** An administrator installed it, another user uses it, and the administrator removed it: its CRD stays. */
async function leaveCrd(): Promise<void> {
  await subscribe({});
  await waitFor(cluster(), STORE, runs('1.0.0'));
  await makeGadget('precious', PLATFORM);
  await remove(cluster(), STORE);
  expect(await gadgetsLeft()).toEqual([`${PLATFORM}/precious`]);
}

async function clear(): Promise<void> {
  await subscribe({});
  await waitFor(cluster(), STORE, isReady);
  await subscribe(deleting);
  await remove(cluster(), STORE);
  expect(await gadgetsLeft()).toBeUndefined();
  await revokeAll();
}

describe('a CRD that an earlier Subscription of the name left', () => {
  beforeAll(leaveCrd);
  afterAll(clear);

  test('is not touched by a team that may do nothing with CRDs, and its objects live', async () => {
    await subscribe({ ...asTeam, ...deleting });
    await reasonIs('Forbidden');
    await remove(cluster(), STORE);
    expect(await gadgetsLeft()).toEqual([`${PLATFORM}/precious`]);
  });

  test('is a collision for a team that may delete CRDs, and the message explains how to hand it over', async () => {
    await grant('crds-with-delete');
    await subscribe({ ...asTeam, ...deleting });
    expect(await reasonIs('Collision')).toContain(`an earlier Subscription ${TEAM}/store, which left it`);
    await remove(cluster(), STORE);
    expect(await gadgetsLeft()).toEqual([`${PLATFORM}/precious`]);
  });

  test('is not adopted by a team that may patch and not delete it', async () => {
    await revokeAll();
    await grant('crds-without-delete');
    await kubectl('annotate', 'crd', CRD, `${ANNOTATION.adoptBy}=${TEAM}/store`);
    await subscribe(asTeam);
    expect(await reasonIs('Forbidden')).toContain('taken over only if it may be deleted too');
    await remove(cluster(), STORE);
    await kubectl('annotate', 'crd', CRD, `${ANNOTATION.adoptBy}-`);
    expect(await gadgetsLeft()).toEqual([`${PLATFORM}/precious`]);
  });

  test("is not a team's for marking it with the very uid of its Subscription", async () => {
    await subscribe({ ...asTeam, ...deleting });
    const { uid } = (await waitFor(cluster(), STORE, () => true)).metadata;
    await kubectl('annotate', '--overwrite', 'crd', CRD, `${ANNOTATION.ownerUid}=${uid}`);
    await reasonIs('Forbidden');
    await remove(cluster(), STORE);
    expect(await gadgetsLeft()).toEqual([`${PLATFORM}/precious`]);
  });

  test('is taken up again by an administrator', async () => {
    await subscribe({});
    const { uid } = (await waitFor(cluster(), STORE, runs('1.0.0'))).metadata;
    const owner = await kubectl('get', 'crd', CRD, '-o', `jsonpath={.metadata.annotations.slipway\\.dev/owner-uid}`);
    expect(owner).toBe(uid);
    expect(await gadgetsLeft()).toEqual([`${PLATFORM}/precious`]);
  });
});

describe('custom resources that a team asks to delete', () => {
  beforeAll(async () => {
    await grant('crds-with-delete', 'delete-gadgets');
    await subscribe({ ...asTeam, ...deleting });
    await waitFor(cluster(), STORE, runs('1.0.0'));
    await makeGadget('precious', PLATFORM);
    await makeGadget('mine', TEAM);
    await kubectl('delete', 'clusterrolebinding', 'delete-gadgets');
    const may = ['auth', 'can-i', 'delete', 'gadgets.tiny.example', '-A', `--as=${ACCOUNT}`];
    await until('the account has lost the right', () => kubectl(...may).then((told) => !told.startsWith('yes'), () => true)); // prettier-ignore
  });
  afterAll(revokeAll);

  test('stay while its account may not delete them, and the Subscription names the right to grant, and no objects of others', async () => {
    await startRemoval(cluster(), STORE);
    const message = await reasonIs('Forbidden');
    expect(message).toContain(
      `Grant ${ACCOUNT} the verb list on gadgets.tiny.example, or set spec.uninstall.customResources to Retain`,
    );
    expect(message).not.toContain('precious');
    expect(await gadgetsLeft()).toEqual([`${PLATFORM}/precious`, `${TEAM}/mine`]);
  });

  test('are deleted in all namespaces once it may, though the manager may not get them', async () => {
    await grant('delete-gadgets');
    await remove(cluster(), STORE);
    expect(await gadgetsLeft()).toBeUndefined();
    expect(manager.log()).not.toContain('slipway-manager\\" cannot get resource');
  });
});

describe('the Subscription of an administrator', () => {
  beforeAll(async () => {
    await subscribe({});
    await waitFor(cluster(), STORE, runs('1.0.0'));
    await makeGadget('precious', PLATFORM);
    await makeGadget('mine', TEAM);
  });

  test("does not lend a team the manager's rights when it is made to name the team's account", async () => {
    await subscribe({ ...asTeam, ...deleting });
    await startRemoval(cluster(), STORE);
    await reasonIs('Forbidden');
    expect(await gadgetsLeft()).toEqual([`${PLATFORM}/precious`, `${TEAM}/mine`]);
  });

  test('is removed without the custom resources once its account is gone, which an event reports', async () => {
    await kubectl('-n', TEAM, 'delete', 'serviceaccount', 'installer');
    await until(
      'it is gone',
      async () => (await get(cluster(), STORE.kind, STORE.name, TEAM).catch(() => undefined)) === undefined,
    );
    expect(await gadgetsLeft()).toEqual([`${PLATFORM}/precious`, `${TEAM}/mine`]);
    const note = await until('the event is there', async () => {
      const events = await list<Event>(cluster(), 'event', { namespace: TEAM });
      return events.find((one) => one.note?.includes('does not exist any more') === true)?.note;
    });
    expect(note).toContain(`(${TEAM}/mine and 1 in other namespaces)`);
  });
});
