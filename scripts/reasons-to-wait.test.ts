/** Files that no compiler reads have the reasons to wait of api/reasons.ts: no alert fires for these. */
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { WAITS_FOR_A_TIME, WAITS_FOR_APPROVAL } from '../api/reasons.ts';
import { readText } from './source-files.ts';

const WAITS = [...WAITS_FOR_APPROVAL, ...WAITS_FOR_A_TIME];

interface RuleGroups {
  readonly spec: {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  };
}

/** The work of the manager, and its rest: neither is a failure. */
const AT_WORK = ['Progressing', 'Installing', 'Upgrading', 'Uninstalling', 'Suspended'];

test('no alert fires for a Subscription that waits for a person or for a better moment', () => {
  const rules = (load(readText('deploy/monitoring/rules.yaml') ?? '') as RuleGroups).spec.groups.flatMap(
    (one) => one.rules,
  );
  const expr = rules.find(({ alert }) => alert === 'SlipwaySubscriptionNotReady')?.expr ?? '';
  const [, excluded = ''] = /reason!~"([^"]+)"/.exec(expr) ?? [];
  expect(excluded.split('|').sort()).toEqual([...AT_WORK, ...WAITS].sort());
});

test('no alert fires for an upgrade that waits for a person, a better moment or its dependency', () => {
  const [, excluded = ''] =
    /slipway_upgrades_waiting\{[^}]*reason!~"([^"]+)"/.exec(readText('deploy/monitoring/rules.yaml') ?? '') ?? [];
  expect(excluded.split('|').sort()).toEqual([...WAITS, 'DependencyNotReady'].sort());
});

test('work that no other alert bounds has an alert of its own: an uninstall', () => {
  expect(readText('deploy/monitoring/rules.yaml')).toMatch(/SlipwayUninstallStuck\n +expr: .*reason="Uninstalling"/);
});

test('Argo CD shows each of them as Suspended', () => {
  const [, table = ''] = /local waits = \{([^}]*)\}/.exec(readText('deploy/ci/argo-cd-health.lua') ?? '') ?? [];
  const reasons = [...table.matchAll(/(\w+) = true/g)].map(([, reason]) => reason);
  expect(reasons.toSorted((one = '', other = '') => (one < other ? -1 : 1))).toEqual([...WAITS].sort());
});
