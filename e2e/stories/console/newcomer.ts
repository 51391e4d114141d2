/** A person who sees the console for the first time, in a browser: clicks are counted from the first page on. */
import type { Browser, Locator } from 'playwright-core';
import { LOOKS, WatchedPage } from '../../../console/browser/testing/browser.ts';
import type { ConsoleProcess } from '../../console/console-process.ts';

/** State: a browser of its own, and how often it was clicked. */
export class Newcomer {
  readonly watched: WatchedPage;
  readonly #origin: string;
  #clicks = 0;

  private constructor(watched: WatchedPage, origin: string) {
    this.watched = watched;
    this.#origin = origin;
  }

  /** Opens the address that the command prints, which works once for each start. */
  static async open(browser: Browser, console: ConsoleProcess, look = LOOKS.light): Promise<Newcomer> {
    const watched = await WatchedPage.open(browser, console.origin, look);
    await watched.page.goto(console.address);
    const newcomer = new Newcomer(watched, console.origin);
    await newcomer.heading('Overview').waitFor();
    return newcomer;
  }

  get page(): WatchedPage['page'] {
    return this.watched.page;
  }

  get clicks(): number {
    return this.#clicks;
  }

  /** Begins again at the first page. */
  async start(): Promise<void> {
    await this.go('/overview');
    this.#clicks = 0;
  }

  /** Opens the address of a view by itself. */
  async go(path: string): Promise<void> {
    await this.page.goto(`${this.#origin}${path}`);
    await this.drawn();
  }

  async click(target: Locator): Promise<void> {
    this.#clicks += 1;
    await target.click();
  }

  /** Until there is more than the frame of a view. */
  async drawn(): Promise<void> {
    await this.page.locator('h1:not(.hidden)').waitFor();
  }

  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { level: 1, name });
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('main').getByRole('link', { name });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('main').getByRole('button', { name });
  }
}
