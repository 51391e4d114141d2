/** Who the user of a connection is, as the API server says. */
import { fieldsOf, textOf } from '../../api/untyped.ts';
import { isForbidden, isNotFound } from '../../api/api-answers.ts';
import type { Transport } from '../../kube/transport/transport.ts';
import type { Person } from './person.ts';

/** @throws ApiError if the API server does not answer, or refuses the credentials */
export async function whoAmI(transport: Pick<Transport, 'request'>, signal: AbortSignal): Promise<Person> {
  try {
    const answer = await transport.request({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      subject: 'create SelfSubjectReview',
      idempotent: true,
      signal,
    });
    const { username, groups } = fieldsOf(fieldsOf(fieldsOf(JSON.parse(answer.text()))['status'])['userInfo']);
    const names = Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [];
    return { user: textOf(username) || UNKNOWN, groups: names };
  } catch (error) {
    // Its rights count, and those the API server knows in any case.
    if (isForbidden(error) || isNotFound(error)) return { user: UNKNOWN, groups: [] };
    throw error;
  }
}

const UNKNOWN = 'the user of the kubeconfig';
