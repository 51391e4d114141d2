/** `slipway bundle pull`: the files of a bundle out of its image, into a folder. */
import { readdir } from 'node:fs/promises';
import { parseBundle } from '../../../bundles/parse.ts';
import type { Environment } from '../environment.ts';
import { readBundle } from '../input/bundle.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { targetFolder } from '../input/place.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { writeFiles } from '../output/write-files.ts';
import { count } from '../../../report/count.ts';
import { identityOf } from './identity.ts';

/** The folder must be new or empty; existing files are never mixed with those of an image. */
export async function pull(
  environment: Environment,
  source: string,
  folder: string,
  flags: RegistryFlags,
): Promise<Outcome> {
  const target = targetFolder(environment, folder);
  await refuseFull(target, folder);
  const { files, image } = await readBundle(environment, source, flags);
  if (image === undefined) throw invalidInput(`${source} is a folder already`);
  const identity = identityOf(parseBundle(files));
  // Paths are plain and relative: the reader of archives refuses all others.
  await writeFiles(target, files);
  const { digest, reference } = image;
  return {
    data: { ...identity, ...(reference !== undefined && { reference }), digest, folder, files: [...files.keys()] },
    text: `${digest}\nWrote ${count(files.size, 'file')} to ${folder}\n`,
  };
}

async function refuseFull(target: string, folder: string): Promise<void> {
  const entries = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw invalidInput(`${folder} cannot be written to: ${error.message}`, undefined, error);
  });
  if (entries.length > 0) throw invalidInput(`${folder} is not empty`, 'Name a folder that does not exist yet');
}
