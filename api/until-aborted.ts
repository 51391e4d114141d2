/** Waits for work that others wait for too. */

/**
 * The result of the work. If `signal` aborts, the wait ends with its reason, and the work goes on for other callers. A caller that was
 * aborted before begins none, as it would not handle its failure.
 */
export async function untilAborted<Result>(
  begin: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return begin();
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([begin(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
