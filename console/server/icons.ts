/** Icons of packages. A catalog may have put anything there: the bytes must begin as an image of their type does. Pure. */

export interface Icon {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** Larger ones are no icons. */
const MOST_BYTES = 512 << 10;

/** The icon in an `olm.package` document; undefined if there is none that may be shown. */
export function iconIn(document: Readonly<Record<string, unknown>>): Icon | undefined {
  const icon = document['icon'] as { readonly base64data?: unknown; readonly mediatype?: unknown } | undefined;
  const { base64data, mediatype } = icon ?? {};
  if (typeof base64data !== 'string' || typeof mediatype !== 'string') return undefined;
  if (base64data.length > (MOST_BYTES * 4) / 3) return undefined;
  const bytes = new Uint8Array(Buffer.from(base64data, 'base64'));
  const type = mediatype.toLowerCase().split(';')[0]?.trim() ?? '';
  return SIGNATURES[type]?.(bytes) === true ? { bytes, type } : undefined;
}

/** By type: whether the bytes are of it. */
const SIGNATURES: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  'image/png': (bytes) => begins(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/jpeg': (bytes) => begins(bytes, [0xff, 0xd8, 0xff]),
  'image/gif': (bytes) => begins(bytes, [0x47, 0x49, 0x46, 0x38]),
  'image/webp': (bytes) => begins(bytes, [0x52, 0x49, 0x46, 0x46]) && begins(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]), // prettier-ignore
  // As an image a browser runs nothing of it, and opened by itself it is in a sandbox.
  'image/svg+xml': (bytes) => /^\s*(?:<\?xml|<!--|<!DOCTYPE svg|<svg)/i.test(Buffer.from(bytes.subarray(0, 512)).toString().replace(/^\uFEFF/, '')), // prettier-ignore
};

function begins(bytes: Uint8Array, wanted: readonly number[]): boolean {
  return wanted.every((byte, at) => bytes[at] === byte);
}
