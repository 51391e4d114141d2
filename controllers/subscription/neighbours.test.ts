import { describe, expect, test } from 'vitest';
import type { Property } from '../../catalog/model.ts';
import { ApiError } from '../../kube/api-error.ts';
import { LABEL } from '../../api/names.ts';
import { decideSubscription } from './decide.ts';
import { describeDependency, requestDependencies } from './dependencies.ts';
import { describeComing, describePackage, type Neighbour } from './neighbours.ts';
import type { SubscriptionFacts } from './observe.ts';
import { dependenciesToDelete, dependentsToGoFirst } from './remove.ts';
import { catalog, facts, revision, subscription, type SubscriptionParts } from './testdata/facts.ts';
import type { Decision } from '../../resolver/decision.ts';
import { isHeldBack, isNews, waitsForOthers } from './wake.ts';

const needs = (name: string, versionRange = '>=1.0.0'): Property => ({
  type: 'olm.package.required',
  value: { packageName: name, versionRange },
});

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
  const one = revision({ package: name, version, ready: installed, properties: stored });
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
      packages: [one, ...others].flatMap((each) => describePackage(each) ?? []),
      coming: others.flatMap((each) => describeComing(each) ?? []),
    },
    ...parts,
  });
}

const shop = neighbour({ package: 'shop', needs: [needs('gadget', '<2.0.0')] });
const gadget = neighbour({ package: 'gadget' });
const leaving = { metadata: { deletionTimestamp: '2026-05-01T11:59:00Z' } };
const made = { labels: { [LABEL.dependency]: 'true' } };

describe('what others need', () => {
  test('keeps an installed package within it', () => {
    const about = factsAbout(gadget, [shop], { catalogs: [catalog({ versions: ['1.0.0', '1.5.0', '2.0.0'] })] });
    const plan = decideSubscription(about);
    expect(plan).toMatchObject({ decision: { bundle: { version: '1.5.0' } } });
  });

  test('limits the first version of a package that they wait for', () => {
    const coming = neighbour({ package: 'shop', needs: [needs('gadget', '<2.0.0')], installed: false });
    const catalogs = [catalog({ versions: ['1.0.0', '1.5.0', '2.0.0'] })];
    const about = factsAbout({ subscription: subscription(), revisions: [] }, [coming], { catalogs });
    expect(decideSubscription(about)).toMatchObject({ decision: { bundle: { version: '1.5.0' } } });
  });

  test('is installed first: what is missing is asked for', () => {
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

  test('of two that need each other, the one that was asked for waits', () => {
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

describe('a Subscription for a dependency', () => {
  const step = { kind: 'install', package: 'Team.Gadget', catalog: 'main', channel: 'stable' } as Parameters<
    typeof describeDependency
  >[1];

  test('may do no more than the one that needs it', () => {
    const spec = {
      serviceAccountName: 'tenant',
      approval: 'Manual',
      windows: [{ cron: '0 2 * * *', duration: '1h', timeZone: 'UTC' }],
    };
    const described = describeDependency(subscription({ spec }), step);
    expect(described.metadata).toEqual({
      name: 'team.gadget',
      namespace: 'ops',
      labels: { [LABEL.dependency]: 'true' },
    });
    expect(described.spec).toMatchObject({ package: 'Team.Gadget', catalog: 'main', channel: 'stable', ...spec });
  });

  test.each([
    { because: 'it exists for the same package', existing: 'Team.Gadget', reason: undefined },
    { because: 'its name is taken by another package', existing: 'widget', reason: 'Collision' },
  ])('where $because', async ({ existing, reason }) => {
    const taken = new ApiError('create', { code: 409, reason: 'AlreadyExists', message: 'exists', causes: [] });
    const cluster = {
      create: () => Promise.reject(taken),
      get: () => Promise.resolve(subscription({ spec: { package: existing } })),
    };
    const request = requestDependencies(cluster, subscription(), [step]);
    await (reason === undefined
      ? expect(request).resolves.toBeUndefined()
      : expect(request).rejects.toMatchObject({ reason }));
  });
});

describe('removal in order', () => {
  test.each([
    { because: 'nobody needs it', others: [neighbour({ package: 'other' })], first: [] },
    {
      because: 'what needs it is being removed too',
      others: [
        {
          ...shop,
          subscription: { ...shop.subscription, metadata: { ...shop.subscription.metadata, ...leaving.metadata } },
        },
      ],
      first: ['ops/shop'],
    },
    { because: 'what needs it stays', others: [shop], first: ['ops/shop'] },
    {
      because: 'what needs it is of another namespace',
      others: [neighbour({ package: 'shop', namespace: 'b', needs: [needs('gadget')] })],
      first: [],
    },
    {
      because: 'what needs it does not look at dependencies',
      others: [neighbour({ package: 'shop', needs: [needs('gadget')], spec: { dependencies: 'Ignore' } })],
      first: [],
    },
  ])('$first go first: $because', ({ others, first }) => {
    expect(dependentsToGoFirst(factsAbout(gadget, others)).map(({ key }) => key)).toEqual(first);
  });

  const takes = neighbour({
    package: 'shop',
    needs: [needs('gadget')],
    spec: { uninstall: { dependencies: 'Delete' } },
  });
  const dependency = neighbour({ package: 'gadget', metadata: made });
  test.each([
    { because: 'the spec asks for it', one: takes, others: [dependency], gone: ['gadget'] },
    { because: 'the spec does not ask for it', one: shop, others: [dependency], gone: [] },
    { because: 'a person asked for it', one: takes, others: [gadget], gone: [] },
    {
      because: 'somebody else needs it',
      one: takes,
      others: [dependency, neighbour({ package: 'rival', needs: [needs('gadget')] })],
      gone: [],
    },
    { because: 'it never needed it', one: takes, others: [neighbour({ package: 'other', metadata: made })], gone: [] },
  ])('takes $gone along: $because', ({ one, others, gone }) => {
    expect(dependenciesToDelete(factsAbout(one, others)).map(({ metadata }) => metadata.name)).toEqual(gone);
  });
});

describe('who is woken', () => {
  const asIs = gadget.subscription;
  test.each([
    { because: 'a Subscription is new', before: undefined, after: asIs, news: true },
    { because: 'a Subscription is gone', before: asIs, after: undefined, news: true },
    {
      because: 'it is being deleted',
      before: asIs,
      after: { ...asIs, metadata: { ...asIs.metadata, ...leaving.metadata } },
      news: true,
    },
    { because: 'it has something installed', before: { ...asIs, status: {} }, after: asIs, news: true },
    {
      because: 'only its conditions changed',
      before: asIs,
      after: { ...asIs, status: { ...asIs.status, conditions: [] } },
      news: false,
    },
  ])('$news: $because', ({ before, after, news }) => {
    expect(isNews(before, after)).toBe(news);
  });

  test.each([
    { because: 'it is being deleted', parts: leaving, waits: true },
    {
      because: 'a dependency is not there',
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
    { because: 'all is well', parts: {}, waits: false },
  ])('waits for others: $waits, as $because', ({ parts, waits }) => {
    expect(waitsForOthers(subscription(parts))).toBe(waits);
  });

  test.each([
    { kind: 'dependency', held: true },
    { kind: 'kubernetesTooOld', held: true },
    { kind: 'noPath', held: false },
  ] as const)(
    'another cluster would make a difference: $held, where a bundle is refused as $kind',
    ({ kind, held }) => {
      const refused = [{ bundle: 'b', version: '2', catalog: 'c', cause: { kind } }];
      expect(isHeldBack({ refused } as unknown as Decision)).toBe(held);
    },
  );
});
