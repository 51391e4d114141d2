/** What single views show for known objects: one table for each question that a person has. */
import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../api/catalog.ts';
import type { CatalogPackage } from '../../catalog/model.ts';
import type { InventoryEntry } from '../../apply/inventory.ts';
import { planChange } from '../../plan/plan.ts';
import { upgrade } from '../../plan/testing/sides.ts';
import { condition, INSTALLED, READY, revision, subscription } from '../../report/testing/objects.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import type { Answer } from './ask.ts';
import { catalog } from './catalog.ts';
import type { CatalogListing, PackageContent } from './content.ts';
import { events } from './events.ts';
import { GRAPH_LIMITS } from './graph-lanes.ts';
import { graph } from './graph.ts';
import { overview } from './overview.ts';
import { packageView } from './package.ts';
import { plan } from './plan.ts';
import { revision as revisionView } from './revision.ts';
import { slipway } from './slipway.ts';
import { subscribe } from './subscribe.ts';
import { subscription as subscriptionView } from './subscription.ts';
import { catalogNamed, modelOf, visibleWith } from './testing/scene.ts';
import { TILE_LIMITS } from './tiles.ts';
import { uninstall } from './uninstall.ts';
import type { Asked } from './view.ts';
import { isProblem } from './view.ts';

const HASH = `sha256:${'c'.repeat(64)}`;
const PENDING = { revision: 'gadget-2', bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'ApprovalRequired' };
const AVAILABLE = { bundle: 'gadget.v2.0.0', version: '2.0.0' };
const WAITING: SubscriptionStatus = {
  installed: INSTALLED,
  available: AVAILABLE,
  pending: PENDING,
  path: ['2.0.0'],
  conditions: [READY, condition('UpgradeAvailable', 'True', 'ApprovalRequired', 'gadget.v2.0.0 waits for approval')],
};
const NEXT = revision(2, '2.0.0', {
  spec: { state: 'Archived', approved: false },
  status: { plan: { inputs: 'i', hash: HASH, risk: 'high', reasons: ['high: it may read secrets'], secret: 's' } },
});
const FIRST = revision(1, '1.0.0', { status: { firstReadyTime: '2026-01-01T00:01:00Z' } });
const BASE = { subscriptions: [subscription({ status: WAITING })], revisions: [FIRST, NEXT] };

describe('the overview', () => {
  test('says how many operators are in which state, which one waits, and where its plan is', () => {
    const model = modelOf(overview, visibleWith(BASE));
    expect(model.summary).toBe('1 operator: 1 waiting');
    expect(model.waiting).toMatchObject([
      { change: 'gadget 1.0.0 → 2.0.0', risk: { word: 'high risk' }, plan: { href: '/subscriptions/ops/gadget/plan' } },
    ]);
    expect(model.wrong).toEqual([]);
  });

  test.each([
    { because: 'no Catalog is there', objects: {}, says: /Create a Catalog first/ },
    { because: 'a Catalog is there', objects: { catalogs: [catalogNamed('team')] }, says: /Choose one in the catalog/ },
    {
      because: 'the person may list none',
      objects: { reach: { ...visibleWith().reach, subscriptions: [] } },
      says: /You may not list Subscriptions in all namespaces, nor in one that has any/,
    },
  ])('an empty one says what to do next: $because', ({ objects, says }) => {
    expect(modelOf(overview, visibleWith(objects)).empty?.message).toMatch(says);
  });

  test.each([
    { because: 'it is not ready', status: 'False', reason: 'RegistryUnavailable', tone: 'bad' },
    { because: 'its content is old', status: 'True', reason: 'CatalogStale', tone: 'waiting' },
    { because: 'its content is of the spec before', status: 'False', reason: 'CatalogStale', tone: 'bad' },
  ] as const)('a Catalog has a row, and can be asked again: $because', ({ status, reason, tone }) => {
    const [row] = modelOf(overview, visibleWith({ catalogs: [catalogThat(status, reason)] })).catalogs;
    expect(row).toMatchObject({ state: { word: reason, tone }, message: 'no answer' });
    expect(row?.buttons).toMatchObject([{ allowed: true, action: { kind: 'refresh', catalog: 'team' } }]);
  });

  test.each(['Succeeded', 'Suspended'] as const)('a Catalog that is ready has no row: %s', (reason) => {
    expect(modelOf(overview, visibleWith({ catalogs: [catalogThat('True', reason)] })).catalogs).toEqual([]);
  });

  function catalogThat(status: 'True' | 'False', reason: string): Catalog {
    const known = catalogNamed('team');
    return { ...known, status: { ...known.status, conditions: [condition('Ready', status, reason, 'no answer')] } };
  }
});

describe('a Subscription', () => {
  const labels = (status: SubscriptionStatus, spec = {}): readonly string[] =>
    modelOf(subscriptionView, visibleWith({ ...BASE, subscriptions: [subscription({ status, spec })] })).buttons.map(({ label }) => label); // prettier-ignore

  test.each([
    { because: 'a plan waits', status: WAITING, spec: {}, offered: ['Approve 2.0.0', 'Reconcile', 'Suspend'] },
    {
      because: 'it is suspended',
      status: { installed: INSTALLED },
      spec: { suspend: true },
      offered: ['Reconcile', 'Resume'],
    },
    { because: 'it is pinned', status: { installed: INSTALLED }, spec: { version: '1.0.0' }, offered: ['Reconcile', 'Suspend', 'Unpin'] }, // prettier-ignore
    {
      because: 'another version worked before',
      status: { installed: { ...INSTALLED, bundle: 'gadget.v3.0.0', version: '3.0.0', revision: 'gadget-3' } },
      spec: {},
      offered: ['Reconcile', 'Suspend', 'Go back to 1.0.0'],
    },
    {
      because: 'custom resources were lost',
      status: {
        installed: INSTALLED,
        conditions: [condition('CustomResourcesLost', 'True', 'CustomResourcesLost', 'gone')],
      },
      spec: {},
      offered: ['Reconcile', 'Suspend', 'Acknowledge the loss'],
    },
  ])('offers $offered: $because', ({ status, spec, offered }) => {
    expect(labels(status, spec)).toEqual(offered);
  });

  test('names a version that failed once, with the cause, and not a second time as one that is refused', () => {
    const quarantined = [
      { bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'WebhookSilent', message: 'no answer', since: 'x' },
    ];
    const refused = [
      { version: '2.0.0', reason: 'Quarantined', message: 'it failed before' },
      { version: '3.0.0', reason: 'KubernetesTooOld', message: 'it needs Kubernetes 1.40' },
    ];
    const one = subscription({ status: { installed: INSTALLED, quarantined, refused, conditions: [READY] } });
    const model = modelOf(subscriptionView, visibleWith({ ...BASE, subscriptions: [one] }));
    expect(model.quarantined.map(({ version }) => version)).toEqual(['2.0.0']);
    expect(model.refused.map(({ version }) => version)).toEqual(['3.0.0']);
  });

  test('that is being deleted offers nothing', () => {
    const one = subscription({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: WAITING });
    expect(modelOf(subscriptionView, visibleWith({ ...BASE, subscriptions: [one] })).buttons).toEqual([]);
  });

  test('an approval names the hash of the plan and the uid of the Revision', () => {
    const [approve] = modelOf(subscriptionView, visibleWith(BASE)).buttons;
    expect(approve).toMatchObject({
      allowed: true,
      action: { kind: 'approve', revision: 'gadget-2', uid: 'r2', plan: HASH },
    });
    expect(approve?.command).toContain(HASH);
  });

  test.each([
    { because: 'the plan is not made yet', status: {}, says: 'The plan is still being made' },
    {
      because: 'no plan can be made',
      status: { plan: { inputs: 'i', problem: 'no quota' } },
      says: 'No plan could be made: no quota',
    },
  ])('without a hash nothing can be approved: $because', ({ status, says }) => {
    const next = revision(2, '2.0.0', { spec: { state: 'Archived', approved: false }, status });
    const [approve] = modelOf(subscriptionView, visibleWith({ ...BASE, revisions: [next] })).buttons;
    expect(approve).toMatchObject({ allowed: false, because: says });
  });

  test('whose right to patch is denied says so at every button', () => {
    const visible = visibleWith(BASE);
    const { access = [] } = subscriptionView.ask?.(visible, { namespace: 'ops', name: 'gadget' }) ?? {};
    const { buttons } = modelOf(subscriptionView, visible, { asked: { access: access.map(() => false) } });
    expect(buttons.map(({ allowed }) => allowed)).toEqual(buttons.map(() => false));
    expect(buttons[0]?.because).toBe('You have no right to patch revisions.slipway.dev gadget-2 in namespace ops');
  });

  test.each([
    { because: 'it does not exist', reach: 'all' as const, reason: 'ObjectNotFound' },
    {
      because: 'the person may not list the namespace, so nothing says whether it exists',
      reach: ['dev'],
      reason: 'Forbidden',
    },
  ])('that is not visible is a problem: $because', ({ reach, reason }) => {
    const visible = visibleWith({ reach: { ...visibleWith().reach, subscriptions: reach } });
    const shown = subscriptionView.show(visible, { namespace: 'ops', name: 'gone' }, {});
    expect(isProblem(shown) && shown.reason).toBe(reason);
  });
});

/** A package with versions 1.0.0, 1.1.0, … in a row, and one that only the channel fast has. */
function packageOf(count: number): CatalogPackage {
  const versions = Array.from({ length: count }, (_, at) => `1.${at}.0`);
  const entry = (version: string, at: number) => ({ name: `gadget.v${version}`, skips: [], ...(at > 0 && { replaces: `gadget.v1.${at - 1}.0` }) }); // prettier-ignore
  const bundle = (version: string) => ({ name: `gadget.v${version}`, package: 'gadget', version, image: `registry.example/gadget:${version}`, properties: [], relatedImages: [] }); // prettier-ignore
  return {
    name: 'gadget',
    defaultChannel: 'stable',
    channels: [
      { name: 'stable', entries: versions.map(entry) },
      { name: 'fast', entries: [{ name: 'gadget.v9.0.0', skips: ['gadget.v1.0.0'] }] },
    ],
    bundles: [...versions, '9.0.0'].map(bundle),
    deprecations: [{ schema: 'olm.bundle', name: 'gadget.v1.0.0', message: 'it has a fault' }],
  };
}

const contentOf = (content: CatalogPackage): ReadonlyMap<string, Answer<PackageContent>> =>
  new Map([['team', { value: { content, hasIcon: false, about: new Map() } }]]);

describe('the upgrade graph', () => {
  const one = subscription({
    status: {
      installed: { ...INSTALLED, bundle: 'gadget.v1.0.0', version: '1.0.0' },
      available: { bundle: 'gadget.v1.2.0', version: '1.2.0' },
      path: ['1.1.0', '1.2.0'],
      quarantined: [
        { bundle: 'gadget.v1.1.0', version: '1.1.0', reason: 'WebhookSilent', message: 'no answer', since: 'x' },
      ],
      refused: [{ version: '9.0.0', reason: 'ChannelNotFound', message: 'it is only in channel fast' }],
      conditions: [READY],
    },
  });
  const visible = visibleWith({ subscriptions: [one], catalogs: [catalogNamed('team')] });
  const shown = (content: CatalogPackage, version?: string) =>
    modelOf(graph, visible, {
      parameters: { namespace: 'ops', name: 'gadget', ...(version !== undefined && { version }) },
      asked: { packages: contentOf(content) },
    });

  test('has the followed channel first, and the marks of each version', () => {
    const { lanes, legend } = shown(packageOf(3));
    expect(lanes.map(({ channel, isFollowed }) => [channel, isFollowed])).toEqual([['stable', true], ['fast', false]]); // prettier-ignore
    expect(lanes[0]?.nodes.map(({ version, marks }) => [version, ...marks])).toEqual([
      ['1.2.0', 'available', 'head'],
      ['1.1.0', 'path', 'quarantined'],
      ['1.0.0', 'installed', 'deprecated'],
    ]);
    expect(lanes[1]?.nodes[0]?.marks).toContain('refused');
    expect(lanes[0]?.edges.map(({ onPath }) => onPath)).toEqual([true, true]);
    expect(legend.map(({ mark }) => mark)).toContain('quarantined');
  });

  test('opens and marks the installed version as one that works, although another content of its bundle failed', () => {
    const failure = { ...INSTALLED, image: `registry.example/gadget@sha256:${'b'.repeat(64)}`, reason: 'WebhookSilent', message: 'no answer', since: 'x' }; // prettier-ignore
    const again = subscription({ status: { installed: INSTALLED, quarantined: [failure], conditions: [READY] } });
    const { lanes, opened } = modelOf(
      graph,
      { ...visible, subscriptions: [again] },
      { asked: { packages: contentOf(packageOf(1)) } },
    );
    expect(lanes[0]?.nodes.map(({ version, marks }) => [version, ...marks])).toEqual([
      ['1.0.0', 'installed', 'head', 'deprecated'],
    ]);
    expect(opened).toBeUndefined();
  });

  test('of 500 versions has those that matter, and counts the others', () => {
    const { lanes } = shown(packageOf(500), '1.250.0');
    expect(lanes[0]?.nodes).toHaveLength(GRAPH_LIMITS.nodes);
    expect(lanes[0]?.cut?.omitted).toBe(500 - GRAPH_LIMITS.nodes);
    const versions = lanes[0]?.nodes.map(({ version }) => version);
    for (const version of ['1.0.0', '1.1.0', '1.2.0', '1.250.0', '1.499.0']) expect(versions).toContain(version);
  });

  test('says of a version that the status does not mention why it is not chosen, and which remedies were tried', () => {
    const pinned = subscription({ status: { ...one.status, refused: [] }, spec: { version: '~1.1' } });
    const { opened } = modelOf(
      graph,
      { ...visible, subscriptions: [pinned] },
      {
        parameters: { namespace: 'ops', name: 'gadget', version: '9.0.0' },
        asked: { packages: contentOf(packageOf(3)) },
      },
    );
    expect(opened).toMatchObject({ chosen: false, standing: 'Refused' });
    expect(opened?.causes[0]).toContain('gadget.v9.0.0 is not chosen');
    expect(opened?.remedies.length).toBeGreaterThan(0);
    expect(opened?.buttons.map(({ label }) => label)).toContain('Request 9.0.0');
  });

  test.each([
    { because: 'the status refuses it', version: '9.0.0', cause: '9.0.0 is not chosen: it is only in channel fast' },
    {
      because: 'it failed before',
      version: '1.1.0',
      cause: 'gadget.v1.1.0 failed before and is quarantined: no answer',
    },
  ])('has the words of the manager first: $because', ({ version, cause }) => {
    expect(shown(packageOf(3), version).opened?.causes).toEqual([cause]);
  });

  test('without content says why, and answers from the status nevertheless', () => {
    const failure = new Map([['team', { failure: { reason: 'CatalogUnavailable', message: 'no answer' } }]]);
    const model = modelOf(graph, visible, { asked: { packages: failure } });
    expect(model.lanes).toEqual([]);
    expect(model.notices).toMatchObject([{ text: 'Catalog team cannot be read: no answer' }]);
    expect(model.opened?.version).toBe('9.0.0');
  });
});

describe('a plan', () => {
  const { package: _, subscription: __, ...SIDES } = upgrade({}, {});

  test.each([
    {
      because: 'the person may not read Secrets',
      answer: { failure: { reason: 'Forbidden', message: 'secrets "s" is forbidden' } },
      notice: 'Only the summary of the plan is shown: secrets "s" is forbidden',
    },
    {
      because: 'the Secret has another plan than the one of the hash',
      answer: { value: { plan: { hash: `sha256:${'d'.repeat(64)}` }, heldBy: [] } as never },
      notice: /does not have the plan of this hash/,
    },
    {
      because: 'the Secret has a whole plan of another hash',
      answer: { value: { plan: { ...planChange({ package: 'gadget', subscription: 'ops/gadget', ...SIDES }), hash: `sha256:${'d'.repeat(64)}` }, heldBy: [] } }, // prettier-ignore
      notice: /does not have the plan of this hash/,
    },
    { because: 'the Secret has something else', answer: { value: {} as never }, notice: /Only the summary/ },
    {
      because: 'the Secret has a plan without its parts',
      answer: { value: { plan: { hash: HASH } } as never },
      notice: /Only the summary/,
    },
  ])('shows its summary, its risk and its hash: $because', ({ answer, notice }) => {
    const model = modelOf(plan, visibleWith(BASE), { asked: { plan: answer } });
    expect(model).toMatchObject({
      extent: 'summary',
      hash: HASH,
      risk: { word: 'high risk' },
      change: 'gadget 1.0.0 → 2.0.0',
    });
    expect(model.risks).toMatchObject([{ level: { word: 'high risk' }, message: 'it may read secrets' }]);
    expect(model.notices.map(({ text }) => text)).toEqual([
      typeof notice === 'string' ? notice : (expect.stringMatching(notice) as string),
    ]);
    expect(model.buttons[0]).toMatchObject({ label: 'Approve 2.0.0', allowed: true });
  });

  test('that an older manager stored is not asked for, and the page says when it is', () => {
    const visible = visibleWith(BASE);
    expect(plan.ask?.(visible, { namespace: 'ops', name: 'gadget' })).not.toHaveProperty('plan');
    const [notice] = modelOf(plan, visible, { asked: {} }).notices;
    expect(notice?.text).toMatch(/has not recorded which whole plan it stored, and makes it again within minutes/);
  });

  test('of nothing says so in the words of the command line', () => {
    const idle = { subscriptions: [subscription({ status: { installed: INSTALLED } })], revisions: [FIRST] };
    expect(modelOf(plan, visibleWith(idle)).empty?.message).toBe(
      'Nothing changes: gadget.v1.0.0 is installed, and the manager has prepared no other Revision; slipway plan --file plans from a catalog',
    );
  });
});

describe('an uninstall', () => {
  const inventory: readonly InventoryEntry[] = [
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ops', name: 'a', uid: 'a', hash: 'h' },
  ];
  const visible = visibleWith({
    subscriptions: [subscription({ status: { installed: INSTALLED } })],
    revisions: [revision(1, '1.0.0', { status: { inventory } })],
  });

  test.each([
    { because: 'the policies are those of the spec', query: {}, fields: {} },
    { because: 'the person chose those of the spec', query: { customResources: 'Retain' }, fields: {} },
    {
      because: 'the person chose other ones',
      query: { customResources: 'Delete' },
      fields: { customResources: 'Delete' },
    },
    { because: 'objects are to stay', query: { objects: 'Orphan' }, fields: { objects: 'Orphan' } },
    { because: 'a policy that does not exist is none', query: { customResources: 'Burn' }, fields: {} },
  ])('sends the policies of the page, and the uid of the Subscription: $because', ({ query, fields }) => {
    const { buttons, choices } = modelOf(uninstall, visible, {
      parameters: { namespace: 'ops', name: 'gadget', ...query },
      asked: { customResources: { value: new Map() } },
    });
    const policies = { customResources: 'Retain', objects: 'Delete', ...fields };
    expect(buttons[0]?.action).toEqual({ kind: 'uninstall', namespace: 'ops', name: 'gadget', uid: 'u1', ...policies });
    expect(Object.fromEntries(choices.map(({ name, value }) => [name, value]))).toEqual(policies);
    expect(buttons[0]?.typed).toBe('gadget');
  });

  const RBAC = 'rbac.authorization.k8s.io/v1';
  const given = [
    {
      due: [{ apiVersion: RBAC, kind: 'ClusterRoleBinding', metadata: { name: 'delegator' } }],
      kept: [
        {
          ref: { apiVersion: RBAC, kind: 'ClusterRole', name: 'shared' },
          why: 'a RoleBinding of another namespace uses it',
          named: 'RoleBinding.rbac.authorization.k8s.io dev/theirs uses it',
        },
      ],
    },
  ];
  const judged = (rights: readonly object[]): object => ({ value: { rights } });
  const failing = (reason: string): object => ({ failure: { reason, message: 'the backup cannot be read' } });

  test.each<{
    because: string;
    query?: object;
    givenByOlm?: object;
    deleted: readonly string[];
    stays: readonly string[];
  }>([
    {
      because: 'OLM had given it rights',
      givenByOlm: judged(given),
      deleted: ['ClusterRoleBinding.rbac.authorization.k8s.io delegator'],
      stays: [
        'ClusterRole.rbac.authorization.k8s.io shared, which OLM had given the operator: RoleBinding.rbac.authorization.k8s.io dev/theirs uses it',
      ],
    },
    { because: 'they are being read', deleted: [], stays: [] },
    { because: 'it never was under OLM', givenByOlm: judged([]), deleted: [], stays: [] },
    { because: 'the person may not read the backups', givenByOlm: failing('Forbidden'), deleted: [], stays: [] },
    {
      because: 'a person has damaged the backup',
      givenByOlm: failing('InputInvalid'),
      deleted: [],
      stays: ['Rights that OLM had given the operator may stay: the backup cannot be read'],
    },
    {
      because: 'every object stays',
      query: { objects: 'Orphan' },
      givenByOlm: judged(given),
      deleted: [],
      stays: [],
    },
    {
      because: 'nothing is deleted',
      query: { customResources: 'Block' },
      givenByOlm: judged(given),
      deleted: [],
      stays: ['Blocked'],
    },
  ])('names the rights that OLM had given the operator: $because', ({ query = {}, givenByOlm, deleted, stays }) => {
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'gadgets.example.com', uid: 'c', hash: 'h' }; // prettier-ignore
    const blocked = 'customResources' in query;
    const resource = { apiVersion: 'example.com/v1', kind: 'Gadget', served: { plural: 'gadgets', namespaced: true } };
    const scene = visibleWith({
      subscriptions: [subscription({ status: { installed: INSTALLED } })],
      revisions: [revision(1, '1.0.0', { status: { inventory: blocked ? [crd] : inventory } })],
    });
    const counts = new Map(blocked ? [[crd.name, { resource, count: 1, samples: ['ops/x'] }] as const] : []);
    const model = modelOf(uninstall, scene, {
      parameters: { namespace: 'ops', name: 'gadget', ...query },
      asked: { customResources: { value: counts }, ...(givenByOlm !== undefined && { givenByOlm }) } as Asked,
    });
    expect(model.givenByOlm).toEqual(deleted);
    expect(model.stays).toEqual(
      stays.map((one) => (one === 'Blocked' ? (expect.stringContaining('gadgets.example.com') as string) : one)),
    );
  });

  test('is held while the operator is on its way back to OLM, and the page says how to go on', () => {
    const held = 'The operator is on its way back to OLM: go on by `slipway adopt undo ops/gadget`';
    const asked = { customResources: { value: new Map() }, givenByOlm: { value: { rights: given, held } } } as Asked;
    expect(modelOf(uninstall, visible, { asked })).toMatchObject({
      state: { word: 'Held' },
      summary: 'An uninstall deletes nothing now',
      deleted: 0,
      steps: [],
      givenByOlm: [],
      stays: [],
      doubts: [held],
    });
    const leaving = { namespace: 'ops', name: 'gadget', objects: 'Orphan' };
    expect(modelOf(uninstall, visible, { asked, parameters: leaving })).toMatchObject({
      state: { word: 'Ready' },
      doubts: [],
    });
  });

  test.each([
    {
      because: 'a backup says so',
      value: { rights: [], begun: [{ operator: { from: 'OLMv1', name: 'x' }, stage: 'TakingOver' }] },
      shown: 1,
    },
    { because: 'none has begun', value: { rights: [], begun: [] }, shown: 0 },
    { because: 'it is on the way back', value: { rights: [], begun: [{ operator: { from: 'OLMv1', name: 'x' }, stage: 'TakingOver' }], held: 'y' }, shown: 0 }, // prettier-ignore
  ] as const)(
    'has a notice for each hand-over from OLM that has not ended, also if objects stay: $because',
    ({ value, shown }) => {
      for (const objects of ['Delete', 'Orphan']) {
        const asked = { customResources: { value: new Map() }, givenByOlm: { value } };
        const { notices } = modelOf(uninstall, visible, { asked, parameters: { namespace: 'ops', name: 'gadget', objects } }); // prettier-ignore
        expect(notices.map(({ text }) => /hand-over of x from OLM v1 is under way/.test(text))).toEqual(Array(shown).fill(true)); // prettier-ignore
      }
    },
  );

  test('asks for the rights that OLM had given the very Subscription', () => {
    const ask = uninstall.ask?.(visible, { namespace: 'ops', name: 'gadget' });
    expect(ask?.givenByOlm?.metadata).toMatchObject({ namespace: 'ops', name: 'gadget' });
  });

  test('whose custom resources cannot be counted promises nothing', () => {
    const asked = { customResources: { failure: { reason: 'Forbidden', message: 'gadgets is forbidden' } } };
    expect(modelOf(uninstall, visible, { asked })).toMatchObject({ state: { word: 'Unknown' }, deleted: 0 });
  });
});

describe('a Revision', () => {
  const entry = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'ops',
    name: 'settings',
    uid: 'm1',
    hash: 'h',
    seen: 'generation 1',
  };
  const visible = visibleWith({
    subscriptions: [subscription({ status: { installed: INSTALLED } })],
    revisions: [revision(1, '1.0.0', { status: { inventory: [entry] } })],
  });
  const managedFields = [
    { manager: 'kubectl', fieldsV1: { 'f:data': { 'f:mode': {} } }, time: '2026-01-01T00:00:00Z' },
    {
      manager: 'slipway',
      fieldsV1: { 'f:data': { '.': {}, 'f:level': {} }, 'f:spec': { 'k:{"name":"a"}': { 'f:image': {} } } },
    },
    { manager: 'kubelet', subresource: 'status', fieldsV1: { 'f:status': {} } },
  ];
  const itemFor = (metadata: object) =>
    modelOf(revisionView, visible, {
      parameters: { namespace: 'ops', name: 'gadget-1' },
      asked: {
        objects: [
          { value: { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', ...metadata } } } },
        ],
      },
    }).groups[0]?.items[0];

  test('shows who owns which fields: Slipway first, and no writers of the status', () => {
    expect(itemFor({ uid: 'm1', generation: 1, managedFields })?.owners).toEqual([
      { manager: 'slipway', isSlipway: true, fields: ['data.level', 'spec[a].image'], count: 2 },
      { manager: 'kubectl', isSlipway: false, fields: ['data.mode'], count: 1, time: '2026-01-01T00:00:00Z' },
    ]);
  });

  test.each([
    { because: 'it is as it was applied', metadata: { uid: 'm1', generation: 1 }, drift: undefined },
    { because: 'another program changed it', metadata: { uid: 'm1', generation: 2 }, drift: /has changed it since/ },
    { because: 'it was made again', metadata: { uid: 'm2', generation: 1 }, drift: /deleted and made again/ },
    { because: 'it is going', metadata: { uid: 'm1', generation: 1, deletionTimestamp: 'x' }, drift: /being deleted/ },
  ])('an object has a drift if it differs: $because', ({ metadata, drift }) => {
    const found = itemFor(metadata)?.drift;
    if (drift === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(drift);
  });

  test('of 4,000 objects has the first ones read, and counts the others', () => {
    const inventory = Array.from({ length: 4000 }, (_, at) => ({ ...entry, name: `m${at}` }));
    const large = { ...visible, revisions: [revision(1, '1.0.0', { status: { inventory } })] };
    const parameters = { namespace: 'ops', name: 'gadget-1' };
    expect(revisionView.ask?.(large, parameters).objects).toHaveLength(200);
    expect(modelOf(revisionView, large, { parameters }).notices).toMatchObject([
      { text: '3800 further objects are not read' },
    ]);
  });
});

describe('the catalog', () => {
  const listed = (name: string, category: string) => ({ name, defaultChannel: 'stable', channels: [], heads: [], description: `Makes ${name}`, hasIcon: false, about: { categories: [category] } }); // prettier-ignore
  const listings = (count: number): ReadonlyMap<string, Answer<CatalogListing>> =>
    new Map([['team', { value: { packages: Array.from({ length: count }, (_, at) => listed(`p${String(at).padStart(4, '0')}`, at % 2 === 0 ? 'Database' : 'Network')), omitted: 0 } }]]); // prettier-ignore
  const visible = visibleWith({ catalogs: [catalogNamed('team')] });
  const shown = (count: number, query: Readonly<Record<string, string>> = {}) =>
    modelOf(catalog, visible, { parameters: query, asked: { listings: listings(count) } });

  test('pages of 4,473 packages have each package once', () => {
    const seen: string[] = [];
    let model = shown(4473);
    for (;;) {
      seen.push(...model.tiles.map((tile) => tile.package));
      expect(model.tiles.length).toBeLessThanOrEqual(TILE_LIMITS.page);
      if (model.more === undefined) break;
      model = shown(4473, { cursor: new URL(model.more.href, 'http://console').searchParams.get('cursor') ?? '' });
    }
    expect(new Set(seen).size).toBe(4473);
    expect(seen).toHaveLength(4473);
  });

  test.each([
    { because: 'the name begins with it', query: { search: 'P0001' }, found: 1 },
    { because: 'the description has it', query: { search: 'makes p000' }, found: 10 },
    { because: 'the category has it', query: { category: 'Database' }, found: 50 },
    { because: 'nothing has it', query: { search: 'boat' }, found: 0 },
  ])('a search finds $found packages: $because', ({ query, found }) => {
    expect(shown(100, query).found).toBe(found);
  });

  test('a search without a result says so in the words of the command line', () => {
    expect(shown(1, { search: 'boat' }).empty?.message).toBe('No package has "boat" in its name or description');
  });
});

test('a package has its channels, versions and needs, and only addresses of https', () => {
  const content = packageOf(2);
  const about = { categories: [], keywords: [], maintainers: [], installModes: [], provides: [], links: [{ name: 'x', url: 'javascript:alert(1)' }, { name: 'y', url: 'https://example.com/' }], minKubeVersion: '1.30.0' }; // prettier-ignore
  const packages = new Map([
    ['team', { value: { content, hasIcon: true, about: new Map([['gadget.v1.1.0', about]]) } }],
  ]);
  const model = modelOf(packageView, visibleWith({ catalogs: [catalogNamed('team')] }), {
    parameters: { catalog: 'team', package: 'gadget' },
    asked: { packages },
  });
  expect(model.links).toEqual([{ label: 'y', href: 'https://example.com/' }]);
  expect(model.channels).toMatchObject([
    { name: 'stable', isDefault: true, isChosen: true, head: '1.1.0', versions: 2 },
    { name: 'fast', isChosen: false },
  ]);
  expect(model.versions.map(({ version, deprecation }) => [version, deprecation])).toEqual([
    ['1.1.0', undefined],
    ['1.0.0', 'it has a fault'],
  ]);
  expect(model.needs).toEqual(['Kubernetes 1.30.0 or later']);
});

test.each([
  { because: 'the message names the Catalog', message: 'Catalog team cannot be read: the manager cannot be reached: ECONNREFUSED' }, // prettier-ignore
  { because: 'the message names the Catalog', message: 'Catalog team cannot be shown: the listing is too large' },
  { because: 'the message names the person', message: 'ann may not get Catalog team' },
])('a Catalog whose content cannot be read is named in one sentence: $because', ({ message }) => {
  const packages = new Map([['team', { failure: { reason: 'CatalogUnavailable', message } }]]);
  const parameters = { catalog: 'team', package: 'gadget' };
  const { notices } = modelOf(packageView, visibleWith({ catalogs: [catalogNamed('team')] }), { parameters, asked: { packages } }); // prettier-ignore
  expect(notices).toHaveLength(1);
  expect(notices[0]?.text).toMatch(/^Catalog team cannot be (read|shown): /);
  expect(notices[0]?.text.match(/cannot be (read|shown)/g)).toHaveLength(1);
});

describe('the form of a Subscription', () => {
  const shown = (query: Readonly<Record<string, string>>) =>
    modelOf(subscribe, visibleWith({ ...BASE, catalogs: [catalogNamed('team')] }), { parameters: query });

  test('shows the YAML that the button creates', () => {
    const model = shown({
      namespace: 'dev',
      package: 'lamp',
      catalog: 'team',
      approval: 'Manual',
      watchNamespaces: 'dev, ops',
    });
    expect(model.yaml).toBe(
      'apiVersion: slipway.dev/v1alpha1\nkind: Subscription\nmetadata:\n  name: lamp\n  namespace: dev\nspec:\n  package: lamp\n  catalog: team\n  approval: Manual\n  watchNamespaces:\n    - dev\n    - ops\n',
    );
    expect(model.button?.command).toContain(model.yaml);
    expect(model.hints[0]?.command).toBe('slipway install lamp -n dev --catalog team --approval Manual --watch-namespace dev --watch-namespace ops'); // prettier-ignore
  });

  test.each([
    { because: 'no namespace is named', query: { package: 'lamp' }, field: 'namespace' },
    { because: 'the name has capitals', query: { package: 'lamp', namespace: 'dev', name: 'Lamp' }, field: 'name' },
    { because: 'the name is taken', query: { package: 'gadget', namespace: 'ops' }, field: 'name' },
    {
      because: 'the Catalog does not exist',
      query: { package: 'lamp', namespace: 'dev', catalog: 'none' },
      field: 'catalog',
    },
    {
      because: 'a watched namespace cannot be one',
      query: { package: 'lamp', namespace: 'dev', watchNamespaces: '../x' },
      field: 'watchNamespaces',
    },
    {
      because: 'the approval is unknown',
      query: { package: 'lamp', namespace: 'dev', approval: 'Never' },
      field: 'approval',
    },
  ])('has no button while $field has a problem: $because', ({ query, field }) => {
    const model = shown(query);
    expect(model.fields.filter(({ problem }) => problem !== undefined).map(({ name }) => name)).toEqual([field]);
    expect(model).not.toHaveProperty('button');
  });
});

describe('events', () => {
  test.each([
    { kind: 'Subscription', namespace: 'default' },
    { kind: 'Revision', namespace: 'default' },
    { kind: 'Catalog', namespace: '' },
    { kind: 'RegistryPolicy', namespace: '' },
  ])(
    'about a $kind have the namespace of the object ($namespace), and not the one in which they are kept',
    ({ kind, namespace }) => {
      const about = {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'e', namespace: 'default' },
        regarding: { apiVersion: 'slipway.dev/v1alpha1', kind, name: 'team' },
        reason: 'Succeeded',
        type: 'Normal',
        note: 'is ready',
      };
      expect(modelOf(events, visibleWith({ events: [about] }), { parameters: {} }).events).toMatchObject([{ object: `${kind} team`, namespace }]); // prettier-ignore
    },
  );

  test('the record of acts has approvals, failures and repairs, the newest first', () => {
    const one = subscription({
      status: {
        quarantined: [{ bundle: 'gadget.v2.0.0', version: '2.0.0', reason: 'WebhookSilent', message: 'no answer', since: '2026-01-01T02:00:00Z', rolledBackTime: '2026-01-01T03:00:00Z' }], // prettier-ignore
        lastRepair: { time: '2026-01-01T04:00:00Z', objects: 2, message: 'kubectl had changed spec.replicas' },
      },
    });
    const approved = revision(1, '1.0.0', { status: { approvedBy: { place: 'Revision', manager: 'slipway-console', time: '2026-01-01T01:00:00Z', plan: HASH } } }); // prettier-ignore
    const { audit } = modelOf(events, visibleWith({ subscriptions: [one], revisions: [approved] }), { parameters: {} });
    expect(audit.map(({ act, by }) => [act, by])).toEqual([
      ['repaired 2 objects', undefined],
      ['rolled back from 2.0.0', undefined],
      ['2.0.0 is quarantined', undefined],
      ['approved 1.0.0 (gadget-1)', 'slipway-console'],
    ]);
    expect(audit[3]?.message).toContain(HASH);
  });
});

describe('Slipway itself', () => {
  const lease = (renewTime: string) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'slipway-manager', namespace: 'slipway-system' },
    spec: { holderIdentity: 'manager-1', renewTime, leaseDurationSeconds: 15 },
  });

  test.each([
    {
      because: 'a leader renews its Lease',
      leases: [lease('2026-01-01T23:59:58Z')],
      level: 'ok',
      says: 'manager-1 leads',
    },
    {
      because: 'the leader is silent',
      leases: [lease('2026-01-01T23:00:00Z')],
      level: 'error',
      says: 'manager-1 led last',
    },
    {
      because: 'nothing leads',
      leases: [],
      level: 'error',
      says: 'No manager has taken the Lease slipway-system/slipway-manager',
    },
  ])('names the leader: $because', ({ leases, level, says }) => {
    const { findings } = modelOf(slipway, visibleWith({ leases }));
    expect(findings).toMatchObject([{ level: { word: level }, message: says }]);
  });

  test('a person who may not read the Lease reads that, and nothing about the leader', () => {
    const model = modelOf(slipway, visibleWith({ reach: { ...visibleWith().reach, leases: [] } }));
    expect(model.findings).toEqual([]);
    expect(model.notices).toMatchObject([{ text: expect.stringContaining('the Lease of the manager') as string }]);
  });
});
