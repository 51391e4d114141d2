/** `slipway adopt catalogs`: Catalogs with the content of OLM's CatalogSources. */
import { OLM } from '../../../adoption/olm-v0/kinds.ts';
import { translateCatalogSources } from '../../../adoption/olm-v0/translate.ts';
import { outcomeOf } from '../admin/print.ts';
import type { Environment } from '../environment.ts';
import type { OutputFlags } from '../flags.ts';
import { withCluster, type KubeFlags } from '../input/connection.ts';
import type { Outcome } from '../outcome.ts';
import { cleanLine } from '../../../report/clean.ts';
import { formatYaml } from '../../../report/data.ts';

export interface CatalogFlags extends KubeFlags, OutputFlags {
  readonly allNamespaces?: boolean;
}

export async function printCatalogs(environment: Environment, flags: CatalogFlags): Promise<Outcome> {
  return withCluster(environment, flags, async ({ client, namespace }) => {
    const options = flags.allNamespaces === true ? {} : { namespace };
    const sources = await client.list(OLM.catalogSource, options, environment.signal);
    const translated = translateCatalogSources(sources);
    const notes = translated.flatMap(({ manifest, dropped }) =>
      dropped.map((text) => `# Catalog ${manifest.metadata.name}: ${cleanLine(text)}\n`),
    );
    const manifests = translated.map(({ manifest }) => manifest);
    const text = manifests.length === 0 ? '# no CatalogSource here has an image\n' : formatYaml(manifests);
    return outcomeOf(
      { catalogs: manifests, notes },
      `${notes.join('')}${text}`,
      flags.output === 'yaml' ? 'text' : flags.output,
    );
  });
}
