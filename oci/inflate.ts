/**
 * Compressed layer in, tar bytes out. The first bytes determine the compression, as for OLM v1 and container engines: some
 * tools state another one in the media type.
 */
import { finished, pipeline, Readable, type Transform } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { ReasonedError } from '../api/errors.ts';
import { imageInvalid, imageTooLarge } from './errors.ts';
import type { Origin } from './manifest.ts';
import { alignFrames } from './zstd-frames.ts';

export type Compression = 'none' | 'gzip' | 'zstd';

export interface InflateOptions {
  readonly origin: Origin;
  /** Media type, which must be that of a layer; absent: any kind is accepted. */
  readonly mediaType?: string;
  /** Tar bytes per compressed byte, averaged from the start; small layers are let through. */
  readonly maxRatio: number;
}

/** 32 MiB, as the strongest common level uses; more would let a layer claim memory. */
const ZSTD_WINDOW_LOG_MAX = 25;
const CHUNK_BYTES = 64 << 10;
/** Below this size the ratio does not count: a tar of small files is mostly zeros. */
const RATIO_GRACE_BYTES = 4 << 20;

const LAYER_TYPE =
  /^application\/vnd\.(?:oci\.image\.layer(?:\.nondistributable)?\.v1\.tar|docker\.image\.rootfs\.(?:foreign\.)?diff\.tar)(?:[+.](?:gzip|zstd))?$/;

/**
 * Decompresses off the event loop. The source is always read to its end, so that its own checks run.
 *
 * @throws ImageInvalid if the bytes are damaged, doubly compressed or no layer; ImageTooLarge beyond the ratio
 */
export async function* inflate(source: AsyncIterable<Uint8Array>, options: InflateOptions): AsyncGenerator<Uint8Array> {
  const { origin } = options;
  const counter = { in: 0, out: 0 };
  const packed = counted(source, counter);
  const { head, rest } = await peek(packed);
  const compression = magicOf(head);
  const refusal = refusalOf(options);
  if (refusal !== undefined) {
    // Nothing reads on, and the connection of the source would stay open.
    await packed.return(undefined);
    throw refusal;
  }
  const plain = compression === 'none' ? rest : inflatedOnce(decompressed(rest, compression, origin), origin);
  for await (const chunk of plain) {
    counter.out += chunk.length;
    if (counter.out > RATIO_GRACE_BYTES && counter.out > counter.in * options.maxRatio) {
      throw imageTooLarge(`${origin.what} inflates more than ${options.maxRatio} times`, origin.byDigest);
    }
    yield chunk;
  }
}

/** Undefined if the media type is that of a layer. */
function refusalOf({ mediaType, origin }: InflateOptions): ReasonedError | undefined {
  if (mediaType === undefined || LAYER_TYPE.test(mediaType)) return undefined;
  const type = JSON.stringify(mediaType.slice(0, 100));
  return imageInvalid(`${origin.what} is of the type ${type}, which is not a layer`, origin.byDigest);
}

/** Refuses bytes that are compressed once more, in however small pieces they come: the parser would inflate them too. */
async function* inflatedOnce(
  source: AsyncGenerator<Uint8Array>,
  { what, byDigest }: Origin,
): AsyncGenerator<Uint8Array> {
  try {
    const { head, rest } = await peek(source);
    if (magicOf(head) !== 'none') throw imageInvalid(`${what} is compressed twice`, byDigest);
    yield* rest;
  } finally {
    await source.return(undefined);
  }
}

function magicOf(bytes: Uint8Array): Compression {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip';
  if (bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd) return 'zstd';
  return 'none';
}

async function* counted(source: AsyncIterable<Uint8Array>, counter: { in: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    counter.in += chunk.length;
    yield chunk;
  }
}

interface Peeked {
  readonly head: Uint8Array;
  readonly rest: AsyncIterable<Uint8Array>;
}

async function peek(source: AsyncGenerator<Uint8Array>): Promise<Peeked> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < 4) {
    const next = await source.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return { head, rest: chain(head, source) };
}

async function* chain(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* rest;
}

async function* decompressed(
  source: AsyncIterable<Uint8Array>,
  kind: 'gzip' | 'zstd',
  origin: Origin,
): AsyncGenerator<Uint8Array> {
  const damaged = (): ReasonedError =>
    imageInvalid(`${origin.what} is damaged: its ${kind} stream ends or breaks off wrongly`, origin.byDigest);
  const input = kind === 'zstd' ? alignFrames(source, damaged) : source;
  const engine = createEngine(kind);
  const done = new Promise<Error | null | undefined>((resolve) => {
    pipeline(Readable.from(input, { objectMode: true }), engine, resolve);
  });
  finished(engine, () => {}); // the loop below sees a failure
  try {
    yield* engine as AsyncIterable<Uint8Array>;
    const failure = await done;
    if (failure) throw failure;
  } catch (error) {
    if (error instanceof ReasonedError || !isDamage(error)) throw error;
    throw damaged();
  } finally {
    engine.destroy();
  }
}

function createEngine(kind: 'gzip' | 'zstd'): Transform {
  if (kind === 'gzip') return createGunzip({ chunkSize: CHUNK_BYTES });
  return createZstdDecompress({
    chunkSize: CHUNK_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
  });
}

/** Errors that zlib and zstd report about their input, as opposed to a failure of the source. */
function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:Z_|ZSTD_|ERR_TRAILING_JUNK|ERR_BUFFER)/.test(code);
}
