/** Ways to keep other users' operators from being reconciled, upgraded or removed. */
import { get } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';
import { patch, REVISIONS, SUBSCRIPTIONS, type Way } from './ways-attacker.ts';
import { CROWD } from './ways-crowd.ts';
import { TEAM } from './ways-scene.ts';

/** The Subscription that the attacker holds by a finalizer. */
export const HELD = 'held';
const ADMINS = `${SUBSCRIPTIONS}/astore`;

export const BLOCK: readonly Way[] = [
  ...CROWD,
  {
    name: 'own operator that needs lower versions',
    aim: 'block',
    attempt: async ({ subscribe, reasonOf }) => {
      await subscribe('pin', { dependencies: 'Require' });
      await reasonOf('pin', (one) => one !== 'Progressing');
      return 'no effect';
    },
    defence: 'no effect',
    because: 'what needs it acts as another account',
  },
  {
    name: 'own operator with requirements that cannot be satisfied',
    aim: 'block',
    attempt: async ({ subscribe, reasonOf }) => {
      await subscribe('impossible');
      return reasonOf('impossible');
    },
    defence: 'ResolutionFailed',
    because: 'a contradiction stops the Subscription that has it',
  },
  {
    name: 'circle of dependencies over a victim’s package',
    aim: 'block',
    attempt: async ({ subscribe, reasonOf }) => {
      await subscribe('ring-a');
      await subscribe('ring', { package: 'store', suspend: true });
      await reasonOf('ring-a', (one) => one !== 'Progressing');
      return 'no effect';
    },
    defence: 'no effect',
    because: 'a circle is entered at one place, by those of one account',
  },
  {
    name: 'own Subscription held by a finalizer and deleted',
    aim: 'block',
    attempt: async ({ subscribe, send, cluster }) => {
      await subscribe(HELD, { package: 'pin', dependencies: 'Ignore' }, { finalizers: ['example.com/never'] });
      await send({ method: 'DELETE', path: `${SUBSCRIPTIONS}/${HELD}` });
      await until('it is being deleted', async () => {
        const { metadata } = await get<{ metadata: { deletionTimestamp?: string } }>(
          cluster,
          'Subscription',
          HELD,
          TEAM,
        );
        return metadata.deletionTimestamp !== undefined;
      });
      return 'no effect';
    },
    defence: 'no effect',
    because: 'those of another account hold no removal',
  },
  {
    name: 'victim’s package, installed in an old version',
    aim: 'block',
    attempt: async ({ install }) => {
      await install('lib', { version: '1.0.0' });
      return 'no effect';
    },
    defence: 'no effect',
    because: 'what a stranger has may be used, and does not have to be',
  },
  {
    name: 'two Subscriptions for one package',
    aim: 'block',
    attempt: async ({ subscribe, reasonOf, install }) => {
      await install('plain');
      await subscribe('again', { package: 'plain' });
      return reasonOf('again');
    },
    defence: 'Collision',
    because: 'the second finds the objects of the first',
  },
  {
    name: 'scale of a Subscription',
    aim: 'block',
    attempt: ({ send }) => send(patch(`${ADMINS}/scale`, { spec: { replicas: 0 } })),
    defence: 'refused',
    because: 'there is no such subresource',
  },
  {
    name: 'approval withdrawn from a victim’s Revision',
    aim: 'block',
    attempt: ({ send }) => send(patch(`${REVISIONS}/astore-1`, { spec: { approved: false } })),
    defence: 'refused',
    because: 'it acts as the manager',
  },
];
