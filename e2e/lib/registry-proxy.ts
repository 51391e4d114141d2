/** A proxy before the registry: records requests, and injects the faults that a test asks for. */
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Fault =
  /** No answer, ever. */
  | { readonly kind: 'silence' }
  /** The registry's own answer, after a while. */
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** The registry's own answer, of which nothing more comes after so many bytes. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** The registry's own answer with its last byte changed. */
  | { readonly kind: 'alter' }
  | { readonly kind: 'refuse'; readonly status: number; readonly headers?: Readonly<Record<string, string>> };

/** The fault for a request of that path; undefined if it is passed on. */
export type Meddle = (path: string) => Fault | undefined;

export interface RegistryProxy extends AsyncDisposable {
  /** `host:port`, to be used in place of the registry's. */
  readonly address: string;
  /** Replaces the former function; without one every request is passed on. */
  meddle(how?: Meddle): void;
  /** Resolves once something is asked for whose path matches; that request gets no answer. */
  holdNext(path: RegExp): Promise<void>;
}

export async function startRegistryProxy(registry: string): Promise<RegistryProxy> {
  let faultOf: Meddle = () => undefined;
  const server = createServer((near, answer) => pass(registry, { near, answer, fault: faultOf(near.url ?? '') }));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    meddle(how = () => undefined) {
      faultOf = how;
    },
    holdNext(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      faultOf = (asked) => {
        if (!path.test(asked)) return undefined;
        faultOf = () => undefined;
        resolve();
        return { kind: 'silence' };
      };
      return promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((done) => void server.close(() => done()));
    },
  };
}

interface Passing {
  readonly near: IncomingMessage;
  readonly answer: ServerResponse;
  readonly fault: Fault | undefined;
}

function pass(registry: string, { near, answer, fault }: Passing): void {
  if (fault?.kind === 'silence') return;
  if (fault?.kind === 'refuse') {
    near.resume();
    answer.writeHead(fault.status, fault.headers).end();
    return;
  }
  const { hostname, port } = new URL(`http://${registry}`);
  const { method, headers, url: path } = near;
  const far = ask({ hostname, port, method, headers, path }, (response) => {
    const begin = (): void => void relay(response, answer, fault);
    if (fault?.kind === 'delay') setTimeout(begin, fault.milliseconds);
    else begin();
  });
  far.on('error', () => answer.destroy());
  near.pipe(far);
}

async function relay(response: IncomingMessage, answer: ServerResponse, fault: Fault | undefined): Promise<void> {
  answer.writeHead(response.statusCode ?? 502, response.headers);
  if (fault?.kind !== 'stall' && fault?.kind !== 'alter') return void response.pipe(answer);
  const body = Buffer.concat(await response.toArray());
  if (fault.kind === 'stall') return void answer.write(body.subarray(0, fault.afterBytes));
  const last = body.length - 1;
  if (last >= 0) body[last] = (body[last] as number) ^ 1;
  answer.end(body);
}
