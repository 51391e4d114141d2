/** An adopted operator is uninstalled: the rights that OLM had given it go, or stay, and an event says which and why. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { backupRef, endHandOver, makeBackup, writeBackup } from '../../../adoption/olm-v0/backup.ts';
import { OLM } from '../../../adoption/olm-v0/kinds.ts';
import {
  backupRef as backupRefV1,
  endHandOver as endHandOverV1,
  writeBackup as writeBackupV1,
} from '../../../adoption/olm-v1/backup.ts';
import { EXTENSION } from '../../../adoption/olm-v1/kinds.ts';
import { ADOPTED_BY_LABEL, ADOPTION_LABEL } from '../../../adoption/marks.ts';
import { pack, WAY_BACK_KEY } from '../../../adoption/packed.ts';
import { ANNOTATION, API_VERSION } from '../../../api/names.ts';
import { describeRef, refOf, type KubeObject } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { NEVER } from '../../../api/testing/never.ts';
import { fieldsOf } from '../../../api/untyped.ts';
import { createFakeCluster, type FakeCluster, type FakeOptions } from '../../../kube/testing/fake-cluster.ts';
import { large, withSmallLists } from '../../../kube/testing/small-lists.ts';
import type { EventFacts } from '../../events.ts';
import { createKeptBackups } from '../../kept-backups.ts';
import { subscription } from '../testing/facts.ts';
import { endAdoption } from './end.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';
const KEPT = 'slipway-system';
const sleep = async (): Promise<void> => undefined;
const operator = { namespace: 'ops', subscription: 'gadget-by-olm', package: 'gadget', csv: 'gadget.v1' };
const BACKUP = backupRef({ namespace: 'ops', subscription: operator.subscription, kept: KEPT });
const annotations = { [ANNOTATION.adoptBy]: 'ops/gadget' };
const TIE = { apiVersion: API_VERSION, kind: 'Subscription', name: 'gadget', uid: 'u' };

function right(kind: string, name: string, metadata: object = {}, subject: object = {}): KubeObject {
  const subjects = [{ kind: 'ServiceAccount', name: 'gadget', namespace: 'ops', ...subject }];
  const fields = kind.endsWith('Binding') ? { roleRef: { kind: 'ClusterRole', name: 'system:auth-delegator' }, subjects } : { rules: [] }; // prettier-ignore
  return { apiVersion: RBAC, kind, metadata: { name, annotations, ...metadata }, ...fields };
}

const DELEGATOR = right('ClusterRoleBinding', 'gadget-service-system:auth-delegator');
const READER = right('RoleBinding', 'gadget-service-auth-reader', { namespace: 'kube-system' });
const TIED = right('Role', 'gadget.v1-leases', { namespace: 'ops', ownerReferences: [TIE] });
const GIVEN = [DELEGATOR, READER, TIED];

const RUNNING = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'gadget', namespace: 'ops', annotations }, spec: {} }; // prettier-ignore

const csv = { ...OLM.csv, metadata: { name: 'gadget.v1', namespace: 'ops' }, spec: {} };
const wanted = {
  apiVersion: API_VERSION,
  kind: 'Subscription',
  metadata: { name: 'gadget', namespace: 'ops' },
  spec: {},
};

interface Scene {
  readonly given?: readonly KubeObject[];
  readonly stage?: object;
  readonly spec?: object;
  readonly status?: Subscription['status'];
  readonly options?: FakeOptions;
  /** Most bytes of a list of whole objects. */
  readonly mostListBytes?: number;
}

const INSTALLED = {
  installed: { bundle: 'gadget.v1', version: '1.0.0', revision: 'gadget-1' },
} as Subscription['status'];

class Uninstall {
  readonly cluster: FakeCluster;
  readonly events: EventFacts[] = [];
  readonly #subscription: Subscription;
  readonly #mostListBytes: number;

  constructor(scene: Scene = {}) {
    const { given = GIVEN, stage = endHandOver(), spec = {}, status = INSTALLED, options = {} } = scene;
    this.#mostListBytes = scene.mostListBytes ?? Infinity;
    this.cluster = createFakeCluster(options);
    for (const name of ['ops', KEPT, 'kube-system'])
      this.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const object of given) this.cluster.put(object);
    const survey = { csv, subscription: undefined, operatorCondition: undefined };
    const backup = makeBackup(survey as unknown as Parameters<typeof makeBackup>[0], operator, {
      wanted,
      objects: given,
    });
    const secret = writeBackup(backup, KEPT);
    this.cluster.put({ ...secret, metadata: { ...secret.metadata, ...(stage as KubeObject).metadata } });
    this.#subscription = subscription({ spec, ...(status !== undefined && { status }) });
    this.cluster.put(this.#subscription);
  }

  async end(leaving: Subscription = this.#subscription): Promise<void> {
    const record = (_: KubeObject, event: EventFacts): void => void this.events.push(event);
    const client = withSmallLists(this.cluster, this.#mostListBytes);
    await endAdoption(
      { client, namespace: KEPT, mayHaveBackups: createKeptBackups(this.cluster, KEPT), record, sleep },
      leaving,
      NEVER,
    );
  }

  get left(): readonly string[] {
    const isGiven = ({ apiVersion }: KubeObject): boolean => apiVersion === RBAC;
    return this.cluster.objects().filter(isGiven).map((object) => describeRef(refOf(object)).replace('.rbac.authorization.k8s.io', '')); // prettier-ignore
  }

  async hasBackup(): Promise<boolean> {
    return (await this.cluster.get(BACKUP)) !== undefined;
  }

  get said(): readonly string[] {
    return this.events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
  }
}

describe('an uninstall', () => {
  test('deletes the rights of the cluster and of other namespaces, and the backup', async () => {
    const run = new Uninstall();
    await run.end();
    // The collector deletes the one that is tied to the Subscription.
    expect(run.left).toEqual(['Role ops/gadget.v1-leases']);
    expect(await run.hasBackup()).toBe(false);
    expect(run.said).toEqual([
      'Normal Uninstalling: Objects that OLM had made for the operator are deleted: ClusterRoleBinding.rbac.authorization.k8s.io gadget-service-system:auth-delegator, RoleBinding.rbac.authorization.k8s.io kube-system/gadget-service-auth-reader, Role.rbac.authorization.k8s.io ops/gadget.v1-leases',
    ]);
  });

  test.each([
    { because: 'it asks for another package', scene: { spec: { package: 'another' } } },
    { because: 'it never had an operator: another one of its name has left it running', scene: { status: {} } },
    {
      because: 'it was to adopt one, and had not begun: the backup is of an earlier one of its name',
      scene: { status: { adoption: { subscription: 'gadget-by-olm', stage: 'Preparing', step: 'AwaitOlm' } as const } },
    },
  ])('of a Subscription of the same name leaves them: $because', async ({ scene }) => {
    const run = new Uninstall(scene);
    await run.end();
    expect(run.left).toHaveLength(GIVEN.length);
    expect(await run.hasBackup()).toBe(true);
    expect(run.events).toEqual([]);
  });

  test('is not held by the objects of others, however large they are', async () => {
    const run = new Uninstall({ mostListBytes: 20_000 });
    for (const name of ['a', 'b', 'c']) {
      const subject = { name: large(10_000) };
      run.cluster.put(right('RoleBinding', name, { namespace: 'kube-system', annotations: {} }, subject));
      run.cluster.put({ ...OLM.csv, metadata: { name, namespace: 'ops', annotations: { long: large(10_000) } } });
      // The backup of another namespace, whose Subscription of Slipway has the same name.
      const theirs = { operator: { ...operator, namespace: name }, adoptedBy: 'gadget' };
      const { kind, apiVersion, ...metadata } = backupRef({ namespace: name, subscription: 'gadget', kept: KEPT });
      const labels = { [ADOPTION_LABEL]: 'olm-v0', [ADOPTED_BY_LABEL]: 'gadget' };
      const data = { 'backup.json.gz': pack(theirs), [WAY_BACK_KEY]: large(10_000) };
      run.cluster.put({ apiVersion, kind, metadata: { ...metadata, labels }, data });
    }
    await run.end();
    expect(run.left).not.toContain(describeRef(refOf(DELEGATOR)).replace('.rbac.authorization.k8s.io', ''));
    expect(await run.hasBackup()).toBe(false);
  });

  test('that leaves the objects is not held by those of others in its namespace', async () => {
    const run = new Uninstall({ spec: { uninstall: { objects: 'Orphan' } }, mostListBytes: 20_000 });
    for (const name of ['a', 'b', 'c'])
      run.cluster.put(right('Role', name, { namespace: 'ops', annotations: { long: large(10_000) } }));
    await run.end();
    expect(run.said).toHaveLength(1);
  });

  test('keeps one of its namespace that a person uses, though it was tied to the Subscription', async () => {
    const role = { kind: 'Role', name: 'gadget.v1-leases', apiGroup: 'rbac.authorization.k8s.io' };
    const people = { ...right('RoleBinding', 'people', { namespace: 'ops', annotations: {} }), roleRef: role };
    const run = new Uninstall();
    run.cluster.put(people);
    await run.end();
    const kept = run.cluster.objects().find(({ metadata }) => metadata.name === 'gadget.v1-leases');
    expect(kept?.metadata.ownerReferences ?? []).toEqual([]);
    expect(run.said.join()).toContain('RoleBinding.rbac.authorization.k8s.io ops/people uses it');
  });

  test('that is repeated deletes nothing more, and reports nothing again', async () => {
    const run = new Uninstall();
    await run.end();
    await run.end();
    expect(run.events).toHaveLength(1);
  });

  test('reaches the same end wherever the process is killed', async () => {
    let kills = 0;
    for (let at = 1; kills === at - 1; at++) {
      let writes = 0;
      const after: FakeOptions['after'] = ({ verb }) => {
        if (verb === 'get' || verb === 'list' || ++writes !== at) return;
        kills += 1;
        throw new Error(`killed after write ${at}`);
      };
      const run = new Uninstall({ options: { after } });
      await run.end().catch(() => run.end());
      expect(run.left).toEqual(['Role ops/gadget.v1-leases']);
      expect(await run.hasBackup()).toBe(false);
    }
    expect(kills).toBe(3);
  });

  test('leaves one that a person uses too, and says which and why', async () => {
    const run = new Uninstall({ given: [right('ClusterRoleBinding', 'shared', {}, { kind: 'User', name: 'jo' })] });
    await run.end();
    expect(run.left).toEqual(['ClusterRoleBinding shared']);
    expect(run.said).toEqual([
      'Warning DeleteBlocked: ClusterRoleBinding.rbac.authorization.k8s.io shared, which OLM had made for the operator, stays: it binds a User too. Delete it if nothing needs it: kubectl delete clusterrolebinding.rbac.authorization.k8s.io shared',
    ]);
    expect(await run.hasBackup()).toBe(false);
  });

  test('names no object of a namespace that a reader of the event may not read', async () => {
    const roleRef = { kind: 'ClusterRole', name: 'shared' };
    const theirs = { ...right('RoleBinding', 'secret-plan', { namespace: 'kube-system', annotations: {} }), roleRef };
    const run = new Uninstall({ given: [right('ClusterRole', 'shared')] });
    run.cluster.put(theirs);
    await run.end();
    expect(run.left).toEqual(['ClusterRole shared', 'RoleBinding kube-system/secret-plan']);
    expect(run.said.join()).toContain('stays: a RoleBinding of another namespace uses it.');
    expect(run.said.join()).not.toContain('secret-plan');
  });

  test('with an account deletes as the account, and names the right and the command if it may not', async () => {
    const run = new Uninstall({ spec: { serviceAccountName: 'installer' } });
    run.cluster.restrict(({ verb, ref }) => verb !== 'delete' || ref.namespace === 'kube-system');
    await run.end();
    expect(run.left).toEqual(['ClusterRoleBinding gadget-service-system:auth-delegator', 'Role ops/gadget.v1-leases']);
    expect(run.said.find((text) => text.startsWith('Warning Forbidden'))).toMatch(
      /stays: .*clusterrolebindings.*\. Delete it as an administrator, and then Secret slipway-system\/slipway-adoption\.ops\.gadget-by-olm, which lists it: kubectl delete clusterrolebinding/,
    );
    expect(await run.hasBackup()).toBe(true);
  });

  test.each([
    {
      because: 'the operator is on the way back to OLM',
      scene: { stage: { metadata: { annotations: { 'slipway.dev/adoption-stage': 'HandingBack' } } } },
    },
    {
      because: 'the hand-over is under way, and the operator runs without the Subscription',
      scene: { stage: {}, status: {}, given: [...GIVEN.slice(0, 1), RUNNING] },
    },
  ])('deletes nothing: $because', async ({ scene }) => {
    const { given = GIVEN } = scene;
    const run = new Uninstall(scene);
    await run.end();
    expect(run.left).toHaveLength(given.filter(({ apiVersion }) => apiVersion === RBAC).length);
    expect(await run.hasBackup()).toBe(true);
  });

  test.each([
    { because: 'its version was installed', status: INSTALLED },
    { because: 'no Deployment of the operator is left', status: {} },
  ])('in the middle of a hand-over deletes the rights too: $because', async ({ status }) => {
    const run = new Uninstall({ stage: {}, status });
    await run.end();
    expect(run.left).toEqual(['Role ops/gadget.v1-leases']);
    expect(await run.hasBackup()).toBe(false);
  });

  test('of another Subscription deletes nothing', async () => {
    const run = new Uninstall();
    await run.end(subscription({ name: 'lamp' }));
    await run.end(subscription({ namespace: 'elsewhere' }));
    expect(run.left).toHaveLength(GIVEN.length);
    expect(run.events).toEqual([]);
  });

  test('goes on if a person has damaged the backup, and says so', async () => {
    const run = new Uninstall();
    run.cluster.change(BACKUP, (secret) => {
      const { operator: _operator, ...rest } = { operator, wanted };
      const content = JSON.stringify({ operator, ...rest });
      return { ...secret, data: { 'backup.json.gz': gzipSync(content).toString('base64') } };
    });
    await run.end();
    expect(run.said).toEqual([
      expect.stringMatching(/^Warning InputInvalid: Objects that OLM .* may stay: the backup in /),
    ]);
  });

  const ADOPTION = { subscription: 'gadget', stage: 'HandedOver', step: 'Done' } as const;
  test.each([
    { because: 'it was adopted by the manager', status: { adoption: ADOPTION }, events: 1 },
    { because: 'nothing says that it was adopted', status: {}, events: 0 },
  ])('goes on if the manager may not read backups; it says so if $because', async ({ status, events }) => {
    const run = new Uninstall();
    const manager = run.cluster.actingAs('manager', ({ ref }) => ref.kind !== 'Secret');
    const record = (_: KubeObject, event: EventFacts): void => void run.events.push(event);
    await endAdoption(
      { client: manager, namespace: KEPT, mayHaveBackups: createKeptBackups(manager, KEPT), record, sleep },
      subscription({ status }),
      NEVER,
    );
    expect(run.events.map(({ reason }) => reason)).toEqual(Array(events).fill('Forbidden'));
  });
});

describe('an uninstall that leaves the objects', () => {
  const spec = { uninstall: { objects: 'Orphan' } };

  test('takes the owner references off, so that the collector deletes nothing, and keeps the backup', async () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
    const both = right('RoleBinding', 'leases', { namespace: 'ops', ownerReferences: [other, TIE] });
    const run = new Uninstall({ spec, given: [...GIVEN, both] });
    await run.end();
    expect(run.left).toHaveLength(4);
    const owners = await Promise.all([TIED, both].map(async (one) => (await run.cluster.get(refOf(one)))?.metadata.ownerReferences)); // prettier-ignore
    expect(owners).toEqual([[], [other]]);
    expect(await run.hasBackup()).toBe(true);
    expect(run.said).toEqual([
      'Normal Orphaned: Objects that OLM had made for the operator stay too: Role.rbac.authorization.k8s.io ops/gadget.v1-leases, RoleBinding.rbac.authorization.k8s.io ops/leases',
    ]);
  });

  test('leaves those alone that are tied to another Subscription', async () => {
    const run = new Uninstall({ spec, given: [right('Role', 'r', { namespace: 'ops', ownerReferences: [{ ...TIE, uid: 'other' }] })] }); // prettier-ignore
    await run.end();
    const role = run.cluster.objects().find(({ kind }) => kind === 'Role');
    expect(role?.metadata.ownerReferences).toHaveLength(1);
    expect(run.events).toEqual([]);
  });
});

describe('an uninstall after OLM v1', () => {
  const EXTENSION_BACKUP = backupRefV1({ extension: 'gadget-by-olm', kept: KEPT });
  const GIVEN_BY_V1 = [right('ClusterRole', 'gadget.v1-hash'), right('ClusterRoleBinding', 'gadget.v1-hash')];

  interface SceneV1 {
    readonly given?: readonly KubeObject[];
    /** Objects of others. */
    readonly others?: readonly KubeObject[];
    readonly isEnded?: boolean;
    readonly isOnWayBack?: boolean;
    readonly package?: string;
    readonly spec?: object;
    readonly status?: Subscription['status'];
  }

  /** An operator whose ClusterExtension `gadget-by-olm` was handed over to the Subscription `gadget`. */
  function adoptedFromV1(scene: SceneV1 = {}): Uninstall {
    const { given = GIVEN_BY_V1, others = [], isEnded = true, package: packageName = 'gadget', spec, status } = scene;
    const run = new Uninstall({
      given: [],
      ...(spec !== undefined && { spec }),
      ...(status !== undefined && { status }),
    });
    void run.cluster.delete(BACKUP);
    for (const object of [...given, ...others]) run.cluster.put(object);
    const secret = writeBackupV1(
      {
        extension: 'gadget-by-olm',
        olm: { ...EXTENSION, metadata: { name: 'gadget-by-olm' } },
        wanted: { ...wanted, spec: { package: packageName } },
        objects: given.map(refOf),
        isEnded: false,
      },
      KEPT,
    );
    const { annotations: stage } = (isEnded ? endHandOverV1() : { metadata: {} })['metadata'] as KubeObject['metadata'];
    const wayBack = scene.isOnWayBack === true && { 'way-back.json.gz': 'aGVsbG8=' };
    run.cluster.put({
      ...secret,
      data: { ...fieldsOf(secret['data']), ...wayBack },
      metadata: { ...secret.metadata, ...(stage !== undefined && { annotations: stage }) },
    });
    return run;
  }

  const hasBackup = async (run: Uninstall): Promise<boolean> => (await run.cluster.get(EXTENSION_BACKUP)) !== undefined;
  const OWNED = { [ANNOTATION.owner]: 'ops/gadget' };

  test.each<{ because: string; scene: SceneV1; left: readonly string[]; backup: boolean; said: readonly RegExp[] }>([
    {
      because: 'no Revision lists a right: Slipway has given it under another name',
      scene: {},
      left: [],
      backup: false,
      said: [/^Normal Uninstalling: .* ClusterRoleBinding\S* gadget\.v1-hash, ClusterRole\S* gadget\.v1-hash$/],
    },
    {
      because: 'the names are the same: the Revision has deleted each of them',
      scene: { given: [right('ClusterRole', 'gadget.v1-hash', { annotations: { ...annotations, ...OWNED } })] },
      left: ['ClusterRole gadget.v1-hash'],
      backup: false,
      said: [],
    },
    {
      because: 'the administrator has made the account of OLM and its rights',
      scene: {
        given: [],
        others: [
          right('ClusterRole', 'installer', { annotations: {} }),
          right('ClusterRoleBinding', 'installer', { annotations: {} }),
        ],
      },
      left: ['ClusterRole installer', 'ClusterRoleBinding installer'],
      backup: false,
      said: [],
    },
    {
      because: 'a person has bound a role too',
      scene: {
        given: [right('ClusterRole', 'gadget.v1-hash')],
        others: [
          {
            ...right('ClusterRoleBinding', 'auditors', { annotations: {} }),
            roleRef: { kind: 'ClusterRole', name: 'gadget.v1-hash' },
          },
        ],
      },
      left: ['ClusterRole gadget.v1-hash', 'ClusterRoleBinding auditors'],
      backup: false,
      said: [/^Warning DeleteBlocked: ClusterRole\S* gadget\.v1-hash,.* a ClusterRoleBinding uses it/],
    },
    {
      because: 'OLM v1 has it again',
      scene: {
        given: [
          right('ClusterRole', 'gadget.v1-hash', { labels: { 'olm.operatorframework.io/owner-name': 'another' } }),
        ],
      },
      left: ['ClusterRole gadget.v1-hash'],
      backup: false,
      said: [/^Warning DeleteBlocked: .* OLM has marked it again/],
    },
    {
      because: 'the hand-over was under way, and ends with the uninstall',
      scene: { isEnded: false },
      left: [],
      backup: false,
      said: [/^Normal Uninstalling: The hand-over .* ends/, /^Normal Uninstalling: .* ClusterRole\S* gadget/],
    },
    {
      because: 'the operator is on its way back to OLM v1',
      scene: { isOnWayBack: true },
      left: ['ClusterRole gadget.v1-hash', 'ClusterRoleBinding gadget.v1-hash'],
      backup: true,
      said: [],
    },
    {
      because: 'a Subscription of the same name had another package',
      scene: { package: 'lamp' },
      left: ['ClusterRole gadget.v1-hash', 'ClusterRoleBinding gadget.v1-hash'],
      backup: true,
      said: [],
    },
    {
      because: 'this Subscription has installed nothing: the backup is of an earlier one of its name',
      scene: { status: {} },
      left: ['ClusterRole gadget.v1-hash', 'ClusterRoleBinding gadget.v1-hash'],
      backup: true,
      said: [],
    },
    {
      because: 'every object stays',
      scene: { spec: { uninstall: { objects: 'Orphan' } } },
      left: ['ClusterRole gadget.v1-hash', 'ClusterRoleBinding gadget.v1-hash'],
      backup: true,
      said: [],
    },
  ])('leaves $left: $because', async ({ scene, left, backup, said }) => {
    const run = adoptedFromV1(scene);
    await run.end();
    expect(run.left.toSorted()).toEqual(left);
    expect(await hasBackup(run)).toBe(backup);
    expect(run.said).toEqual(said.map((one) => expect.stringMatching(one) as string));
  });

  test('reports an object that is no right: whether it is in use is not known', async () => {
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'dashboards', namespace: 'ops', annotations },
    };
    const run = adoptedFromV1({ given: [map] });
    await run.end();
    expect(await run.cluster.get(refOf(map))).toBeDefined();
    expect(run.said).toEqual([
      expect.stringMatching(/^Warning DeleteBlocked: ConfigMap ops\/dashboards,.* only rights/),
    ]);
    expect(await hasBackup(run)).toBe(false);
  });

  test('with an account keeps the backup if the account may not delete a right', async () => {
    const run = adoptedFromV1({ spec: { serviceAccountName: 'installer' } });
    run.cluster.restrict(({ verb }) => verb !== 'delete');
    await run.end();
    expect(run.left).toHaveLength(2);
    expect(run.said.filter((one) => one.startsWith('Warning Forbidden'))).toHaveLength(2);
    expect(await hasBackup(run)).toBe(true);
  });
});
