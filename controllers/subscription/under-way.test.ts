/** A version that is being rolled out stays until it works or has failed, unless a person changes the spec. */
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import type { CatalogPackage, Property } from '../../catalog/model.ts';
import type { CatalogSource, InstalledPackage } from '../../resolver/input.ts';
import { configHash, outcomeHash } from '../config-hash.ts';
import { decideSubscription, type ResolvedPlan } from './decide.ts';
import { summarizePlan } from './summarize.ts';
import { catalog, facts, NOW, revision, subscription } from './testing/facts.ts';
import { waitsForOthers } from './wake.ts';

const before = revision({ ready: true, state: 'Archived', lastActiveTime: '2026-05-01T11:30:00Z' });
const underWay = revision({ number: 2, version: '1.1.0', previous: 'gadget-1' });
const failed = revision({ number: 2, version: '1.1.0', reason: 'ObjectInvalid', stalled: true, previous: 'gadget-1' });
const inVain = {
  number: 2,
  version: '1.1.0',
  reason: 'ApiUnavailable',
  reconciling: true,
  previous: 'gadget-1',
} as const;
const lost = revision({ ...inVain, reason: 'ManifestsMissing', inventory: ['x'] });
const renderedAnew = revision({ number: 3, version: '1.1.0', state: 'Archived', previous: 'gadget-2' });
const deleted = revision({ number: 2, version: '1.1.0', deleted: true, inventory: ['x'], previous: 'gadget-1' });

/** The catalog, changed. */
function changed(change: (content: CatalogPackage) => CatalogPackage, versions = ['1.0.0', '1.1.0']): CatalogSource {
  const source = catalog({ versions });
  const content = source.content('gadget')!;
  return { ...source, content: (name) => (name === 'gadget' ? change(content) : undefined) };
}

const withdrawn = catalog({ versions: ['1.0.0'] });
const deprecated = changed((content) => ({
  ...content,
  bundles: content.bundles.map((one) => ({ ...one, image: underWay.spec.image })),
  deprecations: [{ schema: 'olm.bundle', name: 'gadget.v1.1.0', message: 'broken' }],
}));
const withoutEdge = changed((content) => ({
  ...content,
  channels: [{ name: 'stable', entries: ['1.0.0', '1.1.0'].map((one) => ({ name: `gadget.v${one}`, skips: [] })) }],
}));
/** Follows 1.0.0 only, and not 1.1.0. */
const branched = changed(
  (content) => ({
    ...content,
    channels: [
      {
        name: 'stable',
        entries: [
          { name: 'gadget.v1.0.0', skips: [] },
          { name: 'gadget.v1.1.0', skips: [], replaces: 'gadget.v1.0.0' },
          { name: 'gadget.v1.2.0', skips: ['gadget.v1.1.0'], replaces: 'gadget.v1.0.0' },
        ],
      },
    ],
  }),
  ['1.0.0', '1.1.0', '1.2.0'],
);

/** To 1.3.0 there are two ways, and the one by 1.1.0 has been withdrawn, if at all. */
const twoWays = (isWithdrawn: boolean): CatalogSource =>
  changed(
    ({ bundles, ...content }) => ({
      ...content,
      bundles: bundles.filter(({ version }) => version !== '1.1.0' || !isWithdrawn),
      channels: [
        {
          name: 'stable',
          entries: [
            { name: 'gadget.v1.0.0', skips: [] },
            ...(isWithdrawn ? [] : [{ name: 'gadget.v1.1.0', skips: [], replaces: 'gadget.v1.0.0' }]),
            { name: 'gadget.v1.2.0', skips: [], replaces: 'gadget.v1.0.0' },
            { name: 'gadget.v1.3.0', skips: ['gadget.v1.1.0'], replaces: 'gadget.v1.2.0' },
          ],
        },
      ],
    }),
    ['1.0.0', '1.1.0', '1.2.0', '1.3.0'],
  );

/** 1.1.0 brings a kind that another package gives up. */
const LAMP: Property = { type: 'olm.gvk', value: { group: 'lamps.example', version: 'v1', kind: 'Lamp' } };
const withLamp = changed((content) => ({
  ...content,
  bundles: content.bundles.map((one) => (one.version === '1.1.0' ? { ...one, properties: [LAMP] } : one)),
}));
const colliding = revision({
  ...inVain,
  reason: 'Collision',
  inventory: ['x'],
  properties: [{ type: LAMP.type, value: JSON.stringify(LAMP.value) }],
});

/** The other package, in the version that works. */
const widget = (...properties: readonly Property[]): InstalledPackage => ({
  package: 'widget',
  bundle: 'widget.v1.0.0',
  version: '1.0.0',
  catalog: 'main',
  image: 'i',
  dependency: false,
  properties,
});

const GIVEN_UP = {
  bundle: 'gadget.v1.1.0',
  version: '1.1.0',
  image: underWay.spec.image,
  reason: 'ObjectInvalid',
  message: 'm',
  since: '2026-05-01T11:50:00Z',
  specHash: outcomeHash(subscription()),
};

interface Case {
  readonly because: string;
  readonly source?: CatalogSource;
  readonly spec?: object;
  readonly active?: typeof underWay;
  readonly history?: readonly (typeof underWay)[];
  readonly newer?: readonly (typeof underWay)[];
  readonly status?: SubscriptionStatus;
  /** Whether the spec selects the catalog that it comes from, which is beside the other one then. */
  readonly isSelected?: boolean;
  /** The installed packages of other Subscriptions. */
  readonly packages?: readonly InstalledPackage[];
  readonly expected: string;
}

function decided({
  source = withdrawn,
  spec = {},
  active = underWay,
  history = [before],
  newer = [],
  status = {},
  isSelected = true,
  packages = [],
}: Omit<Case, 'because' | 'expected'>): {
  readonly one: ReturnType<typeof subscription>;
  readonly plan: ResolvedPlan;
} {
  const one = subscription({ spec, status });
  const catalogs = isSelected ? [source] : [source, { ...catalog({ versions: ['1.0.0'] }), selected: false }];
  const cluster = { providedKinds: [], packages, coming: [] };
  const revisions = [...history, active, ...newer];
  const plan = decideSubscription(facts({ subscription: one, revisions, catalogs, cluster, nextNumber: 4 }));
  if (plan.kind !== 'resolved') throw new Error(plan.kind);
  return { one, plan };
}

function inWords({ action }: ResolvedPlan): string {
  switch (action.do) {
    case 'create':
      return `create ${action.target.bundle.name}`;
    case 'nothing':
      return 'nothing';
    default:
      return `${action.do} ${action.revision.metadata.name}`;
  }
}

describe('during the roll-out of 1.1.0', () => {
  test.each<Case>([
    { because: 'the catalog still offers it', source: catalog({ versions: ['1.0.0', '1.1.0'] }), expected: 'nothing' },
    { because: 'it is withdrawn', expected: 'nothing' },
    {
      because: 'it becomes deprecated, and its manifests are lost',
      active: lost,
      source: deprecated,
      expected: 'restore gadget-2',
    },
    {
      because: 'it is withdrawn, and its manifests are lost: its image is not pulled again, and no deadline ends that',
      active: lost,
      expected: 'activate gadget-1',
    },
    {
      because: 'it is withdrawn, while a person has to approve and no window is open',
      spec: { approval: 'Manual', windows: [{ cron: '0 3 1 1 *', duration: '1h' }] },
      expected: 'nothing',
    },
    { because: 'it becomes deprecated', source: deprecated, expected: 'nothing' },
    { because: 'the edge to it is removed', source: withoutEdge, expected: 'nothing' },
    { because: 'a version appears that skips it', source: branched, expected: 'nothing' },
    { because: 'it is withdrawn from a first installation', history: [], expected: 'nothing' },
    { because: 'it has failed, and is withdrawn', active: failed, expected: 'activate gadget-1' },
    {
      because: 'it has failed and stays, as the strategy says, and is withdrawn',
      active: failed,
      spec: { onFailure: { strategy: 'Hold' } },
      expected: 'nothing',
    },
    {
      because: 'it has failed and stays, and a version appears that skips it',
      active: failed,
      source: branched,
      spec: { onFailure: { strategy: 'Hold' } },
      expected: 'create gadget.v1.2.0',
    },
    {
      because: 'it has failed after all retries and stays, and is withdrawn',
      active: failed,
      spec: { onFailure: { strategy: 'Retry' } },
      expected: 'nothing',
    },
    {
      because: 'its lost manifests were rendered in another way, and a new Revision has them',
      active: lost,
      history: [before],
      newer: [renderedAnew],
      source: deprecated,
      expected: 'activate gadget-3',
    },
    {
      because: 'a person deletes its Revision, which is never applied again',
      active: deleted,
      expected: 'activate gadget-1',
    },
    {
      because: 'each attempt ends before the first object, which no deadline ends, and it is withdrawn',
      active: revision(inVain),
      expected: 'activate gadget-1',
    },
    {
      because: 'each attempt ends before the first object, and a version appears that skips it',
      active: revision(inVain),
      source: branched,
      expected: 'create gadget.v1.2.0',
    },
    {
      because: 'an attempt ended after the first object, and it is withdrawn',
      active: revision({ ...inVain, inventory: ['x'] }),
      expected: 'nothing',
    },
    {
      because: 'a new configuration came to no object, another one of the same bundle did, and it is withdrawn',
      active: revision({ ...inVain, number: 3 }),
      history: [before, revision({ number: 2, version: '1.1.0', state: 'Archived', inventory: ['x'] })],
      expected: 'nothing',
    },
    {
      because: 'it waits for a CRD that another package has given up',
      active: colliding,
      source: withLamp,
      packages: [widget()],
      expected: 'nothing',
    },
    {
      because: 'it waits for a CRD that another package had given up, and that one went back to its version before',
      active: colliding,
      source: withLamp,
      packages: [widget(LAMP)],
      expected: 'activate gadget-1',
    },
    {
      because: 'its first object is applied, and another package is about to take its kind back',
      active: revision({ ...inVain, reason: 'Progressing', inventory: ['x'] }),
      source: withLamp,
      packages: [widget(LAMP)],
      expected: 'nothing',
    },
    {
      because: 'it collides with an object of a person, and is withdrawn while another package has another kind',
      active: colliding,
      packages: [widget({ ...LAMP, value: { group: 'lamps.example', version: 'v1', kind: 'Shade' } })],
      expected: 'nothing',
    },
    {
      because: 'it was given up before, and is active again after a crash',
      status: { quarantined: [GIVEN_UP] },
      source: catalog({ versions: ['1.0.0', '1.1.0'] }),
      expected: 'activate gadget-1',
    },
    {
      because: 'it is a step into the range, and is withdrawn',
      source: twoWays(true),
      spec: { version: '1.3.0' },
      expected: 'nothing',
    },
    {
      because: 'it leads away from the range, which a person has changed',
      source: twoWays(false),
      spec: { version: '1.0.x' },
      expected: 'activate gadget-1',
    },
    {
      because: 'it was requested itself, and a person requests the version that skips it',
      source: branched,
      spec: { version: '1.2.0' },
      expected: 'create gadget.v1.2.0',
    },
    {
      because: 'it is a step that leads past the version that a person requests now',
      source: twoWays(false),
      spec: { version: '1.2.0' },
      expected: 'create gadget.v1.2.0',
    },
    {
      because: 'it is a step into the range, with a configuration that a person has changed',
      source: twoWays(true),
      spec: { version: '1.3.0', config: { env: [{ name: 'LEVEL', value: 'debug' }] } },
      expected: 'create gadget.v1.2.0',
    },
    { because: 'a first installation has failed', active: failed, history: [], expected: 'create gadget.v1.0.0' },
    { because: 'the spec requests the version before', spec: { version: '1.0.0' }, expected: 'activate gadget-1' },
    {
      because: 'the spec requests another catalog',
      spec: { catalog: 'other' },
      source: { ...withdrawn, name: 'other' },
      expected: 'activate gadget-1',
    },
    {
      because: 'the spec selects its catalog no longer',
      source: { ...withdrawn, name: 'other', priority: 1 },
      spec: { catalogSelector: { matchLabels: { tier: 'gold' } } },
      isSelected: false,
      expected: 'activate gadget-1',
    },
  ])('$expected: $because', ({ expected, ...given }) => {
    expect(inWords(decided(given).plan)).toBe(expected);
  });

  test('a new configuration is applied at once, to the version that is chosen by now', () => {
    const spec = { config: { env: [{ name: 'LEVEL', value: 'debug' }] } };
    const asked = configHash(subscription({ spec }));
    const { plan } = decided({ spec, source: branched });
    expect(plan.action).toMatchObject({
      do: 'create',
      target: { bundle: { name: 'gadget.v1.2.0' }, configHash: asked },
    });
  });

  test('the conditions name the version that is being applied and the one that waits for it', () => {
    const { one, plan } = decided({});
    const status = summarizePlan(one, plan, { now: NOW });
    expect(status.pending).toMatchObject({ bundle: 'gadget.v1.1.0', revision: 'gadget-2' });
    expect(findCondition(status.conditions, 'Reconciling')).toMatchObject({
      reason: 'Upgrading',
      message: expect.stringContaining(
        'gadget.v1.1.0 is being applied. gadget.v1.0.0, which is chosen now, waits until that version works or has failed',
      ) as string,
    });
  });

  test('a version whose CRD another package has taken back is refused for that package, and not quarantined', () => {
    const { one, plan } = decided({ active: colliding, source: withLamp, packages: [widget(LAMP)] });
    const { refused } = summarizePlan(one, plan, { now: NOW });
    expect([inWords(plan), plan.quarantined, refused]).toMatchObject([
      'activate gadget-1',
      [],
      [{ version: '1.1.0', reason: 'DependencyNotReady', message: expect.stringContaining('widget.v1.0.0') as string }],
    ]);
  });

  test('a version that waits for a CRD of another package is decided about again when that package changes', () => {
    const { one, plan } = decided({ active: colliding, source: withLamp, packages: [widget()] });
    const status = summarizePlan(one, plan, { now: NOW });
    expect(waitsForOthers({ ...one, status })).toBe(true);
  });

  test('a version that waits for a person is not said to wait for the installed one, which is applied again', () => {
    const again = revision({ firstReadyTime: '2026-05-01T10:00:00Z' });
    const proposed = revision({ number: 2, version: '1.1.0', state: 'Archived', approved: false });
    const source = catalog({ versions: ['1.0.0', '1.1.0'] });
    const { one, plan } = decided({
      spec: { approval: 'Manual' },
      source,
      active: again,
      history: [],
      newer: [proposed],
    });
    expect(plan.action.do).toBe('await');
    const { conditions } = summarizePlan(one, plan, { now: NOW });
    expect(findCondition(conditions, 'Reconciling')?.message).toBe('gadget.v1.0.0 is being applied');
  });
});
