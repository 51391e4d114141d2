/** Runs what probes ask about, each within a time. */

/**
 * Something that must hold; throws or rejects if it does not, and may say more if it does. Clients of other namespaces
 * may read that: it names no object of the cluster.
 */
export type HealthCheck = () => string | undefined | Promise<string | undefined>;

export interface Checks {
  /** For `/readyz`: whether the replica is of use. */
  readonly ready: ReadonlyMap<string, HealthCheck>;
  /** For `/healthz`: if one fails, the process had better be started again. */
  readonly live: ReadonlyMap<string, HealthCheck>;
  /** A check that has not answered after this time has failed; CHECK_MS by default. */
  readonly checkMs?: number;
}

/** Less than probes wait, so that the answer says which check it was. */
export const CHECK_MS = 2000;

/** Every check, run now: whether all hold, and a line for each if one fails or if that is asked for. */
export async function answerChecks(
  checks: ReadonlyMap<string, HealthCheck>,
  { verbose, checkMs = CHECK_MS }: { readonly verbose: boolean; readonly checkMs: number | undefined },
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const results = await Promise.all([...checks].map(([name, check]) => runCheck(name, check, checkMs)));
  const failed = results.some(({ ok }) => !ok);
  const lines = results.map(({ name, ok, message }) =>
    [`[${ok ? '+' : '-'}]${name}`, ok ? 'ok' : 'failed', message].filter((part) => part !== '').join(' '),
  );
  return { ok: !failed, text: (verbose && lines.length > 0) || failed ? `${lines.join('\n')}\n` : 'ok\n' };
}

interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

async function runCheck(name: string, check: HealthCheck, checkMs: number): Promise<CheckResult> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${checkMs / 1000} s`)), checkMs);
  try {
    return { name, ok: true, message: (await Promise.race([check(), late.promise])) ?? '' };
  } catch (error) {
    return { name, ok: false, message: (error as Error).message };
  } finally {
    clearTimeout(timer);
  }
}
