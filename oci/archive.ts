/**
 * One layer's tar: bytes in, the files, folders and whiteouts of a few folders out, one after the other. Nothing is
 * written to a disk, and memory does not grow with the archive. Members outside the folders are skipped, of any type;
 * inside them only plain files and folders are accepted. image.ts puts layers together.
 *
 * @see https://github.com/opencontainers/image-spec/blob/main/layer.md
 */
import { Parser, type ReadEntry } from 'tar';
import { imageInvalid } from './errors.ts';
import { inflate } from './inflate.ts';
import type { Origin } from './manifest.ts';
import { createJudge, type MemberRules, spend, type Usage } from './members.ts';

export type LayerEntry =
  | LayerFile
  /** A folder that the layer names; a file of the same name below is hidden. */
  | { readonly kind: 'folder'; readonly path: string }
  /** Hides the path, and everything under it, in the layers below. */
  | { readonly kind: 'whiteout'; readonly path: string }
  /** Hides everything under the path in the layers below. */
  | { readonly kind: 'opaque'; readonly path: string };

/** A regular file. Its chunks must be read before the next entry is requested; unread chunks are skipped. */
export interface LayerFile {
  readonly kind: 'file';
  readonly path: string;
  readonly size: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface LayerOptions extends MemberRules {
  /** Media type, which must be that of a layer; its first bytes decide the compression. */
  readonly mediaType?: string;
}

/** No limits used yet, at the start of reading an image. */
export function noUsage(): Usage {
  return { entries: 0, nameBytes: 0, files: 0, totalBytes: 0, inflatedBytes: 0 };
}

/**
 * Reads a layer, compressed or not. Entries are trustworthy only after the whole layer has ended without an error,
 * because the source is verified at its end.
 *
 * @throws ImageInvalid, ImageTooLarge, and every error of the source
 */
export async function* readLayer(source: AsyncIterable<Uint8Array>, options: LayerOptions): AsyncGenerator<LayerEntry> {
  const events = tarEvents(source, options);
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      const event = next.value;
      if (event.kind === 'start') yield* oneFile(event, events);
      else if (event.kind === 'note') yield event.entry;
    }
  } finally {
    await events.return(undefined);
  }
}

type TarEvent =
  | { readonly kind: 'start'; readonly path: string; readonly size: number }
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'note'; readonly entry: LayerEntry };

interface FileHead {
  readonly path: string;
  readonly size: number;
}

async function* oneFile({ path, size }: FileHead, events: AsyncGenerator<TarEvent>): AsyncGenerator<LayerFile> {
  let open = true;
  const read = async (): Promise<Uint8Array | undefined> => {
    if (!open) return undefined;
    const next = await events.next();
    if (next.done !== true && next.value.kind === 'data') return next.value.bytes;
    open = false;
    return undefined;
  };
  yield { kind: 'file', path, size, chunks: until(read) };
  while ((await read()) !== undefined);
}

async function* until(read: () => Promise<Uint8Array | undefined>): AsyncGenerator<Uint8Array> {
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) yield bytes;
}

/** The events of the archive; a layer of zero bytes has none, whatever its media type, as in the reference. */
async function* tarEvents(source: AsyncIterable<Uint8Array>, options: LayerOptions): AsyncGenerator<TarEvent> {
  const read = { bytes: 0, isWhole: false };
  try {
    yield* archiveEvents(metered(source, read), options);
  } catch (error) {
    if (!read.isWhole || read.bytes > 0) throw error;
  }
}

interface SourceMeter {
  bytes: number;
  /** The source has come to its end without an error. */
  isWhole: boolean;
}

async function* metered(source: AsyncIterable<Uint8Array>, meter: SourceMeter): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    meter.bytes += chunk.length;
    yield chunk;
  }
  meter.isWhole = true;
}

/** Feeds the parser chunk by chunk; the entries of one chunk are passed on before the next chunk is read. */
async function* archiveEvents(source: AsyncIterable<Uint8Array>, options: LayerOptions): AsyncGenerator<TarEvent> {
  const { mediaType, origin, limits } = options;
  const feed = new Feed(options);
  const plain = inflate(source, { origin, maxRatio: limits.ratio, ...(mediaType !== undefined && { mediaType }) });
  let isEmpty = true;
  for await (const chunk of plain) {
    isEmpty &&= chunk.length === 0;
    spend(options, 'inflatedBytes', chunk.length);
    // Nothing behind the end marker is parsed, only counted, so that the source comes to its own end and check.
    if (!feed.ended) yield* feed.write(chunk);
  }
  if (!isEmpty && !feed.ended) yield* feed.end();
}

/** A tar parser as a function: bytes in, events out. Throws ImageInvalid as soon as the archive is unsound. */
class Feed {
  readonly #origin: Origin;
  readonly #judge: ReturnType<typeof createJudge>;
  readonly #parser: Parser;
  /** Events of the bytes so far that were not returned yet. */
  readonly #queue: TarEvent[] = [];
  #failure: Error | undefined;
  #ended = false;
  /** The entry that the filter has judged last, and its path if it is kept. */
  #judged: ReadEntry | undefined;
  #path = '';

  constructor(options: LayerOptions) {
    this.#origin = options.origin;
    this.#judge = createJudge(options);
    this.#parser = new Parser({
      strict: true,
      // It inflates by itself, beyond the limits of inflate.ts, which leaves it nothing to inflate: one byte is too much.
      maxDecompressionRatio: 0,
      filter: (_path, entry) => this.#isKept(entry as ReadEntry),
      onReadEntry: (entry) => this.#follow(entry),
    });
    this.#parser.on('error', (error: Error) => void (this.#failure ??= error));
    this.#parser.on('eof', () => void (this.#ended = true));
    this.#parser.on('meta', (text: string) => this.#judge.extension(text));
    this.#parser.on('ignoredEntry', (entry: ReadEntry) => {
      if (entry !== this.#judged) this.#judge.unread(entry);
    });
  }

  /** Whether the end marker of the archive was read. */
  get ended(): boolean {
    return this.#ended;
  }

  write(chunk: Uint8Array): readonly TarEvent[] {
    this.#parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    return this.#take();
  }

  end(): readonly TarEvent[] {
    this.#parser.end();
    return this.#take();
  }

  #isKept(entry: ReadEntry): boolean {
    this.#judged = entry;
    const verdict = this.#judge.judge(entry);
    if (verdict.kind === 'keep') this.#path = verdict.path;
    else if (verdict.kind !== 'pass')
      this.#queue.push({ kind: 'note', entry: { kind: verdict.kind, path: verdict.path } });
    return verdict.kind === 'keep';
  }

  #follow(entry: ReadEntry): void {
    this.#queue.push({ kind: 'start', path: this.#path, size: entry.size });
    entry.on('data', (bytes: Buffer) => void this.#queue.push({ kind: 'data', bytes }));
    entry.on('end', () => void this.#queue.push({ kind: 'end' }));
  }

  #take(): readonly TarEvent[] {
    if (this.#failure !== undefined) throw unsound(this.#origin, this.#failure);
    return this.#queue.splice(0);
  }
}

function unsound({ what, byDigest }: Origin, failure: Error) {
  const problem = failure.message.replace(/^TAR_\w+: /, '').slice(0, 100);
  return imageInvalid(`${what} is not a sound tar archive: ${problem}`, byDigest);
}
