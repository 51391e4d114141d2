/** Tells of work that takes long while it is under way: what hangs is seen in nothing else but that something is missing. */
import type { Cancel, Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** Nothing that goes well takes so long, but for the content of a very large catalog. */
const FIRST_SECONDS = 60;

/** Logs after a minute, and then each time that it has taken twice as long; call what is returned when it has ended. */
export function tellWhileLong(log: Log, clock: Clock): Cancel {
  let cancel: Cancel;
  const tellIn = (wait: number, seconds: number): Cancel =>
    clock.after(wait, () => {
      log.warn({ seconds }, 'a reconcile is still under way');
      cancel = tellIn(seconds, 2 * seconds);
    });
  cancel = tellIn(FIRST_SECONDS, FIRST_SECONDS);
  return () => cancel();
}
