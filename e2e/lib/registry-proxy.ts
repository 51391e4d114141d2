/** A proxy before the registry, which injects the faults that a test asks for. */
import { startFaultProxy, type Fault } from './fault-proxy.ts';

export type { Fault } from './fault-proxy.ts';

/** The fault for a request of that path; undefined if it is passed on. */
export type Meddle = (path: string) => Fault | undefined;

export interface RegistryProxy extends AsyncDisposable {
  /** `host:port`, to be used in place of the registry's. */
  readonly address: string;
  /** Replaces the former function; without one every request is passed on. */
  meddle(how?: Meddle): void;
  /** Resolves once something is asked for whose path matches; that request gets no answer. */
  holdNext(path: RegExp): Promise<void>;
  /** From now on no byte passes, until the returned function is called. */
  partition(): () => void;
}

export async function startRegistryProxy(registry: string): Promise<RegistryProxy> {
  const proxy = await startFaultProxy({ upstream: new URL(`http://${registry}`) });
  return {
    address: `localhost:${proxy.port}`,
    meddle: (how = () => undefined) => proxy.meddle(({ path }) => how(path)),
    holdNext(path) {
      const { promise, resolve } = Promise.withResolvers<void>();
      proxy.meddle((asked) => {
        if (!path.test(asked.path)) return undefined;
        proxy.meddle();
        resolve();
        return { kind: 'silence' };
      });
      return promise;
    },
    partition: () => proxy.partition(),
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
