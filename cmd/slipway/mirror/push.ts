/** `slipway mirror push`: the content of a folder into a registry, and the policies that lead there beside it. */
import { join, resolve } from 'node:path';
import { createSlots, inSlots } from '../../../apply/slots.ts';
import { copyImage } from '../../../oci/copy.ts';
import { withDigest, type Reference } from '../../../oci/reference.ts';
import { registrySink } from '../../../oci/registry-sink.ts';
import type { Registry } from '../../../oci/registry.ts';
import type { ImageSource } from '../../../oci/source.ts';
import type { Environment } from '../environment.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { count } from '../../../report/count.ts';
import { writeFiles } from '../output/write-files.ts';
import { folderSource } from './folder.ts';
import { readList, type MirroredImage } from './list.ts';
import { mirroredName, policiesFor } from './names.ts';

export interface MirrorPlace {
  readonly folder: string;
  readonly prefix: string;
}

const AT_A_TIME = 4;

/** Each after all that it names, as clusters use the mirror meanwhile. */
const ORDER: readonly ReadonlySet<MirroredImage['role']>[] = [
  new Set(['Image']),
  new Set(['Bundle']),
  new Set(['Catalog', 'WholeCatalog']),
];

/** Content that the registry has already is not sent again. @throws ReasonedError InputInvalid, ImageInvalid if the folder lacks something, and the errors of a registry */
export async function push(
  environment: Environment,
  { folder: named, prefix }: MirrorPlace,
  flags: RegistryFlags & { readonly since?: readonly string[] },
): Promise<Outcome> {
  const { signal, progress = () => undefined } = environment;
  const folder = resolve(environment.folder, named);
  const images = await readList(folder);
  const source = folderSource(
    folder,
    (flags.since ?? []).map((one) => resolve(environment.folder, one)),
  );
  let done = 0;
  await withRegistry(environment, flags, async (registry) => {
    for (const roles of ORDER) {
      const some = images.filter(({ role }) => roles.has(role));
      await inSlots({ slots: createSlots(AT_A_TIME), signal }, some, async (image) => {
        await pushOne({ registry, source, signal }, image, mirroredName(prefix, image.name));
        done += 1;
        progress(`${done} of ${images.length}: ${image.name}\n`);
      });
    }
  });
  await writeFiles(folder, new Map([['policies.yaml', policiesFor(prefix, images)]]));
  const policies = join(named, 'policies.yaml');
  const text = `Pushed ${count(images.length, 'image')} to ${prefix}\nThe policies that lead there: kubectl apply -f ${policies}\n`;
  return { data: { prefix, images: images.length, policies }, text };
}

interface Pushing {
  readonly registry: Registry;
  readonly source: ImageSource;
  readonly signal: AbortSignal;
}

/** Its own tags come last: who asks for them finds its signatures. */
async function pushOne({ registry, source, signal }: Pushing, image: MirroredImage, target: Reference): Promise<void> {
  const { registry: host, repository } = target;
  const copy = (digest: string, tag?: string): Promise<string> => {
    const place = tag === undefined ? { registry: host, repository, digest } : { registry: host, repository, tag };
    return copyImage(source, { registry: host, repository, digest }, registrySink(registry, place, { signal }), signal);
  };
  await copy(image.digest);
  for (const digest of image.referrers) await pushReferrer({ registry, source, signal }, { target, image, digest });
  const { own = [], others = [] } = Object.groupBy(Object.entries(image.tags), ([, digest]) =>
    digest === image.digest ? 'own' : 'others',
  );
  for (const [tag, digest] of [...others, ...own]) await copy(digest, tag);
}

/** Listed again by the registry, or by the tag that takes the place of its list. */
async function pushReferrer(
  { registry, source, signal }: Pushing,
  { target, image, digest }: { readonly target: Reference; readonly image: MirroredImage; readonly digest: string },
): Promise<void> {
  const { registry: host, repository } = target;
  const reference = { registry: host, repository, digest };
  await copyImage(source, reference, registrySink(registry, reference, { signal }), signal);
  const { bytes, mediaType } = await source.pullManifest(reference, signal);
  const { artifactType, annotations, config } = JSON.parse(bytes.toString('utf8')) as ReferrerFields;
  await registry.pushReferrer(
    withDigest({ registry: host, repository }, image.digest),
    {
      bytes,
      mediaType,
      artifactType: artifactType ?? config?.mediaType ?? '',
      ...(annotations !== undefined && { annotations }),
    },
    signal,
  );
}

interface ReferrerFields {
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly config?: { readonly mediaType?: string };
}
