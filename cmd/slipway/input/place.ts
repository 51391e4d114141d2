/** The place that an argument names: a folder, an image in a folder, a file, or an image in a registry. */
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseReference, type Reference } from '../../../oci/reference.ts';
import type { Environment } from '../environment.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

export type InputPlace =
  | { readonly kind: 'folder'; readonly path: string }
  /** A folder with an image in it. */
  | { readonly kind: 'layout'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'image'; readonly reference: Reference };

/**
 * An existing path wins: the name of a file or folder stands for it, even if it is also a valid reference. Else it is a reference,
 * which must name its registry, so that a mistyped folder is not asked for in a public one.
 *
 * @throws ReasonedError InputInvalid, also for a folder that could be read in two ways; ReferenceInvalid
 */
export async function findPlace({ folder }: Pick<Environment, 'folder'>, text: string): Promise<InputPlace> {
  const path = resolve(folder, text);
  const found = text === '' ? undefined : await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return { kind: 'file', path };
  if (found?.isDirectory() === true) return { kind: (await isLayout(path)) ? 'layout' : 'folder', path };
  if (!namesRegistry(text)) {
    throw invalidInput(
      `there is no folder ${JSON.stringify(text)}${isPath(text) ? '' : ', and it names no image with its registry'}`,
      'Name a folder that exists, or an image with its registry, as in registry.example/team/operator:v1.0.0',
    );
  }
  return { kind: 'image', reference: parseReference(text) };
}

/** Whether it can be nothing but a folder. */
function isPath(text: string): boolean {
  return /^[./~]|\/$/.test(text);
}

/** Whether the first part is a host: it has a dot or a port, or is this machine. */
function namesRegistry(text: string): boolean {
  const [first = '', ...rest] = text.split('/');
  return !isPath(text) && rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
}

/** The place where something is to be written: a folder that is new or empty. @throws ReasonedError InputInvalid */
export function targetFolder({ folder }: Pick<Environment, 'folder'>, text: string): string {
  if (text === '') throw invalidInput('the name of the folder is empty');
  return resolve(folder, text);
}

/** The place where an image is to be written: a folder that is new or empty, or a layout. @throws ReasonedError InputInvalid */
export async function targetLayout(environment: Pick<Environment, 'folder'>, text: string): Promise<string> {
  const path = targetFolder(environment, text);
  const names = await readdir(path).catch(missingAsEmpty);
  if (names.length === 0 || (await isLayout(path))) return path;
  throw invalidInput(`${path} has files, and is no image layout`, 'Name a new folder');
}

function missingAsEmpty(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code === 'ENOENT') return [];
  throw invalidInput(error.message, 'Name a new folder', error);
}

/** @throws ReasonedError InputInvalid for a layout with the files of a bundle beside it: people would read these, and programs the image */
async function isLayout(path: string): Promise<boolean> {
  if ((await stat(join(path, 'oci-layout')).catch(() => undefined))?.isFile() !== true) return false;
  const names = await readdir(path);
  if (!names.includes('manifests') && !names.includes('metadata')) return true;
  throw invalidInput(
    `${path} is both the folder of a bundle and an image layout`,
    'Remove oci-layout, index.json and blobs/, or manifests/ and metadata/',
  );
}
