/** The text in the box of a version. Pure. */
import type { GraphNode } from '../../data/models.ts';

const LONGEST = 24;

/** The version, or the name of the bundle if the catalog lacks the version; long ones are cut. */
export function labelOf({ version, bundle }: Pick<GraphNode, 'version' | 'bundle'>): string {
  const label = version === '' ? bundle : version;
  return label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label;
}
