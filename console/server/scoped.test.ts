/** What a console that watches a part of the cluster knows, and which namespaces it asks about. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import type { Reach, VisibleKind } from '../data/view.ts';
import { visibleTo } from './visible.ts';

const ANN = { user: 'ann', groups: [] };
const lamp = { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', metadata: { namespace: 'ops', name: 'lamp' } } as KubeObject; // prettier-ignore

test.each<{
  because: string;
  watched: Reach;
  /** Namespaces in which the person may list; `*` for all. */
  may: readonly string[];
  parameters?: Readonly<Record<string, string>>;
  reach: Reach;
  sees: number;
}>([
  { because: 'all is watched, and the person may see all', watched: 'all', may: ['*'], reach: 'all', sees: 1 },
  {
    because: 'one namespace is watched, and the person may see all',
    watched: ['ops'],
    may: ['*'],
    reach: ['ops'],
    sees: 1,
  },
  {
    because: 'one namespace is watched, and the person may see that',
    watched: ['ops'],
    may: ['ops'],
    reach: ['ops'],
    sees: 1,
  },
  {
    because: 'one namespace is watched, and the person may see another',
    watched: ['ops'],
    may: ['dev'],
    reach: [],
    sees: 0,
  },
  {
    because: 'one namespace is watched, and the view is of another',
    watched: ['ops'],
    may: ['*'],
    parameters: { namespace: 'dev' },
    reach: ['ops'],
    sees: 1,
  },
  { because: 'nothing is watched', watched: [], may: ['*'], reach: [], sees: 0 },
  {
    because: 'the view is of a namespace without objects',
    watched: 'all',
    may: ['dev'],
    parameters: { namespace: 'dev' },
    reach: ['dev'],
    sees: 0,
  },
  {
    because: 'the view is of a namespace that the person may not see',
    watched: 'all',
    may: ['ops'],
    parameters: { namespace: 'dev' },
    reach: ['ops'],
    sees: 1,
  },
  {
    because: 'the view is of no namespace that there can be',
    watched: 'all',
    may: ['*/..', 'ops'],
    parameters: { namespace: '*/..' },
    reach: ['ops'],
    sees: 1,
  },
])('$because', async ({ watched, may, parameters = {}, reach, sees }) => {
  // prettier-ignore
  const store = { list: () => (watched.length === 0 ? [] : [lamp]), watched: (kind: VisibleKind) => (kind === 'subscriptions' ? watched : 'all'), cutEvents: [] }; // prettier-ignore
  const rights = { may: async (_: unknown, access: object) => may.includes('namespace' in access ? String(access.namespace) : '*') || may.includes('*') }; // prettier-ignore
  const seen = await visibleTo(ANN, { store, rights }, { kinds: ['subscriptions'], parameters });
  expect({ reach: seen.reach.subscriptions, sees: seen.subscriptions.length }).toEqual({ reach, sees });
  expect(seen.watched?.subscriptions).toEqual(watched);
});

test('a person learns only of their own namespaces that older events are left out', async () => {
  const store = { list: () => [], watched: () => 'all' as const, cutEvents: ['dev', 'ops'] };
  const cutFor = async (may: readonly string[], kinds: readonly VisibleKind[]): Promise<readonly string[]> => {
    const rights = { may: async (_: unknown, access: object) => may.includes('namespace' in access ? String(access.namespace) : '*') }; // prettier-ignore
    return (await visibleTo(ANN, { store, rights }, { kinds, parameters: { namespace: 'ops' } })).cutEvents;
  };
  expect(await cutFor(['ops'], ['events'])).toEqual(['ops']);
  expect(await cutFor(['*'], ['events'])).toEqual(['dev', 'ops']);
  expect(await cutFor([], ['events'])).toEqual([]);
});
