/** A version that is being rolled out stays until it works or has failed, unless a person changes the spec. */
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../api/conditions.ts';
import type { CatalogPackage } from '../../catalog/model.ts';
import type { CatalogSource } from '../../resolver/input.ts';
import { configHash } from '../config-hash.ts';
import { decideSubscription, type ResolvedPlan } from './decide.ts';
import { summarizePlan } from './summarize.ts';
import { catalog, facts, NOW, revision, subscription } from './testing/facts.ts';

const before = revision({ ready: true, state: 'Archived', lastActiveTime: '2026-05-01T11:30:00Z' });
const underWay = revision({ number: 2, version: '1.1.0', previous: 'gadget-1' });
const failed = revision({ number: 2, version: '1.1.0', reason: 'ObjectInvalid', stalled: true, previous: 'gadget-1' });
const lost = revision({ number: 2, version: '1.1.0', reason: 'ManifestsMissing', previous: 'gadget-1' });

/** The catalog, changed. */
function changed(change: (content: CatalogPackage) => CatalogPackage, versions = ['1.0.0', '1.1.0']): CatalogSource {
  const source = catalog({ versions });
  const content = source.content('gadget')!;
  return { ...source, content: (name) => (name === 'gadget' ? change(content) : undefined) };
}

const withdrawn = catalog({ versions: ['1.0.0'] });
const deprecated = changed((content) => ({
  ...content,
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

interface Case {
  readonly because: string;
  readonly source?: CatalogSource;
  readonly spec?: object;
  readonly active?: typeof underWay;
  readonly history?: readonly (typeof underWay)[];
  /** Whether the spec selects the catalog that it comes from, which is beside the other one then. */
  readonly isSelected?: boolean;
  readonly expected: string;
}

function decided({
  source = withdrawn,
  spec = {},
  active = underWay,
  history = [before],
  isSelected = true,
}: Omit<Case, 'because' | 'expected'>): {
  readonly one: ReturnType<typeof subscription>;
  readonly plan: ResolvedPlan;
} {
  const one = subscription({ spec });
  const catalogs = isSelected ? [source] : [source, { ...catalog({ versions: ['1.0.0'] }), selected: false }];
  const plan = decideSubscription(
    facts({ subscription: one, revisions: [...history, active], catalogs, nextNumber: 3 }),
  );
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
    { because: 'it is withdrawn, and its manifests are lost', active: lost, expected: 'restore gadget-2' },
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
});
