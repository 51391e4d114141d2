/** Decides what is changed when an author removes a package or a bundle from a catalog, so that no user is stranded. Pure. */
import type { Fields } from '../../api/untyped.ts';
import { fieldsOf, isRecord } from '../../api/untyped.ts';
import { listField, textField } from '../fields.ts';
import { edgesOf, entriesOf, entryOf, nameOf, skipsOf, withEntries, type EntryEdges } from './channel.ts';
import type { PackageDocuments, PlacedDocument } from './documents.ts';
import type { CatalogEdit } from './edit.ts';
import { invalidInput } from '../../api/invalid-input.ts';
import { findBundle } from './versions.ts';

export interface RemoveWishes {
  /** A version, or the name of a bundle; absent for the whole package. */
  readonly version?: string;
  /** Only from these channels: the bundle itself goes with its last entry. */
  readonly channels?: readonly string[];
}

/**
 * The change that removes; empty if there is nothing to remove. An entry that replaced a removed bundle goes on from the
 * one below it and skips the removed one, so that users of both still reach it. Throws ReasonedError `InputInvalid`
 * (never retried) if the default channel would be empty, or a channel does not exist.
 */
export function decideRemove(documents: PackageDocuments, { version, channels }: RemoveWishes): CatalogEdit {
  if (version === undefined) return { ...NOTHING, removed: new Set(documents.all) };
  refuseUnknown(documents, channels ?? []);
  const bundle = findBundle(documents, version);
  if (bundle === undefined) return NOTHING;
  const having = [...documents.channels].filter(([, channel]) => entryOf(channel, bundle) !== undefined);
  const concerned = having.filter(([name]) => channels === undefined || channels.includes(name));
  const isLast = concerned.length === having.length;
  if (isLast && documents.bundles.size === 1 && documents.bundles.has(bundle))
    return { ...NOTHING, removed: new Set(documents.all) };
  const emptied = concerned.filter(([, channel]) => entriesOf(channel).length === 1);
  const gone: Gone = { bundle: isLast ? bundle : undefined, channels: emptied.map(([name]) => name) };
  refuseEmptyDefault(documents, gone.channels);
  const shortened = concerned.filter((one) => !emptied.includes(one));
  const deprecations = documents.deprecations.flatMap((one) => {
    const left = deprecationsWithout(one, gone);
    return left === undefined ? [] : [{ one, left }];
  });
  const own = isLast ? documents.bundles.get(bundle) : undefined;
  return {
    changed: new Map<PlacedDocument, Fields>([
      ...shortened.map(([, channel]) => [channel, withEntries(channel, withoutEntry(channel, bundle))] as const),
      ...deprecations
        .filter(({ left }) => left.length > 0)
        .map(({ one, left }) => [one, { ...one.value, entries: left }] as const),
    ]),
    removed: new Set([
      ...emptied.map(([, channel]) => channel),
      ...deprecations.filter(({ left }) => left.length === 0).map(({ one }) => one),
      ...(own === undefined ? [] : [own]),
    ]),
    added: [],
  };
}

function refuseUnknown({ channels, name }: PackageDocuments, asked: readonly string[]): void {
  const unknown = asked.find((one) => !channels.has(one));
  if (unknown === undefined) return;
  throw invalidInput(
    `package ${name} has no channel ${JSON.stringify(unknown)}`,
    `It has ${[...channels.keys()].slice(0, 5).join(', ')}`,
  );
}

const NOTHING: CatalogEdit = { changed: new Map(), removed: new Set(), added: [] };

/** The entries of a channel without one: those that replaced it get the edges that led to it. */
function withoutEntry(channel: PlacedDocument, bundle: string): readonly Fields[] {
  const gone = edgesOf(entryOf(channel, bundle) ?? {});
  return entriesOf(channel)
    .filter((entry) => nameOf(entry) !== bundle)
    .map((entry) => (textField(entry, 'replaces') === bundle ? inheriting(entry, bundle, gone) : entry));
}

function inheriting(entry: Fields, bundle: string, gone: EntryEdges): Fields {
  const { replaces: _replaces, ...rest } = entry;
  const { replaces, skips = [], skipRange } = gone;
  return {
    ...rest,
    ...(replaces !== undefined && { replaces }),
    skips: [...new Set([...skipsOf(entry), ...skips, bundle])].filter((name) => name !== nameOf(entry)),
    ...(skipRange !== undefined && edgesOf(entry).skipRange === undefined && { skipRange }),
  };
}

function refuseEmptyDefault({ head, name }: PackageDocuments, emptied: readonly string[]): void {
  const defaultChannel = head === undefined ? undefined : textField(head.value, 'defaultChannel');
  if (defaultChannel === undefined || !emptied.includes(defaultChannel)) return;
  throw invalidInput(
    `it is the last bundle of ${JSON.stringify(defaultChannel)}, the default channel of package ${name}`,
    'Set another defaultChannel in its olm.package first, or remove the whole package',
  );
}

interface Gone {
  readonly bundle: string | undefined;
  readonly channels: readonly string[];
}

/** The entries that stay; undefined if all do. */
function deprecationsWithout({ value }: PlacedDocument, { bundle, channels }: Gone): readonly unknown[] | undefined {
  const entries = listField(value, 'entries');
  const left = entries.filter((entry) => {
    const reference = fieldsOf(isRecord(entry) ? entry['reference'] : undefined);
    const name = textField(reference, 'name') ?? '';
    const schema = textField(reference, 'schema');
    return !((schema === 'olm.bundle' && name === bundle) || (schema === 'olm.channel' && channels.includes(name)));
  });
  return left.length === entries.length ? undefined : left;
}
