/** Ways to occupy the manager with objects of the attacker that concern others, or that do not end. */
import { ANNOTATION, FIELD_MANAGER } from '../../../api/names.ts';
import { get, list, pathOf } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';
import { DEPLOYMENTS, patch, SUBSCRIPTIONS, type Attacker, type Ending, type Way } from './ways-attacker.ts';
import { CROWD } from './ways-bundles.ts';
import { OTHER, PLATFORM, TEAM } from './ways-scene.ts';
import { answerAll } from './ways-victims.ts';

const ACCOUNTS = pathOf('ServiceAccount', undefined, TEAM);

/** Writes a ServiceAccount as the manager would write it for a victim. */
async function claim({ cluster, send }: Attacker, name: string, victim: readonly [string, string]): Promise<void> {
  const [package_, namespace] = victim;
  const { metadata } = await get<{ metadata: Record<string, Record<string, string>> }>(
    cluster,
    'ServiceAccount',
    package_,
    namespace,
  );
  const { labels, annotations } = metadata;
  if (annotations?.[ANNOTATION.ownerUid] === undefined) throw new Error('it has no owner');
  const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, labels, annotations } };
  const query = { fieldManager: FIELD_MANAGER, force: 'true' };
  const ending = await send({
    method: 'PATCH',
    path: `${ACCOUNTS}/${name}`,
    body,
    type: 'application/apply-patch+yaml',
    query,
  });
  if (ending === 'refused') throw new Error('he may not create it');
}

/** Whether the manager has done something about an object that says it is a victim's. */
async function pretend(attacker: Attacker, victim: readonly [string, string]): Promise<Ending> {
  await claim(attacker, 'pretended', victim);
  // The first makes sure that the manager has seen the object, the second that it has done what it does about it.
  for (const _ of [1, 2]) await answerAll(attacker.cluster);
  const isThere = (await list(attacker.cluster, 'ServiceAccount', { namespace: TEAM })).some(
    ({ metadata }) => metadata.name === 'pretended',
  );
  const [name, namespace] = victim;
  const events = await list<{ regarding: { name?: string }; reason?: string }>(attacker.cluster, 'Event', {
    namespace,
  });
  const reported = events.filter(({ regarding, reason }) => regarding.name === name && reason === 'Forbidden');
  await attacker.send({ method: 'DELETE', path: `${ACCOUNTS}/pretended` });
  return isThere && reported.length === 0 ? 'no effect' : 'Succeeded';
}

const HOLD = 'example.com/never';

async function crowd({ cluster, subscribe, send }: Attacker): Promise<Ending> {
  for (const name of CROWD) await subscribe(name, { config: { nodeSelector: { 'example.com/node': 'none' } } });
  const deployed = async (): Promise<number> =>
    (await list(cluster, 'Deployment', { namespace: TEAM })).filter(({ metadata }) => CROWD.includes(metadata.name))
      .length;
  await until('all are applied', async () => (await deployed()) === CROWD.length);
  await answerAll(cluster);
  for (const name of CROWD) await send(patch(`${DEPLOYMENTS}/${name}`, { metadata: { finalizers: [HOLD] } }));
  for (const name of CROWD) await send({ method: 'DELETE', path: `${SUBSCRIPTIONS}/${name}` });
  const isHeld = async (name: string): Promise<boolean> =>
    (await get<{ metadata: { deletionTimestamp?: string } }>(cluster, 'Deployment', name, TEAM)).metadata
      .deletionTimestamp !== undefined;
  await until('removals wait', async () => (await Promise.all(CROWD.slice(0, 16).map(isHeld))).every(Boolean));
  for (const _ of [1, 2, 3]) await answerAll(cluster);
  for (const name of CROWD) await send(patch(`${DEPLOYMENTS}/${name}`, { metadata: { finalizers: null } }));
  return 'no effect';
}

/** More than one reconcile of a victim should have to go through. */
const MANY = 400;

async function pretendMany(attacker: Attacker): Promise<Ending> {
  const { cluster } = attacker;
  const names = Array.from({ length: MANY }, (_, index) => `pretended-${index}`);
  await Promise.all(
    Array.from({ length: 8 }, async (_, part) => {
      for (const name of names.filter((_name, index) => index % 8 === part))
        await claim(attacker, name, ['astore', TEAM]);
    }),
  );
  await answerAll(cluster);
  for (const name of names) await attacker.send({ method: 'DELETE', path: `${ACCOUNTS}/${name}` });
  return 'no effect';
}

export const LATE: readonly Way[] = [
  {
    name: 'own object that says the manager made it for an administrator’s operator',
    aim: 'block',
    attempt: (attacker) => pretend(attacker, ['store', PLATFORM]),
    defence: 'no effect',
    because: 'an operator has no objects in namespaces that none of its Revisions lists',
  },
  {
    name: 'own object that says the manager made it for another tenant’s operator',
    aim: 'block',
    attempt: (attacker) => pretend(attacker, ['tool', OTHER]),
    defence: 'no effect',
    because: 'the same; or the removal, which the account may not do, would be tried for ever',
  },
  {
    name: '400 own objects that say the manager made them for an operator beside them',
    aim: 'block',
    attempt: pretendMany,
    defence: 'no effect',
    because: 'a reconcile removes a few such objects at most, and they are the tenant’s own',
    once: true,
  },
  {
    name: 'own operators that never become ready, and removals that finalizers hold',
    aim: 'block',
    attempt: crowd,
    defence: 'no effect',
    because: 'the waits of a reconcile are short, and the queue takes turns',
    once: true,
  },
];
