/** `slipway ui` and a real browser: the key of the port reaches each tab, and stays in no address. */
import { describe, expect, test } from 'vitest';
import { useFakeCluster } from '../../../cmd/slipway/admin/testing/fake-cluster.ts';
import { launchBrowser, noBrowser } from '../../../console/browser/testing/browser.ts';
import { eventually } from '../../../kube/testing/eventually.ts';

const cluster = useFakeCluster();

const SLOW_MS = 90_000;

describe.skipIf(noBrowser !== undefined)(
  `slipway ui in Chromium${noBrowser === undefined ? '' : ` (${noBrowser})`}`,
  () => {
    test(
      'shows the operators in the browser that opened the address, in each of its tabs, whichever links it follows, and the key in no address',
      async () => {
        const over = new AbortController();
        let printed = '';
        const ended = cluster().runWith({ signal: over.signal, printed: (text) => void (printed += text) }, 'ui');
        const address = new URL(await eventually(() => /http:\/\/\S+(?=\s)/.exec(printed)?.[0]));
        const browser = await launchBrowser();
        try {
          const context = await browser.newContext();
          const documents: string[] = [];
          context.on('request', (request) => request.resourceType() === 'document' && documents.push(request.url()));
          const page = await context.newPage();
          await page.goto(address.href);
          await page.getByText('lamp').first().waitFor();
          expect(new URL(page.url()).hash).toBe('');
          await page.reload();
          await page.getByText('lamp').first().waitFor();
          const other = await context.newPage();
          await other.goto(`${address.origin}/overview`);
          await other.getByText('lamp').first().waitFor();
          await other.goto(`${address.origin}/overview#key=${'k'.repeat(43)}`);
          await other.reload();
          await other.getByText('lamp').first().waitFor();
          await page.reload();
          await page.getByText('lamp').first().waitFor();
          expect(documents.filter((url) => url.includes('?key='))).toEqual([]);
        } finally {
          await browser.close();
          over.abort(new Error('SIGINT'));
          await ended;
        }
      },
      SLOW_MS,
    );
  },
);
