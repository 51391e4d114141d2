/** The entries of a channel as a person edits them: fields that Slipway does not know stay. Pure. */
import { isRecord, type Fields } from '../../api/untyped.ts';
import { listField, textField } from '../fields.ts';
import type { PlacedDocument } from './documents.ts';

/** Edges into an entry, as its document has them. */
export interface EntryEdges {
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

export function entriesOf({ value }: PlacedDocument): readonly Fields[] {
  return listField(value, 'entries').filter(isRecord);
}

export function entryOf(channel: PlacedDocument | undefined, bundle: string): Fields | undefined {
  return channel === undefined ? undefined : entriesOf(channel).find((entry) => nameOf(entry) === bundle);
}

export function nameOf(entry: Fields): string {
  return textField(entry, 'name') ?? '';
}

/** The edges of an entry; empty ones are absent. */
export function edgesOf(entry: Fields): EntryEdges {
  const [replaces = '', skipRange = ''] = [textField(entry, 'replaces'), textField(entry, 'skipRange')];
  const skips = skipsOf(entry);
  return {
    ...(replaces !== '' && { replaces }),
    ...(skips.length > 0 && { skips }),
    ...(skipRange !== '' && { skipRange }),
  };
}

export function skipsOf(entry: Fields): readonly string[] {
  return listField(entry, 'skips').filter((skip): skip is string => typeof skip === 'string');
}

/** The entries that no other one replaces or skips. */
export function headsOf(entries: readonly Fields[]): readonly string[] {
  const left = new Set(
    entries.flatMap((entry) =>
      [textField(entry, 'replaces') ?? '', ...skipsOf(entry)].filter((name) => name !== nameOf(entry)),
    ),
  );
  return entries.map(nameOf).filter((name) => !left.has(name));
}

/** The channel with other entries. */
export function withEntries({ value }: PlacedDocument, entries: readonly Fields[]): Fields {
  return { ...value, entries };
}
