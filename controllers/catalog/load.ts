/**
 * Takes a Catalog's content into service: the current content of its source, or a digest that was found before. Called
 * by the leader's reconcile and by the replicas that follow; writes nothing to the cluster.
 */
import type { Catalog } from '../../api/catalog.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { CatalogIndex } from '../../catalog/index/open.ts';
import type { Registry } from '../../oci/registry.ts';
import type { CatalogContent } from '../catalog-content.ts';
import type { Registries } from '../registries.ts';
import type { CheckSignatures } from '../signature-checks.ts';
import { catalogReference, pullCatalog, resolveCatalog, type PulledCatalog } from './pull.ts';
import { pullRepositories, resolveTags } from './repositories.ts';
import { isImageDigest } from './source.ts';
import { SIGNATURE_REASONS } from '../../signatures/flaw.ts';
import type { CatalogFindings } from './summarize.ts';

export interface LoadDeps {
  readonly content: CatalogContent;
  readonly registries: Registries;
}

export interface LoadCurrentDeps extends LoadDeps {
  readonly checkSignatures: CheckSignatures;
}

interface Loading {
  readonly signal: AbortSignal;
  /** Called before content is pulled that is not held, which may take many minutes. */
  readonly beforePull: () => Promise<void>;
}

/** The content in service was checked again, and no signature of it is trusted any more. */
export class DistrustedContent extends ReasonedError {
  constructor({ reason, retry, message, hint, cause }: ReasonedError) {
    super({ reason, retry, message, cause, ...(hint !== undefined && { hint }) });
  }
}

/**
 * Takes the current content of the Catalog's source into service, once its signatures are checked. Throws the errors of
 * a registry and of the check, and CatalogInvalid; DistrustedContent if the check failed for the content in service.
 */
export function loadCurrent(deps: LoadCurrentDeps, catalog: Catalog, loading: Loading): Promise<CatalogFindings> {
  return endingAll(loading.signal, (signal) => checkAndLoad(deps, catalog, { ...loading, signal }));
}

/**
 * The result of the work. Requests that it has left when it fails are ended: those of a Catalog of repositories are thousands, one
 * after the other, and each further attempt would have its own beside them.
 */
async function endingAll<Result>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const over = new AbortController();
  try {
    return await work(AbortSignal.any([signal, over.signal]));
  } finally {
    over.abort(new Error('the attempt to read the catalog has ended'));
  }
}

async function checkAndLoad(
  deps: LoadCurrentDeps,
  catalog: Catalog,
  { signal, beforePull }: Loading,
): Promise<CatalogFindings> {
  const look = await lookAt(deps, catalog, signal);
  const { digest } = look;
  const pullSecret = catalog.spec.pullSecret?.name;
  const toCheck = { image: digest, content: 'Catalog', pullSecret } as const;
  const signature = await deps.checkSignatures(catalog, toCheck, signal).catch((error: unknown) => {
    throw isDistrust(error) && catalog.status?.digest === digest ? new DistrustedContent(error) : error;
  });
  const findings = await takeIntoService(deps, catalog, { look, signal, beforePull });
  return { ...findings, ...(signature !== undefined && { signature }) };
}

/** A trusted root that was replaced, or a policy that was changed, takes back an earlier verdict. */
function isDistrust(error: unknown): error is ReasonedError {
  return error instanceof ReasonedError && SIGNATURE_REASONS.has(error.reason);
}

interface Taking extends Loading {
  readonly look: Look;
}

async function takeIntoService(
  deps: LoadDeps,
  catalog: Catalog,
  { look, signal, beforePull }: Taking,
): Promise<CatalogFindings> {
  const { digest } = look;
  const { name } = catalog.metadata;
  if (isHeld(deps, name, digest)) {
    // In service, but perhaps not in the status yet: an earlier reconcile could not write it.
    const created = catalog.status?.digest === digest ? catalog.status.created : await look.created();
    return findingsOf({ digest, created }, indexOf(deps, name));
  }
  await beforePull();
  const source = await look.pull();
  return findingsOf(source, await deps.content.load(name, source, signal));
}

/**
 * Takes a digest that was found before into service. Throws the errors of a registry, CatalogInvalid, and
 * CatalogUnavailable if the source no longer has that content.
 */
export function loadFound(deps: LoadDeps, catalog: Catalog, { digest, signal }: FoundDigest): Promise<void> {
  return endingAll(signal, (ending) => loadDigest(deps, catalog, { digest, signal: ending }));
}

interface FoundDigest {
  readonly digest: string;
  readonly signal: AbortSignal;
}

async function loadDigest(deps: LoadDeps, catalog: Catalog, { digest, signal }: FoundDigest): Promise<void> {
  const { name } = catalog.metadata;
  if (isHeld(deps, name, digest)) return;
  const { spec } = catalog;
  if (isImageDigest(digest)) {
    const source = await pullCatalog(deps.registries(spec.pullSecret?.name), digest, signal);
    return void (await deps.content.load(name, source, signal));
  }
  const look = spec.source.repositories === undefined ? undefined : await lookAt(deps, catalog, signal);
  // Tags that have moved are new content, which a suspended Catalog does not take.
  if (look === undefined || (spec.suspend && look.digest !== digest)) throw lost(catalog, digest);
  if (!isHeld(deps, name, look.digest)) await deps.content.load(name, await look.pull(), signal);
}

/** The current content of a Catalog's source, and how to get it. */
interface Look {
  readonly digest: string;
  readonly pull: () => Promise<PulledCatalog>;
  /** When the image was built, if it says so. A request of its own, since an index does not contain it. */
  readonly created: () => Promise<string | undefined>;
}

async function lookAt(deps: LoadDeps, catalog: Catalog, signal: AbortSignal): Promise<Look> {
  const { source, pullSecret } = catalog.spec;
  const pulls = (): Registry => deps.registries(pullSecret?.name);
  if (source.repositories !== undefined)
    return lookAtRepositories(deps, catalog, { registry: eachInItsTime(pulls), signal });
  const registry = pulls();
  const digest = await resolveCatalog(registry, catalogReference(catalog), signal);
  const pull = (): Promise<PulledCatalog> => pullCatalog(registry, digest, signal);
  return { digest, pull, created: async () => (await pull()).created };
}

/**
 * Each request begins a pull of its own: thousands of versions take longer than one pull may, and each of them is one. Once they
 * are known, only new ones are pulled.
 */
function eachInItsTime(begin: () => Registry): Registry {
  return {
    ...begin(),
    listTags: (...args) => begin().listTags(...args),
    resolve: (...args) => begin().resolve(...args),
    pullManifest: (...args) => begin().pullManifest(...args),
    pullBlob: (...args) => begin().pullBlob(...args),
  };
}

async function lookAtRepositories(
  deps: LoadDeps,
  catalog: Catalog,
  { registry, signal }: { readonly registry: Registry; readonly signal: AbortSignal },
): Promise<Look> {
  const tags = await resolveTags(registry, catalog.spec.source.repositories ?? [], signal);
  return {
    digest: tags.digest,
    created: async () => undefined,
    pull: async () => {
      const served = deps.content.get(catalog.metadata.name)?.index;
      return pullRepositories(registry, tags, { served, signal });
    },
  };
}

/** Whether that content is in service now; an index that was built before is opened. */
function isHeld({ content }: LoadDeps, name: string, digest: string): boolean {
  return content.get(name)?.digest === digest || content.restore(name, digest);
}

function indexOf({ content }: LoadDeps, name: string): CatalogIndex {
  const served = content.get(name);
  if (served === undefined) throw new Error(`catalog ${name} was taken out of service while it was read`);
  return served.index;
}

interface FoundContent {
  readonly digest: string;
  readonly created?: string | undefined;
}

function findingsOf({ digest, created }: FoundContent, { counts }: CatalogIndex): CatalogFindings {
  const { packages, channels, bundles, leftOut, notOffered } = counts;
  return {
    digest,
    packages,
    channels,
    bundles,
    ...(created !== undefined && { created }),
    ...(leftOut !== undefined && { leftOut }),
    ...(notOffered !== undefined && { notOffered }),
  };
}

function lost({ metadata, spec }: Catalog, digest: string): ReasonedError {
  return new ReasonedError({
    reason: 'CatalogUnavailable',
    retry: 'backoff',
    message: `the source of Catalog ${metadata.name} no longer has the content that was in service (${digest})`,
    hint: spec.suspend
      ? 'Set spec.suspend to false to take its present content into service'
      : 'The manager reads the source again',
  });
}
