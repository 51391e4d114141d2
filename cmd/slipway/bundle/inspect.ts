/** `slipway bundle inspect`: the identity of a bundle, its objects and its requirements, at a glance. */
import { mountedImages } from '../../../bundles/author/images.ts';
import { parseBundle, type Bundle, type CsvCrd } from '../../../bundles/parse.ts';
import { supportedModes } from '../../../bundles/render/render.ts';
import { formatJson } from '../../../api/json.ts';
import { groupKind } from '../../../api/object.ts';
import type { Environment } from '../environment.ts';
import { readBundle } from '../input/bundle.ts';
import type { RegistryFlags } from '../input/registry.ts';
import type { Outcome } from '../outcome.ts';
import { formatFacts } from '../output/table.ts';
import { identityOf } from './identity.ts';

export async function inspect(environment: Environment, source: string, flags: RegistryFlags): Promise<Outcome> {
  const { files, image } = await readBundle(environment, source, flags);
  const facts = { source, ...(image !== undefined && { digest: image.digest }), ...factsOf(parseBundle(files)) };
  return { data: facts, text: describe(facts, environment.columns) };
}

type BundleFacts = ReturnType<typeof factsOf> & { readonly source: string; readonly digest?: string };

function factsOf(bundle: Bundle) {
  const { channels, defaultChannel, csv, crds, objects, properties, dependencies } = bundle;
  const { spec } = csv;
  const skipRange = csv.annotations['olm.skipRange'];
  return {
    ...identityOf(bundle),
    ...(spec.release !== undefined && { release: spec.release }),
    ...(spec.displayName !== undefined && { displayName: spec.displayName }),
    channels,
    ...(defaultChannel !== undefined && { defaultChannel }),
    ...(spec.replaces !== undefined && { replaces: spec.replaces }),
    skips: spec.skips ?? [],
    ...(skipRange !== undefined && { skipRange }),
    ...(spec.minKubeVersion !== undefined && { minKubeVersion: spec.minKubeVersion }),
    installModes: supportedModes(bundle),
    ownedApis: (spec.customresourcedefinitions.owned ?? []).map(apiOf),
    requiredApis: (spec.customresourcedefinitions.required ?? []).map(apiOf),
    deployments: (spec.install.spec?.deployments ?? []).map(({ name }) => name),
    webhooks: (spec.webhookdefinitions ?? []).map(({ type, generateName }) => ({ type, name: generateName })),
    objects: [...crds, ...objects].map(({ object }) => ({ kind: groupKind(object), name: object.metadata.name })),
    properties,
    dependencies,
    images: imagesOf(bundle),
  };
}

function apiOf({ name, version, kind }: CsvCrd): {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
} {
  return { group: name.slice(name.indexOf('.') + 1), version, kind };
}

/** Those of the containers and image volumes, and those that the bundle names as related, each once, sorted. */
function imagesOf({ csv: { spec } }: Bundle): readonly string[] {
  const pods = (spec.install.spec?.deployments ?? []).map((deployment) => deployment.spec.template.spec);
  const ofContainers = pods.flatMap(({ containers, initContainers }) =>
    [...(containers ?? []), ...(initContainers ?? [])].map(({ image }) => image),
  );
  const mounted = pods.flatMap(mountedImages).map(({ image }) => image);
  const related = (spec.relatedImages ?? []).map(({ image }) => image);
  return [...new Set([...ofContainers, ...mounted, ...related])]
    .filter((image) => image !== undefined)
    .filter((image) => image !== '')
    .sort();
}

function describe(facts: BundleFacts, columns: number | undefined): string {
  const apis = (list: BundleFacts['ownedApis']): string[] =>
    list.map(({ group, version, kind }) => `${kind} ${group}/${version}`);
  const lines: Parameters<typeof formatFacts>[0] = [
    ['Package', facts.package],
    ['Name', facts.name],
    ['Version', facts.release === undefined ? facts.version : `${facts.version}, release ${facts.release}`],
    ['Digest', facts.digest],
    ['Display name', facts.displayName],
    [
      'Channels',
      facts.channels.map((channel) => (channel === facts.defaultChannel ? `${channel} (default)` : channel)),
    ],
    ['Replaces', facts.replaces],
    ['Skips', facts.skips],
    ['Skip range', facts.skipRange],
    ['Kubernetes', facts.minKubeVersion === undefined ? undefined : `${facts.minKubeVersion} or newer`],
    ['Install modes', facts.installModes.join(', ')],
    ['Owns', apis(facts.ownedApis)],
    [
      'Requires',
      [...apis(facts.requiredApis), ...facts.dependencies.map(({ type, value }) => `${type} ${formatJson(value)}`)],
    ],
    ['Deployments', facts.deployments],
    ['Webhooks', facts.webhooks.map(({ type, name }) => `${type} ${name}`)],
    ['Objects', facts.objects.map(({ kind, name }) => `${kind} ${name}`)],
    ['Images', facts.images],
  ];
  return formatFacts(lines, columns);
}
