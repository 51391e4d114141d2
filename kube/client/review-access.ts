/** Asks the API server whether the account of a client has a right. */
import { readable } from '../../api/api-error.ts';
import { isForbidden } from '../../api/api-answers.ts';
import { formatJson } from '../../api/json.ts';
import type { Transport } from '../transport/transport.ts';

/** An action that an account may or may not perform. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  /** The plural of paths: `widgets`. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A request to a path of the API server that is no resource. */
export interface PathAccess {
  readonly verb: string;
  readonly path: string;
}

/**
 * The API server answers a review and stores nothing. Every account may ask about itself, unless an administrator
 * revoked that right.
 */
export async function reviewAccess(
  transport: Transport,
  access: Access | PathAccess,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const [apiVersion, kind] = ['authorization.k8s.io/v1', 'SelfSubjectAccessReview'];
  const subject = `create ${kind}`;
  try {
    const response = await transport.request({
      method: 'POST',
      path: `/apis/${apiVersion}/${kind.toLowerCase()}s`,
      headers: { 'content-type': 'application/json' },
      body: formatJson({
        apiVersion,
        kind,
        spec: 'path' in access ? { nonResourceAttributes: access } : { resourceAttributes: access },
      }),
      subject,
      idempotent: true,
      signal,
    });
    const answer = readable(subject, () => JSON.parse(response.text()) as { status?: { allowed?: unknown } });
    return answer.status?.allowed === true;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
