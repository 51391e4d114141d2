/** Reads a bundle's folder for tests, as the CLI and oci/ hand its files over. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files by path: `manifests/…` and `metadata/…`; folders inside are left out. */
export function readBundleFolder(folder: string): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const part of ['manifests', 'metadata'])
    for (const name of namesIn(join(folder, part))) {
      files.set(`${part}/${name}`, readFileSync(join(folder, part, name)));
    }
  return files;
}

/** Names of the files of a folder; none if it does not exist. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}
