/** Whether Slipway can go on with the bundle that OLM v1 has installed: it is asked before anything is changed. */
import type { KubeObject } from '../../../../api/object.ts';
import { absenceOf, findPublishedName, type PublishedSources } from '../published.ts';

/**
 * @param wanted Slipway's Subscription, pinned to the version.
 * @param installed Name of the bundle that OLM reports.
 * @returns Why it cannot; undefined if it can. Throws ReasonedError if a Catalog cannot be read: only a
 *   hand-over that has ended can be undone.
 */
export async function obstacleOf(
  wanted: KubeObject,
  installed: string,
  sources: Pick<PublishedSources, 'catalogs' | 'documents' | 'entries'>,
): Promise<string | undefined> {
  const name = await findPublishedName(wanted, sources);
  if (name === undefined) return `${absenceOf(wanted)}. Create a Catalog that has it`;
  return name === installed
    ? undefined
    : `OLM has installed bundle ${installed}, and Slipway would install ${name}. Name the Catalog that has the same one by --catalog`;
}
