/**
 * The manager has the rights that it needs and no others: each verb of each rule is used on the way through packages
 * of every kind, and where a rule is taken away, what then fails names it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, ROOT, SYSTEM } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, publishFiles } from '../../lib/publish.ts';
import { until } from '../../lib/until.ts';
import { csvOf, FOREIGN, NEEDED, PACKAGES, type Package } from './rights-cases.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly Rule[];
}

const ACCOUNT = `system:serviceaccount:${SYSTEM}:slipway-manager`;
const documents = loadAll(readFileSync(join(ROOT, 'deploy/rbac/rbac.yaml'), 'utf8')) as Role[];
const clusterRole = documents.find(({ kind }) => kind === 'ClusterRole')!;
const role = documents.find(({ kind }) => kind === 'Role')!;

/**
 * Verbs that the API server asks about while it serves another request, so that no request of theirs is recorded:
 * `create` is one, where an object is applied that is not there. And `get`, which is for the moments in which a watch
 * does not know yet.
 */
const ASKED_INSIDE = new Set(['impersonate', 'escalate', 'bind', 'create', 'get']);

/** What cannot become Ready here: nothing answers for it, or it is made to fail. */
const NEVER_READY = new Set(['served', 'certified', 'crashing', 'tenant']);

/** With the plugin that asks for rights on owners too. */
const cluster = useCluster({
  audit: true,
  apiServerFlags: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
});
let manager: Running | undefined;

beforeAll(async () => {
  await installSlipway(cluster());
  await apply(FOREIGN.map(crdOf));
  await publish();
  const catalog = JSON.parse(catalogOf('rights', `${cluster().registry}/catalog:latest`)) as object;
  await apply([catalog]);
}, 600_000);
afterEach(async () => {
  await manager?.stop();
  manager = undefined;
});

test('there is a package for each rule', () => {
  expect([...PACKAGES.keys()]).toEqual(clusterRole.rules.map(keyOf));
});

test('every verb of every rule is used', { timeout: 300_000 }, async () => {
  manager = await start();
  await waitFor(cluster(), { kind: 'catalog', name: 'rights' }, isReady);
  for (const wanted of PACKAGES.values()) await subscribe('all', wanted);
  for (const { name } of PACKAGES.values()) {
    await waitFor(cluster(), { kind: 'subscription', name, namespace: `all-${name}`, timeoutSeconds: 90 }, (object) =>
      NEVER_READY.has(name) ? condition(object, 'Ready') !== undefined : isReady(object),
    );
  }
  await until('the log of the container that fails was read', () => isUsed('get', '', 'pods/log'));
  await cluster().kubectl(['delete', 'subscriptions', '-A', '--all', '--timeout=120s']);
  await manager.stop();
  const unused = clusterRole.rules.flatMap((rule) => (rule.verbs.includes('list') ? [] : unusedOf(rule)));
  expect(unused).toEqual([]);
});

describe('without the rule for', () => {
  test.each([...PACKAGES].map(([key, wanted]) => ({ key, wanted })))(
    '$key, what fails names it',
    { timeout: 120_000 },
    async ({ key, wanted }) => {
      const taken = clusterRole.rules.find((rule) => keyOf(rule) === key)!;
      await apply([{ ...clusterRole, rules: clusterRole.rules.filter((rule) => rule !== taken) }]);
      try {
        manager = await start();
        await subscribe('without', wanted);
        await until(`something names ${key}`, async () => namesIt(taken).test(await everythingSaid()), {
          explain: everythingSaid,
        });
      } finally {
        await apply([clusterRole]);
      }
    },
  );

  test('leases, the log names them', async () => {
    await apply([{ ...role, rules: [] }]);
    manager = await start({ SLIPWAY_LEADER_ELECT: 'true' });
    await until('the log names leases', () => namesIt(role.rules[0]!).test(manager!.log()));
    await apply([role]);
  });
});

/** `group/resource` of the first; what is not about objects of the kind has its verb beside it. */
function keyOf({ apiGroups: [group = ''], resources: [resource = ''], verbs }: Rule): string {
  return `${group}/${resource}${verbs.includes('impersonate') ? '#impersonate' : ''}`;
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/ */
function namesIt({ resources, verbs }: Rule): RegExp {
  const names = resources.includes('*') ? '[a-z]+' : resources.map((name) => name.replace('/', '\\/')).join('|');
  return new RegExp(`cannot (${verbs.join('|')}) resource \\\\*"(${names})\\\\*"`);
}

async function everythingSaid(): Promise<string> {
  const kinds = 'catalogs,subscriptions,revisions';
  return `${manager?.log() ?? ''}\n${await cluster().kubectl(['get', kinds, '-A', '-o', 'json'])}`;
}

interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly apiGroup?: string; readonly resource: string; readonly subresource?: string };
}

function audited(): ReadonlySet<string> {
  const lines = readFileSync(join(cluster().folder, 'audit.jsonl'), 'utf8').split('\n');
  const events = lines.filter((line) => line.includes(ACCOUNT)).map((line) => JSON.parse(line) as AuditEvent);
  return new Set(
    events.flatMap(({ verb, user, objectRef }) => {
      if (user.username !== ACCOUNT || objectRef === undefined) return [];
      const { apiGroup = '', resource, subresource } = objectRef;
      return [`${verb} ${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`];
    }),
  );
}

function isUsed(verb: string, group: string, resource: string): boolean {
  return audited().has(`${verb} ${group}/${resource}`);
}

function unusedOf({ apiGroups, resources, verbs }: Rule): readonly string[] {
  const used = audited();
  const wanted = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs
        .filter((verb) => !ASKED_INSIDE.has(verb) || resource === 'leases')
        .map((verb) => `${verb} ${group}/${resource}`),
    ),
  );
  return wanted.filter((use) => !used.has(use));
}

async function subscribe(run: string, { name, subscription }: Package): Promise<void> {
  const namespace = `${run}-${name}`;
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'tenant', namespace } };
  await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, account]);
  const spec = { package: name, ...subscription };
  await apply([JSON.parse(subscriptionTo(name, namespace, spec)) as object]);
}

async function publish(): Promise<void> {
  const { registry } = cluster();
  const all = [...PACKAGES.values(), ...NEEDED];
  const lists = await Promise.all(
    all.map(async (one) => {
      const image = await publishFiles(bundleOf(one), `${registry}/${one.name}:v1.0.0`);
      const properties = (one.dependencies ?? []) as never;
      return packageDocuments(one.name, [{ version: '1.0.0', image, properties }]);
    }),
  );
  await publishCatalog(lists.flat(), `${registry}/catalog:latest`);
}

function bundleOf(one: Package): Map<string, Uint8Array> {
  const annotations = {
    'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
    'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
    'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
    'operators.operatorframework.io.bundle.package.v1': one.name,
    'operators.operatorframework.io.bundle.channels.v1': 'stable',
  };
  const manifests = [csvOf(one), ...(one.manifests ?? [])];
  return new Map<string, Uint8Array>([
    ...manifests.map((object, index) => [`manifests/${index}.json`, Buffer.from(JSON.stringify(object))] as const),
    ['metadata/annotations.yaml', Buffer.from(JSON.stringify({ annotations }))],
  ]);
}

function crdOf({ apiVersion, kind, plural, scope = 'Namespaced' }: (typeof FOREIGN)[number]): object {
  const [group = '', version] = apiVersion.split('/');
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  // The name of a foreign group of Kubernetes' own has to be approved.
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, for tests' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations },
    spec: {
      group,
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

async function apply(objects: readonly object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  await cluster().kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(list));
}

interface Running {
  log(): string;
  stop(): Promise<void>;
}

/** The manager as a process; unlike startManager it does not wait for it to be ready, as it may never be. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const folder = mkdtempSync(join(cluster().folder, 'manager-'));
  const logFile = join(folder, 'log');
  const output = openSync(logFile, 'a');
  const { hostname, port } = new URL(cluster().server);
  const child: ChildProcess = spawn(process.execPath, [join(ROOT, 'cmd/manager/main.ts')], {
    cwd: folder,
    env: {
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      SLIPWAY_ACCOUNT_FOLDER: await cluster().podFiles(SYSTEM, 'slipway-manager'),
      SLIPWAY_LISTEN: '127.0.0.1:0',
      SLIPWAY_DATA_FOLDER: join(folder, 'data'),
      SLIPWAY_LEADER_ELECT: 'false',
      // An event that cannot be sent is no reason for a warning.
      SLIPWAY_LOG_LEVEL: 'debug',
      ...env,
    },
    stdio: ['ignore', output, output],
  });
  return {
    log: () => readFileSync(logFile, 'utf8'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
