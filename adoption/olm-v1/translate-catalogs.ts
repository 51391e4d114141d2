/** Translates ClusterCatalogs of OLM v1 into Catalogs of Slipway. Pure. */
import { API_VERSION } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import { fieldsOf, numberOf, textOf } from '../../api/untyped.ts';

/** The Catalogs with the content of ClusterCatalogs; those that are not in use are left out. */
export function translateClusterCatalogs(catalogs: readonly KubeObject[]): readonly KubeObject[] {
  return catalogs
    .filter(({ spec }) => fieldsOf(spec)['availabilityMode'] !== 'Unavailable')
    .map(({ metadata: { name }, spec }) => {
      const { source, priority } = fieldsOf(spec);
      const { ref, pollIntervalMinutes } = fieldsOf(fieldsOf(source)['image']);
      const minutes = numberOf(pollIntervalMinutes);
      return {
        apiVersion: API_VERSION,
        kind: 'Catalog',
        metadata: { name },
        spec: {
          source: { image: { ref: textOf(ref) } },
          ...(minutes !== undefined && { interval: `${minutes}m` }),
          ...(typeof priority === 'number' && priority !== 0 && { priority }),
        },
      };
    });
}
