/**
 * Verb by verb and resource by resource: where one right alone is missing, what then fails names it. An authorizer
 * takes the right away in one namespace, or from names with that namespace in them, so that one manager meets most of
 * the refusals at once; what is asked for the whole cluster is taken away from a manager of its own.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { SYSTEM } from '../../lib/manager.ts';
import { API_VERSION } from '../../../api/names.ts';
import { catalogOf, condition, isReady, list, waitFor } from '../../lib/objects.ts';
import { until } from '../../lib/until.ts';
import { startRemoval } from '../../lib/writes.ts';
import { describeQuestion, startAuthorizer, type Question } from './authorizer.ts';
import { packageFor, type Package } from './rights-cases.ts';
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

/** One right of the manager, and the package that needs it. */
interface Right extends Pick<Question, 'verb'> {
  readonly group: string;
  /** With its subresource. */
  readonly resource: string;
  /** Of the rule. */
  readonly key: string;
  /** Of a package, its Subscription and its namespace; empty where all may name it. */
  readonly name: string;
}

/** For these groups one message lists every object that is refused, so that one package covers all the resources. */
const LISTED = /^(admissionregistration|cert-manager|console|monitoring)\./;

/** Asked for the whole cluster, in order to watch. */
const WHOLE_CLUSTER = new Set(['list', 'watch']);
/** The manager's own kinds, and objects that exist once in a cluster. */
const isOwn = ({ group }: Right): boolean => group === 'slipway.dev';
const isSingle = ({ group }: Right): boolean => group === 'config.openshift.io';

const rights = clusterRole.rules.flatMap(rightsOf).map(withName);
const some = rights.filter((right) => !WHOLE_CLUSTER.has(right.verb) && right.group !== '*' && !isSingle(right));
/** Needed to remove objects that a manager before this one has applied. */
const forRemoval: readonly Right[] = [
  ...some.filter((right) => right.verb === 'get' && !isOwn(right) && right.resource !== 'pods/log'),
  ...some.filter(({ verb, resource }) => verb === 'patch' && resource === 'revisions'),
  ...['delete', 'list'].map((verb) => ({ verb, group: '*', resource: '*', key: '*/*', name: `r${verb}` })),
];
const watches = rights.filter(({ verb }) => verb === 'watch').map((right) => ({ ...right, name: '' }));
const toInstall = some.filter((right) => !forRemoval.includes(right));

const configFile = join(tmpdir(), `slipway-authorizer-${process.pid}-singly.json`);
const authorizer = await startAuthorizer(ACCOUNT, configFile);
const cluster = useCluster({ apiServerFlags: authorizer.flags });
let manager: Running | undefined;

const packages = packagesOf([...toInstall, ...forRemoval]);
beforeAll(() => setScene(cluster(), packages));
afterEach(async () => {
  await manager?.stop();
  manager = undefined;
});
afterAll(() => {
  authorizer.close();
  rmSync(configFile, { force: true });
});

function rightsOf(rule: Rule): readonly Omit<Right, 'name'>[] {
  const { apiGroups, resources, verbs } = rule;
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource, key: keyOf(rule) }))),
  );
}

/** No name is the beginning of another. */
function withName(right: Omit<Right, 'name'>, index: number, all: readonly Omit<Right, 'name'>[]): Right {
  const isListed = LISTED.test(right.group) && (right.verb === 'create' || right.verb === 'patch');
  const first = isListed ? all.findIndex(({ key, verb }) => key === right.key && verb === right.verb) : index;
  return { ...right, name: `r${String(first).padStart(3, '0')}` };
}

function packagesOf(wanted: readonly Right[]): readonly Package[] {
  const keys = new Map(wanted.map(({ name, key }) => [name, key]));
  return [...keys].map(([name, key]) => packageFor(key, name));
}

function isAbout({ verb, group, resource }: Right, question: Question): boolean {
  if (group === '*') return question.verb === verb;
  return describeQuestion(question) === `${verb} ${group}/${resource}`;
}

/** A removal lists objects that it may not get, so both verbs are taken away. */
function isRead(right: Right, question: Question): boolean {
  return isAbout(right, question) || (right.verb === 'get' && isAbout({ ...right, verb: 'list' }, question));
}

/** Whether the question is about an object of this right's package. */
function isOf({ name }: Right, { namespace, ...question }: Question): boolean {
  return namespace === name || [question.name, question.group].some((text) => text?.includes(name) === true);
}

const ASKED: ReadonlyMap<string, string> = new Map([
  ['impersonate', 'impersonate[a-z:-]*'],
  ['get', '(get|list)'],
]);

/** What a refusal says. @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping */
function refusalOf({ verb, resource }: Right): RegExp {
  if (verb === 'escalate' || verb === 'bind') return /is attempting to grant RBAC permissions not currently held/;
  // Newer API servers ask for finer verbs too: `impersonate-on:serviceaccount:patch`.
  const asked = ASKED.get(verb) ?? verb;
  return new RegExp(`cannot ${asked} resource \\\\*"${resource === '*' ? '[a-z]+' : resource}\\\\*"`);
}

/** Rights of which nothing is said: on their objects, in events, and in lines of the log that name them. */
async function unnamedOf(wanted: readonly Right[]): Promise<readonly string[]> {
  const items = (await everythingSaid(cluster())).map((item) => ({ ...item, text: JSON.stringify(item) }));
  const lines = (manager?.log() ?? '').split('\n');
  return wanted.flatMap((right) => {
    const { name, verb, group, resource } = right;
    const objects = items.filter(({ metadata }) => name === '' || (metadata.namespace ?? metadata.name) === name);
    const said = [...objects.map(({ text }) => text), ...lines.filter((line) => line.includes(name))];
    return said.some((text) => refusalOf(right).test(text)) ? [] : [`${name}: ${verb} ${group}/${resource}`];
  });
}

async function everyOneIsNamed(wanted: readonly Right[]): Promise<void> {
  const isEmpty = async (): Promise<boolean> => (await unnamedOf(wanted)).length === 0;
  const explain = async (): Promise<string> => (await unnamedOf(wanted)).join('\n');
  await until('each right that is missing is named', isEmpty, { explain });
}

test('there are enough rights to test', () => {
  expect(toInstall.length + forRemoval.length).toBeGreaterThan(90);
  expect(new Set(some.map(({ verb }) => verb))).toEqual(
    new Set(['get', 'create', 'patch', 'impersonate', 'escalate', 'bind']),
  );
});

describe('of the operators that another manager has installed,', () => {
  beforeAll(async () => {
    authorizer.deny(() => false);
    const wanted = packagesOf(forRemoval);
    const before = await start(cluster());
    await subscribe(cluster(), wanted, (name) => name);
    for (const { name, becomesReady } of wanted) {
      await waitFor(cluster(), { kind: 'subscription', name, namespace: name }, (object) =>
        becomesReady === false ? condition(object, 'Ready') !== undefined : isReady(object),
      );
    }
    await before.stop();
  });

  test('what a removal lacks is named', { timeout: 300_000 }, async () => {
    authorizer.deny((question) => forRemoval.some((right) => isRead(right, question) && isOf(right, question)));
    for (const { name } of forRemoval) await startRemoval(cluster(), { kind: 'subscription', name, namespace: name });
    manager = await start(cluster());
    const isEnded = async (): Promise<boolean> => {
      const left = new Set((await list(cluster(), 'Subscription')).map(({ metadata }) => metadata.name));
      const unnamed = await unnamedOf(forRemoval.filter(({ name, verb }) => verb !== 'get' || left.has(name)));
      return unnamed.length === 0;
    };
    // Objects that a watch reports are deleted without a read: such a removal lacks nothing, and ends.
    await until('each right that is missing is named, or its removal has ended', isEnded, {
      explain: async () => (await unnamedOf(forRemoval)).join('\n'),
    });
  });
});

test('what an installation lacks is named', { timeout: 300_000 }, async () => {
  authorizer.deny((question) => toInstall.some((right) => isAbout(right, question) && isOf(right, question)));
  manager = await start(cluster());
  const catalogs = toInstall.filter(({ resource }) => resource === 'catalogs/status');
  await apply(
    cluster(),
    catalogs.map(({ name }) => JSON.parse(catalogOf(name, `${cluster().registry}/catalog:latest`)) as object),
  );
  const policies = toInstall.filter(({ resource }) => resource === 'registrypolicies/status');
  for (const { name } of policies) {
    const policy = { apiVersion: API_VERSION, kind: 'RegistryPolicy', metadata: { name } };
    await cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ ...policy, spec: { prefix: `r.example/${name}` } }));
  }
  await subscribe(cluster(), packagesOf(toInstall), (name) => name);
  await everyOneIsNamed(toInstall);
});

describe('what cannot be watched is named:', () => {
  const own = { what: 'its own kinds', wanted: watches.filter(isOwn) };
  const operators = { what: 'kinds of operators', wanted: watches.filter((right) => !isOwn(right)) };
  test.each([own, operators])('$what', async ({ wanted }) => {
    authorizer.deny((question) => wanted.some((right) => isAbout(right, question)));
    manager = await start(cluster());
    await everyOneIsNamed(wanted);
  });
});

describe('what there is once in a cluster is named', () => {
  const single = [...role.rules.flatMap(rightsOf), ...rights.filter(isSingle)];
  test.each(single)('$verb $group/$resource', async ({ ...right }) => {
    await cluster().kubectl(['-n', SYSTEM, 'delete', 'lease', '--all']);
    authorizer.deny((question) => isAbout({ ...right, name: '' }, question));
    manager = await start(cluster(), { SLIPWAY_LEADER_ELECT: 'true' });
    await everyOneIsNamed([{ ...right, name: '' }]);
  });
});
