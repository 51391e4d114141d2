import { expect, test } from 'vitest';
import type { ListPageOptions } from '../../kube/client/list-objects.ts';
import type { Client } from '../../kube/client/client.ts';
import type { Subscription } from '../../api/subscription.ts';
import { createInformerFactory } from '../../kube/watch/informer-factory.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { watchOurKinds } from './our-caches.ts';
import { waitingFor } from './wakes.ts';

const PAGES = [
  ['Subscription', 5],
  ['Revision', 20],
] as const;

/** As wide as the API server takes it: each `[]` is three bytes of text, and many more in memory. */
const wide = { affinity: { x: Array.from({ length: 460_000 }, () => []) } };
const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }];

function clientOf(asked: (readonly [string, ListPageOptions])[], status: object): Client {
  const item = {
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'wide', namespace: 'team-a', uid: 'u', resourceVersion: '1', managedFields },
    spec: { package: 'gadget', serviceAccountName: 'installer', config: wide },
    status,
  };
  return {
    listPage: (kind: { readonly kind: string }, options: ListPageOptions) => {
      asked.push([kind.kind, options]);
      return Promise.resolve({ resourceVersion: '1', items: kind.kind === 'Subscription' ? [item] : [] });
    },
    watch: () => (async function* () {})(),
    discovery: { onAnnounce: () => () => undefined },
  } as unknown as Client;
}

interface Listed {
  /** Receives the kind and the options of each list. */
  readonly asked?: (readonly [string, ListPageOptions])[];
  /** Of the Subscription. */
  readonly status?: object;
}

/** The Subscriptions, once all kinds are listed. */
async function listedSubscriptions({ asked = [], status = {} }: Listed): Promise<Informer<Subscription>> {
  const informers = createInformerFactory({ client: clientOf(asked, status) });
  const { subscriptions } = watchOurKinds(informers, 'slipway-system');
  const over = new AbortController();
  informers.start(over.signal);
  await informers.synced();
  over.abort();
  return subscriptions;
}

test('Subscriptions and Revisions are read in small pages, and of an oversized configuration a mark is kept', async () => {
  const asked: (readonly [string, ListPageOptions])[] = [];
  const subscriptions = await listedSubscriptions({ asked });
  for (const [kind, limit] of PAGES)
    expect(asked.find(([one]) => one === kind)?.[1]).toMatchObject({ limit, unread: ['managedFields'] });
  const kept = subscriptions.get('team-a/wide');
  expect(kept).toMatchObject({ metadata: { uid: 'u' }, spec: { package: 'gadget', serviceAccountName: 'installer' } });
  expect(kept?.metadata).not.toHaveProperty('managedFields');
  expect(JSON.stringify(kept).length).toBeLessThan(500);
});

test.each([
  { status: {}, found: [] },
  { status: { pending: { reason: 'DependencyNotReady' } }, found: [{ namespace: 'team-a', name: 'wide' }] },
])(
  'the cache of Subscriptions finds those that wait for others, as the controller asks: $status',
  async ({ status, found }) => {
    const subscriptions = await listedSubscriptions({ status });
    const [object] = subscriptions.list();
    expect(object && waitingFor(subscriptions, { type: 'added', object })).toEqual(found);
  },
);
