/** Which version a Subscription goes back to, and which one has failed. */
import { describe, expect, test } from 'vitest';
import type { Revision } from '../../api/revision.ts';
import { outcomeHash } from '../config-hash.ts';
import { decideSubscription } from './decide.ts';
import { STATUS_LIMITS } from '../../api/subscription-status.ts';
import { catalog, facts, NOW, revision, subscription, type RevisionParts } from './testing/facts.ts';
import { barredBy, type Quarantined } from './quarantine.ts';
import { standingOf } from './standing.ts';

const SPEC = { onFailure: { bakeTime: '1h' } };
const unhealthy = {
  reason: 'WorkloadUnhealthy',
  firstReadyTime: '2026-05-01T11:30:00Z',
  readySince: '2026-05-01T11:50:00Z',
} as const;

/** A Revision of 1.<number - 1>.0 that was healthy half an hour ago. */
function worked(number: number, parts: RevisionParts = {}): Revision {
  const version = `1.${number - 1}.0`;
  const image = `registry.example/gadget@sha256:${String(number).repeat(64)}`;
  return revision({ number, version, image, state: 'Archived', reason: 'Archived', ...unhealthyTimes, ...parts });
}

const unhealthyTimes = { firstReadyTime: unhealthy.firstReadyTime, readySince: '2026-05-01T11:57:00Z' };
const active = (number: number, parts: RevisionParts = {}): Revision =>
  worked(number, { state: 'Active', ...unhealthy, ...parts });

/** The records of versions that failed before. */
function failedBefore(revisions: readonly Revision[]): readonly Quarantined[] {
  const specHash = outcomeHash(subscription({ spec: SPEC }));
  return revisions.map(({ spec: { bundle, version, image } }) => ({
    bundle,
    version,
    image,
    reason: 'WorkloadUnhealthy',
    message: 'it crashes',
    since: '2026-05-01T11:57:00Z',
    specHash,
  }));
}

interface Case {
  readonly because: string;
  readonly revisions: readonly Revision[];
  /** Of `revisions`. */
  readonly quarantined?: readonly number[];
  readonly rolledBackTime?: string;
  readonly expected: { readonly installed?: string; readonly failed?: string; readonly quarantined: readonly string[] };
}

describe('a version that is unhealthy within its bake time', () => {
  test.each<Case>([
    {
      because: 'another one has worked',
      revisions: [worked(1), active(2)],
      expected: { installed: 'gadget-1', failed: 'gadget-2', quarantined: ['1.1.0'] },
    },
    {
      because: 'the only other one failed before',
      revisions: [active(1), worked(2)],
      quarantined: [2],
      expected: { installed: 'gadget-1', quarantined: ['1.1.0'] },
    },
    {
      because: 'of the others, one has not failed',
      revisions: [worked(1), active(2), worked(3, { lastActiveTime: '2026-05-01T11:57:00Z' })],
      quarantined: [3],
      expected: { installed: 'gadget-1', failed: 'gadget-2', quarantined: ['1.2.0', '1.1.0'] },
    },
    {
      because: 'nothing was installed before it',
      revisions: [active(1)],
      expected: { installed: 'gadget-1', quarantined: [] },
    },
    {
      because: 'it has never worked, and nothing was installed before it',
      revisions: [revision({ number: 1, reason: 'ObjectInvalid', stalled: true })],
      expected: { failed: 'gadget-1', quarantined: [] },
    },
    {
      because: 'it is noted as failed, and has recovered before the other one was made active',
      revisions: [worked(1), active(2, { ready: true, reason: 'Succeeded' })],
      quarantined: [2],
      expected: { installed: 'gadget-1', failed: 'gadget-2', quarantined: ['1.1.0'] },
    },
    {
      because: 'the rollback from it has ended, and it works since',
      revisions: [worked(1), active(2, { ready: true, reason: 'Succeeded' })],
      quarantined: [2],
      rolledBackTime: '2026-05-01T11:58:00Z',
      expected: { installed: 'gadget-2', quarantined: ['1.1.0'] },
    },
    {
      because: 'no Revision is active since a crash in the rollback',
      revisions: [worked(1), worked(2, { lastActiveTime: '2026-05-01T11:57:00Z' })],
      quarantined: [2],
      expected: { installed: 'gadget-1', quarantined: ['1.1.0'] },
    },
  ])(
    'a version goes back only to one that has not failed: $because',
    ({ revisions, quarantined = [], rolledBackTime, expected }) => {
      const records = failedBefore(revisions.filter(({ spec }) => quarantined.includes(spec.number))).map((entry) =>
        rolledBackTime === undefined ? entry : { ...entry, rolledBackTime },
      );
      const one = subscription({ spec: SPEC, status: { quarantined: [...records] } });
      const standing = standingOf({ subscription: one, revisions, now: NOW });
      expect({
        installed: standing.installed?.metadata.name,
        failed: standing.failed?.metadata.name,
        quarantined: standing.quarantined.map(({ version }) => version),
      }).toEqual({ installed: undefined, failed: undefined, ...expected });
    },
  );

  test('the version that a rollback has led to stays, although it is unhealthy for a time', () => {
    const revisions = [active(1), worked(2)];
    const quarantined = [...failedBefore(revisions.slice(1))];
    const one = subscription({ spec: SPEC, status: { quarantined } });
    const catalogs = [catalog({ versions: ['1.0.0', '1.1.0'] })];
    const plan = decideSubscription(facts({ subscription: one, catalogs, revisions, nextNumber: 3 }));
    expect(plan).toMatchObject({ action: { do: 'nothing' }, installed: { metadata: { name: 'gadget-1' } } });
  });

  test('a Subscription knows when its unhealthy version will have failed', () => {
    const revisions = [worked(1), active(2, { readySince: '2026-05-01T11:59:50Z' })];
    const one = subscription({ spec: SPEC });
    const plan = decideSubscription(facts({ subscription: one, revisions, nextNumber: 3 }));
    expect(plan).toMatchObject({ failed: undefined, failsAt: new Date('2026-05-01T12:00:20Z') });
  });
});

describe('the bundles that are not tried again', () => {
  const versions = Array.from({ length: 61 }, (_, minor) => `1.${minor}.0`);
  const installed = worked(1);
  const records = (from: number, to: number): readonly Quarantined[] =>
    failedBefore(
      versions.slice(from, to).map((version) => revision({ version, image: `registry.example/x@sha256:${version}` })),
    );
  const barred = (quarantined: readonly Quarantined[]): readonly string[] =>
    barredBy({ ...facts({ catalogs: [catalog({ versions })] }), installed, quarantined });

  test('a bundle that failed is barred by its name and by its image, which may be offered under another name', () => {
    expect(barred(records(1, 2))).toEqual(['gadget.v1.1.0', 'registry.example/x@sha256:1.1.0']);
  });

  test('the image of the installed bundle is not barred', () => {
    const [record] = records(0, 1);
    expect(barred([{ ...record!, image: installed.spec.image }])).toEqual(['gadget.v1.0.0']);
  });

  test('if the status holds no further entry, only newer versions than all that failed are tried', () => {
    const full = records(5, 5 + STATUS_LIMITS.quarantined);
    const tried = versions.filter((version) => !barred(full).includes(`gadget.v${version}`));
    expect(tried).toEqual(['1.0.0', ...versions.slice(5 + STATUS_LIMITS.quarantined)]);
    expect(barred(full.slice(1))).not.toContain('gadget.v1.1.0');
  });
});
