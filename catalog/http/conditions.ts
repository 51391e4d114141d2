/** Whether a conditional request is to be answered in full. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Validators {
  /** With quotes, and with `W/` if it is weak. */
  readonly etag: string;
  readonly modified: Date;
}

/**
 * 304 if the client has the content already, 412 if it wants other content only, else undefined.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2
 */
export function checkPreconditions(
  headers: IncomingHttpHeaders,
  { etag, modified }: Validators,
): 304 | 412 | undefined {
  const seconds = Math.floor(modified.getTime() / 1000);
  const match = headers['if-match'];
  const unmodifiedSince = secondsOf(headers['if-unmodified-since']);
  if (match !== undefined) {
    if (!listsStrongly(match, etag)) return 412;
  } else if (unmodifiedSince !== undefined && seconds > unmodifiedSince) return 412;
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) return listsWeakly(noneMatch, etag) ? 304 : undefined;
  const modifiedSince = secondsOf(headers['if-modified-since']);
  return modifiedSince !== undefined && seconds <= modifiedSince ? 304 : undefined;
}

function listsStrongly(list: string, etag: string): boolean {
  return list.trim() === '*' || (!etag.startsWith('W/') && tagsIn(list).includes(etag));
}

function listsWeakly(list: string, etag: string): boolean {
  return list.trim() === '*' || tagsIn(list).some((tag) => opaque(tag) === opaque(etag));
}

function tagsIn(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

function secondsOf(date: string | undefined): number | undefined {
  const time = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}
