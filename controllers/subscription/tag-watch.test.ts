/** A bundle that failed and that its catalog names by a tag: the tag may be moved to a content that works. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { ANNOTATION, FINALIZER } from '../../api/names.ts';
import type { SubscriptionStatus } from '../../api/subscription-status.ts';
import { sampleCrd } from '../../apply/testing/sample-objects.ts';
import { createFakeCluster, type FakeCluster } from '../../kube/testing/fake-cluster.ts';
import { formatReference } from '../../oci/reference.ts';
import { outcomeHash } from '../config-hash.ts';
import type { EventFacts } from '../events.ts';
import type { SubscriptionDeps } from './deps.ts';
import { revision, subscription, type RevisionParts, type SubscriptionParts } from './testing/facts.ts';
import { IMAGE, MAIN, offering, reconcileOf, revisionsOf } from './testing/one-image.ts';

const TAG = 'registry.example/gadget:v1.0.0';
/** The content that the registry has. */
const MENDED = IMAGE.split('@')[1]!;
const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;
const START = Date.parse('2026-05-01T12:00:00Z');
const FAILED: RevisionParts = { reason: 'ProgressDeadlineExceeded', stalled: true };

let cluster: FakeCluster;
let events: EventFacts[];
let asked: string[];
/** The content of the tag; undefined while the registry does not answer. */
let named: string | undefined;
let seconds: number;
let reconcile: () => Promise<unknown>;

beforeEach(() => {
  cluster = createFakeCluster();
  cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  cluster.put(sampleCrd('Revision', { group: 'slipway.dev' }));
  [events, asked, named, seconds] = [[], [], digestOf('a'), 0];
});

const tags: NonNullable<SubscriptionDeps['tags']> = () => ({
  async resolve(reference) {
    asked.push(formatReference(reference));
    if (named === undefined)
      throw new ReasonedError({ reason: 'RegistryUnavailable', retry: 'backoff', message: 'no' });
    return { digest: named, mediaType: 'm', size: 1 };
  },
});

/** Of gadget with 0.9.0 and 1.0.0, which are named by tags. */
function given(one: SubscriptionParts, revisions: readonly RevisionParts[]): void {
  cluster.put(subscription({ metadata: { finalizers: [FINALIZER] }, ...one }));
  for (const parts of revisions) cluster.put(revision(parts));
  restart();
}

/** The memory of the manager is lost. */
function restart(): void {
  reconcile = reconcileOf(cluster, {
    tags,
    catalogOf: () => MAIN,
    caches: offering(cluster, { versions: ['0.9.0', '1.0.0'] }),
    record: (_regarding, event) => void events.push(event),
    now: () => new Date(START + seconds * 1000),
  });
}

const states = (): readonly string[] =>
  revisionsOf(cluster).map(
    ({ metadata, spec }) => `${metadata.name} ${spec.state} ${spec.image.split('@sha256:')[1]?.slice(0, 1)}`,
  );
const moves = (): readonly string[] =>
  events.flatMap(({ reason, note }) => (reason === 'Progressing' && note.includes('was moved') ? [note] : []));

const first = (): void => given({}, [{ ...FAILED, image: `${TAG}@${digestOf('a')}` }]);

const mended = MENDED.slice('sha256:'.length, 'sha256:'.length + 1);

describe('a first installation that failed', () => {
  test('is made again with the content that the tag names by now, with an event', async () => {
    first();
    named = MENDED;
    expect(await reconcile()).toMatchObject({ requeueAfterSeconds: 0.01 });
    await reconcile();
    expect(states()).toEqual(['gadget-1 Archived a', `gadget-2 Active ${mended}`]);
    expect(revisionsOf(cluster)[1]?.spec.image).toBe(`${TAG}@${MENDED}`);
    expect(moves()).toEqual([expect.stringContaining(MENDED)]);
  });

  test('stays while the tag names the same content, and the registry is asked once in five minutes', async () => {
    first();
    expect(await reconcile()).toEqual({ requeueAfterSeconds: 300 });
    for (seconds of [100, 299]) expect(await reconcile()).toEqual({ requeueAfterSeconds: 300 - seconds });
    expect(asked).toEqual([TAG]);
    seconds = 300;
    await reconcile();
    expect({ asked, states: states(), moves: moves() }).toEqual({
      asked: [TAG, TAG],
      states: ['gadget-1 Active a'],
      moves: [],
    });
  });

  test('stays while the registry does not answer, which is asked later', async () => {
    first();
    named = undefined;
    expect(await reconcile()).toEqual({ requeueAfterSeconds: 300 });
    expect(states()).toEqual(['gadget-1 Active a']);
    [named, seconds] = [MENDED, 300];
    await reconcile();
    await reconcile();
    expect(states()).toEqual(['gadget-1 Archived a', `gadget-2 Active ${mended}`]);
  });

  test('is not made again with a content that failed, although the tag is moved back to it', async () => {
    given({}, [
      { number: 1, state: 'Archived', image: `${TAG}@${digestOf('b')}`, reason: 'Archived' },
      { ...FAILED, number: 2, image: `${TAG}@${digestOf('a')}` },
    ]);
    const failure = { reason: 'WorkloadUnhealthy', message: 'it crashes', since: '2026-05-01T11:00:00Z' };
    const [before] = revisionsOf(cluster);
    cluster.put({ ...before!, status: { ...before!.status, failure } });
    named = digestOf('b');
    await reconcile();
    await reconcile();
    expect({ states: states(), moves: moves() }).toEqual({
      states: ['gadget-1 Archived b', 'gadget-2 Active a'],
      moves: [],
    });
  });

  test('has its tag checked before it is tried again if a person requests that', async () => {
    first();
    await reconcile();
    [named, seconds] = [MENDED, 1];
    cluster.change(
      { apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', name: 'gadget', namespace: 'ops' },
      (one) => ({
        ...one,
        metadata: { ...one.metadata, annotations: { [ANNOTATION.reconcileRequestedAt]: 'now' } },
      }),
    );
    await reconcile();
    expect(states()).toEqual(['gadget-1 Archived a', `gadget-2 Active ${mended}`]);
  });

  test('has its tag not checked while it is rolled out, or works', async () => {
    given({}, [{ reason: 'Progressing', image: `${TAG}@${digestOf('a')}` }]);
    named = MENDED;
    await reconcile();
    cluster.put(revision({ ready: true, image: `${TAG}@${digestOf('a')}` }));
    await reconcile();
    expect(asked).toEqual([]);
  });
});

describe('a version that failed and stays', () => {
  const old = `registry.example/gadget:v0.9.0@${digestOf('c')}`;
  const works = { bundle: 'gadget.v1.0.0', version: '1.0.0', catalog: 'main', image: `${TAG}@${digestOf('a')}` };

  test('is replaced by the content that the tag names by now: spec.onFailure.strategy is Hold', async () => {
    const spec = { onFailure: { strategy: 'Hold' } };
    const installed = { ...works, bundle: 'gadget.v0.9.0', version: '0.9.0', image: old, revision: 'gadget-1' };
    given({ spec, status: { installed } }, [
      { number: 1, version: '0.9.0', image: old, ready: true, state: 'Archived' },
      { ...FAILED, number: 2, image: works.image },
    ]);
    named = MENDED;
    await reconcile();
    await reconcile();
    expect(states()).toEqual(['gadget-1 Archived c', 'gadget-2 Archived a', `gadget-3 Active ${mended}`]);
  });

  test('is replaced by the content that the tag names by now: no other version has worked', async () => {
    const times = { firstReadyTime: '2026-05-01T11:30:00Z', readySince: '2026-05-01T11:40:00Z' };
    given({ spec: { onFailure: { bakeTime: '1h' } }, status: { installed: { ...works, revision: 'gadget-1' } } }, [
      { image: works.image, reason: 'WorkloadUnhealthy', ...times },
    ]);
    named = MENDED;
    await reconcile();
    await reconcile();
    expect(states()).toEqual(['gadget-1 Archived a', `gadget-2 Active ${mended}`]);
  });
});

describe('an upgrade that was rolled back', () => {
  const old = `registry.example/gadget:v0.9.0@${digestOf('c')}`;
  const installed = { bundle: 'gadget.v0.9.0', version: '0.9.0', catalog: 'main', image: old, revision: 'gadget-1' };
  const entry = (letter: string): NonNullable<SubscriptionStatus['quarantined']>[number] => ({
    bundle: 'gadget.v1.0.0',
    version: '1.0.0',
    image: `${TAG}@${digestOf(letter)}`,
    reason: 'WorkloadUnhealthy',
    message: 'it crashes',
    since: '2026-05-01T11:30:00Z',
    rolledBackTime: '2026-05-01T11:31:00Z',
    specHash: outcomeHash(subscription()),
  });
  const rolledBack = (...letters: readonly string[]): void =>
    given({ status: { installed, quarantined: letters.map(entry) } }, [
      { number: 1, version: '0.9.0', image: old, ready: true },
      ...letters.map((letter, at) => ({
        number: 2 + at,
        state: 'Archived' as const,
        image: `${TAG}@${digestOf(letter)}`,
        reason: 'Archived',
      })),
    ]);

  test('is tried again with the content that the tag names by now, and events say so', async () => {
    rolledBack('a');
    named = MENDED;
    await reconcile();
    await reconcile();
    expect(states()).toEqual(['gadget-1 Archived c', 'gadget-2 Archived a', `gadget-3 Active ${mended}`]);
    expect(moves()).toEqual([expect.stringContaining(MENDED)]);
    expect(events.map(({ reason }) => reason)).toContain('Upgrading');
  });

  test('goes on with that content although the memory of the tag is lost meanwhile', async () => {
    rolledBack('a');
    named = MENDED;
    await reconcile();
    await reconcile();
    named = undefined;
    restart();
    await reconcile();
    expect(states()).toContain(`gadget-3 Active ${mended}`);
  });

  test.each([
    { because: 'the tag was not moved', letters: ['a'], to: 'a' },
    { because: 'the tag was moved back to a content that failed', letters: ['a', 'b'], to: 'a' },
  ])('is not tried again: $because', async ({ letters, to }) => {
    rolledBack(...letters);
    named = digestOf(to);
    const before = states();
    await reconcile();
    await reconcile();
    expect({ states: states(), moves: moves() }).toEqual({ states: before, moves: [] });
    expect(asked).toEqual([TAG]);
  });
});
