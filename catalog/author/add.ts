/**
 * Decides where a bundle goes when an author adds it to a catalog: its document, its entry in each channel, and
 * whatever the catalog lacks for that. Pure.
 */
import { canonicalJson } from '../../api/json.ts';
import type { Fields } from '../../api/untyped.ts';
import type { BundleBlob } from '../blob.ts';
import { textField } from '../fields.ts';
import { displayedDescription, STABLE_CHANNEL } from '../repository/build.ts';
import type { StatedGraph } from '../stated-graph.ts';
import type { VersionRules } from '../versions.ts';
import { edgesOf, entriesOf, entryOf, headsOf, withEntries, type EntryEdges } from './channel.ts';
import type { PackageDocuments, PlacedDocument } from './documents.ts';
import type { AddedDocument, CatalogEdit } from './edit.ts';
import { invalidInput } from '../../api/invalid-input.ts';
import { identityOf, isLower } from './versions.ts';

/** What the author asks for; what is absent is taken from the bundle, else from the catalog. */
export interface AddWishes extends EntryEdges {
  readonly channels?: readonly string[];
}

export interface BundleToAdd {
  readonly bundle: BundleBlob;
  readonly stated: StatedGraph;
}

/**
 * The change that adds a bundle; it is empty if all of it is there. The edges of its entries are those of the wishes,
 * else those that the bundle states, else it replaces the head. Throws ReasonedError `InputInvalid` (never retried) if
 * the catalog has another bundle of its name or version, another entry, or no head to continue from.
 */
export function decideAdd(
  documents: PackageDocuments,
  { bundle, stated }: BundleToAdd,
  wishes: AddWishes,
  rules: VersionRules,
): CatalogEdit {
  const channels = channelsFor(documents, stated, wishes);
  const added: AddedDocument[] = [];
  const changed = new Map<PlacedDocument, Fields>();
  const edges = explicitEdges(stated, wishes);
  const place = (like: PlacedDocument | undefined): AddedDocument['behind'] =>
    like ?? documents.all.at(-1) ?? { file: `${documents.name}/catalog.yaml` };
  if (documents.head === undefined)
    added.push({ value: packageValue(bundle, stated, channels), behind: place(undefined) });
  for (const name of channels) {
    const channel = documents.channels.get(name);
    const entry = entryFor({ bundle, channel, channelName: name, edges, bundles: documents.bundles }, rules);
    if (entry === undefined) continue;
    if (channel !== undefined) changed.set(channel, withEntries(channel, [...entriesOf(channel), entry]));
    else {
      const value = { schema: 'olm.channel', package: documents.name, name, entries: [entry] };
      added.push({ value, behind: place([...documents.channels.values()].at(-1) ?? documents.head) });
    }
  }
  if (isNew(documents, bundle)) added.push({ value: bundle, behind: place([...documents.bundles.values()].at(-1)) });
  return { changed, removed: new Set(), added };
}

function channelsFor({ head }: PackageDocuments, stated: StatedGraph, { channels }: AddWishes): readonly string[] {
  if (channels !== undefined) return [...new Set(channels)];
  if (stated.channels.length > 0) return stated.channels;
  const known = head === undefined ? '' : (textField(head.value, 'defaultChannel') ?? '');
  return [known === '' ? STABLE_CHANNEL : known];
}

/** Edges that the author or the bundle names; undefined if neither does. */
function explicitEdges({ replaces, skips, skipRange }: StatedGraph, wishes: AddWishes): EntryEdges | undefined {
  const asked = edgesOf({ replaces: wishes.replaces, skips: wishes.skips, skipRange: wishes.skipRange });
  if (Object.keys(asked).length > 0) return asked;
  const found = edgesOf({ replaces, skips, skipRange });
  return Object.keys(found).length > 0 ? found : undefined;
}

interface EntryQuestion {
  readonly bundle: BundleBlob;
  readonly channel: PlacedDocument | undefined;
  readonly channelName: string;
  readonly bundles: PackageDocuments['bundles'];
  readonly edges: EntryEdges | undefined;
}

/** The new entry; undefined if the channel has it. */
function entryFor(question: EntryQuestion, rules: VersionRules): Fields | undefined {
  const { bundle, channel, channelName, edges } = question;
  const existing = entryOf(channel, bundle.name);
  if (existing !== undefined) {
    if (edges === undefined || canonicalJson(edgesOf(existing)) === canonicalJson(edges)) return undefined;
    throw invalidInput(
      `channel ${JSON.stringify(channelName)} has ${bundle.name} with other edges`,
      'Remove the bundle from the channel first, or edit the entry by hand',
    );
  }
  if (edges !== undefined || channel === undefined) return { name: bundle.name, ...edges };
  const replaces = headToReplace({ ...question, channel }, rules);
  return { name: bundle.name, ...(replaces !== undefined && { replaces }) };
}

function headToReplace(
  { bundle, channel, channelName: name, bundles }: EntryQuestion & { readonly channel: PlacedDocument },
  rules: VersionRules,
): string | undefined {
  const heads = headsOf(entriesOf(channel));
  if (heads.length > 1)
    throw invalidInput(
      `channel ${JSON.stringify(name)} has several heads: ${heads.slice(0, 5).join(', ')}`,
      'Name the edges of the new version by --replaces and --skips, so that one head is left',
    );
  const [head] = heads;
  if (head !== undefined && isLower(bundle, bundles.get(head)?.value, rules))
    throw invalidInput(
      `the head of channel ${JSON.stringify(name)}, ${head}, is higher than ${bundle.name}`,
      'Name the edges of the new version by --replaces and --skips, and let the head replace or skip it',
    );
  return head;
}

/** Whether the bundle is not in the catalog yet. */
function isNew({ bundles }: PackageDocuments, bundle: BundleBlob): boolean {
  const existing = bundles.get(bundle.name);
  if (existing !== undefined) {
    if (canonicalJson(existing.value) === canonicalJson(bundle)) return false;
    throw invalidInput(
      `the catalog has ${bundle.name} with other content`,
      'Publish the change as a new version, or remove the bundle first: slipway catalog remove',
    );
  }
  const { version } = identityOf(bundle);
  const twin = [...bundles.values()].find(({ value }) => identityOf(value).version === version);
  if (twin === undefined) return true;
  throw invalidInput(
    `the catalog has version ${version} under the name ${textField(twin.value, 'name') ?? ''}`,
    'Publish the bundle with a version of its own',
  );
}

function packageValue(bundle: BundleBlob, { defaultChannel }: StatedGraph, channels: readonly string[]): Fields {
  const description = displayedDescription(bundle);
  return {
    schema: 'olm.package',
    name: bundle.package,
    defaultChannel: defaultChannel !== undefined && channels.includes(defaultChannel) ? defaultChannel : channels[0],
    ...(description !== undefined && { description }),
  };
}
