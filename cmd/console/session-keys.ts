/** Secrets for sessions from a folder, as a mounted Secret has them: read again, so that a new one needs no restart. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareText } from '../../api/compare-text.ts';
import { ReasonedError } from '../../api/errors.ts';
import { systemClock, type Clock } from '../../kube/clock.ts';
import { ownKeys, type SessionKeys } from '../../console/server/login/session.ts';

const READ_AGAIN_SECONDS = 60;
const LEAST_BYTES = 32;
/** Then every replica has read a key: twice the time between two reads, and some for the kubelet. */
const SETTLED_SECONDS = 120;

/**
 * The files of the folder: the last of the map seals, all can open. Without a folder one key of this process. The returned
 * function throws ReasonedError InvalidConfiguration, not retried, if the folder has no secret that is long enough.
 */
export function sessionKeys(folder: string | undefined, clock: Clock = systemClock): SessionKeys {
  if (folder === undefined) return ownKeys();
  let known: { readonly keys: ReadonlyMap<string, Uint8Array>; readonly until: number } | undefined;
  const seenAt = new Map<string, number>();
  return async () => {
    if (known !== undefined && known.until > clock.now()) return inOrder(known.keys, seenAt, clock.now());
    // Keys that are known are better than none, should the folder be unreadable for a moment.
    const keys = await readKeys(folder).catch((error: unknown) => known?.keys ?? Promise.reject(error as Error));
    const now = clock.now();
    known = { keys, until: now + READ_AGAIN_SECONDS };
    for (const name of keys.keys()) seenAt.set(name, seenAt.get(name) ?? now);
    for (const name of seenAt.keys()) if (!keys.has(name)) seenAt.delete(name);
    return inOrder(keys, seenAt, now);
  };
}

/**
 * The last one seals, and a replica that has not read it yet would log the person out: so a new key comes before those that
 * all replicas know. If all are new, as at the start of this process, the first by name is the oldest.
 */
function inOrder(
  keys: ReadonlyMap<string, Uint8Array>,
  seenAt: ReadonlyMap<string, number>,
  now: number,
): ReadonlyMap<string, Uint8Array> {
  const isSettled = ([name]: readonly [string, unknown]): boolean => now - (seenAt.get(name) ?? now) >= SETTLED_SECONDS;
  const byName = [...keys];
  return new Map([...byName.filter((key) => !isSettled(key)).toReversed(), ...byName.filter(isSettled)]);
}

/** The first by name: all replicas have the same one, also while some of them do not know a new key yet. */
export function sharedKey(keys: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const [first] = [...keys].toSorted(([one], [other]) => compareText(one, other));
  return first?.[1] ?? new Uint8Array();
}

async function readKeys(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  // A mounted Secret has links beside its keys, which begin with dots.
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith('.')).sort();
  const keys = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const));
  const usable = keys.filter(([, secret]) => secret.length >= LEAST_BYTES);
  if (usable.length > 0) return new Map(usable);
  throw new ReasonedError({
    reason: 'InvalidConfiguration',
    retry: 'never',
    message: `${folder} has no file of at least ${LEAST_BYTES} bytes to seal sessions with`,
    hint: 'Make one: head -c 48 /dev/urandom | base64, as a key of the Secret that is mounted there',
  });
}
