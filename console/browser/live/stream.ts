/**
 * The data of the shown view, kept fresh by one EventSource. While the connection is lost, the browser itself reconnects and
 * names the last data that it has; when the server refuses the connection, this class backs off and asks again.
 */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Problem } from '../../data/view.ts';

/** `connecting` at first, `live` while events arrive, `lost` until the server answers again. */
export type Connection = 'connecting' | 'live' | 'lost';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Milliseconds to wait before a connection that was refused so many times in a row is tried again. */
export function pauseAfter(refusals: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, refusals - 1));
}

/** State of the view: there is a model, or a problem, or neither yet. */
export class LiveView {
  readonly #model = signal<unknown>(undefined);
  readonly #problem = signal<Problem | undefined>(undefined);
  readonly #connection = signal<Connection>('connecting');
  readonly #refused: (url: string) => Promise<Problem | undefined>;
  #source: EventSource | undefined;
  #timer: number | undefined;
  #url = '';
  #refusals = 0;

  /** `refused` is called whenever the server refuses the connection; it finds out why. */
  constructor(refused: (url: string) => Promise<Problem | undefined>) {
    this.#refused = refused;
    window.addEventListener('online', () => this.#retryNow());
  }

  get model(): ReadonlySignal<unknown> {
    return this.#model;
  }

  get problem(): ReadonlySignal<Problem | undefined> {
    return this.#problem;
  }

  get connection(): ReadonlySignal<Connection> {
    return this.#connection;
  }

  /** Shows another view. The data of the one before are dropped, except if `keep` says that it is the same question. */
  show(url: string, { keep = false } = {}): void {
    if (url === this.#url) return;
    this.#url = url;
    if (!keep) this.#model.value = undefined;
    this.#problem.value = undefined;
    this.#refusals = 0;
    this.#open();
  }

  /** Asks for the view again at once, for instance when the user wishes so. */
  refresh(): void {
    this.#refusals = 0;
    this.#open();
  }

  #open(): void {
    this.#close();
    const source = new EventSource(`/api/live${this.#url}`);
    this.#source = source;
    source.addEventListener('open', () => this.#opened());
    source.addEventListener('view', (event) => this.#receive(event as MessageEvent<string>));
    source.addEventListener('problem', (event) => this.#fail(event as MessageEvent<string>));
    source.addEventListener('error', () => this.#lost(source));
  }

  #opened(): void {
    this.#refusals = 0;
    this.#connection.value = 'live';
  }

  #receive({ data }: MessageEvent<string>): void {
    this.#problem.value = undefined;
    this.#model.value = JSON.parse(data);
  }

  #fail({ data }: MessageEvent<string>): void {
    this.#problem.value = JSON.parse(data) as Problem;
  }

  #lost(source: EventSource): void {
    this.#connection.value = 'lost';
    if (source.readyState !== EventSource.CLOSED) return;
    this.#refusals += 1;
    void this.#explain(this.#url);
    this.#timer = window.setTimeout(() => this.#open(), pauseAfter(this.#refusals));
  }

  async #explain(url: string): Promise<void> {
    const problem = await this.#refused(url);
    if (problem !== undefined && url === this.#url) this.#problem.value = problem;
  }

  #retryNow(): void {
    if (this.#connection.value === 'lost') this.refresh();
  }

  #close(): void {
    window.clearTimeout(this.#timer);
    this.#source?.close();
  }
}
