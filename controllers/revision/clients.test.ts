import { expect, test } from 'vitest';
import type { Client, ImpersonatedUser } from '../../kube/client/client.ts';
import { clientsOf } from './clients.ts';
import type { RevisionFacts } from './observe.ts';

/** A client that records the users that it impersonates. */
function noting(): { readonly client: Client; readonly subjects: ImpersonatedUser[] } {
  const subjects: ImpersonatedUser[] = [];
  const client = { as: (subject: ImpersonatedUser) => (subjects.push(subject), client) } as unknown as Client;
  return { client, subjects };
}

function factsOf(spec: object): RevisionFacts {
  return { revision: { metadata: { name: 'beacon-1', namespace: 'lights' }, spec } } as unknown as RevisionFacts;
}

test('a client that acts as an account sends no groups, since a right to impersonate groups gives all rights', () => {
  const { client, subjects } = noting();
  const clients = clientsOf(client, factsOf({ serviceAccountName: 'installer' }));
  clients.as({ namespace: 'harbour', name: 'pilot' });
  expect(subjects).toEqual([
    { user: 'system:serviceaccount:lights:installer' },
    { user: 'system:serviceaccount:harbour:pilot' },
  ]);
});

test('without an account the manager acts as itself', () => {
  const { client, subjects } = noting();
  expect(clientsOf(client, factsOf({})).acting).toBe(client);
  expect(subjects).toEqual([]);
});

test.each([
  {
    revision: {},
    subscription: { serviceAccountName: 'new' },
    because: 'the Revision is older than the field in the Subscription',
  },
  {
    revision: { serviceAccountName: 'old' },
    subscription: { serviceAccountName: 'new' },
    because: 'the Revision was made when the Subscription named another account',
  },
])('a Subscription that names an account never acts with more rights: $because', ({ revision, subscription }) => {
  const { client, subjects } = noting();
  const facts = { ...factsOf(revision), subscription: { spec: subscription } } as unknown as RevisionFacts;
  clientsOf(client, facts);
  expect(subjects).toEqual([{ user: 'system:serviceaccount:lights:new' }]);
});
