/** Tokens of ServiceAccounts, issued by the API server as a kubelet asks for them. */
import type { Admin } from './admin.ts';

export interface TokenOptions {
  /** The audience of the token; the API server if absent. */
  readonly audience?: string;
  /** At least 600, as the API server demands; default one hour. */
  readonly expirationSeconds?: number;
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Requests a token. Throws if the ServiceAccount does not exist. */
export async function requestToken(
  admin: Admin,
  { namespace, name }: ServiceAccountName,
  { audience, expirationSeconds = 3600 }: TokenOptions = {},
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const spec = { expirationSeconds, ...(audience === undefined ? {} : { audiences: [audience] }) };
  const answer = await admin.call('POST', path, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });
  return (answer['status'] as { readonly token: string }).token;
}
