/**
 * Accounts with the rights that `slipway rights --minimal` prints install published bundles. Without one of the rules the
 * installation names the missing right, writes nothing, and goes on once the roles of `slipway rights --missing` are there.
 */
import { basename, dirname, join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, runs, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../../lib/publish.ts';
import { devSet, hasShared } from '../../lib/shared.ts';
import { apply, makeNamespaces } from '../../lib/writes.ts';
import { createCommandLine } from '../command-line/process.ts';

/** A rule is taken away by its place among all. */
const SAMPLE: readonly { readonly folder: string; readonly taken: number; readonly because: string }[] = [
  { folder: 'dns-operator/0.6.0', taken: 0, because: 'its rights count in the whole cluster' },
  { folder: 'limitador-operator/0.11.0', taken: -1, because: 'its last rule is about its own namespace' },
  { folder: 'leaksignal-operator/1.6.3', taken: 2, because: 'it brings a PriorityClass' },
  { folder: 'netobserv-operator/1.6.2-community', taken: -3, because: 'it converts its custom resources' },
];

const timeout = 300_000;

describe.skipIf(!hasShared)('the smallest account', { timeout }, () => {
  const cluster = useCluster();
  let manager: RunningManager;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await makeNamespaces(
      cluster(),
      SAMPLE.map(({ folder }) => nameOf(folder)),
    );
    const entries = await Promise.all(SAMPLE.map(async ({ folder }) => publishOne(folder)));
    await publishCatalog(entries.flat(), `${cluster().registry}/catalog:latest`);
    await apply(cluster(), catalogOf('main', `${cluster().registry}/catalog:latest`));
  }, timeout);
  afterAll(async () => {
    await manager?.stop();
  });

  test.each(SAMPLE)('installs $folder, and not without rule $taken: $because', async ({ folder, taken }) => {
    const namespace = nameOf(folder);
    await cluster().kubectl(['-n', namespace, 'create', 'serviceaccount', 'installer']);
    const all = loadAll(
      await slipway('rights', '--minimal', folderOf(folder), '--namespace', namespace),
    ) as KubeObject[];
    const { kept, rule } = without(all, taken);
    await grant(kept);
    await apply(
      cluster(),
      subscriptionTo(namespace, namespace, {
        package: namespace,
        serviceAccountName: 'installer',
        dependencies: 'Ignore',
      }),
    );
    const wanted = { kind: 'subscription', name: namespace, namespace, timeoutSeconds: 120 };
    const held = await waitFor(cluster(), wanted, (one) => condition(one, 'Ready')?.reason === 'Forbidden');
    // A long message is shortened in Ready, a column, and whole in the condition beside it.
    const told = (held.status?.conditions ?? []).map(({ message }) => message).join('\n');
    expect(told).toContain(rule.resources?.[0] ?? rule.nonResourceURLs?.[0]);
    const missing = loadAll(await slipway('rights', '--missing', `${namespace}/${namespace}`)) as KubeObject[];
    const lacking = missing.flatMap((role) => (role['rules'] ?? []) as Rule[]);
    // Another rule may hold some of its verbs.
    expect(lacking).toEqual([{ ...rule, verbs: lacking[0]?.verbs }]);
    expect(rule.verbs).toEqual(expect.arrayContaining([...(lacking[0]?.verbs ?? ['none'])]));
    await grant(missing);
    await waitFor(cluster(), wanted, runs(basename(folder)));
    expect(await slipway('rights', '--missing', `${namespace}/${namespace}`)).toContain('has every right');
  });

  async function publishOne(folder: string): Promise<readonly object[]> {
    const [name, version] = [nameOf(folder), basename(folder)];
    const image = await publishBundle(folderOf(folder), `${cluster().registry}/${name}:${version}`);
    return packageDocuments(name, [{ version, image }]);
  }

  async function grant(roles: readonly KubeObject[]): Promise<void> {
    await cluster().kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: roles }));
  }

  async function slipway(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await createCommandLine(cluster().kubeconfig).run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }
});

interface Rule {
  readonly verbs: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

function nameOf(folder: string): string {
  return dirname(folder);
}

function folderOf(folder: string): string {
  return join(devSet(), 'operators', folder);
}

/** The roles without their rule at a place. */
function without(
  all: readonly KubeObject[],
  place: number,
): { readonly kept: readonly KubeObject[]; readonly rule: Rule } {
  const rules = all.flatMap((role) => (role['rules'] ?? []) as Rule[]);
  const rule = rules.at(place) as Rule;
  const kept = all.map((role) =>
    role['rules'] === undefined ? role : { ...role, rules: (role['rules'] as Rule[]).filter((one) => one !== rule) },
  );
  return { kept, rule };
}
