/** `mirror.json`: which images a folder of `mirror pull` holds, and under which names they are asked for. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { compareText } from '../../../api/compare-text.ts';
import { invalidInput } from '../../../api/invalid-input.ts';

const FILE = 'mirror.json';

const MirroredImage = z.object({
  /** Complete name: `quay.io/team/app`. */
  name: z.string(),
  digest: z.string(),
  /** A whole catalog names more bundles than were asked for. */
  role: z.enum(['Catalog', 'WholeCatalog', 'Bundle', 'Image']),
  /** Digests by the tags that name them: of the image itself, and of its signatures in the older form. */
  tags: z.record(z.string(), z.string()),
  /** Digests of the manifests that refer to it, such as signatures. */
  referrers: z.array(z.string()),
});
export type MirroredImage = Readonly<z.infer<typeof MirroredImage>>;

const MirrorList = z.object({ version: z.literal(1), images: z.array(MirroredImage) });

/** The content of the file. Images are sorted, so that the same images give the same bytes. */
export function formatList(images: readonly MirroredImage[]): string {
  const key = ({ name, digest }: MirroredImage): string => `${name}@${digest}`;
  const sorted = images
    .toSorted((a, b) => compareText(key(a), key(b)))
    .map((one) => ({ ...one, tags: sortKeys(one.tags), referrers: one.referrers.toSorted() }));
  return `${JSON.stringify({ version: 1, images: sorted }, undefined, 2)}\n`;
}

function sortKeys(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => compareText(a, b)));
}

/** @throws ReasonedError InputInvalid if the folder has no such file, or it cannot be read */
export async function readList(folder: string): Promise<readonly MirroredImage[]> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined);
  if (text === undefined)
    throw invalidInput(`${folder} has no ${FILE}`, 'Name a folder that "slipway mirror pull" has completed');
  try {
    return MirrorList.parse(JSON.parse(text)).images;
  } catch (error) {
    throw invalidInput(`${join(folder, FILE)} cannot be read`, 'Run "slipway mirror pull" again', error);
  }
}

export { FILE as LIST_FILE };
