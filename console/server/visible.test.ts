/** Each person sees the objects of the namespaces in which they may list the kind, over every route. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_VERSION } from '../../api/names.ts';
import { listen } from './testing/event-source.ts';
import { startConsoleWorld, type ConsoleWorld, type PersonMay } from './testing/console-world.ts';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await startConsoleWorld();
  for (const namespace of ['red', 'blue']) {
    world.api.put({ apiVersion: API_VERSION, kind: 'Subscription', metadata: { namespace, name: 'gadget' }, spec: {} });
    world.api.put({ apiVersion: API_VERSION, kind: 'Revision', metadata: { namespace, name: 'gadget-1' }, spec: {} });
    const regarding = { apiVersion: API_VERSION, kind: 'Subscription', name: 'gadget', namespace };
    world.api.put({ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { namespace, name: 'e' }, regarding });
  }
  world.api.put({ apiVersion: API_VERSION, kind: 'Catalog', metadata: { name: 'team' }, spec: {} });
});
afterAll(() => world[Symbol.asyncDispose]());

const inRed: PersonMay = (_, { namespace }) => namespace === 'red';
const all = {
  subscriptions: ['blue/gadget', 'red/gadget'],
  revisions: ['blue/gadget-1', 'red/gadget-1'],
  catalogs: ['/team'],
  events: ['blue/e', 'red/e'],
};
const nothing = { subscriptions: [], revisions: [], catalogs: [], events: [] };

const PERSONS: readonly { readonly because: string; readonly may: PersonMay; readonly sees: object }[] = [
  { because: 'a person without rights sees nothing', may: () => false, sees: nothing },
  { because: 'an administrator sees everything', may: () => true, sees: all },
  {
    because: 'a tenant sees the own namespace',
    may: inRed,
    sees: { ...nothing, subscriptions: ['red/gadget'], revisions: ['red/gadget-1'], events: ['red/e'] },
  },
  {
    because: 'a right to one kind shows no other kind',
    may: (user, access) => inRed(user, access) && access.resource === 'revisions',
    sees: { ...nothing, revisions: ['red/gadget-1'] },
  },
  {
    because: 'the right to get an object by its name is not the right to list',
    may: (_, { verb }) => verb === 'get',
    sees: nothing,
  },
  {
    because: 'Catalogs have no namespace, and a right in one does not show them',
    may: (_, { resource, namespace }) => resource === 'catalogs' && namespace === 'red',
    sees: nothing,
  },
];

describe.each(PERSONS)('$because', ({ may, sees }) => {
  test('in a view that is asked for once', async () => {
    world.allow(may);
    const answer = await fetch(`${world.address}/api/view/names`, { headers: { cookie: await world.cookieOf('ann') } });
    expect({ status: answer.status, body: await answer.json() }).toEqual({
      status: 200,
      body: expect.objectContaining(sees) as object,
    });
  });

  test('in a stream', async () => {
    world.allow(may);
    using stream = await listen(`${world.address}/api/live/names`, { cookie: await world.cookieOf('ann') });
    expect(await stream.until(({ event }) => event === 'view')).toMatchObject({ data: sees });
  });
});

test('the rights of one person are not those of another who is logged in at the same time', async () => {
  world.allow((user) => user === 'admin');
  const [admin, ann] = await Promise.all(
    ['admin', 'ann'].map(async (user) => {
      const answer = await fetch(`${world.address}/api/view/names`, {
        headers: { cookie: await world.cookieOf(user) },
      });
      return answer.json();
    }),
  );
  expect(admin).toMatchObject(all);
  expect(ann).toMatchObject(nothing);
});
