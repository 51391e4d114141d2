/** Gathers the input of plans from a file, catalogs and bundles: one plan for each step on the way to the chosen version. */
import { ReasonedError } from '../../../api/errors.ts';
import { keyOfObject } from '../../../api/object.ts';
import type { Subscription } from '../../../api/subscription.ts';
import { parseBundle } from '../../../bundles/parse.ts';
import type { CatalogBundle } from '../../../catalog/model.ts';
import { inputOf } from '../../../controllers/plan/input.ts';
import type { Registry } from '../../../oci/registry.ts';
import type { ImageSource } from '../../../oci/source.ts';
import type { PlanInput, PlannedSide } from '../../../plan/input.ts';
import type { Choice } from '../../../resolver/decision.ts';
import { explainDecision } from '../../../resolver/explain.ts';
import type { CatalogSource, ResolveInput } from '../../../resolver/input.ts';
import { resolve } from '../../../resolver/resolve.ts';
import type { Environment } from '../environment.ts';
import { readBundleFrom, type BundleInput } from '../input/bundle.ts';
import { readCatalog } from '../input/catalog.ts';
import { withIndexes } from '../input/index.ts';
import { invalidInput } from '../../../api/invalid-input.ts';
import { withRegistry } from '../input/registry.ts';
import { readSubscription } from '../input/subscription.ts';
import { findInstalled, sourceOf } from '../why/offline.ts';
import type { PlanOfflineFlags } from './flags.ts';
import type { Planned } from './planned.ts';
import { sideOf, type BundleOfSide } from './side.ts';
import { createBundleCheck, mirrorsOfTrust, readPlanTrust, type CheckBundle } from './signatures.ts';

/** @throws ReasonedError InputInvalid, the reason of a refusal, errors of a registry, and those of rendering a bundle */
export async function planOffline(environment: Environment, flags: PlanOfflineFlags): Promise<Planned> {
  const subscription = await readSubscription(environment, flags.file, flags.namespace);
  const { from, steps, message } = await chooseSteps(environment, subscription, flags);
  const trust = await readPlanTrust(environment, flags);
  const work = async (registry: Registry): Promise<readonly PlanInput[]> => {
    const named = await readNamed(environment, registry, flags);
    const bundles = new BundleReader(environment, registry, named);
    const check = await createBundleCheck(environment, registry, { trust, trustedRoot: flags.trustedRoot });
    const sides: PlannedSide[] = from === undefined ? [] : [await bundles.side(subscription, from)];
    for (const step of steps) sides.push(await withSignature(await bundles.side(subscription, step), check));
    return inputsOf(subscription, sides, from !== undefined);
  };
  const inputs = await withRegistry(environment, flags, work, mirrorsOfTrust(trust));
  return { subscription: keyOfObject(subscription), package: subscription.spec.package, message, inputs };
}

/** The installed version is not checked: its signature changes no plan. */
async function withSignature(side: PlannedSide, check: CheckBundle): Promise<PlannedSide> {
  return side.image === undefined ? side : { ...side, ...(await check(side.image)) };
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
    ...(from !== undefined && { installed: findInstalled({ option: '--from', text: from }, packageName, catalogs) }),
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

/** A bundle, and its image by digest if it is one of a registry. */
type ReadBundle = Pick<BundleOfSide, 'bundle' | 'image'>;

function readBundleOf({ files, image }: BundleInput): ReadBundle {
  const reference = image?.reference;
  return { bundle: parseBundle(files), ...(reference !== undefined && { image: reference }) };
}

/** The bundles that --bundle names, by their names. */
async function readNamed(
  environment: Environment,
  registry: ImageSource,
  { bundle = [] }: PlanOfflineFlags,
): Promise<ReadonlyMap<string, ReadBundle>> {
  const read = new Map<string, ReadBundle>();
  for (const source of bundle) {
    const one = readBundleOf(await readBundleFrom(registry, environment, source));
    read.set(one.bundle.csv.name, one);
  }
  return read;
}

/** Reads bundles from the places that are named, else from the images that the catalog names. */
class BundleReader {
  readonly #environment: Environment;
  readonly #registry: ImageSource;
  readonly #named: ReadonlyMap<string, ReadBundle>;

  constructor(environment: Environment, registry: ImageSource, named: ReadonlyMap<string, ReadBundle>) {
    this.#environment = environment;
    this.#registry = registry;
    this.#named = named;
  }

  async side(subscription: Subscription, { name, version, image, properties }: CatalogBundle): Promise<PlannedSide> {
    const named = this.#named.get(name);
    const known = properties.length === 0 ? { version } : { version, properties };
    if (named !== undefined) return sideOf(subscription, { ...named, ...known });
    if (image === '')
      throw invalidInput(`no catalog names an image of ${name}`, 'Name its folder or image by --bundle');
    const read = readBundleOf(await readBundleFrom(this.#registry, this.#environment, image));
    return sideOf(subscription, { ...read, ...known });
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
