import { beforeEach, describe, expect, test } from 'vitest';
import { refusal } from '../../api/testing/refusal.ts';
import { sampleDeployment, sampleOperator } from '../../apply/testing/sample-objects.ts';
import { refOf } from '../../api/object.ts';
import type { Revision } from '../../api/revision.ts';
import { emptyMemory, RevisionMemories } from './memory.ts';
import type { Repair } from './repair/drift.ts';
import { createHarness, NAMESPACE, type Harness } from './testing/harness.ts';

const revision = (uid: string): Revision => ({ metadata: { name: `widgets-${uid}`, uid } }) as Revision;
const repair: Repair = { ref: refOf(sampleDeployment('widget')), cause: 'Changed', uid: 'd', taken: [] };

describe('the memory about a Revision', () => {
  test('the memory is one record for each uid, whatever the name', () => {
    const memories = new RevisionMemories();
    const first = memories.of(revision('a'));
    expect(memories.of({ metadata: { name: 'renamed', uid: 'a' } })).toBe(first);
    expect(memories.of(revision('b'))).not.toBe(first);
    expect(memories.size).toBe(2);
  });

  test('the memory has a bound: the record that was used the longest time ago is dropped', () => {
    const memories = new RevisionMemories();
    const [first, second] = [memories.of(revision('0')), memories.of(revision('1'))];
    for (let uid = 2; uid < 4096; uid += 1) memories.of(revision(`${uid}`));
    expect(memories.of(revision('0'))).toBe(first);
    memories.of(revision('4096'));
    expect(memories.size).toBe(4096);
    expect(memories.of(revision('0'))).toBe(first);
    expect(memories.of(revision('1'))).not.toBe(second);
  });

  test.each([
    { reason: 'settled', kept: true, because: 'a contest goes on although each repair settles the Revision' },
    { reason: 'archived', kept: false, because: 'the Revision repairs nothing any more' },
    { reason: 'released', kept: false, because: 'the Revision goes' },
    { reason: 'removing', kept: false, because: 'its objects go' },
    { reason: 'deleted', kept: false, because: 'it is gone' },
  ] as const)('a record that is dropped as $reason keeps its repairs: $kept, because $because', ({ reason, kept }) => {
    const memories = new RevisionMemories();
    const memory = memories.of(revision('a'));
    memories.keepObjects(memory, [sampleDeployment('widget')]);
    memory.lastWritten = new Date(0);
    memory.refusal = { circumstances: 'x', until: undefined };
    memory.unreadableSince = new Date(0);
    memory.proof = { proved: 'pods', removed: [] };
    memory.repairs = new Map([['x', { repair, times: 1, latest: [0] }]]);
    memories.drop(revision('a'), reason);
    expect(memories.size).toBe(kept ? 1 : 0);
    expect(memories.of(revision('a'))).toEqual({ ...emptyMemory(), ...(kept && { repairs: memory.repairs }) });
    expect(memory.loaded).toBeUndefined();
  });
});

describe('a roll-out that has not succeeded yet', () => {
  let harness: Harness;
  let isForbidden: boolean;

  beforeEach(async () => {
    isForbidden = true;
    harness = createHarness({
      before: ({ verb, ref }) => {
        if (isForbidden && verb !== 'get' && ref.kind === 'Deployment') throw refusal(403, 'Forbidden', 'no');
      },
    });
    await harness.addRevision(1, sampleOperator());
    await expect(harness.reconcile(1)).rejects.toMatchObject({ reason: 'Forbidden' });
  });

  test('a roll-out in progress is remembered', () => {
    expect(harness.memories.size).toBe(1);
  });

  test('a roll-out is forgotten once the Revision is settled', async () => {
    isForbidden = false;
    await harness.settle(1);
    expect(harness.memories.size).toBe(0);
  });

  test('a roll-out is forgotten once the Revision is archived', async () => {
    harness.setState(1, 'Archived');
    await harness.reconcile(1);
    expect(harness.memories.size).toBe(0);
  });

  test('a roll-out is forgotten once the Revision is released', async () => {
    isForbidden = false;
    await harness.addRevision(2, sampleOperator(), { previous: 'widgets-1' });
    harness.setState(1, 'Archived');
    await harness.settle(2);
    await harness.cluster.delete(refOfRevision(1));
    await harness.reconcile(1);
    expect(harness.revision(1)).toBeUndefined();
    expect(harness.memories.size).toBe(0);
  });

  test('a roll-out is forgotten when the removal of its objects begins', async () => {
    await harness.cluster.delete({ ...refOfRevision(1), kind: 'Subscription', name: 'widgets' });
    await harness.cluster.delete(refOfRevision(1));
    await harness.reconcile(1);
    expect(harness.memories.size).toBe(0);
  });

  test('a roll-out is forgotten if another program deletes the Revision', async () => {
    await harness.vanish(1);
    await harness.reconcile(1);
    expect(harness.memories.size).toBe(0);
  });
});

function refOfRevision(number: number) {
  return { apiVersion: 'slipway.dev/v1alpha1', kind: 'Revision', namespace: NAMESPACE, name: `widgets-${number}` };
}
