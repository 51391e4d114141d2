/** A blob that can be sent: its digest, its size, and its content as often as it is needed. Pure. */
import { digestOf } from './digest.ts';

export interface BlobSource {
  readonly digest: string;
  readonly size: number;
  /** Starts the content from its beginning; called again if the registry asks for credentials. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** A blob of bytes in memory. */
export function blobOf(bytes: Uint8Array): BlobSource {
  return { digest: digestOf(bytes), size: bytes.length, open: () => once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
