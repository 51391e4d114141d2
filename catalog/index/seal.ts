/**
 * Keeps a checksum inside the file: a SQLite header has a number for the use of the application, which holds the CRC of
 * everything else. A file that was cut off or damaged on disk is detected before it is used.
 */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/**
 * The position of `PRAGMA user_version` in a SQLite file. @see
 * https://www.sqlite.org/fileformat2.html#the_database_header
 */
const SEAL_OFFSET = 60;
const SEAL_BYTES = 4;
const READ_BYTES = 1 << 20;

/** Writes the checksum and makes the file durable. */
export function sealFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const seal = Buffer.alloc(SEAL_BYTES);
    seal.writeUInt32BE(checksum(file));
    writeSync(file, seal, 0, SEAL_BYTES, SEAL_OFFSET);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether the file has the content that was sealed. */
export function isSealed(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const seal = Buffer.alloc(SEAL_BYTES);
    const read = readSync(file, seal, 0, SEAL_BYTES, SEAL_OFFSET);
    return read === SEAL_BYTES && seal.readUInt32BE() === checksum(file);
  } finally {
    closeSync(file);
  }
}

function checksum(file: number): number {
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  let sum = 0;
  for (let at = 0; ;) {
    const read = readSync(file, buffer, 0, READ_BYTES, at);
    if (read === 0) return sum;
    if (at === 0) buffer.fill(0, SEAL_OFFSET, Math.min(SEAL_OFFSET + SEAL_BYTES, read));
    sum = crc32(buffer.subarray(0, read), sum);
    at += read;
  }
}
