import { describe, expect, test } from 'vitest';
import type { Reason } from '../../api/reasons.ts';
import type { CatalogPackage, Property } from '../../catalog/model.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { ApiError } from '../../api/api-error.ts';
import { ANNOTATION, LABEL, API_VERSION } from '../../api/names.ts';
import { decideSubscription } from './decide.ts';
import { describeDependency, requestDependencies } from './dependencies.ts';
import { describeSurroundings, type Neighbour } from './neighbours.ts';
import { describeBeingOverruled, describeOverruling, findOverruled } from './overruled.ts';
import type { SubscriptionFacts } from './observe.ts';
import { dependentsToGoFirst } from './remove.ts';
import { dependenciesToDelete } from './requested-dependencies.ts';
import { catalog, facts, revision, subscription, type SubscriptionParts } from './testing/facts.ts';
import { Fleet } from './testing/fleet.ts';
import type { Decision } from '../../resolver/decision.ts';
import { mayHold } from './trust.ts';
import { isHeldBack, isNewsFor, waitsForOthers, wokenBy } from './wake.ts';

const needs = (name: string, versionRange = '>=1.0.0'): Property => ({
  type: 'olm.package.required',
  value: { packageName: name, versionRange },
});

const acts = (serviceAccountName: string | undefined): object =>
  serviceAccountName === undefined ? {} : { serviceAccountName };

interface NeighbourParts extends SubscriptionParts {
  readonly package: string;
  readonly version?: string;
  readonly needs?: readonly Property[];
  /** Whether its Revision has worked. */
  readonly installed?: boolean;
}

/** Another Subscription with one Revision. */
function neighbour({
  package: name,
  version = '1.0.0',
  needs: properties = [],
  installed = true,
  ...parts
}: NeighbourParts): Neighbour {
  const stored = properties.map(({ type, value }) => ({ type, value: JSON.stringify(value) }));
  const account = subscription({ spec: parts.spec ?? {} }).spec.serviceAccountName;
  const one = revision({ package: name, version, ready: installed, properties: stored, ...acts(account) });
  const { bundle, image, catalog: from } = one.spec;
  const described = { bundle, version, image, catalog: from, revision: one.metadata.name };
  const { spec, status, ...rest } = parts;
  return {
    subscription: subscription({
      name,
      ...rest,
      spec: { package: name, ...spec },
      status: { ...status, ...(installed && { installed: described }) },
    }),
    revisions: [one],
  };
}

/** Facts about one of several Subscriptions. */
function factsAbout(
  one: Neighbour,
  others: readonly Neighbour[],
  parts: Partial<SubscriptionFacts> = {},
): SubscriptionFacts {
  return facts({
    ...one,
    neighbours: others,
    cluster: {
      providedKinds: [],
      ...describeSurroundings(one, others),
    },
    ...parts,
  });
}

const shop = neighbour({ package: 'shop', needs: [needs('gadget', '<2.0.0')] });
const gadget = neighbour({ package: 'gadget' });
const leaving = { metadata: { deletionTimestamp: '2026-05-01T11:59:00Z' } };
const acting = (account: string): SubscriptionParts => ({ spec: acts(account) });
/** Of another namespace, with an account of its own. */
const stranger: SubscriptionParts = { namespace: 'team-a', ...acting('tenant') };
const made = { labels: { [LABEL.dependency]: 'true' } };

describe('the needs of other Subscriptions', () => {
  test('the needs of others keep an installed package within their range', () => {
    const about = factsAbout(gadget, [shop], { catalogs: [catalog({ versions: ['1.0.0', '1.5.0', '2.0.0'] })] });
    const plan = decideSubscription(about);
    expect(plan).toMatchObject({ decision: { bundle: { version: '1.5.0' } } });
  });

  test('the needs of others limit the first version of a package that they wait for', () => {
    const coming = neighbour({ package: 'shop', needs: [needs('gadget', '<2.0.0')], installed: false });
    const catalogs = [catalog({ versions: ['1.0.0', '1.5.0', '2.0.0'] })];
    const about = factsAbout({ subscription: subscription(), revisions: [] }, [coming], { catalogs });
    expect(decideSubscription(about)).toMatchObject({ decision: { bundle: { version: '1.5.0' } } });
  });

  test.each([
    { account: 'installer', other: undefined, hidden: true, because: 'an administrator installs it, and tenants read' },
    { account: undefined, other: undefined, hidden: undefined, because: 'administrators read' },
    { account: 'installer', other: 'installer', hidden: undefined, because: 'the same tenants install it' },
  ])('the first version of another package is hidden: $hidden, because $because', ({ account, other, hidden }) => {
    const parts = { needs: [needs('gadget')], installed: false, spec: acts(other) };
    const one = { subscription: subscription({ spec: acts(account) }), revisions: [] };
    const { coming } = describeSurroundings(one, [neighbour({ package: 'shop', ...parts })]);
    expect(coming.map((each) => each.hidden)).toEqual([hidden]);
  });

  test.each([
    { reason: 'DependencyNotReady', chosen: '1.5.0', because: 'its needs hold as soon as nothing but they keep it' },
    { reason: 'OutsideWindow', chosen: '1.5.0', because: 'it goes on by itself' },
    { reason: 'ApprovalRequired', chosen: '2.0.0', because: 'a person may never approve it' },
    { reason: 'AwaitingApproval', chosen: '2.0.0', because: 'a person may never approve it' },
  ] as const)('the needs of one that waits by $reason lead to $chosen: $because', ({ reason, chosen }) => {
    const coming = neighbour({ package: 'shop', needs: [needs('gadget', '<2.0.0')], installed: false });
    const [one] = coming.revisions;
    const { name } = one!.metadata;
    const pending = { revision: name, bundle: 'shop.v1.0.0', version: '1.0.0', reason };
    const waiting: Neighbour = {
      subscription: { ...coming.subscription, status: { ...coming.subscription.status, pending } },
      revisions: [{ ...one!, spec: { ...one!.spec, approved: false, state: 'Archived' } }],
    };
    const catalogs = [catalog({ versions: ['1.0.0', '1.5.0', '2.0.0'] })];
    const about = factsAbout({ subscription: subscription(), revisions: [] }, [waiting], { catalogs });
    expect(decideSubscription(about)).toMatchObject({ decision: { bundle: { version: chosen } } });
  });

  test('a missing dependency is requested and installed first', () => {
    const catalogs = [
      catalog({ package: 'shop', versions: ['1.0.0'], properties: [needs('gadget')] }),
      catalog({ versions: ['1.0.0'], catalog: 'other' }),
    ];
    const wanted = { subscription: subscription({ name: 'shop', spec: { package: 'shop' } }), revisions: [] };
    const plan = decideSubscription(factsAbout(wanted, [], { catalogs }));
    expect(plan).toMatchObject({
      action: {
        do: 'create',
        hold: { reason: 'DependencyNotReady', missing: [{ package: 'gadget', catalog: 'other' }] },
      },
    });
    const requested = neighbour({ package: 'gadget', installed: false });
    expect(decideSubscription(factsAbout(wanted, [requested], { catalogs }))).toMatchObject({
      action: { hold: { missing: [], message: expect.stringContaining('Subscription ops/gadget') as string } },
    });
  });

  test('of two packages that need each other, the one that a user requested waits', () => {
    const first = neighbour({
      package: 'shop',
      needs: [needs('gadget')],
      installed: false,
      status: { pending: { bundle: 'b', version: '1', reason: 'DependencyNotReady' } },
    });
    const catalogs = [
      catalog({ versions: ['1.0.0'], properties: [needs('shop')] }),
      catalog({ package: 'shop', versions: ['1.0.0'], catalog: 'other' }),
    ];
    const dependency = { subscription: subscription({ metadata: made }), revisions: [] };
    expect(decideSubscription(factsAbout(dependency, [first], { catalogs }))).toMatchObject({
      action: { do: 'create', hold: undefined },
    });
    const asked = { subscription: subscription(), revisions: [] };
    expect(decideSubscription(factsAbout(asked, [first], { catalogs }))).toMatchObject({
      action: { hold: { reason: 'DependencyNotReady' } },
    });
  });
});

describe('packages that people requested and that need each other', () => {
  /** Each needs the next one, the last one the first. */
  const circle = (names: readonly string[]): readonly Neighbour[] =>
    names.map((name, at) =>
      neighbour({
        package: name,
        needs: [needs(names[(at + 1) % names.length]!)],
        installed: false,
        status: { pending: { bundle: 'b', version: '1', reason: 'DependencyNotReady' } },
      }),
    );
  const sources = (names: readonly string[]): SubscriptionFacts['catalogs'] =>
    names.map((name, at) =>
      catalog({
        package: name,
        catalog: `of-${name}`,
        versions: ['1.0.0'],
        properties: [needs(names[(at + 1) % names.length]!)],
      }),
    );
  const held = (one: Neighbour): Neighbour => ({
    ...one,
    revisions: one.revisions.map(({ spec, ...rest }) => ({ ...rest, spec: { ...spec, state: 'Archived' } })),
  });

  test.each([{ names: ['a', 'b'] }, { names: ['c', 'b', 'a'] }, { names: ['b', 'd', 'a', 'c'] }])(
    'of $names the first by name is installed first, and the others wait for it',
    ({ names }) => {
      const all = circle(names).map(held);
      const going = all.filter((one) => {
        const about = factsAbout(
          one,
          all.filter((other) => other !== one),
          { catalogs: sources(names) },
        );
        const plan = decideSubscription(about);
        return plan.kind === 'resolved' && plan.action.do === 'activate';
      });
      expect(going.map(({ subscription: { metadata } }) => metadata.name)).toEqual(['a']);
    },
  );
});

test.each([
  { range: '>=1.0.0', expected: 'await', because: 'what is installed is all that the other one needs of it' },
  { range: '>=2.0.0', expected: 'activate', because: 'the other one needs the next version' },
])('an upgrade that needs a package that needs it in $range: $expected, as $because', ({ range, expected }) => {
  const versions = catalog({ package: 'a', versions: ['1.0.0', '2.0.0'] }).content('a')!;
  const [first, second] = versions.bundles;
  const fleet = new Fleet(
    [
      { ...versions, bundles: [first!, { ...second!, properties: [needs('c')] }] },
      catalog({ package: 'c', versions: ['1.0.0'], properties: [needs('a', range)] }).content('c')!,
    ],
    [
      { package: 'a', installed: '1.0.0', dependency: true },
      { package: 'c', dependency: true },
    ],
  );
  // Its status still says so, although it may be installed now.
  fleet.hold('c', '1.0.0', 'DependencyNotReady');
  fleet.reconcile('a');
  expect(fleet.reconcile('a').action.do).toBe(expected);
});

describe('whether one Subscription may hold back another', () => {
  const at = (namespace: string, account?: string): Neighbour['subscription'] =>
    subscription({ namespace, ...(account !== undefined && acting(account)) });
  test.each([
    { because: 'it acts as the manager beside it', other: at('a'), one: at('a'), holds: true },
    { because: 'it acts as the manager elsewhere', other: at('b'), one: at('a', 'x'), holds: true },
    { because: 'both act as one account', other: at('a', 'x'), one: at('a', 'x'), holds: true },
    { because: 'the accounts are two', other: at('a', 'x'), one: at('a', 'y'), holds: false },
    {
      because: 'the accounts have the same name in two namespaces',
      other: at('b', 'x'),
      one: at('a', 'x'),
      holds: false,
    },
    {
      because: 'the other acts as an account, and this one as the manager',
      other: at('a', 'x'),
      one: at('a'),
      holds: false,
    },
  ])('one Subscription may hold back another: $holds: $because', ({ other, one, holds }) => {
    expect(mayHold(other, one)).toBe(holds);
  });
});

describe('a Subscription that may not hold back another', () => {
  const catalogs = [catalog({ versions: ['1.0.0', '1.5.0', '2.0.0'] })];
  const pin = (parts: Partial<NeighbourParts> = {}): Neighbour =>
    neighbour({ package: 'pin', needs: [needs('gadget', '<1.5.0')], ...stranger, ...parts });
  const asked = { subscription: subscription(), revisions: [] };
  const chosen = (one: Neighbour, others: readonly Neighbour[]): unknown =>
    decideSubscription(factsAbout(one, others, { catalogs }));

  test.each([
    { because: 'its operator needs a lower one (s2)', one: gadget, other: pin() },
    { because: 'it is about to need a lower one (s4)', one: asked, other: pin({ installed: false }) },
    {
      because: 'it needs one that does not exist (s4)',
      one: asked,
      other: pin({ installed: false, needs: [needs('gadget', '>9.0.0')] }),
    },
    { because: 'it has the same package', one: asked, other: pin({ package: 'gadget', needs: [] }) },
    {
      because: 'it has the same package as a dependency, of a lower version',
      one: gadget,
      other: pin({ package: 'gadget', needs: [], metadata: made }),
    },
    {
      because: 'it says that it provides the same kind',
      one: asked,
      other: pin({ package: 'rival', needs: [{ type: 'olm.gvk', value: { group: 'g', version: 'v1', kind: 'K' } }] }),
    },
  ])(
    'a Subscription of another account does not keep a package from its newest version: $because',
    ({ one, other }) => {
      const provided = catalog({
        versions: ['1.0.0', '1.5.0', '2.0.0'],
        properties: [{ type: 'olm.gvk', value: { group: 'g', version: 'v1', kind: 'K' } }],
      });
      const plan = decideSubscription(factsAbout(one, [other], { catalogs: [provided] }));
      expect(plan).toMatchObject({ decision: { bundle: { version: '2.0.0' } } });
    },
  );

  test.each([
    { because: 'it is only proposed', revision: { approved: false }, parts: {} },
    { because: 'its Revision acts as another account', revision: { serviceAccountName: 'other' }, parts: {} },
    { because: 'it is suspended', revision: {}, parts: { spec: { suspend: true } } },
    { because: 'it is being deleted', revision: {}, parts: leaving },
  ])(
    'a Subscription of the manager does not hold back others by a bundle that it only might install: $because',
    ({ revision: changed, parts }) => {
      const one = pin({ installed: false, namespace: 'ops', spec: {}, ...parts });
      const [first] = one.revisions;
      const others = [{ ...one, revisions: [{ ...first, spec: { ...first?.spec, ...changed } } as never] }];
      expect(chosen(asked, others)).toMatchObject({ decision: { bundle: { version: '2.0.0' } } });
    },
  );

  test('a Subscription of another account provides the package that it has installed', () => {
    const shops = [catalog({ package: 'shop', versions: ['1.0.0'], properties: [needs('gadget')] })];
    const wanted = { subscription: subscription({ name: 'shop', spec: { package: 'shop' } }), revisions: [] };
    const facts = factsAbout(wanted, [neighbour({ package: 'gadget', ...stranger })], { catalogs: shops });
    expect(decideSubscription(facts)).toMatchObject({ action: { do: 'create', hold: undefined } });
  });

  test.each([
    { because: 'it asks for the package and is suspended', other: { installed: false, spec: { suspend: true } } },
    { because: 'it has the package in an unsuitable version', other: { version: '1.0.0' } },
    {
      because: 'it has that version as a dependency, which could be upgraded',
      other: { version: '1.0.0', metadata: made },
    },
  ])('a Subscription of another account does not keep a dependency from being requested: $because', ({ other }) => {
    const shops = [
      catalog({ package: 'shop', versions: ['1.0.0'], properties: [needs('gadget', '>=2.0.0')] }),
      catalog({ versions: ['1.0.0', '2.0.0'], catalog: 'other' }),
    ];
    const wanted = { subscription: subscription({ name: 'shop', spec: { package: 'shop' } }), revisions: [] };
    const spec = { ...acts('tenant'), ...('spec' in other && other.spec) };
    const one = neighbour({ package: 'gadget', namespace: 'team-a', ...other, spec });
    expect(decideSubscription(factsAbout(wanted, [one], { catalogs: shops }))).toMatchObject({
      action: { hold: { missing: [{ package: 'gadget', bundle: { version: '2.0.0' } }] } },
    });
  });

  test('any number of Subscriptions of other accounts costs no effort of the search', () => {
    const versions = Array.from({ length: 150 }, (_, at) => `1.0.${at}`);
    const catalogs = [
      catalog({ versions, properties: [needs('missing')] }),
      catalog({ package: 'missing', versions: ['0.1.0'], catalog: 'other' }),
    ];
    const many = Array.from({ length: 600 }, (_, at) =>
      neighbour({ package: `p${at}`, name: `p${at}`, ...stranger, needs: [needs('gadget', '<0.1.0')] }),
    );
    const alone = decideSubscription(factsAbout(asked, [], { catalogs }));
    expect(decideSubscription(factsAbout(asked, many, { catalogs }))).toEqual(alone);
  });

  test('a Subscription of another account does not hide the same package of one that counts, in any order', () => {
    const shops = [catalog({ package: 'shop', versions: ['1.0.0'], properties: [needs('gadget', '>=2.0.0')] })];
    const wanted = { subscription: subscription({ name: 'shop', spec: { package: 'shop' } }), revisions: [] };
    const both = [neighbour({ package: 'gadget', version: '2.0.0' }), neighbour({ package: 'gadget', ...stranger })];
    for (const others of [both, both.toReversed()])
      expect(decideSubscription(factsAbout(wanted, others, { catalogs: shops }))).toMatchObject({
        action: { do: 'create', hold: undefined },
      });
  });
});

describe('a requirement of a Subscription of another account', () => {
  const next = (version: string, properties: readonly Property[] = []): Parameters<typeof findOverruled>[1] => ({
    name: `gadget.v${version}`,
    package: 'gadget',
    version,
    image: 'i',
    properties,
    relatedImages: [],
  });
  const kind = { group: 'g', version: 'v1', kind: 'K' };
  const pin = (needed: Property, parts: Partial<NeighbourParts> = {}): Neighbour =>
    neighbour({ package: 'pin', needs: [needed], ...stranger, ...parts });
  const providing = neighbour({ package: 'gadget', needs: [{ type: 'olm.gvk', value: kind }] });
  const needsKind: Property = { type: 'olm.gvk.required', value: kind };

  test.each([
    { because: 'the version is not in its range', other: pin(needs('gadget', '<2.0.0')), need: 'gadget in "<2.0.0"' },
    {
      because: 'it is about to be installed',
      other: pin(needs('gadget', '<2.0.0'), { installed: false }),
      need: 'gadget in "<2.0.0"',
    },
    { because: 'the kind is removed', other: pin(needsKind), need: 'K.v1.g' },
    { because: 'the version is in its range', other: pin(needs('gadget', '<3.0.0')), need: undefined },
    { because: 'it is about another package', other: pin(needs('other', '<2.0.0')), need: undefined },
    {
      because: 'it may hold back the other, and would have been respected',
      other: pin(needs('gadget', '<2.0.0'), { namespace: 'ops', spec: {} }),
      need: undefined,
    },
    { because: 'it cannot be read', other: pin({ type: 'olm.package.required', value: 7 }), need: undefined },
    {
      because: 'it would take long to read',
      other: pin({ type: 'olm.constraint', value: { package: { packageName: 'gadget', versionRange: '<2.0.0' } } }),
      need: undefined,
    },
  ])('the unmet need is $need, since $because', ({ other, need }) => {
    const found = findOverruled(factsAbout(providing, [other]), next('2.0.0'));
    expect(found.map((one) => one.need)).toEqual(need === undefined ? [] : [need]);
  });

  test('an unmet need is reported on both sides, by name and range, for ten Subscriptions at most', () => {
    const many = Array.from({ length: 30 }, (_, at) => pin(needs('gadget', '<2.0.0'), { namespace: `team-${at}` }));
    const found = findOverruled(factsAbout(providing, many), next('2.0.0'));
    expect(found).toHaveLength(10);
    const [first] = found;
    if (first === undefined) throw new Error('no Subscription is overruled');
    const events = [
      describeOverruling('gadget.v2.0.0', first),
      describeBeingOverruled('gadget.v2.0.0', providing.subscription, first),
    ];
    for (const { reason, type, note } of events) {
      expect({ reason, type }).toEqual({ reason: 'RequirementOverruled', type: 'Warning' });
      expect(note).toContain('gadget in "<2.0.0"');
    }
    expect(events.map(({ note }) => note)).toEqual([
      expect.stringContaining('Subscription team-0/pin') as string,
      expect.stringContaining('Subscription ops/gadget') as string,
    ]);
  });
});

describe('a Subscription for a dependency', () => {
  const step = { kind: 'install', package: 'Team.Gadget', catalog: 'main', channel: 'stable' } as Parameters<
    typeof describeDependency
  >[1];

  test('a Subscription for a dependency may do no more than the one that needs it', () => {
    const spec = {
      serviceAccountName: 'tenant',
      approval: 'Manual',
      upgradePolicy: { automatic: 'Patch', rights: 'MayNotGrow' },
      windows: [{ cron: '0 2 * * *', duration: '1h', timeZone: 'UTC' }],
      webhookSafety: 'None',
    };
    const described = describeDependency(subscription({ spec }), step);
    expect(described.metadata).toEqual({
      name: 'team.gadget',
      namespace: 'ops',
      labels: { [LABEL.dependency]: 'true' },
      annotations: { [ANNOTATION.requestedBy]: 'u' },
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'Subscription', name: 'gadget', uid: 'u' }],
    });
    expect(described.spec).toMatchObject({ package: 'Team.Gadget', catalog: 'main', channel: 'stable', ...spec });
  });

  test('a dependency watches as many namespaces as its bundle supports, since operators of all may use it', () => {
    const described = describeDependency(subscription({ spec: { watchNamespaces: ['lights'] } }), step);
    expect(described.spec).not.toHaveProperty('watchNamespaces');
  });

  test.each([
    { because: 'it exists for the same package', existing: 'Team.Gadget', reason: undefined },
    { because: 'its name is taken by another package', existing: 'widget', reason: 'Collision' },
    {
      because: 'the Subscription of that name acts as another account, and may wait for ever',
      existing: 'Team.Gadget',
      account: 'other',
      reason: 'Collision',
    },
  ])('the request of a dependency ends with $reason if $because', async ({ existing, account, reason }) => {
    const taken = new ApiError('create', { code: 409, reason: 'AlreadyExists', message: 'exists', causes: [] });
    const cluster = {
      create: () => Promise.reject(taken),
      get: () => Promise.resolve(subscription({ spec: { package: existing, ...acts(account) } })),
    };
    const request = requestDependencies({ cluster, record: () => undefined }, subscription(), [step]);
    await (reason === undefined
      ? expect(request).resolves.toBeUndefined()
      : expect(request).rejects.toMatchObject({ reason }));
  });
});

describe('the order of uninstalls', () => {
  test.each([
    { because: 'no Subscription needs it', others: [neighbour({ package: 'other' })], first: [] },
    {
      because: 'the one that needs it is being deleted too',
      others: [
        {
          ...shop,
          subscription: { ...shop.subscription, metadata: { ...shop.subscription.metadata, ...leaving.metadata } },
        },
      ],
      first: ['ops/shop'],
    },
    { because: 'the one that needs it stays', others: [shop], first: ['ops/shop'] },
    {
      because: 'the one that needs it is in another namespace',
      others: [neighbour({ package: 'shop', namespace: 'b', needs: [needs('gadget')] })],
      first: [],
    },
    {
      because: 'the one that needs it is being deleted in another namespace, as another account (s3)',
      others: [neighbour({ package: 'shop', ...stranger, needs: [needs('gadget')], ...leaving })],
      first: [],
    },
    {
      because: 'the one that needs it is being deleted in another namespace, and acts as the manager',
      others: [neighbour({ package: 'shop', namespace: 'b', needs: [needs('gadget')], ...leaving })],
      first: ['b/shop'],
    },
    {
      because: 'the one that needs it is in this namespace, and acts as another account',
      others: [neighbour({ package: 'shop', ...acting('tenant'), needs: [needs('gadget')] })],
      first: [],
    },
    {
      because: 'the one that needs it ignores dependencies',
      others: [neighbour({ package: 'shop', needs: [needs('gadget')], spec: { dependencies: 'Ignore' } })],
      first: [],
    },
  ])('$first are uninstalled first: $because', ({ others, first }) => {
    expect(dependentsToGoFirst(factsAbout(gadget, others)).map(({ key }) => key)).toEqual(first);
  });

  const takes = neighbour({
    package: 'shop',
    needs: [needs('gadget')],
    spec: { uninstall: { dependencies: 'Delete' } },
  });
  const byUs = { ...made, annotations: { [ANNOTATION.requestedBy]: 'u' } };
  const dependency = neighbour({ package: 'gadget', metadata: byUs });
  const tenant = { spec: { serviceAccountName: 'tenant', uninstall: { dependencies: 'Delete' } } };
  test.each([
    {
      because: 'it is of another namespace (s1)',
      one: neighbour({ package: 'shop', needs: [needs('gadget')], ...tenant, namespace: 'team-a' }),
      others: [dependency],
      gone: [],
    },
    {
      because: 'it acts as another account beside it',
      one: neighbour({ package: 'shop', needs: [needs('gadget')], ...tenant }),
      others: [dependency],
      gone: [],
    },
    {
      because: 'another Subscription requested it',
      one: takes,
      others: [neighbour({ package: 'gadget', metadata: { ...made, annotations: { [ANNOTATION.requestedBy]: 'x' } } })],
      gone: [],
    },
    {
      because: 'a release that wrote no requester made it',
      one: takes,
      others: [neighbour({ package: 'gadget', metadata: made })],
      gone: [],
    },
    {
      because: 'the other one that needs it acts as another account',
      one: takes,
      others: [dependency, neighbour({ package: 'rival', ...stranger, needs: [needs('gadget')] })],
      gone: ['gadget'],
    },
    { because: 'the spec requests it', one: takes, others: [dependency], gone: ['gadget'] },
    { because: 'the spec does not request it', one: shop, others: [dependency], gone: [] },
    { because: 'a user requested it', one: takes, others: [gadget], gone: [] },
    {
      because: 'another Subscription needs it',
      one: takes,
      others: [dependency, neighbour({ package: 'rival', needs: [needs('gadget')] })],
      gone: [],
    },
    {
      because: 'only an earlier version needed it, and it is there for this one alone',
      one: takes,
      others: [neighbour({ package: 'other', metadata: byUs })],
      gone: ['other'],
    },
    {
      because: 'only an earlier version needed it, and another Subscription does now',
      one: takes,
      others: [
        neighbour({ package: 'other', metadata: byUs }),
        neighbour({ package: 'rival', needs: [needs('other')] }),
      ],
      gone: [],
    },
    {
      because: 'an earlier version needed it, in a version that it has passed',
      one: takes,
      others: [
        neighbour({ package: 'gadget', metadata: byUs }),
        neighbour({ package: 'other', version: '9.0.0', metadata: byUs }),
      ],
      gone: ['gadget', 'other'],
    },
    {
      because: 'it was never installed',
      one: takes,
      others: [neighbour({ package: 'gadget', metadata: byUs, installed: false })],
      gone: ['gadget'],
    },
    {
      because: 'it is being deleted already, and is not asked for it once more',
      one: takes,
      others: [neighbour({ package: 'gadget', metadata: { ...byUs, ...leaving.metadata } })],
      gone: [],
    },
    {
      because: 'it has no Revision, since no bundle of it can be chosen',
      one: takes,
      others: [{ ...neighbour({ package: 'gadget', metadata: byUs, installed: false }), revisions: [] }],
      gone: ['gadget'],
    },
    {
      because: 'this one was never installed itself, as it waited for another dependency',
      one: neighbour({
        package: 'shop',
        needs: [needs('gadget')],
        spec: { uninstall: { dependencies: 'Delete' } },
        installed: false,
      }),
      others: [dependency],
      gone: ['gadget'],
    },
    {
      because: 'another Subscription needs it and is about to be installed',
      one: takes,
      others: [dependency, neighbour({ package: 'rival', needs: [needs('gadget')], installed: false })],
      gone: [],
    },
    {
      because: 'other Subscriptions requested their dependencies',
      one: takes,
      others: [neighbour({ package: 'other', metadata: made })],
      gone: [],
    },
  ])('an uninstall deletes the dependencies $gone: $because', ({ one, others, gone }) => {
    expect(dependenciesToDelete(factsAbout(one, others)).map(({ metadata }) => metadata.name)).toEqual(gone);
  });
});

describe('whether a change concerns a waiting Subscription', () => {
  const asIs = gadget.subscription;
  const since = '2026-05-01T11:00:00Z';
  const FAILED = { bundle: 'gadget.v2.0.0', version: '2.0.0', image: 'i', reason: 'ApplyFailed', message: 'm', since };
  test.each([
    { because: 'a Subscription is new', before: undefined, after: asIs, news: true },
    { because: 'a Subscription is gone', before: asIs, after: undefined, news: true },
    {
      because: 'it is being deleted',
      before: asIs,
      after: { ...asIs, metadata: { ...asIs.metadata, ...leaving.metadata } },
      news: true,
    },
    { because: 'it has installed a bundle', before: { ...asIs, status: {} }, after: asIs, news: true },
    {
      because: 'its spec has changed: it may go another way, or none',
      before: asIs,
      after: { ...asIs, metadata: { ...asIs.metadata, generation: 2 } },
      news: true,
    },
    {
      because: 'a version of it has failed: the way over that one has ended',
      before: asIs,
      after: { ...asIs, status: { ...asIs.status, quarantined: [FAILED] } },
      news: true,
    },
    {
      because: 'only its conditions changed',
      before: asIs,
      after: { ...asIs, status: { ...asIs.status, conditions: [] } },
      news: false,
    },
  ])('a change concerns a waiting Subscription: $news: $because', ({ before, after, news }) => {
    expect(isNewsFor(subscription({ name: 'waiting' }), before, after)).toBe(news);
  });

  test.each([
    {
      because: 'it waits',
      status: { pending: { bundle: 'b', version: '1', reason: 'DependencyNotReady' } },
      news: false,
    },
    {
      because: 'it has installed a bundle, which others can use',
      status: { installed: { bundle: 'b', version: '1', image: 'i', catalog: 'c', revision: 'r-2' } },
      news: true,
    },
  ])('a change of a Subscription of another account concerns this one: $news, since $because', ({ status, news }) => {
    const before = subscription({ name: 'other', ...stranger });
    const after = subscription({ name: 'other', ...stranger, status });
    expect(isNewsFor(subscription(), before, after)).toBe(news);
  });

  test.each(['Stalled', 'Reconciling'])('a Subscription without an answer waits for others: %s', (type) => {
    const about = {
      type,
      status: 'True',
      reason: 'ResolutionFailed',
      message: 'm',
      lastTransitionTime: since,
    } as const;
    expect(waitsForOthers(subscription({ status: { conditions: [about] } }))).toBe(true);
  });

  test.each([
    { because: 'one is gone', event: { type: 'deleted', object: asIs } },
    { because: 'one is new', event: { type: 'added', object: asIs } },
    { because: 'one has changed', event: { type: 'updated', old: { ...asIs, status: {} }, object: asIs } },
  ] as const)('only Subscriptions that wait for others are woken: $because', ({ event }) => {
    const waiting = subscription({ name: 'waiting', ...leaving });
    expect(wokenBy([subscription({ name: 'content' }), waiting], event)).toEqual([waiting]);
  });

  const busy = (reason: Reason): SubscriptionStatus => ({
    conditions: [{ type: 'Reconciling', status: 'True', reason, message: 'm', lastTransitionTime: since }],
  });

  test.each([
    { because: 'it is being deleted', parts: leaving, waits: true },
    {
      because: 'a dependency is missing',
      parts: { status: { pending: { bundle: 'b', version: '1', reason: 'DependencyNotReady' } } },
      waits: true,
    },
    {
      because: 'a newer version is refused for a dependency',
      parts: { status: { refused: [{ version: '2', reason: 'DependencyNotReady', message: '' }] } },
      waits: true,
    },
    {
      because: 'a newer version is refused for the range',
      parts: { status: { refused: [{ version: '2', reason: 'VersionNotFound', message: '' }] } },
      waits: false,
    },
    { because: 'its CRD has another owner until that one goes on', parts: { status: busy('Collision') }, waits: true },
    { because: 'its image cannot be pulled', parts: { status: busy('RegistryUnavailable') }, waits: false },
    { because: 'all is well', parts: {}, waits: false },
  ])('a Subscription waits for others: $waits, since $because', ({ parts, waits }) => {
    expect(waitsForOthers(subscription(parts))).toBe(waits);
  });

  test.each([
    { kind: 'dependency', held: true },
    { kind: 'kubernetesTooOld', held: true },
    { kind: 'noPath', held: false },
  ] as const)('another cluster would make a difference: $held, if a bundle is refused as $kind', ({ kind, held }) => {
    const refused = [{ bundle: 'b', version: '2', catalog: 'c', cause: { kind } }];
    expect(isHeldBack({ refused } as unknown as Decision)).toBe(held);
  });
});

describe('the needs of a version that is about to follow an installed one', () => {
  const coming = revision({
    package: 'shop',
    number: 2,
    version: '2.0.0',
    state: 'Archived',
    properties: [{ type: 'olm.package.required', value: '{"packageName":"gadget","versionRange":"<2.0.0"}' }],
  });
  const free = neighbour({ package: 'shop' });
  const needy = neighbour({ package: 'shop', needs: [needs('gadget', '<2.0.0')] });

  test.each([
    { account: 'installer', old: free, because: 'hiddenWay', reader: 'tenants, as an administrator installs it' },
    { account: 'installer', old: needy, because: 'requires', reader: 'tenants, as the installed version has it too' },
    { account: undefined, old: free, because: 'requires', reader: 'administrators' },
  ])('hold a package back, and its reader sees $because: $reader', ({ account, old, because }) => {
    const moving = { ...old, revisions: [...old.revisions, coming] };
    const one = neighbour({ package: 'gadget', spec: acts(account) });
    const plan = decideSubscription(factsAbout(one, [moving], { catalogs: [catalog({ versions: ['1.0.0', '2.0.0'] })] })); // prettier-ignore
    const kinds = [{ kind: 'keeps' }, { kind: because }];
    expect(plan).toMatchObject({ decision: { refused: [{ version: '2.0.0', cause: { because: kinds } }] } });
    expect(JSON.stringify(plan).includes('<2.0.0')).toBe(because === 'requires');
  });
});

describe('packages that pin each other exactly', () => {
  const pins = (version: string): readonly Property[] => [needs('gadget', version)];
  const stored = (properties: readonly Property[]): { type: string; value: string }[] =>
    properties.map(({ type, value }) => ({ type, value: JSON.stringify(value) }));
  const moving = (reason: Reason, approved = true): Neighbour => {
    const old = neighbour({ package: 'shop', needs: pins('1.0.0') });
    const coming = revision({
      package: 'shop',
      number: 2,
      version: '2.0.0',
      state: 'Archived',
      approved,
      properties: stored(pins('2.0.0')),
    });
    const pending = { revision: coming.metadata.name, bundle: coming.spec.bundle, version: '2.0.0', reason };
    return {
      subscription: { ...old.subscription, status: { ...old.subscription.status, pending } },
      revisions: [...old.revisions, coming],
    };
  };
  const decided = (dependent: Neighbour): string => {
    const plan = decideSubscription(
      factsAbout(gadget, [dependent], { catalogs: [catalog({ versions: ['1.0.0', '2.0.0'] })] }),
    );
    return plan.kind === 'resolved' && plan.action.do === 'create' ? plan.action.target.bundle.name : 'stays';
  };

  test.each([
    { dependent: moving('DependencyNotReady'), moves: 'gadget.v2.0.0', because: 'it waits for this one only' },
    {
      dependent: moving('DependencyNotReady', false),
      moves: 'gadget.v2.0.0',
      because: 'it is approved when it becomes active, and waits for this one only',
    },
    { dependent: moving('ApprovalRequired', false), moves: 'stays', because: 'a person has not approved it yet' },
    { dependent: moving('AwaitingApproval', false), moves: 'stays', because: 'its plan is outside of the policy' },
    { dependent: moving('Planning', false), moves: 'stays', because: 'its plan is not known yet' },
    {
      dependent: neighbour({ package: 'shop', needs: pins('1.0.0') }),
      moves: 'stays',
      because: 'no newer version of it is chosen',
    },
  ])('packages that pin each other exactly move together: $moves, since $because', ({ dependent, moves }) => {
    expect(decided(dependent)).toBe(moves);
  });
});

describe('a dependency of which the Subscription does not go to another version', () => {
  const leaping = (name: string, needed: Readonly<Record<string, string>>): CatalogPackage => {
    const versions = Object.keys(needed);
    const small = catalog({ package: name, versions }).content(name)!;
    const bundles = small.bundles.map((one) => {
      const range = needed[one.version] ?? '';
      return { ...one, properties: range === '' ? [] : [needs('base', range)] };
    });
    const channels = small.channels.map((channel) => ({
      ...channel,
      entries: channel.entries.map((entry, at) => ({ ...entry, skipRange: `<${versions[at]}` })),
    }));
    return { ...small, bundles, channels };
  };
  const top = leaping('top', { '1.0.0': '', '1.5.0': '>=1.0.0', '2.0.0': '>=2.0.0' });
  const plain = leaping('base', { '1.0.0': '', '2.0.0': '' });
  const entries = plain.channels[0]?.entries ?? [];
  const base: CatalogPackage = {
    ...plain,
    channels: [
      { name: 'stable', entries: entries.slice(0, 1) },
      { name: 'beta', entries },
    ],
  };

  test.each([
    { spec: { channel: 'beta' }, version: '2.0.0', because: 'it goes there' },
    { spec: { channel: 'stable' }, version: '1.5.0', because: 'its channel does not have that version' },
    { spec: {}, version: '1.5.0', because: 'the default channel does not have that version' },
    { spec: { channel: 'beta', version: '1.x' }, version: '1.5.0', because: 'its range excludes that version' },
    { spec: { channel: 'beta', suspend: true }, version: '1.5.0', because: 'it is suspended' },
  ])('is not waited for: the dependent goes to $version, since $because', ({ spec, version }) => {
    const fleet = new Fleet(
      [top, base],
      [
        { package: 'top', installed: '1.0.0' },
        { package: 'base', installed: '1.0.0', dependency: true, spec },
      ],
    );
    const acting = 'suspend' in spec ? ['top'] : ['top', 'base'];
    for (let round = 0; round < 4; round++) for (const name of acting) fleet.reconcile(name);
    expect(fleet.versionOf('top')).toBe(version);
  });

  test('has failed versions, by name and by image, unless the image works under another name', () => {
    const works = `registry.example/base@sha256:${'a'.repeat(64)}`;
    const quarantined = ['registry.example/base:2', works].map((image, at) => ({
      bundle: `base.v${at + 2}`,
      version: `${at + 2}.0.0`,
      image,
      reason: 'ApplyFailed',
      message: 'm',
      since: '2026-05-01T11:50:00Z',
    }));
    const one = neighbour({ package: 'base', status: { quarantined }, spec: { channel: 'beta' } });
    const { packages } = describeSurroundings(neighbour({ package: 'top' }), [one]);
    expect(packages.find((each) => each.package === 'base')?.limits).toEqual({
      channel: 'beta',
      suspended: false,
      quarantined: ['base.v2', 'registry.example/base:2', 'base.v3'],
    });
  });
});
