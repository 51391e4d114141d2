/**
 * A catalog that attacks the console: the real manager reads it, the real server serves it, a real browser shows it as text. In
 * `make test` a browser shows models of such a catalog (console/browser/views.test.ts).
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  excessWidth,
  launchBrowser,
  LOOKS,
  noBrowser,
  violationsOn,
} from '../../../console/browser/testing/browser.ts';
import { ConsoleProcess } from '../../console/console-process.ts';
import { serveManager, type ManagerService } from '../../console/manager-service.ts';
import { useCluster } from '../../lib/cluster.ts';
import { installSlipway, startManager, type RunningManager } from '../../lib/manager.ts';
import { catalogOf, isReady, subscriptionTo, waitFor } from '../../lib/objects.ts';
import { publishCatalog } from '../../lib/publish.ts';
import { apply, makeNamespaces } from '../../lib/writes.ts';
import { hostileDocuments, MARK } from './hostile-catalog.ts';
import { Newcomer } from './newcomer.ts';

const VIEWS = [
  '/overview',
  '/catalog',
  '/catalog?search=gadget',
  '/catalog/hostile/gadget',
  '/subscribe?catalog=hostile&package=gadget&namespace=attack',
  '/subscriptions/attack/gadget',
  '/subscriptions/attack/gadget/graph',
  '/events',
  '/slipway',
];

const missing = noBrowser;

describe.skipIf(missing !== undefined)(`a hostile catalog${missing === undefined ? '' : ` (${missing})`}`, () => {
  const cluster = useCluster();
  let manager: RunningManager;
  let service: ManagerService;
  let console: ConsoleProcess;
  let browser: Browser;
  let newcomer: Newcomer;

  beforeAll(async () => {
    await installSlipway(cluster());
    manager = await startManager(cluster());
    service = await serveManager(cluster(), manager);
    await makeNamespaces(cluster(), ['attack']);
    const reference = `${cluster().registry}/hostile:latest`;
    await publishCatalog(hostileDocuments(cluster().registry), reference);
    await apply(cluster(), catalogOf('hostile', reference));
    await waitFor(cluster(), { kind: 'catalog', name: 'hostile' }, isReady);
    await apply(cluster(), subscriptionTo('gadget', 'attack', { package: 'gadget' }));
    console = new ConsoleProcess(service.kubeconfig);
    await console.start();
    browser = await launchBrowser();
    newcomer = await Newcomer.open(browser, console, LOOKS.narrow);
  });
  afterAll(async () => {
    await browser?.close();
    await console?.stop();
    await service?.[Symbol.asyncDispose]();
    await manager?.stop();
  });

  test.each(VIEWS)('runs nothing, asks no other server and does not widen the page: %s', async (view) => {
    await newcomer.go(view);
    await newcomer.page.waitForFunction('document.querySelector("[aria-busy]") === null');
    expect(await newcomer.page.evaluate<boolean>(`'${MARK}' in window`)).toBe(false);
    expect(await newcomer.page.locator('main :is(script, iframe, style, object, embed, math)').count()).toBe(0);
    expect(await excessWidth(newcomer.page)).toBe(0);
    expect(await violationsOn(newcomer.page)).toEqual([]);
    expect(newcomer.watched.faults).toEqual([]);
  });

  test('shows its scripts as text', async () => {
    await newcomer.go('/catalog/hostile/gadget');
    const text = await newcomer.page.getByRole('main').innerText();
    expect(text).toContain(`<script>window.${MARK}`);
    expect(text).not.toContain('\u202E');
  });

  test('shows its icon, an SVG with a script, as a picture at most', async () => {
    await newcomer.go('/catalog/hostile/gadget');
    for (const icon of await newcomer.page.locator('main img').all())
      expect(await icon.getAttribute('src')).toMatch(/^\/api\/icon\//);
    await newcomer.page.goto(`${console.origin}/api/icon/hostile/gadget`).catch(() => undefined);
    expect(await newcomer.page.evaluate<boolean>(`'${MARK}' in window`)).toBe(false);
  });
});
