/** Icons of packages. A catalog may have put anything there: the bytes must begin as an image of their type does. Pure. */
import { iconOf } from '../data/reduce-content.ts';

export interface Icon {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** The icon in an `olm.package` document; undefined if there is none that may be shown. */
export function iconIn(document: Readonly<Record<string, unknown>>): Icon | undefined {
  // The list of packages offers an icon by the same rule.
  const icon = iconOf(document);
  if (icon === undefined) return undefined;
  const bytes = new Uint8Array(Buffer.from(icon.base64, 'base64'));
  return SIGNATURES.get(icon.mediaType)?.(bytes) === true ? { bytes, type: icon.mediaType } : undefined;
}

type IsOfType = (bytes: Uint8Array) => boolean;

/** By type: whether the bytes are of it. */
const SIGNATURES: ReadonlyMap<string, IsOfType> = new Map<string, IsOfType>([
  ['image/png', (bytes) => begins(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['image/jpeg', (bytes) => begins(bytes, [0xff, 0xd8, 0xff])],
  ['image/gif', (bytes) => begins(bytes, [0x47, 0x49, 0x46, 0x38])],
  ['image/webp', (bytes) => begins(bytes, [0x52, 0x49, 0x46, 0x46]) && begins(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50])], // prettier-ignore
  // As an image a browser runs nothing of it, and opened by itself it is in a sandbox.
  ['image/svg+xml', (bytes) => /^\s*(?:<\?xml|<!--|<!DOCTYPE svg|<svg)/i.test(Buffer.from(bytes.subarray(0, 512)).toString().replace(/^\uFEFF/, ''))], // prettier-ignore
]);

function begins(bytes: Uint8Array, wanted: readonly number[]): boolean {
  return wanted.every((byte, at) => bytes[at] === byte);
}
