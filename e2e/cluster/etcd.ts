/** Reads and writes the keys of etcd past the API server, which learns of each change by its watches. */

/** Where the API server keeps its objects. */
const OBJECTS = '/registry/';
/** The first key behind them: the character after the slash. */
const BEHIND_OBJECTS = '/registry0';
/** @see https://etcd.io/docs/v3.6/op-guide/configuration/ `--max-txn-ops` */
const CHANGES_AT_ONCE = 128;

export interface Entry {
  readonly key: string;
  /** In base64, as the gateway has it. */
  readonly value: string;
  /** The revision of the last change. */
  readonly revision: string;
}

/** A key that is given a value, or that is removed if there is none. */
export interface Change {
  readonly key: string;
  readonly value?: string;
}

/** One etcd without a password, reached by its JSON gateway. @see https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/ */
export class Etcd {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** All objects with their values. */
  async read(): Promise<readonly Entry[]> {
    return await this.range({});
  }

  /** Key → revision of the last change, of all objects. */
  async revisions(): Promise<ReadonlyMap<string, string>> {
    return new Map((await this.range({ keys_only: true })).map(({ key, revision }) => [key, revision]));
  }

  /** Carries the changes out in their order. */
  async change(changes: readonly Change[]): Promise<void> {
    for (let at = 0; at < changes.length; at += CHANGES_AT_ONCE) {
      const some = changes.slice(at, at + CHANGES_AT_ONCE);
      await this.ask('txn', {
        success: some.map(({ key, value }) =>
          value === undefined
            ? { requestDeleteRange: { key: encode(key) } }
            : { requestPut: { key: encode(key), value } },
        ),
      });
    }
  }

  private async range(options: Readonly<Record<string, unknown>>): Promise<readonly Entry[]> {
    const asked = { key: encode(OBJECTS), range_end: encode(BEHIND_OBJECTS), ...options };
    const { kvs = [] } = await this.ask<{ readonly kvs?: readonly Record<string, string>[] }>('range', asked);
    return kvs.map((one) => ({ key: decode(one['key']!), value: one['value'] ?? '', revision: one['mod_revision']! }));
  }

  private async ask<T>(verb: string, body: unknown): Promise<T> {
    const answer = await fetch(`${this.#url}/v3/kv/${verb}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd answered ${verb} with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
}

function encode(key: string): string {
  return Buffer.from(key).toString('base64');
}

function decode(key: string): string {
  return Buffer.from(key, 'base64').toString();
}
