/** The few facts by which a bundle is known, as several commands print them. */
import type { Bundle } from '../../../bundles/parse.ts';

export interface BundleIdentity {
  readonly package: string;
  /** Of its ClusterServiceVersion. */
  readonly name: string;
  /** Empty if the bundle has none. */
  readonly version: string;
}

export function identityOf({ package: packageName, csv }: Bundle): BundleIdentity {
  return { package: packageName, name: csv.name, version: csv.spec.version ?? '' };
}
