/**
 * What a tenant may try to gain, destroy, block or read across namespaces, as two tenants: with the rights that the guide
 * gives, and with every right on Subscriptions and Revisions in his namespace. The manager runs with its shipped rights,
 * and the policy is in force. After each attempt the victims have what they had, and can be worked with.
 *
 * `make attacks` has every way tried by both tenants; `make test`, every third way by one of them, in turn.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { byExtent } from '../../lib/sample.ts';
import { list, pathOf } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';
import { remove, unlessGone } from '../../lib/writes.ts';
import { openPersons, type Persons } from '../in-cluster/persons.ts';
import { openAttacker } from './ways-attacker.ts';
import { ATTACKERS, setScene, TEAM, VICTIMS } from './ways-scene.ts';
import { answerAll, moveAll, takeStock } from './ways-victims.ts';
import type { Way } from './ways-attacker.ts';
import { HELD } from './ways-block.ts';
import { WAYS } from './ways.ts';

const cluster = useCluster();
let manager: RunningManager;
let persons: Persons;
/** To which version the administrator moves next. */
let next = '1.0.0';

beforeAll(async () => {
  await installSlipway(cluster());
  manager = await startManager(cluster());
  persons = await openPersons(cluster());
  await setScene(cluster());
});
afterAll(async () => {
  await persons?.[Symbol.asyncDispose]();
  await manager?.stop();
});

afterEach(clear);

/** One of that many ways is in the sample: one of these has each aim and a storm, and lacks the crowds that take half a minute. */
const SAMPLED = { every: 4, from: 3 };
const SAMPLE = WAYS.filter((_, at) => at % SAMPLED.every === SAMPLED.from);

/** Each tenant tries ways of every aim. */
function waysOf(tenant: number): readonly Way[] {
  const ways = WAYS.filter(({ once }) => once !== true || tenant === 0);
  const inTurn = SAMPLE.filter(({ once }, at) => (once === true ? 0 : at % ATTACKERS.length) === tenant);
  return byExtent({ all: ways, sample: inTurn });
}

test('each way is tried, or each of the sample, and each tenant tries to gain, destroy, block and read', () => {
  const tried = ATTACKERS.map((_, tenant) => waysOf(tenant));
  expect(new Set(tried.flat())).toEqual(new Set(byExtent({ all: WAYS, sample: SAMPLE })));
  for (const ways of tried) expect(new Set(ways.map(({ aim }) => aim))).toEqual(new Set(WAYS.map(({ aim }) => aim)));
});

describe.each(ATTACKERS.map((person, tenant) => ({ ...person, tenant })))(
  '$user, a tenant,',
  ({ tenant, ...person }) => {
    test.each(waysOf(tenant))('does not $aim by this: $name', async ({ aim, attempt, defence }) => {
      const before = await takeStock(cluster());
      expect(await attempt(openAttacker(cluster(), persons, person))).toBe(defence);
      await answerAll(cluster());
      expect(await takeStock(cluster())).toEqual(before);
      if (aim === 'block') {
        next = next === '2.0.0' ? '1.0.0' : '2.0.0';
        await moveAll(cluster(), next);
      }
      await clear();
    });
  },
);

test('what the victims have can be removed at last, and nothing was a defect', async () => {
  for (const [name, namespace] of VICTIMS) await remove(cluster(), { kind: 'subscription', name, namespace });
  expect(manager.log()).not.toContain('InternalError');
});

/** What attempts make besides Subscriptions. */
const LEFT: readonly string[] = [
  pathOf('Deployment', 'store', TEAM),
  pathOf('Deployment', 'storm', TEAM),
  pathOf('Secret', 'token', TEAM),
  pathOf('Secret', 'store-1-00000000-0', TEAM),
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/baubles.tiny.example',
];

/** Deletes the objects that the attempt has left in the tenant's namespace. */
async function clear(): Promise<void> {
  const isLeft = async (): Promise<readonly string[]> =>
    (await list(cluster(), 'Subscription', { namespace: TEAM }))
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'astore');
  for (const name of await isLeft()) {
    const path = pathOf('Subscription', name, TEAM);
    await unlessGone(cluster().request('DELETE', path));
    // The attempt may have put one there that nothing takes off.
    if (name === HELD) await unlessGone(cluster().request('PATCH', path, { metadata: { finalizers: null } }));
  }
  await until('the attack is cleared away', async () => (await isLeft()).length === 0);
  await Promise.all(LEFT.map(removed));
}

/** Deletes objects if they exist, and waits until they are gone. */
async function removed(path: string): Promise<void> {
  const isThere = (request: Promise<unknown>): Promise<boolean> =>
    request.then(
      () => true,
      () => false,
    );
  if (!(await isThere(cluster().request('DELETE', path)))) return;
  await until(`${path} is gone`, async () => !(await isThere(cluster().read(path))));
}
