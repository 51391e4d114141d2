/**
 * Loaded into a manager before its program: SIGUSR2 sets the wall clock of the process forward and SIGPWR sets it back, by
 * the seconds in CHAOS_CLOCK_MOVES, as a wrong time server would. The monotonic clock goes on.
 */
const moves = Number(process.env['CHAOS_CLOCK_MOVES']) * 1000;
const real = Date.now.bind(Date);
let offset = 0;

class MovedDate extends Date {
  constructor(...given: readonly unknown[]) {
    // the overloads of Date are those of its arguments
    super(...((given.length === 0 ? [real() + offset] : given) as [number]));
  }
  static override now(): number {
    return real() + offset;
  }
}

globalThis.Date = MovedDate as DateConstructor;
process.on('SIGUSR2', () => move(moves));
process.on('SIGPWR', () => move(-moves));

/** The line in the log shows that the signal has arrived. */
function move(milliseconds: number): void {
  offset += milliseconds;
  process.stdout.write(`the clock was moved, and is ${offset / 1000} s ahead\n`);
}
