/** When the manager looks for kinds that it follows in vain. */
import { expect, test } from 'vitest';
import type { Revision } from '../../api/revision.ts';
import type { Informer } from '../../kube/watch/informer.ts';
import { tidyWith } from './kinds-in-use.ts';

const WIDGET = { apiVersion: 'example.com/v1', kind: 'Widget' };
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap' };

type Kind = typeof WIDGET;

function revision(name: string, kinds: readonly Kind[], serviceAccountName?: string): Revision {
  const inventory = kinds.map((kind) => ({ ...kind, name: 'a', uid: 'u', hash: 'h' }));
  return { metadata: { name }, spec: { serviceAccountName }, status: { inventory } } as unknown as Revision;
}

interface Asked {
  readonly inUse: boolean;
  readonly followable: boolean;
}

/** The Revisions that exist, and the requests about the kind Widget after each change of one. */
function scene(): { revisions: Revision[]; asked: Asked[]; handler: Parameters<Informer<Revision>['on']>[0] } {
  const [revisions, asked]: [Revision[], Asked[]] = [[], []];
  let handler: Parameters<Informer<Revision>['on']>[0] = {};
  const on: Informer<Revision>['on'] = (given) => {
    handler = given;
    return () => undefined;
  };
  tidyWith(
    { on, list: () => revisions },
    {
      tidy: (isInUse, mayFollow = isInUse) =>
        void asked.push({ inUse: isInUse('Widget.example.com'), followable: mayFollow('Widget.example.com') }),
    },
  );
  return { revisions, asked, handler };
}

const before = revision('a', [CONFIG, WIDGET]);

test.each([
  {
    because: 'it has pruned the last object of a kind',
    next: revision('a', [CONFIG]),
    inUse: false,
    followable: false,
  },
  { because: 'it has pruned something else', next: revision('a', [WIDGET]), inUse: true, followable: true },
  {
    because: 'it acts as an account, which gives the manager no right',
    next: revision('a', [WIDGET], 'installer'),
    inUse: true,
    followable: false,
  },
])('a Revision lists less than before: $because', ({ next, inUse, followable }) => {
  const { revisions, asked, handler } = scene();
  revisions.push(next);
  handler.updated?.(before, next);
  expect(asked).toEqual([{ inUse, followable }]);
});

test('a Revision has gone', () => {
  const { asked, handler } = scene();
  handler.deleted?.(before);
  expect(asked).toEqual([{ inUse: false, followable: false }]);
});

test('nothing is asked if a Revision lists as much as before', () => {
  const { revisions, asked, handler } = scene();
  revisions.push(before);
  handler.updated?.(before, before);
  expect(asked).toEqual([]);
});
