/** Renders docs/metrics.md from the metrics that the manager and the console register. Pure; generate.ts writes the page. */
import { markdownTable } from './field-table.ts';
import { consoleMetrics, managerMetrics, NOT_TOLD, type MetricFacts } from './manager-metrics.ts';

/** docs/metrics.md, complete. */
export function renderMetricsDocs(): string {
  const metrics = managerMetrics();
  const isOwn = ({ name }: MetricFacts): boolean => name.startsWith('slipway_');
  const isOfProcess = ({ name }: MetricFacts): boolean => /^(process|nodejs)_/.test(name);
  const parts = [
    '# Metrics',
    INTRODUCTION,
    '## Of Slipway',
    ABOUT_OWN,
    tableOf(metrics.filter(isOwn)),
    '## Of the controllers',
    ABOUT_RUNTIME,
    tableOf(metrics.filter((metric) => !isOwn(metric) && !isOfProcess(metric))),
    'Of the names of controller-runtime these are **not** there:',
    markdownTable(
      ['metric', 'why not'],
      [...NOT_TOLD].map(([name, why]) => [asCode(name), why]),
    ),
    '## Of the console',
    ABOUT_CONSOLE,
    tableOf(consoleMetrics()),
    '## Of the process',
    tableOf(metrics.filter(isOfProcess)),
  ];
  return `${parts.join('\n\n')}\n`;
}

const INTRODUCTION = `Every replica serves them at \`/metrics\`, for Prometheus. \`deploy/monitoring/\` has a ServiceMonitor, alerts and a Grafana
dashboard that use them: [how to watch Slipway](how-to/watch-slipway.md).`;

const ABOUT_OWN = `Counts of objects are read from the caches at each scrape, so all replicas report the same: take the maximum, not the sum.
Events are counted by the replica that leads; those with an alert are reported from the start, as 0.`;

const ABOUT_RUNTIME = `Under the names of controller-runtime and client-go, so that dashboards and alerts for these work. \`controller\` is
\`catalog\`, \`registrypolicy\`, \`subscription\`, \`plan\` (which makes the plans of Revisions that wait), \`revision\`, or
\`late-objects\`; on a replica that does not lead it is \`catalog-content\`.`;

const ABOUT_CONSOLE = `The console in a cluster serves them at port 8082 of its Pods, beside those of its requests to the API server
(\`rest_client_*\`) and of its process: [how to run the console](how-to/run-the-console.md).`;

function tableOf(metrics: readonly MetricFacts[]): string {
  return markdownTable(
    ['metric', 'type', 'labels', 'meaning'],
    metrics.map(({ name, type, labels, help }) => [asCode(name), type, labels.map(asCode).join(', '), help]),
  );
}

function asCode(text: string): string {
  return `\`${text}\``;
}
