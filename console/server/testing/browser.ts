/** A browser with a jar of cookies, as far as tests need one: it keeps what it is given, and follows nothing by itself. */
import { request, type RequestOptions } from 'node:http';

export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export interface BrowserRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #address: string;

  /** @param address Of the console, without a slash at the end. */
  constructor(address: string) {
    this.#address = address;
  }

  /** Sends the path exactly as it is, which `fetch` would tidy. */
  async send(path: string, { method = 'GET', headers = {}, body }: BrowserRequest = {}): Promise<BrowserAnswer> {
    const { hostname, port } = new URL(this.#address);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return new Promise((resolve, reject) => {
      const sent: RequestOptions = { host: hostname, port, method, path, headers: { ...(cookie !== '' && { cookie }), ...headers } }; // prettier-ignore
      const asked = request(sent, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => void (text += piece));
        response.on('end', () => {
          this.#keep(response.headers['set-cookie'] ?? []);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      asked.on('error', reject).end(body);
    });
  }

  /** An act as the pages send it. */
  async act(path: string, body: unknown, headers: BrowserRequest['headers'] = {}): Promise<BrowserAnswer> {
    const { text } = await this.send('/api/session');
    const { csrf = '' } = JSON.parse(text) as { readonly csrf?: string };
    const own = { 'content-type': 'application/json', 'x-csrf-token': csrf, origin: this.#address };
    return this.send(path, { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify(body) });
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (attributes.some((one) => /^max-age=0$/i.test(one))) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
