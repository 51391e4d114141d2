/** Every view in a real browser, with models instead of a cluster: its looks, its manners, and hostile texts. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  excessWidth,
  FURTHER_LOOKS,
  launchBrowser,
  LOOKS,
  noBrowser,
  violationsOn,
  WatchedPage,
} from './testing/browser.ts';
import { byExtent } from '../../e2e/lib/sample.ts';
import type { PlanModel } from '../data/models.ts';
import { FixtureServer } from './testing/fixture-server.ts';
import { MODELS } from './testing/models/all.ts';
import { hostileCatalog, hostileOverview, hostilePackage } from './testing/models/hostile.ts';

const VIEWS = Object.keys(MODELS);
/** The plan of another content of the same version, with the Revision that was made of it. */
const plannedAgain = JSON.parse(
  JSON.stringify(MODELS['/subscriptions/lights/beacon/plan']).replaceAll('sha256:4be1', 'sha256:0000').replaceAll('beacon-4', 'beacon-5'), // prettier-ignore
) as unknown;
const CHECKED_WITHIN_MS = 120_000;

describe.skipIf(noBrowser !== undefined)(
  `the pages in a browser${noBrowser === undefined ? '' : ` (${noBrowser})`}`,
  () => {
    const server = new FixtureServer({ models: MODELS });
    let browser: Browser;
    /** Of all tests but one that stores something. */
    let reused: Page;

    beforeAll(async () => {
      await server.start();
      browser = await launchBrowser();
      reused = (await WatchedPage.open(browser, server.url)).page;
    });
    afterAll(async () => {
      await browser?.close();
      await server.stop();
    });

    async function show(path: string, look = LOOKS.light): Promise<WatchedPage> {
      return shown(await WatchedPage.reuse(reused, server.url, look), path);
    }

    async function shown(watched: WatchedPage, path: string): Promise<WatchedPage> {
      await watched.page.goto(`${server.url}${path}`);
      await watched.page.locator('h1:not(.hidden)').waitFor();
      return watched;
    }

    /** `make stories` opens each view in each look; `make test`, each in one of them, in turn. */
    const viewsIn = (turn: number, looks: number): readonly string[] =>
      byExtent({ all: VIEWS, sample: VIEWS.filter((_, at) => at % looks === turn) });

    test.each(
      Object.entries({ ...LOOKS, ...FURTHER_LOOKS }).map(([name, look], turn, { length }) => ({
        name,
        look,
        views: viewsIn(turn, length),
      })),
    )(
      'every view is accessible, keeps the policy, asks no other server and fits the screen: $name',
      async ({ look, views }) => {
        const watched = await show('/overview', look);
        for (const path of views) {
          await watched.page.goto(`${server.url}${path}`);
          await watched.page.locator('h1:not(.hidden)').waitFor();
          expect(await violationsOn(watched.page), path).toEqual([]);
          expect(await excessWidth(watched.page), path).toBe(0);
        }
        expect(watched.faults).toEqual([]);
        await watched.close();
      },
      CHECKED_WITHIN_MS,
    );

    test.each(['forced colours', 'forced colours, dark'] as const)(
      'the current page and the graph are drawn in the colours of the system: %s',
      async (look) => {
        const { page, close } = bound(await show('/subscriptions/lights/beacon/graph', FURTHER_LOOKS[look]));
        await page.locator('.graph .node').first().waitFor();
        const colours = (selector: string, property: 'fill' | 'stroke' | 'borderBottomColor'): Promise<string[]> =>
          page.locator(selector).evaluateAll((found, name) => [...new Set(found.map((one) => getComputedStyle(one)[name]))], property); // prettier-ignore
        const system = async (name: string): Promise<string[]> => [
          await page.evaluate((colour) => {
            const probe = document.body.appendChild(document.createElement('i'));
            probe.style.setProperty('color', colour);
            const found = getComputedStyle(probe).color;
            probe.remove();
            return found;
          }, name),
        ];
        const canvas = await system('Canvas');
        for (const place of ['.bar nav a', '.tabs a']) {
          expect(await colours(`${place}:not([aria-current])`, 'borderBottomColor'), place).toEqual(canvas);
        }
        expect(await colours('.tabs a[aria-current]', 'borderBottomColor')).not.toEqual(canvas);
        expect(await colours('.graph .lane, .graph .node rect', 'fill')).toEqual(canvas);
        expect(await colours('.graph text', 'fill')).toEqual(await system('CanvasText'));
        expect(await colours('.graph .edge-on-path', 'stroke')).toEqual(await system('Highlight'));
        await close();
      },
    );

    test.each([
      { path: '/overview', model: hostileOverview },
      { path: '/catalog', model: hostileCatalog },
      { path: '/catalog/team/cert-manager', model: hostilePackage },
    ])(
      'a hostile catalog is shown as text, and runs nothing: $path',
      async ({ path, model }) => {
        const hostile = new FixtureServer({ models: { ...MODELS, [path]: model } });
        await hostile.start();
        const watched = await WatchedPage.reuse(reused, hostile.url, LOOKS.narrow);
        await watched.page.goto(`${hostile.url}${path}`);
        const heading = watched.page.locator('h1:not(.hidden)');
        await heading.waitFor();
        expect(await heading.textContent()).toContain('<script>window.pwned = 1</script>');
        await watched.page.evaluate(() => {
          for (const link of document.querySelectorAll<HTMLAnchorElement>('main a[href^="javascript:"]')) link.click();
        });
        expect(await watched.page.evaluate(() => 'pwned' in window)).toBe(false);
        expect(
          await watched.page.locator('main :is(script, iframe, form[action], style, object, embed, math)').count(),
        ).toBe(0);
        expect(await watched.page.locator('main img').count()).toBe(0);
        expect(await excessWidth(watched.page)).toBe(0);
        expect(watched.faults.filter((fault) => !/javascript:/.test(fault))).toEqual([]);
        await watched.close();
        await hostile.stop();
      },
      CHECKED_WITHIN_MS,
    );

    test('Markdown shows other HTML as text, and has links to https alone and headings in order', async () => {
      const rich = new FixtureServer({
        models: { '/catalog/team/cert-manager': { ...hostilePackage, links: [], channels: [] } },
      });
      await rich.start();
      const watched = await WatchedPage.reuse(reused, rich.url, LOOKS.light);
      await watched.page.goto(`${rich.url}/catalog/team/cert-manager`);
      const markdown = watched.page.locator('.markdown');
      await markdown.locator('strong', { hasText: 'bold' }).waitFor();
      const text = await markdown.textContent();
      expect(text).toContain('<img src=x onerror="window.pwned = 1">');
      expect(text).toContain('picture');
      const targets = await markdown
        .locator('a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
      expect(targets.filter((target) => target !== null && !target.startsWith('https://'))).toEqual([]);
      expect(await markdown.locator('h3').textContent()).toBe('Heading of a deep level');
      expect(await watched.page.evaluate(() => 'pwned' in window)).toBe(false);
      expect(watched.faults).toEqual([]);
      await watched.close();
      await rich.stop();
    });

    test('a deep link opens its view, and the tab has its title', async () => {
      const { page, close } = bound(await show('/subscriptions/lights/beacon/graph?version=3.0.0'));
      expect(await page.title()).toBe('Upgrade graph of lights/beacon · Slipway');
      expect(await page.getByRole('heading', { name: '3.0.0 is not installed' }).count()).toBe(1);
      await close();
    });

    test.each([
      { path: '/subscriptions/lights/beacon/graph', shown: 'The drawing could not be loaded' },
      { path: '/catalog/team/cert-manager', shown: 'adds certificates and issuers' },
    ])('a part that cannot be loaded is no error, and the view shows its text: $path', async ({ path, shown }) => {
      const watched = await WatchedPage.reuse(reused, server.url, LOOKS.light);
      await watched.page.route(/\/(layout|render)-[^/]*\.js$/, (route) => route.abort());
      await watched.page.goto(`${server.url}${path}`);
      await watched.page.getByText(shown).first().waitFor();
      await watched.page.waitForLoadState('networkidle');
      expect(watched.faults).toEqual([]);
      await watched.close();
    });

    test.each([
      { answer: 'is cut off', fulfil: { status: 200, contentType: 'application/json', body: '{"done":' } },
      { answer: 'never comes', fulfil: undefined },
    ])('an act whose answer $answer is said to be open, neither done nor refused', async ({ fulfil }) => {
      const watched = await show('/subscriptions/lights/beacon/plan');
      await watched.page.route('**/api/act', (route) => (fulfil === undefined ? route.abort() : route.fulfill(fulfil)));
      await watched.page.getByRole('button', { name: 'Approve 1.1.0', exact: true }).click();
      await watched.page.getByRole('dialog').getByRole('button', { name: 'Approve 1.1.0', exact: true }).click();
      await watched.page.getByText('Read in this view whether the act was carried out').waitFor();
      expect(watched.faults).toEqual([]);
      await watched.close();
    });

    test('the focus goes to the heading after a navigation, and the back button returns', async () => {
      const { page, close } = bound(await show('/overview'));
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
      await page.getByRole('link', { name: 'Read the plan' }).click();
      await page.getByRole('heading', { level: 1, name: 'Plan of lights/beacon' }).waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Plan of lights/beacon');
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/overview');
      await close();
    });

    test('a view that cannot be given says why and what to do next, as does an address without a view', async () => {
      const { page, close } = bound(await show('/subscriptions/lights/nothing'));
      expect(await page.locator('.problem').textContent()).toContain('Go to the overview');
      await page.goto(`${server.url}/no/such/view`);
      await page.getByRole('heading', { name: 'This view does not exist' }).waitFor();
      await close();
    });

    test('the keyboard alone walks through all views', async () => {
      const { page, close } = bound(await show('/overview'));
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Go to the content');
      for (const [keys, title] of [
        ['gc', 'Catalog'],
        ['ge', 'Events'],
        ['gs', 'Slipway itself'],
        ['go', 'Overview'],
      ] as const) {
        for (const key of keys) await page.keyboard.press(key);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
      }
      for (const step of WALK) {
        if ('link' in step) await pressOn(page, step.link);
        else for (const key of step.keys) await page.keyboard.press(key);
        await page.getByRole('heading', { level: 1, name: step.title }).waitFor();
      }
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      await close();
    });

    test('the arrow keys go through the versions of the upgrade graph, and Enter opens one', async () => {
      const { page, close } = bound(await show('/subscriptions/lights/beacon/graph'));
      const focused = (): Promise<string | null | undefined> =>
        page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      await page.locator('.graph a[tabindex="0"]').focus();
      expect(await focused()).toBe('3.0.0 refused head');
      await page.keyboard.press('ArrowLeft');
      expect(await focused()).toBe('2.0.0 available');
      await page.keyboard.press('ArrowDown');
      expect(await focused()).toMatch(/^4\.0\.0-rc\.1/);
      await page.keyboard.press('ArrowUp');
      const [version = ''] = (await focused())?.split(' ') ?? [];
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.search === `?version=${version}`);
      await close();
    });

    test('a change is drawn without a reload, and the focus stays', async () => {
      const own = new FixtureServer({ models: MODELS });
      await own.start();
      const watched = await WatchedPage.reuse(reused, own.url, LOOKS.light);
      const { page } = watched;
      await page.goto(`${own.url}/overview`);
      await page.getByLabel('Narrow the list').fill('beacon');
      own.push('/overview', { ...(MODELS['/overview'] as object), summary: '11 operators' });
      await page.getByText('11 operators').waitFor();
      expect(await page.getByLabel('Narrow the list').inputValue()).toBe('beacon');
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
      await own.stop();
      await page.getByText('Not connected', { exact: true }).waitFor();
      expect(await page.getByText('11 operators').count()).toBe(1);
      await own.start();
      await page.getByText('Live', { exact: true }).waitFor();
      await watched.close();
      await own.stop();
    });

    test('an approval is asked for, names the hash, and is sent once; its outcome is said', async () => {
      const own = new FixtureServer({ models: MODELS, act: () => ({ done: 'beacon-operator.v1.1.0 is approved' }) });
      await own.start();
      const watched = await WatchedPage.reuse(reused, own.url, LOOKS.light);
      const { page } = watched;
      await page.goto(`${own.url}/subscriptions/lights/beacon/plan`);
      await page.getByRole('button', { name: 'Approve 1.1.0', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Approve 1.1.0' });
      expect(await dialog.textContent()).toContain('sha256:4be1');
      expect(own.acts).toEqual([]);
      expect(await violationsOn(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Approve 1.1.0', exact: true }).click();
      await page.getByText('beacon-operator.v1.1.0 is approved').waitFor();
      expect(own.acts).toMatchObject([
        { kind: 'approve', revision: 'beacon-4', plan: expect.stringMatching(/^sha256:4be1/) },
      ]);
      await watched.close();
      await own.stop();
    });

    test('an approval is of the plan that the dialog showed when it was opened, and the page says that there is another one', async () => {
      const path = '/subscriptions/lights/beacon/plan';
      const own = new FixtureServer({ models: MODELS });
      await own.start();
      const watched = await WatchedPage.reuse(reused, own.url, LOOKS.light);
      const { page } = watched;
      await page.goto(`${own.url}${path}`);
      await page.getByRole('button', { name: 'Approve 1.1.0', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Approve 1.1.0' });
      const shown = await dialog.textContent();
      own.push(path, plannedAgain);
      await page.getByText('The plan has changed since this page was opened').waitFor();
      expect(await dialog.textContent()).toBe(shown);
      await dialog.getByRole('button', { name: 'Approve 1.1.0', exact: true }).click();
      await expect.poll(() => own.acts).toMatchObject([{ revision: 'beacon-4', plan: expect.stringMatching(/^sha256:4be1/) }]); // prettier-ignore
      await watched.close();
      await own.stop();
    });

    test('the page says that there is another plan, also if there was none for a while', async () => {
      const path = '/subscriptions/lights/beacon/plan';
      const own = new FixtureServer({ models: MODELS });
      await own.start();
      const watched = await WatchedPage.reuse(reused, own.url, LOOKS.light);
      const { page } = watched;
      await page.goto(`${own.url}${path}`);
      await page.getByRole('button', { name: 'Approve 1.1.0', exact: true }).waitFor();
      const { change: _c, hash: _h, approval: _a, ...none } = MODELS[path] as PlanModel;
      own.push(path, { ...none, buttons: [], empty: { message: 'Nothing changes', next: [] } });
      await page.getByText('Nothing changes').waitFor();
      own.push(path, plannedAgain);
      await page.getByRole('button', { name: 'Approve 1.1.0', exact: true }).waitFor();
      expect(await page.getByText('The plan has changed since this page was opened').count()).toBe(1);
      await watched.close();
      await own.stop();
    });

    test('no act is sent while the view of another choice of the person has not come', async () => {
      const own = new FixtureServer({ models: MODELS });
      await own.start();
      const watched = await WatchedPage.reuse(reused, own.url, LOOKS.light);
      const { page } = watched;
      await page.goto(`${own.url}/subscriptions/lights/beacon/uninstall`);
      const button = page.getByRole('button', { name: 'Uninstall beacon', exact: true });
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
      await page.route('**/api/live/**', (route) => route.abort());
      await page.getByRole('radio', { name: /^Block/ }).click();
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
      await button.click({ force: true });
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.unroute('**/api/live/**');
      await button.click();
      await page.getByRole('dialog').waitFor();
      expect(own.acts).toEqual([]);
      await watched.close();
      await own.stop();
    });

    test('no act is sent while the fields of a form are not in the address yet', async () => {
      const { page, close } = bound(await show('/subscribe?catalog=team&package=cert-manager&namespace=ops'));
      const button = page.getByRole('button', { name: 'Apply', exact: true });
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
      const first = await page.evaluate(() => {
        const apply = document.querySelector('.act button') as HTMLElement;
        const field = document.querySelector('input[name="namespace"]') as HTMLInputElement;
        const change = new Promise<readonly (string | null)[]>((resolve) => {
          const note = (): void => resolve([apply.getAttribute('aria-disabled'), location.search]);
          new MutationObserver(note).observe(apply, { attributes: true });
        });
        field.value = 'security';
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        return change;
      });
      expect(first).toEqual(['true', '?catalog=team&package=cert-manager&namespace=ops']);
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false');
      await close();
    });

    test('an act that destroys is sent only after its name is typed', async () => {
      const own = new FixtureServer({ models: MODELS });
      await own.start();
      const watched = await WatchedPage.reuse(reused, own.url, LOOKS.light);
      const { page } = watched;
      await page.goto(`${own.url}/subscriptions/lights/beacon/uninstall`);
      await page.getByRole('button', { name: 'Uninstall beacon', exact: true }).click();
      const dialog = page.getByRole('dialog');
      const confirm = dialog.getByRole('button', { name: 'Uninstall beacon', exact: true });
      await confirm.click({ force: true });
      expect(own.acts).toEqual([]);
      await dialog.getByRole('textbox').fill('beacon');
      await confirm.click();
      await expect.poll(() => own.acts).toMatchObject([{ kind: 'uninstall', name: 'beacon' }]);
      await watched.close();
      await own.stop();
    });

    test('an act without the right is explained, shows its line, and is not sent', async () => {
      const before = server.acts.length;
      const { page, close } = bound(await show('/overview'));
      const button = page.getByRole('button', { name: 'Ask the registry now', exact: true });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await button.click({ force: true });
      expect(server.acts.length).toBe(before);
      expect(await page.getByText('You may not patch Catalogs').count()).toBe(1);
      expect(await page.getByText('kubectl annotate catalogs.slipway.dev public').count()).toBe(1);
      await close();
    });

    test('the search answers while a person types, and is a part of the address', async () => {
      const { page, close } = bound(await show('/catalog'));
      await page.getByRole('searchbox').pressSequentially('kafka', { delay: 20 });
      await page.waitForURL(/\?search=kafka$/);
      await expect.poll(() => page.locator('.tile').count()).toBe(1);
      expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
      await page.getByRole('searchbox').fill('nothing like this');
      await page.getByText('No operator matches').waitFor();
      await close();
    });

    test('the form shows the YAML of its fields, for Git before it is applied', async () => {
      const { page, close } = bound(await show('/subscribe?catalog=team&package=cert-manager'));
      expect(await page.getByRole('button', { name: 'Apply', exact: true }).count()).toBe(0);
      await page.getByLabel('Namespace').fill('security');
      await page.getByLabel('Channel').selectOption('candidate');
      await page.getByText('namespace: security').first().waitFor();
      await page.getByText('channel: candidate').first().waitFor();
      const words = await page.locator('main').innerText();
      expect(words.indexOf('Copy for Git')).toBeLessThan(words.indexOf('kubectl create'));
      expect(await page.getByRole('button', { name: 'Apply', exact: true }).count()).toBe(1);
      await close();
    });

    test('the colours follow the choice of the person, also after a reload', async () => {
      const alone = await WatchedPage.open(browser, server.url);
      const { page, close } = bound(await shown(alone, '/overview'));
      const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await background();
      await page.keyboard.press('t');
      await page.keyboard.press('t');
      const dark = await background();
      expect(dark).not.toBe(light);
      await page.reload();
      await page.locator('h1:not(.hidden)').waitFor();
      expect(await background()).toBe(dark);
      await close();
    });
  },
);

/** The keys of a shortcut, or a link to find by Tab. */
type WalkStep = { readonly title: string | RegExp } & ({ readonly keys: string } | { readonly link: RegExp });

/** Links from view to view, each reached by Tab from the heading of the view before. */
const WALK: readonly WalkStep[] = [
  { keys: 'gc', title: 'Catalog' },
  { link: /^cert-manager/, title: /^cert-manager/ },
  { link: /^Subscribe…$/, title: /^Subscribe to/ },
  { keys: 'go', title: 'Overview' },
  { link: /^lights\/\s*beacon$/, title: 'lights/beacon' },
  { link: /^1\.0\.0$/, title: /beacon-3/ },
  { link: /^Subscription lights\/beacon$/, title: 'lights/beacon' },
  { link: /^Upgrade graph$/, title: /^Upgrades? / },
  { link: /^Plan$/, title: 'Plan of lights/beacon' },
  { link: /^Uninstall$/, title: /^Uninstall/ },
];

/** Presses Tab until the focus is on a link with these words, and then Enter; each part with the focus has to show it. */
async function pressOn(page: WatchedPage['page'], words: RegExp): Promise<void> {
  const MOST_TABS = 150;
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return { text: element.innerText.trim(), isLink: element.tagName === 'A', isSeen: outlineStyle !== 'none' && outlineWidth !== '0px', html: element.outerHTML.slice(0, 200) }; // prettier-ignore
    });
    // After the last part of the page the focus is in the browser itself.
    if (!focused.html.startsWith('<body')) expect(focused.isSeen, `the focus is seen on ${focused.html}`).toBe(true);
    if (focused.isLink && words.test(focused.text)) return page.keyboard.press('Enter');
  }
  throw new Error(`Tab does not lead to ${words.source}`);
}

/** The page, and how it is closed after checking that nothing went wrong on it. */
function bound(watched: WatchedPage): { readonly page: WatchedPage['page']; readonly close: () => Promise<void> } {
  return {
    page: watched.page,
    close: async () => {
      expect(watched.faults).toEqual([]);
      await watched.close();
    },
  };
}
