/** Remembers the state of a cluster and brings it back to that: cheaper than a new one, and as empty. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Etcd, type Change, type Entry } from './etcd.ts';

/** Controllers act on each change; a state that stays for so long stays. */
const LOOK_AGAIN_MS = 100;
const LOOKS_THAT_AGREE = 2;
/** A controller that has not seen yet that an owner is gone makes an object again once or twice. */
const MOST_TIMES = 8;
const RESTORED_WITHIN_MS = 30_000;

/** They are renewed without end, by the components themselves. */
const RENEWED = /^\/registry\/(leases|masterleases|peerserverleases)\//;

/**
 * Owners before the objects that are made for them, which would otherwise be made again; without its Namespace none is
 * made.
 */
const OWNERS: readonly RegExp[] = [
  /^\/registry\/namespaces\//,
  /^\/registry\/(deployments|daemonsets|statefulsets|cronjobs)\//,
  /^\/registry\/(replicasets|jobs)\//,
  /^\/registry\/(pods|services)\//,
];

/** Folders of a cluster in which tests and components write. */
const WRITTEN_IN = ['.', 'tmp', 'registry'] as const;

/** A state to which a cluster can be brought back. */
export interface Checkpoint {
  /**
   * Removes all objects, files and images that were made since, and puts back those that were changed or deleted.
   * Throws if the state does not stay, as something still writes.
   */
  restore(): Promise<void>;
}

/** Remembers the objects of the API server, the files of the folder and the images of the registry as they are now. */
export async function takeCheckpoint(folder: string, etcdUrl: string): Promise<Checkpoint> {
  const etcd = new Etcd(etcdUrl);
  const entries = new Map((await etcd.read()).map((entry) => [entry.key, entry]));
  const files = filesOf(folder);
  return {
    async restore() {
      await restoreObjects(etcd, entries);
      removeOthers(folder, files);
    },
  };
}

/** In the order in which they are carried out. [pure] */
export function changesBack(before: ReadonlyMap<string, Entry>, now: ReadonlyMap<string, string>): readonly Change[] {
  const made = [...now.keys()].filter((key) => !before.has(key)).map((key) => ({ key }));
  const touched = [...before.values()]
    .filter(({ key, revision }) => now.get(key) !== revision && !(now.has(key) && RENEWED.test(key)))
    .map(({ key, value }) => ({ key, value }));
  return [...made.toSorted((a, b) => rankOf(a.key) - rankOf(b.key)), ...touched];
}

/**
 * An object that changes or appears again and again is a component's, which had not come to it when the state was
 * remembered: its state from now on is kept.
 */
async function restoreObjects(etcd: Etcd, entries: Map<string, Entry>): Promise<void> {
  const deadline = Date.now() + RESTORED_WITHIN_MS;
  const times = new Map<string, number>();
  const isOurs = ({ key }: Change): boolean => (times.get(key) ?? 0) < MOST_TIMES;
  for (let agreed = 0; agreed < LOOKS_THAT_AGREE; await delay(LOOK_AGAIN_MS)) {
    const changes = changesBack(entries, await etcd.revisions()).filter(isOurs);
    agreed = changes.length === 0 ? agreed + 1 : 0;
    for (const { key } of changes) times.set(key, (times.get(key) ?? 0) + 1);
    await etcd.change(changes);
    if (Date.now() > deadline) throw new Error(`Not restored: ${changes.map(({ key }) => key).join(', ')}`);
  }
  for (const entry of await etcd.read()) if (times.has(entry.key)) entries.set(entry.key, entry);
}

function rankOf(key: string): number {
  const rank = OWNERS.findIndex((pattern) => pattern.test(key));
  return rank < 0 ? OWNERS.length : rank;
}

function filesOf(folder: string): ReadonlySet<string> {
  return new Set(WRITTEN_IN.flatMap((part) => readdirSync(join(folder, part)).map((name) => join(part, name))));
}

/** The registry keeps no index in memory: without its files it is empty. */
function removeOthers(folder: string, files: ReadonlySet<string>): void {
  for (const file of filesOf(folder)) {
    if (!files.has(file)) rmSync(join(folder, file), { recursive: true, force: true });
  }
}
