/**
 * Makes a complete bundle of the objects by which an operator is installed without one: a ClusterServiceVersion, the other
 * manifests, annotations and a Dockerfile. Every object of the source is in the bundle, or named with the reason why not.
 * The command `bundle init` calls it with the objects and the bundle that is there already; it writes no files.
 */
import { ReasonedError } from '../../api/errors.ts';
import { groupKind, type KubeObject } from '../../api/object.ts';
import type { CsvDeployment } from '../bundle.ts';
import type { InstallMode } from '../render/install-mode.ts';
import { takeAccounts } from './accounts.ts';
import { API_SERVICES, takeApiServices } from './api-services.ts';
import { takeCertificates } from './certificates.ts';
import { joinPorts, placeServices } from './called-services.ts';
import { writeCsv, type AuthorWords } from './csv.ts';
import { takeCrds } from './crds.ts';
import { takeDeployments } from './deployments.ts';
import { imagesOf, isPinned } from './images.ts';
import { leaveOutNamed } from './leave-out.ts';
import { Ledger, type AuthorFinding, type Placement } from './ledger.ts';
import { withoutNulls } from './nulls.ts';
import { takeObjects, type CustomResources } from './objects.ts';
import { writeAnnotations, writeDockerfile, type PackageFacts } from './package-files.ts';
import { takeRights } from './rights.ts';
import { surveySource, type Scene } from './scene.ts';
import { cleanObject } from './server-fields.ts';
import { checkShape } from './shapes.ts';
import type { SourceObject } from './source.ts';
import { takeWebhooks, WEBHOOKS } from './webhooks.ts';

export { takeChart, type ChartObjects } from './chart.ts';
export type { AuthorWords } from './csv.ts';
export type { AuthorCheck, AuthorFinding, Placement } from './ledger.ts';
export type { CustomResources } from './objects.ts';
export { takeLive, type LiveSource } from './live.ts';
export { readSource, type SourceObject } from './source.ts';

export interface AuthorOptions extends PackageFacts {
  readonly version: string;
  /** Of the CSV; `<package>.v<version>` by default. */
  readonly name?: string;
  /** Name of the CSV that this version replaces. */
  readonly replaces?: string;
  /** By default as the rights of the operator suggest. */
  readonly modes?: readonly InstallMode[];
  readonly words?: AuthorWords;
  readonly customResources?: CustomResources;
  /** Objects that an installation works without: `Job.batch`, or `Job.batch/migrate`. */
  readonly leaveOut?: readonly string[];
  /** References by digest, by the reference in the source. */
  readonly digests?: ReadonlyMap<string, string>;
}

/** The parts of a bundle that are there already, and whose edits stay. */
export interface ExistingBundle {
  readonly csv?: KubeObject;
  readonly annotations?: ReadonlyMap<string, string>;
  readonly dockerfile?: string;
}

export interface ComposedBundle {
  readonly csv: KubeObject;
  /** Every other object of `manifests/`, in the order of the source. */
  readonly objects: readonly KubeObject[];
  readonly annotations: ReadonlyMap<string, string>;
  readonly dockerfile: string;
  readonly modes: readonly InstallMode[];
  /** One for each object of the source. */
  readonly placements: readonly Placement[];
  readonly findings: readonly AuthorFinding[];
}

/**
 * The bundle of a source. The same source and options give the same bundle.
 * @throws ReasonedError InputInvalid if no bundle can be made of the objects; never worth a retry.
 */
export function composeBundle(
  published: readonly SourceObject[],
  options: AuthorOptions,
  existing: ExistingBundle = {},
): ComposedBundle {
  for (const source of published) checkShape(source);
  const sources = published.map(({ object, place }) => ({ object: cleanObject(withoutNulls(object)), place }));
  const ledger = new Ledger();
  const left = leaveOutNamed(sources, ledger, options.leaveOut ?? []);
  const base = takeBase(sources, ledger);
  const scene = surveySource(
    sources.filter((source) => !left.has(source) && source !== base),
    options.modes,
  );
  const before = existing.csv ?? base?.object;
  const content = takeAll(scene, ledger, { options, csv: before });
  const annotations = writeAnnotations(options, existing.annotations ?? new Map());
  return {
    csv: writeCsv({ ...options, ...content, name: options.name ?? `${options.package}.v${options.version}` }, before),
    objects: ledger.manifests(sources).map((object) => withoutNamespace(object, scene)),
    annotations,
    dockerfile: writeDockerfile(annotations, existing.dockerfile),
    modes: scene.modes,
    placements: ledger.placements(sources),
    findings: ledger.findings,
  };
}

/**
 * The CSV of the source, if there is one: kubebuilder projects keep the words of the author in it.
 * @throws ReasonedError InputInvalid for several
 */
function takeBase(sources: readonly SourceObject[], ledger: Ledger): SourceObject | undefined {
  const [base, second] = sources.filter(({ object }) => object.kind === 'ClusterServiceVersion');
  if (second !== undefined) {
    throw new ReasonedError({
      reason: 'InputInvalid',
      retry: 'never',
      message: `the source has several ClusterServiceVersions: ${base?.object.metadata.name} in ${base?.place}, and ${second.object.metadata.name} in ${second.place}`,
      hint: 'Keep the one with the description of this operator',
    });
  }
  if (base !== undefined) ledger.inCsv(base, 'spec');
  return base;
}

interface AllNeeds {
  readonly options: AuthorOptions;
  /** That of the folder or of the source. */
  readonly csv: KubeObject | undefined;
}

function takeAll(scene: Scene, ledger: Ledger, { options, csv }: AllNeeds) {
  const { words = {}, customResources, digests } = options;
  const webhooks = takeWebhooks(scene, ledger);
  const apiServices = takeApiServices(scene, ledger, csv);
  const services = joinPorts(webhooks.services, apiServices.services);
  placeServices(ledger, services, (source) => (webhooks.services.has(source) ? WEBHOOKS : API_SERVICES));
  const secrets = takeCertificates(scene, ledger, services);
  const called = new Set([...webhooks.called, ...apiServices.called]);
  const deployments = takeDeployments(scene, ledger, { called, secrets, digests: digests ?? new Map() });
  const rights = takeAccounts(scene, ledger, takeRights(scene, ledger));
  const owned = takeCrds(scene, ledger, webhooks.converted);
  const examples = takeObjects(scene, ledger, { use: customResources ?? 'examples', apiServices }).map((object) =>
    withoutNamespace(object, scene),
  );
  reportImages(scene, ledger, digests ?? new Map());
  const [namespace] = scene.byKind.get('Namespace') ?? [];
  return {
    words,
    ...rights,
    deployments,
    webhooks: webhooks.definitions,
    apiServices: apiServices.definitions,
    owned,
    examples,
    modes: scene.modes,
    ...(namespace !== undefined && { suggestedNamespace: namespace.object.metadata.name }),
  };
}

/** Images of the Deployments of a source that are named without a digest. */
export function imagesInSource(sources: readonly SourceObject[]): readonly string[] {
  const deployments = sources.filter(({ object }) => groupKind(object) === 'Deployment.apps');
  for (const source of deployments) checkShape(source);
  return deployments
    .flatMap(({ object }) => imagesOf([asDeployment(object)]))
    .map(({ image }) => image)
    .filter((image) => !isPinned(image));
}

function asDeployment(object: KubeObject): CsvDeployment {
  return { name: object.metadata.name, spec: object['spec'] as CsvDeployment['spec'] };
}

function reportImages(scene: Scene, ledger: Ledger, digests: ReadonlyMap<string, string>): void {
  for (const source of scene.byKind.get('Deployment.apps') ?? []) {
    for (const image of imagesInSource([source])) {
      if (digests.has(image)) continue;
      ledger.find('warning', 'unpinned-image', source, [
        `the image ${image} has no digest, so its content can change after the release`,
        'Push the image and say --pin, or name it by digest in the source',
      ]);
    }
  }
}

/** A bundle is installed into any namespace; that of the operator in the source is left out. */
function withoutNamespace(object: KubeObject, { namespace }: Scene): KubeObject {
  if (object.metadata.namespace === undefined || object.metadata.namespace !== namespace) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
