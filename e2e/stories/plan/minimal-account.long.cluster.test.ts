/**
 * Accounts with the rights that `slipway rights --minimal` prints install published bundles. Without one of the rules the
 * installation names the missing right, writes nothing, and goes on once the roles of `slipway rights --missing` are there. Three
 * versions of each package, one after the other.
 */
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../api/object.ts';
import { AtomSet, EVERYWHERE } from '../../../plan/rights/atom.ts';
import { atomsOfScoped, type ScopedRule } from '../../../plan/rights/scoped-rule.ts';
import { rulesOf } from '../../../plan/rights/rule.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, condition, isReady, runs, subscriptionTo, waitFor, type Judged } from '../../lib/objects.ts';
import { packageDocuments, publishBundle, publishCatalog } from '../../lib/publish.ts';
import { hasShared } from '../../lib/shared.ts';
import { until } from '../../lib/until.ts';
import { apply, makeNamespaces, remove } from '../../lib/writes.ts';
import { versionsOfCorpus } from '../../plan/steps.ts';
import { createCommandLine } from '../command-line/process.ts';

interface Trial {
  readonly package: string;
  readonly version: string;
  readonly folder: string;
  /** Place of the rule that is taken away, counted around. */
  readonly taken: number;
}

interface PackageTrials {
  /** Of the package's folder, its namespace and its Subscription. */
  readonly name: string;
  readonly because: string;
  readonly trials: readonly Trial[];
}

const VERSIONS = 3;

const PACKAGES: readonly PackageTrials[] = hasShared ? everyPackage() : [];

/** Another rule is taken away in each trial. */
function everyPackage(): readonly PackageTrials[] {
  return [...versionsOfCorpus(VERSIONS)].map(([name, versions], at) => ({
    name,
    because: `${versions.length} versions of it`,
    trials: versions.toReversed().map((one, step) => ({ ...one, taken: at * VERSIONS + step })),
  }));
}

const timeout = 600_000;

describe.skipIf(!hasShared)('the smallest account', { timeout }, () => {
  const cluster = useCluster();
  let manager: RunningManager;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    await makeNamespaces(
      cluster(),
      PACKAGES.map(({ name }) => name),
    );
    const entries: object[] = [];
    for (const one of PACKAGES) entries.push(...(await publishOne(one)));
    await publishCatalog(entries, `${cluster().registry}/catalog:latest`);
    await apply(cluster(), catalogOf('main', `${cluster().registry}/catalog:latest`));
    await waitFor(cluster(), { kind: 'catalog', name: 'main' }, isReady);
  }, timeout);
  afterAll(async () => {
    await manager?.stop();
  });

  test('is tried with a hundred bundles at least', () => {
    const count = PACKAGES.flatMap(({ trials }) => trials).length;
    expect(count).toBeGreaterThanOrEqual(100);
  });

  test.concurrent.each(PACKAGES)(
    'installs $name, and not without one of its rules: $because',
    async ({ name, trials }) => {
      for (const [at, trial] of trials.entries()) {
        await tryOne(name, trial, `installer-${at}`);
        await remove(cluster(), { kind: 'subscription', name, namespace: name });
      }
    },
    timeout,
  );

  async function tryOne(namespace: string, trial: Trial, account: string): Promise<void> {
    await cluster().kubectl(['-n', namespace, 'create', 'serviceaccount', account]);
    const options = ['--namespace', namespace, '--account', account];
    const all = loadAll(await slipway('rights', '--minimal', trial.folder, ...options)) as KubeObject[];
    const { kept, rule } = without(all, trial.taken);
    await grant(kept);
    await apply(cluster(), subscriptionTo(namespace, namespace, specOf(trial, account)));
    const wanted = { kind: 'subscription', name: namespace, namespace, timeoutSeconds: 240 };
    await waitFor(cluster(), wanted, isForbidden);
    const missing = await missingBesides(namespace, rule);
    // A long message is shortened in Ready, a column, and whole in the condition beside it.
    const named = missing
      .flatMap(rulesOf)
      .flatMap(({ resources, nonResourceURLs }) => [...resources, ...nonResourceURLs]);
    // Without a rule about everything each object is named, and not the rule.
    const isNamed = (one: Judged): boolean =>
      named.some((text) => text === '*' || JSON.stringify(one.status?.conditions).includes(text));
    await waitFor(cluster(), wanted, (one) => isForbidden(one) && isNamed(one));
    await grant(missing);
    await waitFor(cluster(), wanted, runs(trial.version));
    expect(await slipway('rights', '--missing', `${namespace}/${namespace}`)).toContain('has every right');
  }

  /**
   * The roles that are missing, none of them beyond the rule that was taken away. An API server with much work counts new
   * roles only after a while.
   */
  async function missingBesides(namespace: string, rule: ScopedRule): Promise<readonly KubeObject[]> {
    const taken = new AtomSet(atomsOfScoped(rule));
    let beyond: readonly unknown[] = [];
    return until(
      `${namespace} lacks a part of one rule`,
      async () => {
        const missing = loadAll(await slipway('rights', '--missing', `${namespace}/${namespace}`)) as KubeObject[];
        const parts = missing.flatMap(scopedRulesOf).flatMap(atomsOfScoped);
        // Another rule may hold some of its parts.
        beyond = parts.filter((atom) => !taken.covers(atom));
        return parts.length > 0 && beyond.length === 0 ? missing : undefined;
      },
      { explain: () => JSON.stringify({ beyond }) },
    );
  }

  async function publishOne({ trials }: PackageTrials): Promise<readonly object[]> {
    const versions = await Promise.all(
      trials.map(async ({ package: name, version, folder }) => ({
        version,
        image: await publishBundle(folder, `${cluster().registry}/${name}:${version.replaceAll('+', '_')}`),
      })),
    );
    return packageDocuments(trials[0]?.package ?? '', versions);
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

function isForbidden(one: Judged): boolean {
  return condition(one, 'Ready')?.reason === 'Forbidden';
}

function specOf({ package: name, version }: Trial, serviceAccountName: string): object {
  return { package: name, version, serviceAccountName, dependencies: 'Ignore' };
}

function scopedRulesOf(role: KubeObject): readonly ScopedRule[] {
  return rulesOf(role).map((rule) => ({ scope: role.metadata.namespace ?? EVERYWHERE, rule }));
}

/** The roles without their rule at a place, counted around. */
function without(
  all: readonly KubeObject[],
  place: number,
): { readonly kept: readonly KubeObject[]; readonly rule: ScopedRule } {
  const places = all.flatMap((role) => rulesOf(role).map((_, at) => ({ role, at })));
  const { role, at } = places.at(place % places.length) as { role: KubeObject; at: number };
  const rules = role['rules'] as readonly object[];
  const kept = all.map((one) => (one === role ? { ...role, rules: rules.filter((_, index) => index !== at) } : one));
  return { kept, rule: scopedRulesOf(role)[at] as ScopedRule };
}
