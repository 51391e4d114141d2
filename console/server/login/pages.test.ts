/** Login on its pages as a real browser sees them: policies of a page decide which requests the browser makes at all. */
import type { Browser as Chromium, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, noBrowser } from '../../browser/testing/browser.ts';
import { startConsoleWorld, type ConsoleWorld } from '../testing/console-world.ts';
import { inClusterLogin } from './in-cluster.ts';
import { OwnSession } from './own-session.ts';
import { ownKeys, Sessions } from './session.ts';
import { TokenReviews } from './token-review.ts';

/** A browser starts slowly on a machine that has other work. */
const SLOW_MS = 60_000;

const TOKEN = 'good.token';

const transport = {
  async request({ body }: { readonly body?: string | Buffer }) {
    const { spec } = JSON.parse(String(body)) as { readonly spec: { readonly token: string } };
    const status = spec.token === TOKEN ? { authenticated: true, user: { username: 'ann' } } : { authenticated: false };
    const text = JSON.stringify({ status });
    return { status: 201, headers: {}, body: Buffer.from(text), text: () => text };
  },
};

describe.skipIf(noBrowser !== undefined)(
  `the page of the login in Chromium${noBrowser === undefined ? '' : `: ${noBrowser}`}`,
  () => {
    // prettier-ignore
    let world: ConsoleWorld;
    let chromium: Chromium;
    beforeAll(async () => {
      const cookie = { name: 'slipway-session', isSecure: false, sameSite: 'Strict' } as const;
      const session = new OwnSession({ sessions: new Sessions({ keys: ownKeys(), seconds: 3600 }), cookie, canLogOut: true }); // prettier-ignore
      world = await startConsoleWorld({ login: inClusterLogin({ session, tokens: new TokenReviews({ transport }) }) });
      chromium = await launchBrowser();
    }, SLOW_MS);
    afterAll(async () => {
      await chromium?.close();
      await world[Symbol.asyncDispose]();
    });

    /** The status of the answer to the form. */
    async function send(page: Page, token: string): Promise<number> {
      await page.getByLabel(/^Token/).fill(token);
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Log in' }).click();
      return (await answered).status();
    }

    async function paste(address: string, token: string) {
      const context = await chromium.newContext();
      const page = await context.newPage();
      await page.goto(address);
      return { context, page, status: await send(page, token) };
    }

    test.each([
      { because: 'the page was opened by its address', path: '/login', to: '/' },
      { because: 'a view led there', path: '/login?back=/catalog?search=lamp', to: '/catalog?search=lamp' },
    ])(
      'a token that is pasted logs the person in: $because',
      async ({ path, to }) => {
        const { page, context, status } = await paste(`${world.address}${path}`, TOKEN);
        expect(status).toBe(303);
        await page.waitForURL(`${world.address}${to}`);
        const session = await page.evaluate(async () => (await fetch('/api/session')).json());
        expect(session).toMatchObject({ user: 'ann', way: 'token' });
        await context.close();
      },
      SLOW_MS,
    );

    test(
      'a token that is refused leads to the form again, which takes another one',
      async () => {
        const { page, context } = await paste(`${world.address}/login`, 'bad.token');
        expect(await page.getByRole('alert').textContent()).toContain('does not accept this token');
        expect(await send(page, TOKEN)).toBe(303);
        await page.waitForURL(`${world.address}/`);
        await context.close();
      },
      SLOW_MS,
    );
  },
);
