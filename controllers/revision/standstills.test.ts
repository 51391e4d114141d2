import { expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../../kube/testing/manual-clock.ts';
import { Standstills } from './standstills.ts';

const HOUR = 3600;

function watching(): {
  readonly clock: ManualClock;
  readonly standstills: Standstills;
  readonly stop: AbortController;
} {
  const [clock, stop] = [createManualClock(), new AbortController()];
  const standstills = new Standstills(clock);
  standstills.watch(stop.signal);
  return { clock, standstills, stop };
}

test.each<{ because: string; pass: (clock: ManualClock) => void; seconds: number }>([
  { because: 'the process runs', pass: (clock) => clock.advance(HOUR), seconds: 0 },
  { because: 'the process is busy for a while', pass: (clock) => clock.skip(30), seconds: 0 },
  { because: 'its container is frozen, and the monotonic clock goes on', pass: (clock) => clock.skip(HOUR), seconds: HOUR }, // prettier-ignore
  { because: 'its machine sleeps, and the monotonic clock stands still', pass: (clock) => clock.jump(HOUR), seconds: HOUR }, // prettier-ignore
  { because: 'its clock is set back', pass: (clock) => clock.jump(-HOUR), seconds: 0 },
])('a process has stood still for $seconds s: $because', ({ pass, seconds }) => {
  const { clock, standstills } = watching();
  pass(clock);
  expect(standstills.seconds).toBe(seconds);
  clock.advance(HOUR);
  expect(standstills.seconds).toBe(seconds);
});

test('the time before the watch counts as none, as a replica may wait for hours until it leads', () => {
  const clock = createManualClock();
  const standstills = new Standstills(clock);
  clock.advance(HOUR);
  standstills.watch(new AbortController().signal);
  expect(standstills.seconds).toBe(0);
});

test.each<{ because: string; pass: (clock: ManualClock) => void; since: number }>([
  { because: 'it has run ever since', pass: (clock) => clock.advance(HOUR), since: 0 },
  { because: 'its container was frozen for an hour', pass: (clock) => clock.skip(HOUR), since: HOUR },
  { because: 'its machine slept for an hour', pass: (clock) => clock.jump(HOUR), since: HOUR },
  { because: 'its clock was set back', pass: (clock) => clock.jump(-HOUR), since: -HOUR },
])('a process has run without a break since $since s: $because', ({ pass, since }) => {
  const { clock, standstills } = watching();
  const began = clock.wall();
  pass(clock);
  expect(standstills.runsSince.getTime() - began).toBe(since * 1000);
  clock.advance(HOUR);
  expect(standstills.runsSince.getTime() - began).toBe(since * 1000);
});

test('no timer is left when the watch has ended', () => {
  const { clock, stop } = watching();
  stop.abort();
  expect(clock.timers).toBe(0);
});
