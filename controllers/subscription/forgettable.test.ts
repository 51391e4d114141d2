import { describe, expect, test } from 'vitest';
import type { Conflict, Decision } from '../../resolver/decision.ts';
import { configHash } from '../config-hash.ts';
import { decideSubscription, type ResolvedPlan } from './decide.ts';
import { describeForgotten, forgettable, isAnswered } from './forgettable.ts';
import type { SubscriptionFacts } from './observe.ts';
import { catalog, facts, revision, subscription } from './testing/facts.ts';

function decided(given: SubscriptionFacts): ResolvedPlan {
  const plan = decideSubscription(given);
  if (plan.kind !== 'resolved') throw new Error(plan.kind);
  return plan;
}

/** The names of the Revisions that are deleted. */
function forgotten(parts: Partial<SubscriptionFacts>): readonly string[] {
  const given = facts(parts);
  return forgettable(given, decided(given)).map(({ metadata }) => metadata.name);
}

describe('the history', () => {
  const archived = [1, 2, 3].map((number) => revision({ number, ready: true, state: 'Archived', configHash: 'old' }));
  const active = revision({ number: 4, ready: true, previous: 'gadget-3' });
  const kept = (historyLimit: number, revisions: readonly ReturnType<typeof revision>[]): readonly string[] =>
    forgotten({ subscription: subscription({ spec: { historyLimit } }), revisions });

  test('the oldest Revisions beyond the limit may be deleted', () => {
    expect(kept(2, [...archived, active])).toEqual(['gadget-1']);
    expect(kept(10, [...archived, active])).toEqual([]);
  });

  test('the Revision for a rollback is never deleted', () => {
    const other = revision({ number: 4, ready: true, previous: 'gadget-1' });
    expect(kept(1, [...archived, other])).toEqual(['gadget-2']);
  });

  test('a Revision with an inventory is never deleted', () => {
    const holding = revision({ number: 1, ready: true, state: 'Archived', inventory: ['a'] });
    expect(kept(1, [holding, ...archived.slice(1), active])).toEqual(['gadget-2']);
  });

  test('a Revision that is being deleted is not deleted again', () => {
    const leaving = revision({ number: 1, ready: true, state: 'Archived', deleted: true });
    expect(kept(1, [leaving, ...archived.slice(1), active])).toEqual(['gadget-2']);
  });
});

describe('a Revision that waits without approval', () => {
  const works = revision({ ready: true });
  const manual = (spec: object = {}) => subscription({ spec: { approval: 'Manual', ...spec } });
  const waiting = revision({ number: 2, version: '1.1.0', state: 'Archived', approved: false });
  const offers = (...versions: readonly string[]) => catalog({ versions });
  const unavailable = { ...offers(), state: 'Unavailable', content: () => undefined } as const;
  const other = { ...unavailable, name: 'other' } as const;
  const notAllowed = { ...unavailable, state: 'NotAllowed' } as const;
  const debug = { config: { env: [{ name: 'LEVEL', value: 'debug' }] } };

  test.each([
    { because: 'it is the next one', catalogs: [offers('1.0.0', '1.1.0')] },
    { because: 'the catalog is not read yet, as after a restart', catalogs: [unavailable] },
    { because: 'the catalog does not exist just now', catalogs: [], spec: { catalog: 'main' } },
    { because: 'the catalog may not be used just now', catalogs: [notAllowed] },
    { because: 'the version range cannot be parsed', catalogs: [offers('1.0.0')], spec: { version: 'one' } },
    { because: 'another catalog is not read yet, which may have a dependency', catalogs: [offers('1.0.0'), other] },
  ])('is kept if $because', ({ catalogs, spec }) => {
    expect(forgotten({ subscription: manual(spec), revisions: [works, waiting], catalogs })).toEqual([]);
  });

  test.each([
    { because: 'its bundle is offered no longer', catalogs: [offers('1.0.0')] },
    { because: 'its package is offered no longer', catalogs: [catalog({ package: 'other', versions: ['1.0.0'] })] },
    {
      because: 'a catalog is not read yet that the Subscription does not select',
      catalogs: [offers('1.0.0'), { ...other, selected: false }],
    },
  ])('is deleted if $because', ({ catalogs }) => {
    expect(forgotten({ subscription: manual(), revisions: [works, waiting], catalogs })).toEqual(['gadget-2']);
  });

  test('is deleted once a newer one waits, also while a catalog does not answer', () => {
    const newer = revision({ number: 3, version: '1.2.0', state: 'Archived', approved: false });
    const revisions = [works, waiting, newer];
    expect(forgotten({ subscription: manual(), revisions, catalogs: [unavailable] })).toEqual(['gadget-2']);
  });

  test('is kept while the installed version gets an earlier configuration again', () => {
    const configured = revision({ number: 3, ready: true, configHash: configHash(manual(debug)) });
    const revisions = [{ ...works, spec: { ...works.spec, state: 'Archived' as const } }, waiting, configured];
    const given = facts({ subscription: manual(), revisions, catalogs: [offers('1.0.0', '1.1.0')] });
    expect(decided(given).action).toMatchObject({ do: 'activate', revision: { metadata: { name: 'gadget-1' } } });
    expect(forgotten(given)).toEqual([]);
  });

  test('is reported when it is deleted, with the Revision that comes next', () => {
    const subscribed = manual(debug);
    const active = revision({ ready: true, configHash: configHash(subscribed) });
    const next = { ...waiting, metadata: { ...waiting.metadata, name: 'gadget-3' } };
    const given = facts({
      subscription: subscribed,
      revisions: [active, waiting, { ...next, spec: { ...next.spec, number: 3, configHash: configHash(subscribed) } }],
      catalogs: [offers('1.0.0', '1.1.0')],
    });
    expect(forgotten(given)).toEqual(['gadget-2']);
    const event = describeForgotten(waiting, decided(given));
    expect(event).toMatchObject({ type: 'Normal', reason: 'Superseded', action: 'Upgrade' });
    expect(event.note).toContain('gadget-3');
  });
});

describe('a decision is no answer', () => {
  const effort: Conflict = { kind: 'effort', why: 'tooLong' };
  const given = facts();
  const refusal: Decision = { kind: 'none', reason: 'ResolutionFailed', because: [], suggestions: [], refused: [] };
  const within: Conflict = { kind: 'dependency', bundle: 'gadget.v1.1.0', because: [effort] };
  const cause = { kind: 'dependency', because: [effort] } as const;

  test.each<{ because: string; decision: Decision; answered: boolean }>([
    { because: 'the constraints contradict each other', decision: refusal, answered: true },
    { because: 'the search was cut short', decision: { ...refusal, because: [effort] }, answered: false },
    {
      because: 'the search for dependencies was cut short',
      decision: { ...refusal, because: [within] },
      answered: false,
    },
    { because: 'a bundle is chosen', decision: decided(given).decision, answered: true },
    {
      because: 'the search for the dependencies of a newer bundle was cut short',
      decision: {
        ...decided(given).decision,
        refused: [{ bundle: 'gadget.v1.1.0', version: '1.1.0', catalog: 'main', cause }],
      },
      answered: false,
    },
    {
      because: 'the search for the dependencies of another content of the installed bundle was cut short',
      decision: {
        ...decided(given).decision,
        refused: [
          { bundle: 'gadget.v1.0.0', version: '1.0.0', catalog: 'main', cause: { kind: 'publishedAgain', cause } },
        ],
      },
      answered: false,
    },
  ])('answered: $answered, as $because', ({ decision, answered }) => {
    expect(isAnswered(given.catalogs, decision)).toBe(answered);
  });
});
