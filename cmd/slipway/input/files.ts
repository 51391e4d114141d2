/** Reads files and folders that the command line names, with limits. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { compareText } from '../../../api/compare-text.ts';
import { parseYaml, YamlError } from '../../../bundles/yaml.ts';
import type { Environment } from '../environment.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

export interface TreeLimits {
  readonly maxFiles: number;
  /** Of all files together. */
  readonly maxBytes: number;
}

/**
 * The files of a folder by their paths from there, with slashes, sorted; only those below `parts` where some are
 * named. A folder that is not there has no files. A link to a file inside of the folder counts as this file; every other
 * link, and anything else, is refused: pipelines publish the folders of others.
 * Files of version control and of editors are left out.
 *
 * @throws ReasonedError InputInvalid
 */
export async function readTree(
  folder: string,
  { parts = [''], ...limits }: TreeLimits & { readonly parts?: readonly string[] },
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  let bytes = 0;
  for (const part of parts) {
    await assertInside(folder, part);
    for await (const path of walk(folder, part)) {
      bytes += (await stat(join(folder, path))).size;
      if (files.size >= limits.maxFiles) throw invalidInput(`${folder} has more than ${limits.maxFiles} files`);
      if (bytes > limits.maxBytes) throw invalidInput(`the files in ${folder} have more than ${limits.maxBytes} bytes`);
      files.set(path, await readFile(join(folder, path)));
    }
  }
  return files;
}

async function* walk(folder: string, part: string): AsyncGenerator<string> {
  const entries = await readdir(join(folder, part), { withFileTypes: true }).catch(missingAsEmpty);
  for (const entry of entries.toSorted((a, b) => compareText(a.name, b.name))) {
    if (LEFT_OUT.test(entry.name)) continue;
    const path = part === '' ? entry.name : `${part}/${entry.name}`;
    if (ODD_NAME.test(entry.name))
      throw invalidInput(`${JSON.stringify(path)} has characters that no archive should have`);
    if (entry.isSymbolicLink()) await assertInside(folder, path);
    if (entry.isDirectory()) yield* walk(folder, path);
    else if (entry.isFile() || (await isFile(join(folder, path)))) yield path;
    else throw invalidInput(`${join(folder, path)} is neither a file nor a folder`, 'Remove it');
  }
}

/** Of version control, with its tokens and its history; swap files, copies and locks of editors; of the Finder; of a run that was killed (output/write-files.ts). */
const LEFT_OUT = /^(?:\.(?:git|hg|svn|jj|DS_Store|slipway-.{6}|#.*|.+\.sw[a-z])|#.*#|.*~)$/i;

/** A path that leads nowhere passes. @throws ReasonedError InputInvalid if links lead out of the folder, or to a file that is left out */
async function assertInside(folder: string, path: string): Promise<void> {
  const [root, target] = await Promise.all(
    [folder, join(folder, path)].map((place) => realpath(place).catch(() => undefined)),
  );
  if (root === undefined || target === undefined) {
    // The system's links to open files work even if these have no path any more.
    if ((await stat(join(folder, path)).catch(() => undefined)) === undefined) return;
  } else {
    const way = relative(root, target);
    const names = way.split(sep);
    if (names[0] !== '..' && !isAbsolute(way) && !names.some((name) => LEFT_OUT.test(name))) return;
  }
  throw invalidInput(
    `${join(folder, path)} is a link out of the folder`,
    'Replace the link by the file if that is to be published, else remove it; "cp -RL" copies a folder without links',
  );
}

/** Control characters, the separator of another system, and bytes that are not UTF-8. */
const ODD_NAME = /[\u0000-\u001F\u007F\\\uFFFD]/;

function missingAsEmpty(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw invalidInput(`a folder cannot be read: ${error.message}`, undefined, error);
}

/** Whether there is a file under this path, and no folder. */
export async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

const MAX_FILE_BYTES = 64 << 20;

/** The bytes of one file. @throws ReasonedError InputInvalid */
export async function readOneFile({ folder }: Pick<Environment, 'folder'>, path: string): Promise<Uint8Array> {
  const full = resolve(folder, path);
  const found = await stat(full).catch(() => undefined);
  if (found?.isFile() !== true) throw invalidInput(`there is no file ${JSON.stringify(path)}`);
  if (found.size > MAX_FILE_BYTES) throw invalidInput(`${path} has more than ${MAX_FILE_BYTES} bytes`);
  return readFile(full);
}

/** The first document of a file of YAML or JSON, read as Kubernetes' tools do. @throws ReasonedError InputInvalid */
export async function readYamlFile(environment: Pick<Environment, 'folder'>, path: string): Promise<unknown> {
  return (await readDocuments(environment, path))[0] ?? null;
}

/** All documents of a file of YAML or JSON. @throws ReasonedError InputInvalid */
export async function readDocuments(
  environment: Pick<Environment, 'folder'>,
  path: string,
): Promise<readonly unknown[]> {
  const bytes = await readOneFile(environment, path);
  try {
    return parseYaml(bytes).map(({ value }) => value);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw invalidInput(`${path} cannot be read: ${error.message}`, 'Correct the file', error);
  }
}
