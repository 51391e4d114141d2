/** The errors of a kubeconfig: one that a person has to correct, and one of a credential source that may recover. */
import { ReasonedError } from '../../api/errors.ts';

/** ReasonedError(KubeconfigInvalid, never). */
export function invalidKubeconfig(message: string, hint: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'KubeconfigInvalid',
    retry: 'never',
    message,
    hint,
    ...(cause !== undefined && { cause }),
  });
}

/** ReasonedError(CredentialsUnavailable, backoff): the network or the person's login may recover. */
export function noCredentials(message: string, hint: string, cause?: unknown): ReasonedError {
  return new ReasonedError({
    reason: 'CredentialsUnavailable',
    retry: 'backoff',
    message,
    hint,
    ...(cause !== undefined && { cause }),
  });
}
