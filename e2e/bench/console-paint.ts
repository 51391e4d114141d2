/**
 * Measures the console as a person sees it: from the address to the first useful paint, with many Subscriptions, CRDs and
 * a catalog of the size of a public one; and from a change in the cluster to its words on the screen.
 */
import type { Page } from 'playwright-core';
import { createClient, type Client } from '../../kube/client/client.ts';
import { loadKubeconfig } from '../../kube/kubeconfig/kubeconfig.ts';
import { createTransport } from '../../kube/transport/transport.ts';
import { launchBrowser, noBrowser, WatchedPage } from '../../console/browser/testing/browser.ts';
import { startCluster, type TestCluster } from '../cluster/cluster.ts';
import { ConsoleProcess } from '../console/console-process.ts';
import { serveManager } from '../console/manager-service.ts';
import { largeCatalog } from '../lib/large-catalog.ts';
import { installSlipway, startManager } from '../lib/manager.ts';
import { catalogOf, isReady, waitFor } from '../lib/objects.ts';
import { publishCatalogText } from '../lib/publish.ts';
import { apply } from '../lib/writes.ts';
import type { Row } from './budgets.ts';
import { fillCluster } from './commands.ts';
import { median } from './cost.ts';

const RUNS = 5;

/** Views and the element that makes them useful. */
const PAINTED: readonly { readonly view: string; readonly useful: string }[] = [
  { view: '/overview', useful: '.operator' },
  { view: '/catalog', useful: '.tile' },
];

const [PAINT_MS, CHANGE_MS] = [1000, 300];

export async function benchConsolePaint(): Promise<readonly Row[]> {
  if (noBrowser !== undefined) return [];
  const cluster = await startCluster();
  const browser = await launchBrowser();
  try {
    await installSlipway(cluster, { policy: false });
    const manager = await startManager(cluster);
    await using service = await serveManager(cluster, manager);
    await using console = new ConsoleProcess(service.kubeconfig);
    await fillCluster(cluster);
    await publishLarge(cluster);
    await console.start();
    const { page } = await WatchedPage.open(browser, console.origin);
    await page.goto(console.address);
    const rows: Row[] = [];
    for (const { view, useful } of PAINTED) {
      const measured = await paintOf(page, `${console.origin}${view}`, useful);
      rows.push({ what: `console: first useful paint of ${view}`, unit: 'ms', measured, budget: PAINT_MS });
    }
    const measured = await withAdmin(cluster, (admin) => changeOf(page, console.origin, admin));
    rows.push({ what: 'console: a change on the screen', unit: 'ms', measured, budget: CHANGE_MS });
    await manager.stop();
    return rows;
  } finally {
    await browser.close();
    await cluster.stop();
  }
}

async function publishLarge(cluster: TestCluster): Promise<void> {
  const text = [...largeCatalog(undefined, false)].map(({ content }) => Buffer.from(content).toString()).join('\n');
  const reference = `${cluster.registry}/large:latest`;
  await publishCatalogText(text, reference);
  await apply(cluster, catalogOf('large', reference));
  await waitFor(cluster, { kind: 'catalog', name: 'large', timeoutSeconds: 300 }, isReady);
}

/** The first run fills the caches of the server and does not count. */
async function paintOf(page: Page, address: string, useful: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run <= RUNS; run += 1) {
    await page.goto('about:blank');
    const started = performance.now();
    await page.goto(address, { waitUntil: 'commit' });
    await page.locator(useful).first().waitFor();
    if (run > 0) times.push(performance.now() - started);
  }
  return median(times) ?? Number.NaN;
}

/** From the answer to the creation of a Subscription until the overview lists it. */
async function changeOf(page: Page, origin: string, admin: Client): Promise<number> {
  await page.goto(`${origin}/overview`);
  await page.locator('.operator').first().waitFor();
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const name = `fresh-${run}`;
    const shown = page.locator('.operator', { hasText: name }).waitFor();
    await admin.create({
      apiVersion: 'slipway.dev/v1alpha1',
      kind: 'Subscription',
      metadata: { name, namespace: 'many' },
      spec: { package: 'package-7', version: '1.0.0' },
    });
    const started = performance.now();
    await shown;
    times.push(performance.now() - started);
  }
  return median(times) ?? Number.NaN;
}

async function withAdmin<Result>(cluster: TestCluster, work: (admin: Client) => Promise<Result>): Promise<Result> {
  const { config } = await loadKubeconfig(cluster.kubeconfig);
  const transport = createTransport(config, { userAgent: 'bench' });
  try {
    return await work(createClient(transport));
  } finally {
    transport.close();
  }
}
