/** Alerts and dashboard ask for what the manager tells, and for nothing else. */
import { load } from 'js-yaml';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { REASONS } from '../api/reasons.ts';
import { countEvents, registerState } from '../cmd/manager/metrics.ts';
import { createRuntimeMetrics } from '../kube/metrics.ts';
import { readText } from './source-files.ts';

interface Rules {
  readonly spec: { readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[] };
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const rules = load(readText('deploy/monitoring/rules.yaml') ?? '') as Rules;
const dashboard = JSON.parse(readText('deploy/monitoring/dashboard.json') ?? '') as Dashboard;
const expressions = [
  ...rules.spec.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
].map((expr) => ({ expr }));

/** Told by Prometheus itself of every target. */
const OF_PROMETHEUS = ['up'];

function metricNames(): ReadonlySet<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  createRuntimeMetrics(registry);
  const none = { list: () => [] };
  const content = { get: () => undefined } as never;
  registerState(registry, { catalogs: none, subscriptions: none, revisions: none, content });
  countEvents(registry, () => undefined);
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  return new Set([...names, ...names.map((name) => `${name}_bucket`), ...OF_PROMETHEUS]);
}

describe('what is asked of Prometheus', () => {
  const known = metricNames();

  test.each(expressions)('is told by the manager: $expr', ({ expr }) => {
    const asked = [...expr.matchAll(/\b([a-z_][a-z0-9_]*)\{/g)].map(([, name]) => name ?? '');
    expect(asked).not.toEqual([]);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(expressions)('names reasons that there are: $expr', ({ expr }) => {
    const named = [...expr.matchAll(/\breason(?:=|!=|=~|!~)"([^"]+)"/g)].flatMap(([, text]) => (text ?? '').split('|'));
    expect(named.filter((reason) => !Object.hasOwn(REASONS, reason))).toEqual([]);
  });
});

test('every panel of the dashboard has a title of its own', () => {
  const titles = dashboard.panels.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});
