/**
 * The manager has the rights that it needs and no others: each verb of each rule is asked for, on each resource, on the
 * way through packages of every kind. That the loss of each is named is shown right by right in
 * rights-singly.long.cluster.test.ts, by an authorizer in front of RBAC; here some rules are taken out of RBAC itself.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { API_VERSION } from '../../../api/names.ts';
import { useCluster } from '../../lib/cluster.ts';
import { ROOT } from '../../lib/manager.ts';
import { condition, isReady, waitFor } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';
import { startAuthorizer } from './authorizer.ts';
import { PACKAGES } from './rights-cases.ts';
import {
  ACCOUNT,
  apply,
  clusterRole,
  everythingSaid,
  keyOf,
  role,
  setScene,
  start,
  subscribe,
} from './rights-scene.ts';
import type { Rule, Running } from './rights-scene.ts';

const configFile = join(tmpdir(), `slipway-authorizer-${process.pid}.json`);
const authorizer = await startAuthorizer(ACCOUNT, configFile);

/** With the plugin that asks for rights on owners too. */
const cluster = useCluster({
  apiServerFlags: [
    '--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement',
    ...authorizer.flags,
  ],
});
let manager: Running | undefined;

beforeAll(() => setScene(cluster(), PACKAGES.values()));
afterEach(async () => {
  await manager?.stop();
  manager = undefined;
});
afterAll(() => {
  authorizer.close();
  rmSync(configFile, { force: true });
});

test('there is a package for each rule', () => {
  expect([...PACKAGES.keys()]).toEqual(clusterRole.rules.map(keyOf));
});

test('every verb of every rule is asked for, on every resource', { timeout: 300_000 }, async () => {
  // Which is not in the manager's own way.
  const policy = join(ROOT, 'deploy/policies/accounts.yaml');
  await cluster().kubectl(['apply', '-f', policy]);
  const registryPolicy = { apiVersion: API_VERSION, kind: 'RegistryPolicy', metadata: { name: 'asked' } };
  const manifest = JSON.stringify({ ...registryPolicy, spec: { prefix: 'r.example/asked' } });
  await cluster().kubectl(['apply', '-f', '-'], manifest);
  manager = await start(cluster(), { SLIPWAY_LEADER_ELECT: 'true' });
  await waitFor(cluster(), { kind: 'catalog', name: 'rights' }, isReady);
  await subscribe(cluster(), [...PACKAGES.values()], (name) => `all-${name}`);
  for (const { name, becomesReady } of PACKAGES.values()) {
    await waitFor(cluster(), { kind: 'subscription', name, namespace: `all-${name}` }, (object) =>
      becomesReady === false ? condition(object, 'Ready') !== undefined : isReady(object),
    );
  }
  await until('the log of the container that fails was read', () => authorizer.asked.has('get /pods/log'));
  await manager.stop();
  // A manager that has just started knows nothing by watches yet, and reads.
  await cluster().kubectl(['delete', 'subscriptions', '-A', '--all', '--wait=false']);
  manager = await start(cluster(), { SLIPWAY_LEADER_ELECT: 'true' });
  await cluster().kubectl(['wait', '--for=delete', 'subscriptions', '-A', '--all', '--timeout=180s']);
  // events are written after all else
  await expect.poll(() => [...role.rules, ...clusterRole.rules].flatMap(unaskedOf), { timeout: 30_000 }).toEqual([]);
  await cluster().kubectl(['delete', '-f', policy]);
});

/** For every kind, for one kind, and for a verb that objects do not have. */
const TAKEN = /^\*\/\*$|^apps\/|impersonate/;

describe('without the rule for', () => {
  test.each([...PACKAGES].flatMap(([key, wanted]) => (TAKEN.test(key) ? [{ key, wanted }] : [])))(
    '$key, what fails names it',
    { timeout: 120_000 },
    async ({ key, wanted }) => {
      const taken = clusterRole.rules.find((rule) => keyOf(rule) === key)!;
      await apply(cluster(), [{ ...clusterRole, rules: clusterRole.rules.filter((rule) => rule !== taken) }]);
      try {
        manager = await start(cluster());
        await subscribe(cluster(), [wanted], (name) => `without-${name}`);
        await until(`something names ${key}`, async () => namesIt(taken).test(await everyText()), {
          explain: everyText,
        });
      } finally {
        await apply(cluster(), [clusterRole]);
      }
    },
  );

  test('leases, the log names them', async () => {
    await apply(cluster(), [{ ...role, rules: [] }]);
    manager = await start(cluster(), { SLIPWAY_LEADER_ELECT: 'true' });
    await until('the log names leases', () => namesIt(role.rules[0]!).test(manager!.log()));
    await apply(cluster(), [role]);
  });
});

/** @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/ */
function namesIt({ resources, verbs }: Rule): RegExp {
  const names = resources.includes('*') ? '[a-z]+' : resources.map((name) => name.replace('/', '\\/')).join('|');
  return new RegExp(`cannot (${verbs.join('|')}) resource \\\\*"(${names})\\\\*"`);
}

async function everyText(): Promise<string> {
  return `${manager?.log() ?? ''}\n${JSON.stringify(await everythingSaid(cluster()))}`;
}

/** Objects of operators are read only before a watch reports their kind: which kinds these are is a matter of milliseconds. */
function isOfAnyKind(verb: string, kind: string): boolean {
  return kind === '*/*' || (verb === 'get' && !/^(slipway\.dev|config\.openshift\.io)\/|\/log$/.test(kind));
}

/** The permissions of a rule that no request used; of a rule for everything, the verbs that no request used. */
function unaskedOf({ apiGroups, resources, verbs }: Rule): readonly string[] {
  const asked = [...authorizer.asked];
  const permitted = apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ verb, kind: `${group}/${resource}` }))),
  );
  return permitted.flatMap(({ verb, kind }) => {
    const isAsked = asked.some((one) =>
      isOfAnyKind(verb, kind) ? one.startsWith(`${verb} `) : one === `${verb} ${kind}`,
    );
    return isAsked ? [] : [`${verb} ${kind}`];
  });
}
