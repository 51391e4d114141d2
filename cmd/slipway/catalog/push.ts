/** `slipway catalog push`: the files of a catalog as an image into a registry. */
import { CATALOG_FOLDER, CATALOG_LABEL } from '../../../bundles/image-labels.ts';
import { catalogFilesOf } from '../../../catalog/tree.ts';
import { buildImage, pushImage } from '../../../oci/build.ts';
import type { Environment } from '../environment.ts';
import { readCatalog } from '../input/catalog.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { withRegistry, type RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { judge, printFindings } from '../output/findings.ts';
import { pushed } from '../bundle/push.ts';
import { pushTarget } from '../bundle/push-target.ts';
import { examineFiles, printed } from './examine.ts';

export interface CatalogPushFlags extends RegistryFlags {
  /** False: whatever is wrong with it. */
  readonly check?: boolean;
}

/** Prints the digest; a catalog with errors is not pushed, and neither is a file that `.indexignore` leaves out. */
export async function push(
  environment: Environment,
  source: string,
  target: string,
  flags: CatalogPushFlags,
): Promise<Outcome> {
  const reference = pushTarget(target);
  const { files, digest } = await readCatalog(environment, source, flags);
  if (digest !== undefined) throw invalidInput(`${source} is an image already`, 'Name the folder of a catalog');
  const published = new Map([...catalogFilesOf(files)].map(({ path, content }) => [path, content]));
  if (published.size === 0) throw invalidInput(`${source} has no files`);
  const errors = flags.check === false ? [] : examineFiles(files).filter(({ level }) => level === 'error');
  if (errors.length > 0) {
    const { counts, exitCode } = judge(errors, {});
    return {
      data: { source, ...counts, findings: errors },
      text: printFindings(errors.map(printed), {}, environment),
      exitCode,
    };
  }
  const image = buildImage({ files: inConfigs(published), labels: { [CATALOG_LABEL]: CATALOG_FOLDER } });
  const { signal } = environment;
  const made = await withRegistry(environment, flags, (registry) => pushImage(registry, reference, image, { signal }));
  return pushed(reference, made, { source });
}

function inConfigs(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  return new Map([...files].map(([path, bytes]) => [`${CATALOG_FOLDER.slice(1)}/${path}`, bytes]));
}
