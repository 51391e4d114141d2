#!/usr/bin/env node
/**
 * Makes the pictures of docs/console.md, from real operators on a real control plane:
 *
 *     npm run -s screens [-- --only graph,plan]
 *
 * Each view is drawn light, dark and narrow. The pictures are WebP, so that the repository stays small.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { launchBrowser, LOOKS, noBrowser, WatchedPage } from '../../console/browser/testing/browser.ts';
import { startCluster } from '../cluster/cluster.ts';
import { ROOT } from '../lib/manager.ts';
import { list } from '../lib/objects.ts';
import { hasShared } from '../lib/shared.ts';
import { ConsoleProcess } from './console-process.ts';
import { ConsoleScene, OPERATORS } from './scene.ts';
import { MOST_HEIGHT, pictureOf, VIEWS, type ViewName } from './pictures.ts';

const QUALITY = 50;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { only: { type: 'string', default: VIEWS.join() } } });
  const wanted = values.only.split(',');
  if (noBrowser !== undefined) throw new Error(noBrowser);
  if (!hasShared) throw new Error('the reference data is missing beside the checkout');
  const cluster = await startCluster();
  const scene = new ConsoleScene(cluster);
  const browser = await launchBrowser();
  let console: ConsoleProcess | undefined;
  try {
    await scene.setUp();
    console = new ConsoleProcess(scene.kubeconfig);
    const revisions = await list(cluster, 'revision', { namespace: OPERATORS.waiting });
    const paths = pathsOf(scene, revisions[0]?.metadata.name ?? '');
    await console.start();
    const watched = await WatchedPage.open(browser, console.origin);
    await watched.page.goto(console.address);
    for (const [look, { viewport, colorScheme }] of Object.entries(LOOKS)) {
      await watched.page.setViewportSize(viewport!);
      await watched.page.emulateMedia({ colorScheme: colorScheme ?? 'light' });
      for (const view of VIEWS.filter((name) => wanted.includes(name))) {
        await watched.page.goto(`${console.origin}${paths[view]}`);
        await watched.page.locator('h1:not(.hidden)').waitFor();
        await watched.page.waitForFunction('document.querySelector("[aria-busy]") === null');
        await capture(watched.page, join(ROOT, pictureOf(view, look)));
      }
    }
  } finally {
    await browser.close();
    await console?.stop();
    await scene.tearDown();
    await cluster.stop();
  }
}

function pathsOf(scene: ConsoleScene, revision: string): Readonly<Record<ViewName, string>> {
  const { waiting, pinned, offered } = OPERATORS;
  const subscription = `/subscriptions/${waiting}/${waiting}`;
  return {
    overview: '/overview',
    subscription,
    graph: `/subscriptions/${pinned}/${pinned}/graph?version=${scene.version(pinned, 'head')}`,
    plan: `${subscription}/plan`,
    uninstall: `${subscription}/uninstall`,
    revision: `/revisions/${waiting}/${revision}`,
    catalog: '/catalog',
    package: `/catalog/community/${offered}`,
    subscribe: `/subscribe?catalog=community&package=${offered}&namespace=${offered}`,
    events: '/events',
    slipway: '/slipway',
  };
}

/** The page down to a bound, as WebP, which only the protocol of the browser offers. */
async function capture(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { width = 0 } = page.viewportSize() ?? {};
  const full = await page.evaluate<number>('document.documentElement.scrollHeight');
  const clip = { x: 0, y: 0, width, height: Math.min(full, MOST_HEIGHT), scale: 1 };
  const options = { format: 'webp', quality: QUALITY, clip, captureBeyondViewport: true } as const;
  const { data } = await session.send('Page.captureScreenshot', options);
  await session.detach();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, Buffer.from(data, 'base64'));
  process.stdout.write(`${file}\n`);
}

await main();
