/** The trusted roots of demands for signatures: the one that ships with Slipway, or that of a ConfigMap. */
import { createHash } from 'node:crypto';
import type { Cluster } from '../api/cluster.ts';
import { ReasonedError } from '../api/errors.ts';
import type { Verify } from '../api/verify.ts';
import type { TrustRoot } from '../signatures/policy.ts';

export interface TrustedRootDeps {
  readonly cluster: Pick<Cluster, 'get'>;
  /** The manager's namespace. */
  readonly namespace: string;
}

/** A trusted root that is parsed only if it is needed. */
export interface ReadRoot {
  readonly hash: string;
  readonly parse: () => Promise<TrustRoot>;
}

/** The trusted root of a demand. Throws InvalidSpec (retried) if its ConfigMap cannot be used. */
export async function readTrustedRoot(
  deps: TrustedRootDeps,
  { trustedRoot }: Verify,
  signal: AbortSignal,
): Promise<ReadRoot> {
  if (trustedRoot === undefined) return { hash: 'public', parse: parsePublicRoot };
  const place = `ConfigMap ${deps.namespace}/${trustedRoot.name}`;
  const text = await readRoot(deps, { name: trustedRoot.name, place }, signal);
  const parse = async (): Promise<TrustRoot> => {
    const { parseTrustedRoot } = await import('../signatures/trusted-root.ts');
    return parseTrustedRoot(text, place, FOR_TENANTS);
  };
  return { hash: createHash('sha256').update(text).digest('hex'), parse };
}

const FOR_TENANTS = 'the trusted root of the signatures cannot be used. Ask an administrator of the cluster';

async function parsePublicRoot(): Promise<TrustRoot> {
  const [{ parseTrustedRoot }, { PUBLIC_ROOT }] = await Promise.all([
    import('../signatures/trusted-root.ts'),
    import('../signatures/public-root.ts'),
  ]);
  return parseTrustedRoot(PUBLIC_ROOT, 'this version of Slipway');
}

async function readRoot(
  { cluster, namespace }: TrustedRootDeps,
  { name, place }: { readonly name: string; readonly place: string },
  signal: AbortSignal,
): Promise<string> {
  const found = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name }, signal);
  const text = (found?.['data'] as Readonly<Record<string, string>> | undefined)?.['trusted_root.json'];
  if (text !== undefined) return text;
  throw new ReasonedError({
    reason: 'InvalidSpec',
    retry: 'backoff',
    message: `${place} ${found === undefined ? 'does not exist' : 'has no trusted_root.json'}`,
    hint: 'Create it from the trusted_root.json of the Sigstore instance that signs',
    forTenants: FOR_TENANTS,
  });
}
