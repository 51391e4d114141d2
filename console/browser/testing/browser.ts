/** Chromium for tests, and the checks that every view has to pass. Tests count as skipped if the machine has no browser. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';

/** Why tests with a browser cannot run here; undefined if they can. */
export const noBrowser: string | undefined = existsSync(PROGRAM)
  ? undefined
  : `${PROGRAM} is missing: apt-get install chromium`;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-gpu'] });
}

const AXE: string = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The ways in which each view is checked. */
export const LOOKS: Readonly<Record<'light' | 'dark' | 'narrow', BrowserContextOptions>> = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  narrow: { colorScheme: 'light', viewport: { width: 320, height: 740 } },
};

/** Further ways, which have no pictures in the documentation: high contrast by the system, and a screen of 4K. */
export const FURTHER_LOOKS: Readonly<Record<'forced colours' | 'forced colours, dark' | '4K', BrowserContextOptions>> =
  {
    'forced colours': { forcedColors: 'active', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
    'forced colours, dark': { forcedColors: 'active', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
    '4K': { colorScheme: 'light', viewport: { width: 3840, height: 2160 } },
  };

/** A page of its own, and all that went wrong on it: violations of the policy, errors, requests to elsewhere. */
export class WatchedPage {
  readonly page: Page;
  readonly faults: string[] = [];

  readonly #close: () => Promise<void>;

  private constructor(page: Page, own: string, close: () => Promise<void>) {
    this.page = page;
    this.#close = close;
    page.on('pageerror', ({ message }) => this.faults.push(`error: ${message}`));
    page.on('console', (line) => {
      if (/Content Security Policy|TrustedHTML|Refused to/i.test(line.text())) this.faults.push(line.text());
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(own) && !url.startsWith('data:')) this.faults.push(`request to ${url}`);
    });
    page.on('dialog', (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }

  /** In a context of its own, which is closed with it: nothing is stored before, nor stays. */
  static async open(browser: Browser, own: string, look: BrowserContextOptions = LOOKS.light): Promise<WatchedPage> {
    const context = await browser.newContext({ reducedMotion: 'reduce', timezoneId: 'Europe/Berlin', ...look });
    return new WatchedPage(await context.newPage(), own, () => context.close());
  }

  /** On a page that others have used before, and that stays: its start takes more of the processor than most tests. */
  static async reuse(page: Page, own: string, look: BrowserContextOptions): Promise<WatchedPage> {
    page.removeAllListeners();
    await page.unrouteAll();
    const { colorScheme = null, forcedColors = null, viewport } = look;
    await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' });
    if (viewport) await page.setViewportSize(viewport);
    return new WatchedPage(page, own, async () => void (await page.goto('about:blank')));
  }

  async close(): Promise<void> {
    await this.#close();
  }
}

/**
 * The violations that axe-core finds on the page as it is now, one line each. Contrast is not judged while the system forces
 * its colours: axe-core reads those of the style sheet, which are not drawn.
 */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  // its evaluation goes past the policy of the page, as the tools of a developer do
  await page.evaluate(AXE);
  const isForced = await page.evaluate<boolean>("matchMedia('(forced-colors: active)').matches");
  return page.evaluate(async (judgesContrast) => {
    const { axe } = globalThis as unknown as { readonly axe: { run(options: object): Promise<AxeResult> } };
    const { violations } = await axe.run({ rules: { 'color-contrast': { enabled: judgesContrast } } });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html.slice(0, 200)}`);
  }, !isForced);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** By how many pixels the page is wider than the window; 0 is right. */
export function excessWidth(page: Page): Promise<number> {
  const root = 'document.documentElement';
  return page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`);
}
