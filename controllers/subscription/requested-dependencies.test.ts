/** The events of a dependency that is requested, deleted with its requester, or stays. */
import { expect, test } from 'vitest';
import type { KubeObject } from '../../api/object.ts';
import type { Subscription } from '../../api/subscription.ts';
import { describeDependency, requestDependencies } from './dependencies.ts';
import { deleteDependencies, describeStaying } from './requested-dependencies.ts';
import { facts, subscription } from './testing/facts.ts';

const STEP = { kind: 'install', package: 'Team.Gadget', catalog: 'main', channel: 'stable' } as Parameters<
  typeof describeDependency
>[1];

class Events {
  readonly seen: string[] = [];
  readonly record = ({ metadata }: KubeObject, { note }: { readonly note: string }): void =>
    void this.seen.push(`${metadata.name}: ${note}`);
}

const create = async (object: KubeObject): Promise<KubeObject> => object;
const deletion = { delete: async (): Promise<undefined> => undefined };
const shopThat = (dependencies: 'Delete' | 'Retain'): Subscription =>
  subscription({ name: 'shop', spec: { uninstall: { dependencies } } });
const factsOf = (shop: Subscription): ReturnType<typeof facts> => {
  const { metadata, spec } = describeDependency(shop, STEP);
  const made = subscription({ name: metadata.name, metadata, spec });
  return facts({ subscription: shop, neighbours: [{ subscription: made, revisions: [] }] });
};

test('the request of a dependency is an event of both', async () => {
  const { seen, record } = new Events();
  await requestDependencies({ cluster: { create, get: async () => undefined }, record }, shopThat('Delete'), [STEP]);
  expect(seen).toEqual([
    'shop: Subscription ops/team.gadget is created, as a dependency of this one',
    'team.gadget: Created for Subscription ops/shop, as its dependency',
  ]);
});

test('the deletion of a dependency is an event of both', async () => {
  const { seen, record } = new Events();
  await deleteDependencies({ cluster: deletion, record }, factsOf(shopThat('Delete')));
  expect(seen).toEqual([
    'shop: Subscription ops/team.gadget is deleted too, as spec.uninstall.dependencies is Delete',
    'team.gadget: Deleted with Subscription ops/shop, for which it was created',
  ]);
});

test('a dependency that stays is named at the end of the uninstall', async () => {
  const { seen, record } = new Events();
  const given = factsOf(shopThat('Retain'));
  await deleteDependencies({ cluster: deletion, record }, given);
  expect(seen).toEqual([]);
  expect(describeStaying(given)).toBe('; its dependencies stay: ops/team.gadget');
  expect(describeStaying({ ...given, neighbours: [] })).toBe('');
});
