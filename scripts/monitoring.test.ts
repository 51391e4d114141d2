/** Alerts and dashboard use only metrics of the manager; each alert has cases for and against it. */
import { load } from 'js-yaml';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { REASONS } from '../api/reasons.ts';
import { countEvents } from '../cmd/manager/metrics.ts';
import { consoleMetrics, CONTROLLER_RUNTIME, managerMetrics, NOT_TOLD } from './manager-metrics.ts';
import { readText } from './source-files.ts';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Rules {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
}

interface Cases {
  readonly tests: readonly {
    readonly name: string;
    readonly input_series: readonly { readonly series: string }[];
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
  }[];
}

const alerts = (load(readText('deploy/monitoring/rules.yaml') ?? '') as Rules).spec.groups.flatMap(
  ({ rules }) => rules,
);
const cases = (load(readText('deploy/monitoring/rules.test.yaml') ?? '') as Cases).tests;
const dashboard = JSON.parse(readText('deploy/monitoring/dashboard.json') ?? '') as Dashboard;

/** Expressions, each with the texts that show labels of its results. */
const asked = [
  ...alerts.map(({ expr, annotations }) => ({ expr, shown: Object.values(annotations) })),
  ...dashboard.panels.flatMap(({ targets }) =>
    targets.map(({ expr, legendFormat = '' }) => ({ expr, shown: [legendFormat] })),
  ),
];

/** Labels that Prometheus gives to everything that it reads from a target. */
const OF_TARGETS = ['job', 'instance', 'namespace', 'pod', 'service', 'endpoint', 'container'];

/** Every metric of the manager → its labels; Prometheus's own metrics about a target are included. */
function metricLabels(): ReadonlyMap<string, readonly string[]> {
  const named = managerMetrics().map(({ name, labels }) => [name, [...labels, ...OF_TARGETS]] as const);
  const buckets = named.map(([name, labels]) => [`${name}_bucket`, [...labels, 'le']] as const);
  return new Map([...named, ...buckets, ['up', OF_TARGETS]]);
}

interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

function selectorsOf(expr: string): readonly Selector[] {
  return [...expr.matchAll(/\b([a-z_][a-z0-9_]*)\{([^}]*)\}/g)].map(([, metric = '', text = '']) => ({
    metric,
    matchers: [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    ),
  }));
}

/** What `by (…)` and its like name. */
function groupingsOf(expr: string): readonly string[] {
  const lists = [...expr.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g)].map(([, list = '']) => list);
  return lists.flatMap((list) => list.split(',').map((label) => label.trim()));
}

/** What `{{ $labels.x }}` of an alert and `{{x}}` of a legend name. */
function shownIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) =>
    [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(([, label = '']) => label),
  );
}

describe('what is asked of Prometheus', () => {
  const known = metricLabels();

  test.each(asked)('uses metrics of the manager: $expr', ({ expr }) => {
    const metrics = selectorsOf(expr).map(({ metric }) => metric);
    expect(metrics).not.toEqual([]);
    expect(metrics.filter((metric) => !known.has(metric))).toEqual([]);
  });

  test.each(asked)('uses labels that exist: $expr', ({ expr, shown }) => {
    const kept = groupingsOf(expr);
    for (const { metric, matchers } of selectorsOf(expr)) {
      const used = [...matchers.map(({ label }) => label), ...kept];
      expect(
        used.filter((label) => !known.get(metric)?.includes(label)),
        metric,
      ).toEqual([]);
      const visible = kept.length > 0 ? kept : (known.get(metric) ?? []);
      expect(shownIn(shown).filter((label) => !visible.includes(label))).toEqual([]);
    }
  });

  test.each(asked)('names reasons that there are: $expr', ({ expr }) => {
    const matchers = selectorsOf(expr).flatMap((one) => one.matchers.filter(({ label }) => label === 'reason'));
    expect(matchers.flatMap(({ value }) => value.split('|')).filter((one) => !Object.hasOwn(REASONS, one))).toEqual([]);
  });

  test('as an increase of events is counted from 0: the first event of a series that begins with it is none', async () => {
    const registry = new Registry();
    countEvents(registry, () => undefined);
    const series = (await registry.getSingleMetric('slipway_events_total')?.get())?.values ?? [];
    const increases = alerts.filter(({ expr }) => /\b(rate|increase)\(slipway_events_total/.test(expr));
    expect(increases.map(({ alert }) => alert)).toEqual(['SlipwayUpgradeFailed']);
    for (const { matchers } of increases.flatMap(({ expr }) => selectorsOf(expr))) {
      const wanted = matchers.filter(({ label }) => !OF_TARGETS.includes(label));
      expect(wanted.every(({ operator }) => operator === '=')).toBe(true);
      expect(
        series.filter(({ labels, value }) => value === 0 && wanted.every((one) => labels[one.label] === one.value)),
      ).not.toEqual([]);
    }
  });
});

describe('the cases of the alerts', () => {
  const known = metricLabels();
  const tried = cases.flatMap((one) => one.alert_rule_test);

  test.each(alerts)('say when $alert fires, and when it does not', ({ alert }) => {
    const outcomes = tried
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts }) => exp_alerts.length > 0);
    expect(new Set(outcomes)).toEqual(new Set([true, false]));
  });

  test('name alerts that there are', () => {
    const names = new Set(alerts.map(({ alert }) => alert));
    expect(tried.filter(({ alertname }) => !names.has(alertname))).toEqual([]);
  });

  test.each(cases)('are made of metrics of the manager: $name', ({ input_series }) => {
    for (const { metric, matchers } of input_series.flatMap(({ series }) => selectorsOf(series)))
      expect(known.get(metric), metric).toEqual(expect.arrayContaining(matchers.map(({ label }) => label)));
  });
});

describe('the names of controller-runtime', () => {
  const told = new Set(managerMetrics().map(({ name }) => name));

  test.each(CONTROLLER_RUNTIME)('the manager has %s, or the reason why not is listed', (name) => {
    expect(told.has(name)).toBe(!NOT_TOLD.has(name));
  });

  test('are the only metrics with a reason for their absence', () => {
    expect([...NOT_TOLD.keys()].filter((name) => !CONTROLLER_RUNTIME.includes(name))).toEqual([]);
  });
});

test('the guide has a remedy for every alert', () => {
  const guide = readText('docs/how-to/watch-slipway.md') ?? '';
  expect([...guide.matchAll(/^\| (Slipway\w+) \|/gm)].map(([, name]) => name)).toEqual(
    alerts.map(({ alert }) => alert),
  );
});

test('every panel of the dashboard has a title of its own', () => {
  const titles = dashboard.panels.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

describe('the page about metrics', () => {
  /** As `controller('name')` or `controller(context, KIND.kind`. */
  const created = [
    ...(readText('cmd/manager/controllers.ts') ?? '').matchAll(
      /\bcontroller\((?:context, )?(?:'([\w-]+)'|([A-Z_]+)\.kind)/g,
    ),
  ].map(([, name, kind = '']) => name ?? kind.replaceAll('_', '').toLowerCase());

  test('names every controller that the label may have', () => {
    const page = readText('docs/metrics.md') ?? '';
    expect(created).toEqual(expect.arrayContaining(['plan', 'revision', 'late-objects', 'registrypolicy']));
    expect(created.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('names every metric that the console registers as its own', () => {
    const source = readText('cmd/console/metrics.ts') ?? '';
    const names = [...source.matchAll(/'(slipway_console_\w+)'/g)].map(([, name = '']) => name);
    expect(names).toEqual(expect.arrayContaining(['slipway_console_streams', 'slipway_console_acts_total']));
    expect(consoleMetrics().map(({ name }) => name)).toEqual(names);
    const page = readText('docs/metrics.md') ?? '';
    expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
