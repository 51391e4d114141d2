/** Reads bytes: streams to their end, and JSON. */

/** Reads a stream to its end into one buffer; the caller bounds the stream. */
export async function collectBytes(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** The value of JSON text; undefined if it is malformed, which the schema that reads it refuses. */
export function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
