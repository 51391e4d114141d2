/** The pictures of the console in its documentation: one of each view in each look. */

export const VIEWS = [
  'overview',
  'subscription',
  'graph',
  'plan',
  'catalog',
  'package',
  'subscribe',
  'revision',
  'uninstall',
  'events',
  'slipway',
] as const;

export type ViewName = (typeof VIEWS)[number];

/** In pixels; a long view goes on below. */
export const MOST_HEIGHT = 1500;

/** Path of a picture from the root of the repository. */
export function pictureOf(view: ViewName, look: string): string {
  return `docs/images/console/${view}-${look}.webp`;
}
