/** `slipway bundle render`: the objects that installing a bundle applies, in the order of application. */
import { parseBundle } from '../../../bundles/parse.ts';
import { calledDeployments } from '../../../bundles/render/certificates.ts';
import type { Certificates } from '../../../bundles/render/render.ts';
import type { Environment } from '../environment.ts';
import { readBundle } from '../input/bundle.ts';
import { readConfigFile } from '../input/config.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { formatYaml } from '../../../report/data.ts';
import { renderInOrder } from './rendered.ts';

export interface RenderFlags extends RegistryFlags {
  readonly namespace: string;
  /** `['']` is all namespaces. */
  readonly watchNamespace?: readonly string[];
  readonly config?: string;
  /** None unless said, with a note where something needs one. */
  readonly certificates?: Certificates;
}

/** Prints the objects and nothing else: a list of them as JSON, documents as YAML. */
export async function render(environment: Environment, source: string, flags: RenderFlags): Promise<Outcome> {
  const config = flags.config === undefined ? undefined : await readConfigFile(environment, flags.config);
  const { files } = await readBundle(environment, source, flags);
  const bundle = parseBundle(files);
  const options = {
    namespace: flags.namespace,
    certificates: flags.certificates ?? 'none',
    ...(flags.watchNamespace !== undefined && { watchNamespaces: flags.watchNamespace }),
    ...(config !== undefined && { config }),
  };
  const objects = renderInOrder(environment, bundle, options);
  if (flags.certificates === undefined && calledDeployments(bundle).length > 0) environment.complain(NOTE);
  return { data: objects, text: formatYaml(objects) };
}

const NOTE =
  'slipway: what the API server calls is rendered without certificates; ' +
  '--certificates manager shows the objects that a Subscription installs, --certificates none omits this note\n';
