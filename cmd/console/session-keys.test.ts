/** Keys of sessions in a folder that changes, as replicas see it at different times. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Sessions } from '../../console/server/login/session.ts';
import { createManualClock } from '../../kube/testing/manual-clock.ts';
import { sessionKeys, sharedKey } from './session-keys.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'slipway-keys-test-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string): void {
  writeFileSync(join(folder, name), name.repeat(40));
}

const ANN = { user: 'ann', groups: [] };

function replica(clock = createManualClock()) {
  const keys = sessionKeys(folder, clock);
  const sessions = new Sessions({ keys, seconds: 3600 });
  const sealing = async () => [...(await keys()).keys()].at(-1);
  return { clock, keys, sessions, sealing };
}

describe('a new key', () => {
  test('seals no session before every replica has had the time to read it', async () => {
    put('1');
    const one = replica();
    const other = replica();
    await Promise.all([one.keys(), other.keys()]);
    one.clock.advance(30);
    put('2');
    one.clock.advance(31);
    expect(await one.sealing()).toBe('1');
    const { sealed } = await one.sessions.open(ANN);
    expect(await other.sessions.read(sealed)).toMatchObject({ person: ANN });
    one.clock.advance(119);
    expect(await one.sealing()).toBe('1');
    one.clock.advance(62);
    expect(await one.sealing()).toBe('2');
  });

  test('opens sessions as soon as it is read, since another replica may be ahead', async () => {
    put('1');
    const one = replica();
    await one.keys();
    put('2');
    one.clock.advance(61);
    expect([...(await one.keys()).keys()].toSorted()).toEqual(['1', '2']);
  });

  test('does not seal the sessions of a replica that starts right after it', async () => {
    put('1');
    const old = replica();
    await old.keys();
    put('2');
    const young = replica();
    expect(await young.sealing()).toBe('1');
    const { sealed } = await young.sessions.open(ANN);
    expect(await old.sessions.read(sealed)).toMatchObject({ person: ANN });
    young.clock.advance(181);
    expect(await young.sealing()).toBe('2');
  });

  test.each([
    { because: 'it is the only one', names: ['1'], sealing: '1' },
    { because: 'all are new, and the first by name is the oldest', names: ['3', '1', '2'], sealing: '1' },
  ])('seals if no other is known: $because', async ({ names, sealing }) => {
    for (const name of names) put(name);
    expect(await replica().sealing()).toBe(sealing);
  });

  test('that replaces all others seals at once: the others are gone', async () => {
    put('1');
    const one = replica();
    await one.keys();
    rmSync(join(folder, '1'));
    put('2');
    one.clock.advance(61);
    expect(await one.sealing()).toBe('2');
  });
});

test('pages of one replica may act at another one while a key is new to it', async () => {
  put('1');
  const one = replica();
  await one.keys();
  put('2');
  const other = replica();
  other.clock.advance(200);
  const [mine, theirs] = await Promise.all([one.keys(), other.keys()]);
  expect([...theirs.keys()]).toContain('2');
  expect(Buffer.from(sharedKey(mine))).toEqual(Buffer.from(sharedKey(theirs)));
  expect(sharedKey(mine)).not.toHaveLength(0);
});

describe('the folder of keys', () => {
  test.each([
    { because: 'it does not exist', prepare: () => rmSync(folder, { recursive: true }) },
    { because: 'it is empty', prepare: () => undefined },
    { because: 'its only key is too short', prepare: () => writeFileSync(join(folder, '1'), 'x'.repeat(31)) },
    { because: 'its only file is a link of the mount', prepare: () => writeFileSync(join(folder, '..data'), 'x'.repeat(40)) }, // prettier-ignore
  ])('is refused with the way to make a key: $because', async ({ prepare }) => {
    prepare();
    await expect(replica().keys()).rejects.toMatchObject({ reason: 'InvalidConfiguration', hint: expect.stringContaining('/dev/urandom') as string }); // prettier-ignore
  });

  test('that cannot be read for a moment leaves the keys that are known', async () => {
    put('1');
    const one = replica();
    await one.keys();
    rmSync(folder, { recursive: true });
    one.clock.advance(61);
    expect([...(await one.keys()).keys()]).toEqual(['1']);
  });

  test('is not needed by a process that has a key of its own, which no other process shares', async () => {
    const [one, other] = [sessionKeys(undefined), sessionKeys(undefined)];
    const [mine, again, theirs] = await Promise.all([one(), one(), other()]);
    expect(mine).toEqual(again);
    expect(Buffer.from(sharedKey(mine)).equals(Buffer.from(sharedKey(theirs)))).toBe(false);
    expect(sharedKey(mine).length).toBeGreaterThanOrEqual(32);
  });
});
