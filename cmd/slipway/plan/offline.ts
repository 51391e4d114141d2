/** Gathers the input of plans from a file, catalogs and bundles: one plan for each step on the way to the chosen version. */
import { ReasonedError } from '../../../api/errors.ts';
import { keyOfObject } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { parseBundle, type Bundle } from '../../../bundles/parse.ts';
import type { CatalogBundle } from '../../../catalog/model.ts';
import { inputOf } from '../../../controllers/plan/input.ts';
import type { ImageSource } from '../../../oci/source.ts';
import type { PlanInput, PlannedSide } from '../../../plan/input.ts';
import type { Choice } from '../../../resolver/decision.ts';
import { explainDecision } from '../../../resolver/explain.ts';
import type { CatalogSource, ResolveInput } from '../../../resolver/input.ts';
import { resolve } from '../../../resolver/resolve.ts';
import type { Environment } from '../environment.ts';
import { readBundleFrom } from '../input/bundle.ts';
import { readCatalog } from '../input/catalog.ts';
import { withIndexes } from '../input/index.ts';
import { invalidInput } from '../input/invalid.ts';
import { withRegistry } from '../input/registry.ts';
import { readSubscription } from '../input/subscription.ts';
import { findInstalled, sourceOf } from '../why/offline.ts';
import type { PlanOfflineFlags } from './flags.ts';
import type { Planned } from './planned.ts';
import { sideOf } from './side.ts';

/** @throws ReasonedError InputInvalid, the reason of a refusal, errors of a registry, and those of rendering a bundle */
export async function planOffline(environment: Environment, flags: PlanOfflineFlags): Promise<Planned> {
  const subscription = await readSubscription(environment, flags.file, flags.namespace);
  const { from, steps, message } = await chooseSteps(environment, subscription, flags);
  const inputs = await withRegistry(environment, flags, async (registry) => {
    const bundles = new BundleReader(environment, registry, await readNamed(environment, registry, flags));
    const sides: PlannedSide[] = [];
    for (const step of [...(from === undefined ? [] : [from]), ...steps])
      sides.push(await bundles.side(subscription, step));
    return inputsOf(subscription, sides, from !== undefined);
  });
  return { subscription: keyOfObject(subscription), package: subscription.spec.package, message, inputs };
}

/** What to install, one after another. */
interface PlanSteps {
  readonly from: CatalogBundle | undefined;
  readonly steps: readonly CatalogBundle[];
  /** The decision in words. */
  readonly message: string;
}

async function chooseSteps(
  environment: Environment,
  subscription: Subscription,
  flags: PlanOfflineFlags,
): Promise<PlanSteps> {
  const names = [...new Set(flags.catalog)];
  const catalogs = await Promise.all(names.map((source) => readCatalog(environment, source, flags)));
  return withIndexes(
    environment,
    catalogs.map(({ files }) => files),
    (indexes) => {
      const sources = indexes.map((index, at) => sourceOf(index, names[at] ?? '', -at));
      const input = questionOf(subscription, sources, flags);
      const decision = resolve(input);
      const { reason, message, hint } = explainDecision(decision, subscription.spec.package);
      if (decision.kind === 'none')
        throw new ReasonedError({ reason, retry: 'never', message, ...(hint !== undefined && { hint }) });
      return { from: installedBundle(input), steps: stepsOf(decision, sources, input), message };
    },
  );
}

/** The named catalogs take the place of those that the Subscription names or selects. */
function questionOf(
  { spec }: Subscription,
  catalogs: readonly CatalogSource[],
  { from, kubernetesVersion }: PlanOfflineFlags,
): ResolveInput {
  const { package: packageName, channel, version, edges, dependencies } = spec;
  return {
    wanted: {
      package: packageName,
      edges,
      dependencies,
      ...(channel !== undefined && { channel }),
      ...(version !== undefined && { version }),
    },
    ...(from !== undefined && { installed: findInstalled(from, packageName, catalogs) }),
    catalogs,
    quarantined: [],
    cluster: { providedKinds: [], ...(kubernetesVersion !== undefined && { kubernetesVersion }) },
  };
}

/** The installed bundle as a catalog has it; one that no catalog has must be named by --bundle. */
function installedBundle({ installed, catalogs, wanted }: ResolveInput): CatalogBundle | undefined {
  if (installed === undefined) return undefined;
  const known = catalogs
    .flatMap(({ content }) => content(wanted.package)?.bundles ?? [])
    .find(({ name }) => name === installed.bundle);
  const { bundle: name, version, image } = installed;
  return known ?? { name, version, image, package: wanted.package, properties: [], relatedImages: [] };
}

function stepsOf(
  { path, catalog }: Choice,
  sources: readonly CatalogSource[],
  { wanted }: ResolveInput,
): readonly CatalogBundle[] {
  const bundles = sources.find(({ name }) => name === catalog)?.content(wanted.package)?.bundles ?? [];
  return path.flatMap((hop) => bundles.find(({ name }) => name === hop.bundle) ?? []);
}

/** The bundles that --bundle names, by their names. */
async function readNamed(
  environment: Environment,
  registry: ImageSource,
  { bundle = [] }: PlanOfflineFlags,
): Promise<ReadonlyMap<string, Bundle>> {
  const read = new Map<string, Bundle>();
  for (const source of bundle) {
    const parsed = parseBundle((await readBundleFrom(registry, environment, source)).files);
    read.set(parsed.csv.name, parsed);
  }
  return read;
}

/** Reads bundles from the places that are named, else from the images that the catalog names. */
class BundleReader {
  readonly #environment: Environment;
  readonly #registry: ImageSource;
  readonly #named: ReadonlyMap<string, Bundle>;

  constructor(environment: Environment, registry: ImageSource, named: ReadonlyMap<string, Bundle>) {
    this.#environment = environment;
    this.#registry = registry;
    this.#named = named;
  }

  async side(subscription: Subscription, { name, version, image, properties }: CatalogBundle): Promise<PlannedSide> {
    const named = this.#named.get(name);
    const known = properties.length === 0 ? { version } : { version, properties };
    if (named !== undefined) return sideOf(subscription, { bundle: named, ...known });
    if (image === '')
      throw invalidInput(`no catalog names an image of ${name}`, 'Name its folder or image by --bundle');
    const read = await readBundleFrom(this.#registry, this.#environment, image);
    const reference = read.image?.reference;
    return sideOf(subscription, {
      bundle: parseBundle(read.files),
      ...(reference !== undefined && { image: reference }),
      ...known,
    });
  }
}

function inputsOf(
  subscription: Subscription,
  sides: readonly PlannedSide[],
  isInstalled: boolean,
): readonly PlanInput[] {
  const known: readonly (PlannedSide | undefined)[] = isInstalled ? sides : [undefined, ...sides];
  return known.slice(1).flatMap((to, at) => {
    const from = known[at];
    if (to === undefined) return [];
    return [{ ...inputOf(subscription), ...(from !== undefined && { from }), to }];
  });
}
