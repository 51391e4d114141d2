/**
 * The entries of the bundles behind the tags of a Catalog's repositories, within the memory that they may take together. If they
 * take more, each repository has an equal share of it, so that none takes the room of the others.
 */
import { ReasonedError } from '../../api/errors.ts';
import { createSlots } from '../../apply/slots.ts';
import type { BundleBlob } from '../../catalog/blob.ts';
import { hasRoom, roomForEntries, takeEntry } from '../../catalog/repository/entry-size.ts';

/** The entry of a bundle, or the reason why it has none. */
export type FoundEntry = BundleBlob | ReasonedError;

/** Finds the entry of the bundle that an image contains. Throws the errors of a registry. */
export type FindEntry = (image: string) => Promise<FoundEntry>;

interface RepositoryVersions {
  /** In ascending order. */
  readonly versions: readonly { readonly image: string }[];
}

/** Bundles that are read at the same time. */
const IN_FLIGHT = 8;

/**
 * One entry for each version of each repository. The same images have the same entries, in whatever order they are read. Throws the
 * errors of a registry.
 */
export async function entriesOf(
  repositories: readonly RepositoryVersions[],
  find: FindEntry,
): Promise<readonly (readonly FoundEntry[])[]> {
  const all = await entriesTogether(repositories, find);
  if (all !== undefined) return all;
  const found: (readonly FoundEntry[])[] = [];
  for (const one of repositories) found.push(await newestOf(one, find, 1 / repositories.length));
  return found;
}

/** Undefined if they are too large together. */
async function entriesTogether(
  repositories: readonly RepositoryVersions[],
  find: FindEntry,
): Promise<readonly (readonly FoundEntry[])[] | undefined> {
  const [slots, room] = [createSlots(IN_FLIGHT), roomForEntries()];
  const entryOf = async (image: string): Promise<readonly FoundEntry[]> => {
    if (!hasRoom(room)) return [];
    const entry = await find(image);
    return entry instanceof ReasonedError || takeEntry(room, entry) ? [entry] : [];
  };
  const all = await Promise.all(
    repositories.map(({ versions }) => Promise.all(versions.map(({ image }) => slots(() => entryOf(image))))),
  );
  return hasRoom(room) ? all.map((entries) => entries.flat()) : undefined;
}

/** The newest entries that have room in the share of one repository; the older versions have the reason, and are not read. */
async function newestOf(
  { versions }: RepositoryVersions,
  find: FindEntry,
  share: number,
): Promise<readonly FoundEntry[]> {
  const room = roomForEntries(share);
  const found: FoundEntry[] = [];
  for (let end = versions.length; end > 0; end -= IN_FLIGHT) {
    const some = versions.slice(Math.max(0, end - IN_FLIGHT), end).toReversed();
    const read = hasRoom(room) ? await Promise.all(some.map(({ image }) => find(image))) : some.map(() => NO_ROOM);
    found.push(...read.map((entry) => (entry instanceof ReasonedError || takeEntry(room, entry) ? entry : NO_ROOM)));
  }
  return found.toReversed();
}

const NO_ROOM = new ReasonedError({
  reason: 'BundleTooLarge',
  retry: 'never',
  message:
    'the bundles of the Catalog state too much together, and newer versions take the room of this repository: offer the repositories by several Catalogs, or delete tags of old versions',
});
