/**
 * The data of the shown view, kept fresh by one EventSource. While the connection is lost, the browser itself reconnects and
 * names the last data that it has; when the server refuses the connection, this class backs off and asks again.
 */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Problem } from '../../data/view.ts';
import type { PortKey } from '../shell/key.ts';

/** `connecting` at first and after the page was hidden, `live` while events arrive, `lost` until the server answers again. */
export type Connection = 'connecting' | 'live' | 'lost';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Milliseconds to wait before a connection that was refused so many times in a row is tried again. */
export function pauseAfter(refusals: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, refusals - 1));
}

/** What the server has sent about a view: a model, or a problem, or neither yet. */
export interface Received {
  readonly model?: unknown;
  readonly problem?: Problem;
}

/** State: the shown view, its connection, and the data that have been received. */
export class LiveView {
  readonly #received = signal<Received & { readonly url: string }>({ url: '' });
  readonly #connection = signal<Connection>('connecting');
  readonly #refused: (url: string) => Promise<Problem | undefined>;
  #source: EventSource | undefined;
  #timer: number | undefined;
  readonly #url = signal('');
  #lastId = '';
  #refusals = 0;

  readonly #key: Pick<PortKey, 'in'>;

  /** `refused` is called whenever the server refuses the connection; it finds out why. */
  constructor(refused: (url: string) => Promise<Problem | undefined>, key: Pick<PortKey, 'in'>) {
    this.#refused = refused;
    this.#key = key;
    window.addEventListener('online', () => this.#retryNow());
    document.addEventListener('visibilitychange', () => this.#turn());
  }

  /** What is known about the view of a path; never anything about another one. */
  about(path: string): Received {
    const received = this.#received.value;
    return pathOf(received.url) === path ? received : {};
  }

  /** Whether the data are those of the address, query included, and are kept fresh: only then acts may follow from them. */
  get isCurrent(): boolean {
    return this.#connection.value === 'live' && this.#received.value.url === this.#url.value;
  }

  get connection(): ReadonlySignal<Connection> {
    return this.#connection;
  }

  /** Shows the view of an address. If only the query differs, the data stay until those of the new one arrive. */
  show(url: string): void {
    if (url === this.#url.value) return;
    this.#url.value = url;
    this.#lastId = '';
    if (pathOf(this.#received.value.url) !== pathOf(url)) this.#received.value = { url };
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
    if (document.hidden) return;
    const source = new EventSource(this.#address);
    this.#source = source;
    source.addEventListener('open', () => this.#opened());
    source.addEventListener('view', (event) => this.#receive(event as MessageEvent<string>));
    source.addEventListener('problem', (event) => this.#fail(event as MessageEvent<string>));
    source.addEventListener('error', () => this.#lost(source));
  }

  /** A new EventSource sends no header of the last data: the address names them. */
  get #address(): string {
    const address = this.#key.in(`/api/live${this.#url.value}`);
    if (this.#lastId === '') return address;
    return `${address}${address.includes('?') ? '&' : '?'}lastEventId=${encodeURIComponent(this.#lastId)}`;
  }

  /** A browser has six connections for a host, and each tab has a stream: one that is not shown gives up its own. */
  #turn(): void {
    if (document.hidden) {
      this.#close();
      this.#connection.value = 'connecting';
    } else if (this.#source === undefined && this.#url.value !== '') this.#open();
  }

  #opened(): void {
    this.#refusals = 0;
    this.#connection.value = 'live';
  }

  #receive({ data, lastEventId }: MessageEvent<string>): void {
    this.#lastId = lastEventId;
    this.#received.value = { url: this.#url.value, model: JSON.parse(data) as unknown };
  }

  #fail({ data }: MessageEvent<string>): void {
    this.#lastId = '';
    this.#received.value = { url: this.#url.value, problem: JSON.parse(data) as Problem };
  }

  #lost(source: EventSource): void {
    this.#connection.value = 'lost';
    if (source.readyState !== EventSource.CLOSED) return;
    this.#refusals += 1;
    void this.#explain(this.#url.value);
    this.#timer = window.setTimeout(() => this.#open(), pauseAfter(this.#refusals));
  }

  async #explain(url: string): Promise<void> {
    const problem = await this.#refused(url);
    if (problem !== undefined && url === this.#url.value) this.#received.value = { url, problem };
  }

  #retryNow(): void {
    if (this.#connection.value === 'lost') this.refresh();
  }

  #close(): void {
    window.clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = undefined;
  }
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
