/** Which pulls of the manager have a total time, and when it begins. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NO_POLICIES } from '../../controllers/registry-policies.ts';
import { createManualClock, type ManualClock } from '../../kube/testing/manual-clock.ts';
import { parseReference } from '../../oci/reference.ts';
import type { Registry } from '../../oci/registry.ts';
import { createPulls, type Pulls } from './pulls.ts';

const REFERENCE = parseReference(`registry.example/team/app@sha256:${'a'.repeat(64)}`);

let folder: string;
let clock: ManualClock;
let pulls: Pulls;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pulls-'));
  clock = createManualClock();
  pulls = createPulls(() => slow, { folder, policies: NO_POLICIES, time: { seconds: 600, clock } });
});

afterEach(() => rm(folder, { recursive: true }));

/** Needs 400 seconds for each manifest. */
const slow = {
  async pullManifest(_: unknown, signal?: AbortSignal) {
    clock.advance(400);
    signal?.throwIfAborted();
    return { bytes: Buffer.from('{}'), mediaType: 'application/x' };
  },
} as unknown as Registry;

const sources = [
  { name: 'a bundle', begin: () => pulls.bundles(undefined) },
  { name: 'a catalog', begin: () => pulls.registries(undefined) },
];

test.each(sources)('the pull of $name ends after its time, over all its requests', async ({ begin }) => {
  const source = begin();
  await source.pullManifest(REFERENCE);
  await expect(source.pullManifest(REFERENCE)).rejects.toMatchObject({ reason: 'RegistryUnavailable' });
});

test.each(sources)('the next pull of $name has its whole time', async ({ begin }) => {
  for (let pull = 0; pull < 3; pull += 1) await begin().pullManifest(REFERENCE);
  expect(clock.now()).toBe(1200);
});
