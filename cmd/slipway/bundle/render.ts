/** `slipway bundle render`: the objects that installing a bundle applies, in the order of application. */
import { orderObjects } from '../../../apply/phases.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import { renderBundle, type Certificates } from '../../../bundles/render/render.ts';
import type { Environment } from '../environment.ts';
import { readBundle } from '../input/bundle.ts';
import { readConfigFile } from '../input/config.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { formatYaml } from '../output/data.ts';

export interface RenderFlags extends RegistryFlags {
  readonly namespace: string;
  /** `['']` is all namespaces. */
  readonly watchNamespace?: readonly string[];
  readonly config?: string;
  readonly certificates: Certificates;
}

/** Prints the objects and nothing else: a list of them as JSON, documents as YAML. */
export async function render(environment: Environment, source: string, flags: RenderFlags): Promise<Outcome> {
  const config = flags.config === undefined ? undefined : await readConfigFile(environment, flags.config);
  const { files } = await readBundle(environment, source, flags);
  const rendered = renderBundle(parseBundle(files), {
    namespace: flags.namespace,
    certificates: flags.certificates,
    ...(flags.watchNamespace !== undefined && { watchNamespaces: flags.watchNamespace }),
    ...(config !== undefined && { config }),
  });
  const objects = orderObjects(rendered).flatMap((phase) => phase.objects);
  return { data: objects, text: formatYaml(objects) };
}
