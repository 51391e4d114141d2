/** Each respect in which an ending can differ is found, and no difference that is allowed. */
import { describe, expect, test } from 'vitest';
import type { State } from '../lib/state.ts';
import { compareEndings, type Ending } from './ending.ts';

const state = (objects: Readonly<Record<string, readonly [uid: string, content: unknown]>>): State => ({
  contents: new Map(Object.entries(objects).map(([name, [, content]]) => [name, content])),
  uids: new Map(Object.entries(objects).map(([name, [uid]]) => [name, uid])),
});

const UNDISTURBED: Ending = {
  begin: state({ crd: ['1', 'old'], roll: ['2', 'old'], gone: ['3', 'old'] }),
  end: state({ crd: ['1', 'new'], roll: ['4', 'new'], made: ['5', { a: [1, 2] }] }),
  events: new Set(['Normal Installed Subscription']),
  failed: new Map(),
};

interface Case {
  readonly because: string;
  readonly begin?: State;
  readonly killed?: State;
  readonly end: State;
  readonly events?: readonly string[];
  /** The generation of a Revision whose version has failed: without a disturbance, and with one. */
  readonly failed?: readonly [undisturbed: number, disturbed: number];
  /** Names at the beginning of each difference. */
  readonly differing: readonly string[];
}

const BEGIN = state({ crd: ['11', 'old'], roll: ['12', 'old'], gone: ['13', 'old'] });
const END = { crd: ['11', 'new'], roll: ['14', 'new'], made: ['15', { a: [1, 2] }] } as const;

const CASES: readonly Case[] = [
  { because: 'other uids of another run are no difference', end: state(END), differing: [] },
  { because: 'an event may be lost with the process', end: state(END), events: [], differing: [] },
  {
    because: 'an object that is left over was not pruned',
    end: state({ ...END, gone: ['13', 'old'] }),
    differing: ['gone'],
  },
  { because: 'an object is missing', end: state({ crd: END.crd, roll: END.roll }), differing: ['made'] },
  {
    because: 'a field deep in a content differs',
    end: state({ ...END, made: ['15', { a: [1, 3] }] }),
    differing: ['made a 1'],
  },
  {
    because: 'an object that the undisturbed run kept was created again',
    end: state({ ...END, crd: ['19', 'new'] }),
    differing: ['crd'],
  },
  {
    because: 'an object that was there when the manager died was created again',
    killed: state({ made: ['16', { a: [1, 2] }] }),
    end: state(END),
    differing: ['made'],
  },
  {
    because: 'the undisturbed run replaces this one, too',
    killed: state({ roll: ['12', 'old'] }),
    end: state(END),
    differing: [],
  },
  {
    because: 'an event of a kind that the undisturbed run has none of',
    end: state(END),
    events: ['Warning Collision Subscription'],
    differing: ['event Warning Collision Subscription'],
  },
  {
    because: 'a version was tried again that had failed, as if its quarantine were lost',
    end: state(END),
    failed: [2, 4],
    differing: ['Revision ops/one-2'],
  },
  { because: 'a Revision may be made active after it was created', end: state(END), failed: [2, 3], differing: [] },
  {
    because: 'the undisturbed run made the Revision active after it was created, and this one has tried it twice',
    end: state(END),
    failed: [3, 4],
    differing: ['Revision ops/one-2'],
  },
];

describe('an ending is compared with the undisturbed one', () => {
  test.each(CASES)('$because', ({ begin = BEGIN, killed, end, events, failed = [2, 2], differing }) => {
    const disturbed = {
      begin,
      end,
      events: new Set(events ?? UNDISTURBED.events),
      failed: new Map([['ops/one-2', failed[1]]]),
      ...(killed && { killed }),
    };
    const found = compareEndings({ ...UNDISTURBED, failed: new Map([['ops/one-2', failed[0]]]) }, disturbed);
    expect(found.map((line) => line.split(':')[0])).toEqual(differing);
  });
});
