/**
 * The files of the pages, all in memory: a request names one of them or none, so that no path leads out of them. They come
 * from the build beside the program, or from the sources of the checkout.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** A file of the pages, as their build makes it. */
export interface PageContent {
  /** `/main-3F2A.js`; `/index.html` is the answer for every view. */
  readonly path: string;
  /** The media type, with the character set. */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Whether the content of this path never changes. */
  readonly isImmutable: boolean;
}

export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Absent if it is not smaller. */
  readonly gzipped?: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  readonly isImmutable: boolean;
}

export interface Assets {
  /** By path. */
  readonly files: ReadonlyMap<string, Asset>;
  /** The page for every path that is no file. */
  readonly index: Asset;
}

/** @throws Error if there is no `/index.html` */
export function assetsOf(pages: Iterable<PageContent>): Assets {
  const files = new Map([...pages].map((page) => [page.path, assetOf(page)] as const));
  const index = files.get('/index.html');
  if (index === undefined) throw new Error('the pages of the console have no index.html');
  return { files, index };
}

function assetOf({ bytes: content, type, isImmutable }: PageContent): Asset {
  const bytes = new Uint8Array(content);
  const gzipped = new Uint8Array(gzipSync(bytes, { level: 9 }));
  return {
    bytes,
    ...(gzipped.length < bytes.length && { gzipped }),
    type,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    isImmutable,
  };
}
