/**
 * People before the console for the first time: real operators, a real API server, a real browser. Each task takes three
 * clicks at most from the first page.
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
import { ConsoleScene, OPERATORS } from '../../console/scene.ts';
import { useCluster } from '../../lib/cluster.ts';
import { get } from '../../lib/objects.ts';
import { hasShared } from '../../lib/shared.ts';
import { Newcomer } from './newcomer.ts';

const MOST_CLICKS = 3;
const SET_UP_WITHIN_MS = 600_000;
const { waiting, pinned, current, offered } = OPERATORS;

const missing = hasShared ? noBrowser : 'the reference data is missing';

describe.skipIf(missing !== undefined)(
  `a newcomer before the console${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const cluster = useCluster();
    let scene: ConsoleScene;
    let process: ConsoleProcess;
    let browser: Browser;
    let newcomer: Newcomer;

    beforeAll(async () => {
      scene = new ConsoleScene(cluster());
      await scene.setUp();
      process = new ConsoleProcess(scene.kubeconfig);
      await process.start();
      browser = await launchBrowser();
      newcomer = await Newcomer.open(browser, process);
    }, SET_UP_WITHIN_MS);
    afterAll(async () => {
      await browser?.close();
      await process?.stop();
      await scene?.tearDown();
    });

    /** The views of the scene, each by its address. */
    const views = (): readonly string[] => [
      '/overview',
      ...['', '/graph', '/plan', '/uninstall'].map((view) => `/subscriptions/${waiting}/${waiting}${view}`),
      `/subscriptions/${pinned}/${pinned}/graph?version=${scene.version(pinned, 'head')}`,
      '/catalog',
      `/catalog/community/${offered}`,
      `/subscribe?catalog=community&package=${offered}`,
      '/events',
      '/slipway',
    ];

    test('sees why an operator is not up to date', async () => {
      await newcomer.start();
      await newcomer.click(newcomer.link(new RegExp(`^Why not up to date\\? ${pinned}$`)));
      await newcomer.heading(/^Upgrades of/).waitFor();
      const why = newcomer.page.getByRole('region', { name: new RegExp(scene.version(pinned, 'head')) });
      await why.waitFor();
      expect(await why.innerText()).toMatch(/not in the range/);
      await newcomer.page.locator('.graph a').nth(1).waitFor();
      expect(newcomer.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    });

    test('sees the effect of an upgrade before it is made', async () => {
      await newcomer.start();
      await newcomer.click(newcomer.link('Read the plan').first());
      await newcomer.heading(/plan/i).waitFor();
      const text = await newcomer.page.getByRole('main').innerText();
      expect(text).toContain(`${scene.version(waiting, 'pin')} → ${scene.version(waiting, 'head')}`);
      expect(text).toMatch(/sha256:[0-9a-f]{64}/);
      expect(text).toMatch(/Objects/);
      expect(newcomer.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    });

    test('sees which objects an uninstall removes, and which stay', async () => {
      await newcomer.start();
      await newcomer.click(newcomer.link(new RegExp(`${current}/\\s*${current}`)).first());
      await newcomer.click(newcomer.link('Uninstall'));
      await newcomer.heading(/uninstall/i).waitFor();
      expect(await newcomer.page.getByRole('region', { name: 'Goes' }).innerText()).toMatch(/\d+ objects/);
      expect(await newcomer.page.getByRole('region', { name: 'Stays' }).count()).toBe(1);
      expect(newcomer.clicks).toBeLessThanOrEqual(MOST_CLICKS);
    });

    test.each(Object.entries(LOOKS).map(([name, look]) => ({ name, look })))(
      'finds every view accessible, within the policy, without requests to elsewhere and without sideways scrolling: $name',
      async ({ look }) => {
        await newcomer.page.setViewportSize(look.viewport ?? { width: 1280, height: 900 });
        await newcomer.page.emulateMedia({ colorScheme: look.colorScheme ?? 'light' });
        for (const path of views()) {
          await newcomer.go(path);
          expect(await newcomer.page.locator('.problem').count(), `a problem on ${path}`).toBe(0);
          expect(await violationsOn(newcomer.page), path).toEqual([]);
          expect(await excessWidth(newcomer.page), path).toBe(0);
        }
        await newcomer.page.setViewportSize(LOOKS.light.viewport!);
        expect(newcomer.watched.faults).toEqual([]);
      },
    );

    test('goes back with the button of the browser, and opens each view by its address', async () => {
      await newcomer.start();
      await newcomer.link('Read the plan').first().click();
      await newcomer.heading(/plan/i).waitFor();
      await newcomer.page.goBack();
      await newcomer.heading('Overview').waitFor();
      await newcomer.page.goForward();
      await newcomer.heading(/plan/i).waitFor();
    });

    test('walks through all views by the keyboard alone', async () => {
      await newcomer.start();
      for (const [keys, title] of [
        ['gc', 'Catalog'],
        ['ge', 'Events'],
        ['gs', 'Slipway'],
        ['go', 'Overview'],
      ] as const) {
        for (const key of keys) await newcomer.page.keyboard.press(key);
        await newcomer.heading(new RegExp(title)).waitFor();
      }
      await tabTo('Read the plan');
      await newcomer.page.keyboard.press('Enter');
      await newcomer.heading(/plan/i).waitFor();
      for (const tab of ['Upgrade graph', 'Uninstall', 'Status']) {
        await tabTo(tab);
        await newcomer.page.keyboard.press('Enter');
        await newcomer.page
          .getByRole('link', { name: tab, exact: true })
          .and(newcomer.page.locator('[aria-current]'))
          .waitFor();
      }
    });

    test('reaches the parts of the page by Tab, in an order, and sees where the focus is', async () => {
      await newcomer.start();
      await newcomer.page.keyboard.press('Tab');
      const focused = newcomer.page.locator(':focus');
      expect((await focused.innerText()).trim()).toBe('Go to the content');
      await newcomer.page.keyboard.press('Enter');
      expect(await focused.getAttribute('id')).toBe('main');
    });

    test('installs an operator from the catalog', async () => {
      await newcomer.start();
      await newcomer.click(newcomer.page.getByRole('link', { name: 'Catalog', exact: true }));
      await newcomer.page.getByRole('searchbox').fill('trident');
      await newcomer.page.waitForURL(/search=trident/);
      await newcomer.click(newcomer.page.locator(`a.tile-subscribe[href*="${offered}"]`));
      await newcomer.heading(/^Subscribe to/).waitFor();
      await newcomer.page.getByLabel('Namespace', { exact: true }).fill(offered);
      await newcomer.page.getByText(`namespace: ${offered}`).first().waitFor();
      expect(await newcomer.page.getByRole('button', { name: /Copy for Git/ }).count()).toBe(1);
      await newcomer.click(
        newcomer.page
          .getByRole('region', { name: /apply it/i })
          .getByRole('button')
          .first(),
      );
      await newcomer.page.waitForURL(new RegExp(`/subscriptions/${offered}/${offered}$`));
      expect(newcomer.clicks).toBeLessThanOrEqual(MOST_CLICKS);
      const made = await get(cluster(), 'subscription', offered, offered);
      expect(made.spec).toMatchObject({ package: offered, catalog: 'community' });
    });

    test('approves an upgrade, and watches it', async () => {
      await newcomer.start();
      await newcomer.click(newcomer.link('Read the plan').first());
      await newcomer.heading(/plan/i).waitFor();
      await newcomer.click(newcomer.button(/^Approve/).first());
      const dialog = newcomer.page.getByRole('dialog');
      await dialog.getByText('sha256:').first().waitFor();
      await newcomer.click(dialog.getByRole('button', { name: /^Approve/ }).first());
      await newcomer.page.waitForURL(new RegExp(`/subscriptions/${waiting}/${waiting}$`));
      const versions = newcomer.page.locator('.standing-versions');
      await expect
        .poll(() => versions.innerText(), { timeout: 120_000 })
        .toMatch(new RegExp(`^Installed\\s+${scene.version(waiting, 'head').replaceAll('.', '\\.')}\\s*$`));
      expect(newcomer.clicks).toBeLessThanOrEqual(MOST_CLICKS);
      await scene.awaitVersion(waiting, 'head');
    });

    test('is shown the last data while the console is away, and how to go on when it was started again', async () => {
      await newcomer.start();
      const rows = await newcomer.page.locator('.operator').count();
      await process.stop();
      await newcomer.page.getByText('Not connected', { exact: true }).waitFor();
      expect(await newcomer.page.locator('.operator').count()).toBe(rows);
      await process.start();
      await newcomer.heading('Please sign in').waitFor();
      await newcomer.page.goto(process.address);
      await newcomer.heading('Overview').waitFor();
      await newcomer.page.getByText('Live', { exact: true }).waitFor();
    });

    test('meets no violation of the policy, no error and no request to elsewhere on the whole way', () => {
      // while the console was away, and before the new sign-in, requests fail as they should
      expect(newcomer.watched.faults).toEqual([]);
    });

    /** Presses Tab until the focus is on a link with these words. */
    async function tabTo(words: string): Promise<void> {
      const MOST_TABS = 200;
      for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
        await newcomer.page.keyboard.press('Tab');
        const text = await newcomer.page.evaluate<string>('document.activeElement?.innerText ?? ""');
        if (text.trim() === words) return;
      }
      throw new Error(`Tab does not lead to ${words}`);
    }
  },
);
