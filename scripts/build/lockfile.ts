/** What package-lock.json says of the packages: the versions that are installed, and how to know their archives. */
import { readFile } from 'node:fs/promises';

export interface LockedPackage {
  /** `node_modules/zod`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** SPDX expression, or `NOASSERTION`. */
  readonly licence: string;
  /** `sha512-…` of its archive. */
  readonly integrity: string | undefined;
}

interface Entry {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
}

/** Every package by its path. */
export async function readLockfile(): Promise<ReadonlyMap<string, LockedPackage>> {
  const file = new URL('../../package-lock.json', import.meta.url);
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as { packages: Record<string, Entry> };
  return new Map(
    Object.entries(packages).map(([path, { version = '', license = 'NOASSERTION', integrity }]) => [
      path,
      { path, name: path.slice(path.lastIndexOf('node_modules/') + 13), version, licence: license, integrity },
    ]),
  );
}
