/** Whether Slipway can go on with the bundle that OLM v1 has installed: it is asked before anything is changed. Pure. */
import type { PublishedBundle } from '../published.ts';

/**
 * @param installed Name of the bundle that OLM reports.
 * @returns Why it cannot; undefined if it can.
 */
export function obstacleOf(published: PublishedBundle, installed: string): string | undefined {
  if (published.kind === 'absent') return `${published.why}. Create a Catalog that has it`;
  if (published.kind === 'unknown') return `the version that Slipway would install cannot be read: ${published.why}`;
  const { name } = published.bundle.csv;
  return name === installed
    ? undefined
    : `OLM has installed bundle ${installed}, and Slipway would install ${name}. Name the Catalog that has the same one by --catalog`;
}
