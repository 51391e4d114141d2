/** A page says of an object that it does not exist, or of a person that they lack a right, only if the console knows. */
import { expect, test } from 'vitest';
import { reachNotices, unseen } from './objects.ts';
import type { Reach, Visible, VisibleKind } from './view.ts';

const KINDS: readonly VisibleKind[] = [
  'subscriptions',
  'revisions',
  'catalogs',
  'registryPolicies',
  'events',
  'leases',
];

function visible(reach: Reach, watched?: Reach): Visible {
  const of = (value: Reach) => Object.fromEntries(KINDS.map((kind) => [kind, value])) as Record<VisibleKind, Reach>;
  return {
    subscriptions: [],
    revisions: [],
    catalogs: [],
    registryPolicies: [],
    events: [],
    leases: [],
    reach: of(reach),
    ...(watched !== undefined && { watched: of(watched) }),
    readOnly: false,
    systemNamespace: 'slipway-system',
    now: new Date(0),
  };
}

test.each<{ because: string; reach: Reach; watched?: Reach; reason: string; says: RegExp }>([
  {
    because: 'the person may list everywhere',
    reach: 'all',
    reason: 'ObjectNotFound',
    says: /has no Subscription lamp/,
  },
  { because: 'the person may list there', reach: ['ops'], reason: 'ObjectNotFound', says: /has no Subscription lamp/ },
  { because: 'the person may not', reach: ['dev'], reason: 'Forbidden', says: /no right to list subscriptions/ },
  {
    because: 'the console watches another namespace',
    reach: ['dev'],
    watched: ['dev'],
    reason: 'ObjectNotFound',
    says: /watches .*dev.*not namespace ops/,
  },
  {
    because: 'the console watches this namespace alone',
    reach: ['ops'],
    watched: ['ops'],
    reason: 'ObjectNotFound',
    says: /has no Subscription lamp/,
  },
  {
    because: 'the console watches nothing, as the person may not',
    reach: [],
    watched: [],
    reason: 'Forbidden',
    says: /no right to list subscriptions/,
  },
])('an object that is not seen: $because', ({ reach, watched, reason, says }) => {
  // prettier-ignore
  const found = unseen('Subscription', visible(reach, watched), { namespace: 'ops', name: 'lamp' });
  expect(found).toMatchObject({ reason, message: expect.stringMatching(says) as string });
});

test.each<{ because: string; reach: Reach; watched?: Reach; kind: VisibleKind; says?: RegExp }>([
  { because: 'all of them are seen', reach: 'all', kind: 'subscriptions' },
  {
    because: 'some namespaces are',
    reach: ['ops'],
    kind: 'subscriptions',
    says: /^You may list Subscriptions in namespace ops;/,
  },
  { because: 'no namespace has one that may be seen', reach: [], kind: 'subscriptions', says: /^(?!.*no right)/ },
  {
    because: 'a kind without namespaces may not be listed',
    reach: [],
    kind: 'catalogs',
    says: /no right to list Catalogs/,
  },
  {
    because: 'one namespace is watched',
    reach: ['ops'],
    watched: ['ops'],
    kind: 'subscriptions',
    says: /^The console watches Subscriptions in namespace ops alone/,
  },
])('a page with a part of the objects: $because', ({ reach, watched, kind, says }) => {
  // prettier-ignore
  const texts = reachNotices(visible(reach, watched), [kind]).map(({ text }) => text);
  expect(texts).toEqual(says === undefined ? [] : [expect.stringMatching(says) as string]);
});
