/** The installed bundle beside an entry of a catalog that has its name and another content (api/same-bundle.ts). Pure. */
import type { Cause } from './decision.ts';
import type { GraphBundle } from './graph.ts';
import type { InstalledBundle } from './selection.ts';
import { parseBundleVersion } from './version.ts';

/** The place that the entry has in the graph, with the version and the content that are installed. */
export function withInstalledContent(entry: GraphBundle, { stated }: InstalledBundle): GraphBundle {
  const { version, release, image } = stated;
  const { release: _ofEntry, ...rest } = entry.bundle;
  const bundle = { ...rest, version, image, ...(release !== undefined && { release }) };
  return { ...entry, bundle, version: parseBundleVersion(version, release) };
}

/** What rules a bundle out, whether or not it has the name of the installed one. */
export function ruledOutBy(cause: Cause): Cause {
  return cause.kind === 'publishedAgain' ? cause.cause : cause;
}
