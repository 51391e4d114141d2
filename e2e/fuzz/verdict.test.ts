import { expect, test } from 'vitest';
import { judge, type Evidence } from './verdict.ts';

const stall = { manager: 0, apiServer: 0, harness: 0 };
const probe = { what: 'a reconcile is requested', milliseconds: 100, unanswered: false, stall };

function sample(at: number, megabytes: number): Evidence['memory'][number] {
  return { at, resident: megabytes, anonymous: megabytes, heapUsed: 20, external: 5 };
}

/** A run of an hour in which everything was kept. */
const GOOD: Evidence = {
  seconds: 3600,
  tally: new Map([['Subscription put', { taken: 9, refused: 1, why: new Map() }]]),
  probes: [probe],
  memory: Array.from({ length: 360 }, (_, index) => sample(index * 10, 100)),
  defects: [],
  internalErrors: [],
  manifestsRead: 3,
  logLines: 10,
  isAlive: true,
  requestsPerMinute: { before: 4, after: 5 },
  leftOver: [],
  resident: { before: 80, after: 90 },
};

const broken = (evidence: Evidence): readonly string[] =>
  judge(evidence).flatMap(({ what, isKept }) => (isKept ? [] : [what]));

test('a run in which every promise was kept breaks none', () => {
  expect(broken(GOOD)).toEqual([]);
});

test.each<{ because: string; change: Partial<Evidence>; breaks: readonly string[] }>([
  {
    because: 'an answer took longer than it may',
    change: { probes: [probe, { ...probe, milliseconds: 5100 }] },
    breaks: ['a healthy Subscription stood still'],
  },
  {
    because: 'an answer never came',
    change: { probes: [{ ...probe, unanswered: true }] },
    breaks: ['a healthy Subscription stood still'],
  },
  { because: 'nothing was asked', change: { probes: [] }, breaks: ['a healthy Subscription stood still'] },
  {
    because: 'the machine took most of the time',
    change: { probes: [{ ...probe, milliseconds: 9000, stall: { ...stall, manager: 5000 } }] },
    breaks: [],
  },
  {
    because: 'waits at the same time are one wait',
    change: { probes: [{ ...probe, milliseconds: 9000, stall: { manager: 3000, apiServer: 3000, harness: 3000 } }] },
    breaks: ['a healthy Subscription stood still'],
  },
  {
    because: 'a defect is logged',
    change: { defects: [{ message: 'TypeError: x', at: 'at y', count: 1 }] },
    breaks: ['errors without a reason in the log'],
  },
  {
    because: 'a condition says so',
    change: { internalErrors: ['Revision: x'] },
    breaks: ['InternalError in conditions and events'],
  },
  { because: 'it was killed, or ended', change: { isAlive: false }, breaks: ['the process'] },
  {
    because: 'memory grows by a quarter from the tenth minute on',
    change: { memory: Array.from({ length: 360 }, (_, index) => sample(index * 10, 100 + index / 8)) },
    breaks: ['memory, resident', 'memory, anonymous'],
  },
  {
    because: 'memory grew in the first minutes only',
    change: { memory: Array.from({ length: 360 }, (_, index) => sample(index * 10, index < 50 ? 60 : 120)) },
    breaks: [],
  },
  {
    because: 'it is busy with nothing',
    change: { requestsPerMinute: { before: 4, after: 40 } },
    breaks: ['requests of the idle manager'],
  },
  {
    because: 'something cannot be deleted',
    change: { leftOver: ['Revision x'] },
    breaks: ['objects of the fuzz that cannot be deleted'],
  },
  {
    because: 'nearly all was refused, so that little was shown',
    change: { tally: new Map([['Subscription put', { taken: 1, refused: 9, why: new Map([['x', 9]]) }]]) },
    breaks: ['acts in all'],
  },
  {
    because: 'the manager looked behind the name of no Revision',
    change: { manifestsRead: 0 },
    breaks: ['Revisions whose manifests were read'],
  },
])('a run breaks $breaks where $because', ({ change, breaks }) => {
  expect(broken({ ...GOOD, ...change })).toEqual(breaks);
});
