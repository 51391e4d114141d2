/** Logs work that takes long while it runs: a hanging reconcile would otherwise go unnoticed. */
import type { Cancel, Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** Normal work is shorter, except for the content of a very large catalog. */
const FIRST_SECONDS = 60;

/**
 * Logs after a minute, and then each time that the duration has doubled; call the returned function when the work ends.
 */
export function reportWhileLong(log: Log, clock: Clock): Cancel {
  let cancel: Cancel;
  const reportIn = (wait: number, seconds: number): Cancel =>
    clock.after(wait, () => {
      log.warn({ seconds }, 'a reconcile is still under way');
      cancel = reportIn(seconds, 2 * seconds);
    });
  cancel = reportIn(FIRST_SECONDS, FIRST_SECONDS);
  return () => cancel();
}
