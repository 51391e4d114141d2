/** The place that an argument names: a folder, an image in a folder, a file, or an image in a registry. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseReference, type Reference } from '../../../oci/reference.ts';
import type { Environment } from '../environment.ts';
import { invalidInput } from './invalid.ts';

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
 * @throws ReasonedError InputInvalid, ReferenceInvalid
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

async function isLayout(path: string): Promise<boolean> {
  return (await stat(join(path, 'oci-layout')).catch(() => undefined))?.isFile() === true;
}
