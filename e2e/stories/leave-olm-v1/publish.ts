/** Publishes versions of a package, in a Catalog of its own. */
import type { TestCluster } from '../../cluster/cluster.ts';
import { catalogOf } from '../../lib/objects.ts';
import { packageDocuments, publishCatalog, publishFiles, type PackageVersion } from '../../lib/publish.ts';
import { apply, requestReconcile } from '../../lib/writes.ts';

export interface PublishedPackage {
  /** Name of the Catalog, and of its image. */
  readonly catalog: string;
  readonly name: string;
  /** One after the other. */
  readonly versions: readonly string[];
  /** The files of a version. */
  readonly bundle: (version: string) => ReadonlyMap<string, Uint8Array>;
}

/** Publishes the images, and has the manager read the Catalog. */
export async function publishPackage(
  cluster: TestCluster,
  { catalog, name, versions, bundle }: PublishedPackage,
): Promise<void> {
  const { registry } = cluster;
  const published: PackageVersion[] = [];
  for (const [at, version] of versions.entries()) {
    const image = await publishFiles(bundle(version), `${registry}/${name}:v${version}`);
    published.push({ version, image, ...(at > 0 && { replaces: versions[at - 1]! }) });
  }
  await publishCatalog(packageDocuments(name, published), `${registry}/${catalog}:latest`);
  await apply(cluster, catalogOf(catalog, `${registry}/${catalog}:latest`));
  await requestReconcile(cluster, { kind: 'Catalog', name: catalog });
}
