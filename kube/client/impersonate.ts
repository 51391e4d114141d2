/** Acts as another user over the same connections. */
import type { Transport } from '../transport/transport.ts';

/** The user to act as: the API server checks the request against that user's rights. */
export interface ImpersonatedUser {
  readonly user: string;
  readonly groups?: readonly string[];
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation */
export function impersonating(transport: Transport, { user, groups = [] }: ImpersonatedUser): Transport {
  const headers = { 'impersonate-user': user, ...(groups.length > 0 && { 'impersonate-group': groups }) };
  return {
    request: (request) => transport.request({ ...request, headers: { ...request.headers, ...headers } }),
    stream: (request) => transport.stream({ ...request, headers: { ...request.headers, ...headers } }),
    close: () => transport.close(),
  };
}
