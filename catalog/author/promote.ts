/** Decides the entry of a bundle in a further channel: how a version goes from one channel to the next. Pure. */
import type { Fields } from '../../api/untyped.ts';
import type { VersionRules } from '../versions.ts';
import { edgesOf, entriesOf, entryOf, headsOf, withEntries } from './channel.ts';
import type { PackageDocuments } from './documents.ts';
import type { CatalogEdit } from './edit.ts';
import { invalidInput } from '../../api/invalid-input.ts';
import { findBundle, isLower } from './versions.ts';

export interface Promotion {
  /** A version, or the name of a bundle. */
  readonly version: string;
  readonly from: string;
  readonly to: string;
}

/**
 * The change that puts a bundle of one channel into another one; empty if it is there. Its entry keeps the skips and the
 * skipRange of the first channel, and replaces the head of the second one. A channel that does not exist is made. Throws
 * ReasonedError `InputInvalid` (never retried) if the first channel lacks the bundle, or the second one is ahead of it.
 */
export function decidePromotion(
  documents: PackageDocuments,
  { version, from, to }: Promotion,
  rules: VersionRules,
): CatalogEdit {
  const { channels, bundles, name: packageName } = documents;
  const bundle = findBundle(documents, version);
  const source = channels.get(from);
  if (source === undefined)
    throw invalidInput(
      `package ${packageName} has no channel ${JSON.stringify(from)}`,
      `It has ${[...channels.keys()].slice(0, 5).join(', ')}`,
    );
  const entry = bundle === undefined ? undefined : entryOf(source, bundle);
  if (bundle === undefined || entry === undefined)
    throw invalidInput(
      `channel ${JSON.stringify(from)} of package ${packageName} has no version ${version}`,
      'Add the bundle to that channel first: slipway catalog add',
    );
  const target = channels.get(to);
  if (entryOf(target, bundle) !== undefined) return { changed: new Map(), removed: new Set(), added: [] };
  const head = target === undefined ? undefined : onlyHead(entriesOf(target), to);
  if (head !== undefined && isLower(bundles.get(bundle)?.value, bundles.get(head)?.value, rules))
    throw invalidInput(
      `the head of channel ${JSON.stringify(to)}, ${head}, is higher than ${bundle}`,
      `Promote a version that is higher than ${head}`,
    );
  const { skips, skipRange } = edgesOf(entry);
  const promoted = {
    name: bundle,
    ...(head !== undefined && { replaces: head }),
    ...(skips !== undefined && { skips }),
    ...(skipRange !== undefined && { skipRange }),
  };
  if (target !== undefined)
    return {
      changed: new Map([[target, withEntries(target, [...entriesOf(target), promoted])]]),
      removed: new Set(),
      added: [],
    };
  const value = { schema: 'olm.channel', package: packageName, name: to, entries: [promoted] };
  return { changed: new Map(), removed: new Set(), added: [{ value, behind: source }] };
}

function onlyHead(entries: readonly Fields[], channel: string): string | undefined {
  const heads = headsOf(entries);
  if (heads.length <= 1) return heads[0];
  throw invalidInput(
    `channel ${JSON.stringify(channel)} has several heads: ${heads.slice(0, 5).join(', ')}`,
    'Let one head replace or skip the others first',
  );
}
