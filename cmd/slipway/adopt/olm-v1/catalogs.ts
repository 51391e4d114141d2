/** `slipway adopt catalogs --from olm-v1`: Catalogs with the content of ClusterCatalogs. */
import { EXTENSION } from '../../../../adoption/olm-v1/kinds.ts';
import { translateClusterCatalogs } from '../../../../adoption/olm-v1/translate-catalogs.ts';
import { formatYaml } from '../../../../report/data.ts';
import { outcomeOf } from '../../admin/print.ts';
import type { Environment } from '../../environment.ts';
import { withCluster } from '../../input/connection.ts';
import type { Outcome } from '../../outcome.ts';
import type { CatalogFlags } from '../catalogs.ts';

export async function printClusterCatalogs(environment: Environment, flags: CatalogFlags): Promise<Outcome> {
  return withCluster(environment, flags, async ({ client }) => {
    const found = await client.list({ ...EXTENSION, kind: 'ClusterCatalog' }, {}, environment.signal);
    const catalogs = translateClusterCatalogs(found);
    const text = catalogs.length === 0 ? '# OLM v1 has no ClusterCatalogs here\n' : formatYaml(catalogs);
    return outcomeOf({ catalogs }, text, flags.output === 'yaml' ? 'text' : flags.output);
  });
}
