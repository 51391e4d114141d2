/** `slipway bundle export`: the objects of an installation as a kustomization or a Helm chart, for clusters without Slipway. */
import { readdir } from 'node:fs/promises';
import type { KubeObject } from '../../../../api/object.ts';
import { parseBundle, type Bundle } from '../../../../bundles/parse.ts';
import { calledDeployments } from '../../../../bundles/render/certificates.ts';
import type { RenderOptions } from '../../../../bundles/render/render.ts';
import type { Environment } from '../../environment.ts';
import { readBundle } from '../../input/bundle.ts';
import { readConfigFile } from '../../input/config.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';
import { targetFolder } from '../../input/place.ts';
import type { RegistryFlags } from '../../input/registry.ts';
import type { Outcome } from '../../outcome.ts';
import { writeFiles } from '../../output/write-files.ts';
import { cleanLine } from '../../../../report/clean.ts';
import { count } from '../../../../report/count.ts';
import { identityOf } from '../identity.ts';
import { renderInOrder } from '../rendered.ts';
import { chart, NAMESPACE_MARK } from './chart.ts';
import { kustomization } from './kustomize.ts';

export interface ExportFlags extends RegistryFlags {
  readonly as: 'kustomize' | 'chart';
  /** For a kustomization; a chart takes that of its release. */
  readonly namespace?: string;
  readonly watchNamespace?: readonly string[];
  readonly config?: string;
  readonly certificates?: 'none' | 'cert-manager';
}

/** Writes into a folder that is new or empty. @throws ReasonedError InputInvalid, and as reading and rendering a bundle */
export async function exportBundle(
  environment: Environment,
  source: string,
  folder: string,
  flags: ExportFlags,
): Promise<Outcome> {
  const target = targetFolder(environment, folder);
  await refuseFull(target, folder);
  const bundle = parseBundle((await readBundle(environment, source, flags)).files);
  const options = await optionsOf(environment, bundle, flags);
  const objects = renderInOrder(environment, bundle, options);
  const { files, notes } = filesOf(bundle, objects, flags);
  await writeFiles(target, files);
  const { certificates } = options;
  const all = [...notes, ...(certificates === 'cert-manager' ? [CERT_MANAGER] : [])];
  return {
    data: {
      source,
      folder,
      as: flags.as,
      ...identityOf(bundle),
      certificates,
      objects: objects.length,
      files: [...files.keys()],
      notes: all,
    },
    text: `Wrote ${count(objects.length, 'object')} in ${count(files.size, 'file')} to ${folder}\n${all.map((note) => `${cleanLine(note)}\n`).join('')}`,
  };
}

const CERT_MANAGER = 'Webhooks need cert-manager in the cluster: it issues their certificates';

async function refuseFull(target: string, folder: string): Promise<void> {
  const entries = await readdir(target).catch(() => []);
  if (entries.length > 0) throw invalidInput(`${folder} is not empty`, 'Name a folder that is new or empty');
}

async function optionsOf(environment: Environment, bundle: Bundle, flags: ExportFlags): Promise<RenderOptions> {
  const { as, namespace, watchNamespace } = flags;
  if (as === 'chart' && namespace !== undefined)
    throw invalidInput(
      '--namespace goes with --as kustomize',
      'Name the namespace when the chart is installed: helm install --namespace',
    );
  if (as === 'kustomize' && namespace === undefined)
    throw invalidInput('a kustomization needs the namespace of the operator', 'Name it by --namespace');
  const config = flags.config === undefined ? undefined : await readConfigFile(environment, flags.config);
  const base = {
    namespace: namespace ?? NAMESPACE_MARK,
    ...(watchNamespace !== undefined && { watchNamespaces: watchNamespace }),
    ...(config !== undefined && { config }),
  };
  const isCalled = calledDeployments(bundle).length > 0;
  return { ...base, certificates: flags.certificates ?? (isCalled ? 'cert-manager' : 'none') };
}

interface Exported {
  readonly files: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

function filesOf(bundle: Bundle, objects: readonly KubeObject[], { as }: ExportFlags): Exported {
  if (as === 'kustomize') return { files: kustomization(objects), notes: [] };
  const { version, description, displayName } = { ...bundle.csv.spec, version: bundle.csv.spec.version ?? '0.0.0' };
  const words = displayName ?? description;
  const { files, crdTemplates } = chart(objects, {
    name: bundle.package,
    version,
    ...(words !== undefined && { description: words }),
  });
  const upgrade = [...files.keys()].some((path) => path.startsWith('crds/'));
  return {
    files,
    notes: [
      ...(upgrade
        ? ['helm installs the CRDs of crds/ and does not upgrade them: kubectl apply --server-side -f crds/ does']
        : []),
      ...crdTemplates.map(
        (name) => `The CRD ${name} names the namespace, so it is a template, and stays after helm uninstall`,
      ),
    ],
  };
}
