/** Ways to block work on other users' objects by mere size and number. */
import { ANNOTATION, API_VERSION } from '../../../api/names.ts';
import { get } from '../../lib/objects.ts';
import {
  DEPLOYMENTS,
  patch,
  post,
  REVISIONS,
  SUBSCRIPTIONS,
  type Attacker,
  type Ending,
  type Way,
} from './ways-attacker.ts';
import { PLATFORM } from './ways-scene.ts';

const ADMINS = `${SUBSCRIPTIONS}/astore`;
const request = (value: string): object => ({
  metadata: { annotations: { [ANNOTATION.reconcileRequestedAt]: value } },
});
const crowd = (count: number, key: (index: number) => string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), '']));
const wide = (index: number): string => `example.com/${'x'.repeat(58)}${String(index).padStart(4, '0')}`;

/** Writes as so many field managers, each of which claims the existing fields. */
async function ownTogether({ send }: Attacker, path: string, managers: number): Promise<Ending> {
  const kind = path.includes('/revisions/') ? 'Revision' : 'Subscription';
  const body = { apiVersion: API_VERSION, kind, metadata: { labels: crowd(60, wide) } };
  for (let index = 0; index < managers; index++) {
    const query = { fieldManager: `m${index}`, force: 'true' };
    const ending = await send({ method: 'PATCH', path, body, type: 'application/apply-patch+yaml', query });
    if (ending === 'refused') return ending;
  }
  return 'no effect';
}

const THAT_FILL: readonly Way[] = [
  {
    name: 'annotations that leave no room for one more',
    aim: 'block',
    attempt: ({ send }) => send(patch(ADMINS, { metadata: { annotations: { fill: 'x'.repeat(262_000) } } })),
    defence: 'refused',
    because: 'annotations have a limit together, and the administrator’s request is one',
  },
  {
    name: 'annotations of many keys',
    aim: 'block',
    attempt: ({ send }) => send(patch(ADMINS, { metadata: { annotations: crowd(2000, wide) } })),
    defence: 'refused',
    because: 'each field manager that names them adds as much again',
  },
  {
    name: 'field managers of a victim’s Subscription without end',
    aim: 'block',
    attempt: (attacker) => ownTogether(attacker, ADMINS, 40),
    defence: 'refused',
    because: 'who owns which field is stored in the object, which has a limit',
  },
  {
    name: 'field managers of a victim’s Revision without end',
    aim: 'block',
    attempt: (attacker) => ownTogether(attacker, `${REVISIONS}/astore-1`, 40),
    defence: 'refused',
    because: 'the manager could not write its inventory any more',
  },
];

const THAT_CROWD: readonly Way[] = [
  {
    name: '200 Subscriptions at once',
    aim: 'block',
    attempt: async ({ subscribe }) => {
      const names = Array.from({ length: 200 }, (_, index) => `many-${index}`);
      const makeSome = async (from: number): Promise<void> => {
        for (const name of names.slice(from, from + 25)) await subscribe(name, { package: 'impossible' });
      };
      await Promise.all(Array.from({ length: 8 }, (_, part) => makeSome(part * 25)));
      return 'no effect';
    },
    defence: 'no effect',
    because: 'each waits for itself, and the queue takes turns',
    once: true,
  },
  {
    name: 'requests for a reconcile in a storm',
    aim: 'block',
    attempt: async ({ subscribe, send }) => {
      await subscribe('plain');
      for (let index = 0; index < 150; index++) await send(patch(`${SUBSCRIPTIONS}/plain`, request(String(index))));
      return 'no effect';
    },
    defence: 'no effect',
    because: 'requests for one object become one',
    once: true,
  },
  {
    name: 'changes in a storm of an object that says it is a victim’s',
    aim: 'block',
    attempt: async ({ cluster, send }) => {
      const { metadata, spec } = await get<{ metadata: Record<string, object>; spec: object }>(
        cluster,
        'Deployment',
        'store',
        PLATFORM,
      );
      const { labels, annotations } = metadata;
      await send(post(DEPLOYMENTS, { metadata: { name: 'storm', labels, annotations }, spec }));
      for (let index = 0; index < 150; index++)
        await send(patch(`${DEPLOYMENTS}/storm`, { metadata: { labels: { turn: String(index) } } }));
      return send({ method: 'DELETE', path: `${DEPLOYMENTS}/storm` });
    },
    defence: 'no effect',
    because: 'what is in place and untouched costs no request',
    once: true,
  },
  {
    name: 'a request for a reconcile as long as annotations may be',
    aim: 'block',
    attempt: async ({ install, send, reasonOf }) => {
      await install('plain');
      await send(patch(`${SUBSCRIPTIONS}/plain`, request('x'.repeat(200_000))));
      await send(patch(`${SUBSCRIPTIONS}/plain`, request('short')));
      const reason = await reasonOf('plain', () => true);
      return reason === 'InternalError' ? reason : 'no effect';
    },
    defence: 'no effect',
    because: 'what the status repeats is cut',
  },
  {
    name: 'windows that never open and a range that never ends',
    aim: 'block',
    attempt: async ({ subscribe, reasonOf }) => {
      const never = { cron: '0 0 30 2 *', duration: '1h', timeZone: 'Pacific/Chatham' };
      const version = Array.from({ length: 16 }, (_, index) => `>=${index}.0.0-a`).join(' || ');
      await subscribe('plain', { version, windows: Array.from({ length: 16 }, () => never) });
      const reason = await reasonOf('plain', (one) => one !== 'Progressing');
      return reason === 'InternalError' ? reason : 'no effect';
    },
    defence: 'no effect',
    because: 'fields are bounded, and so is their cost',
  },
];

export const CROWD: readonly Way[] = [...THAT_FILL, ...THAT_CROWD];
