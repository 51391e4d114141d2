/**
 * Milliseconds to wait before each further attempt to write or delete an object that another program changes: the controllers
 * of Kubernetes write to a Deployment several times within one second of its change. As in client-go's `retry.DefaultBackoff`.
 */
export const PAUSES_IN_MS: readonly number[] = [10, 50, 200, 400];
