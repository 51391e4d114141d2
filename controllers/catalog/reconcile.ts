/**
 * Reconciles a Catalog: asks its registry when that is due, builds an index of new content and takes it into
 * service. What cannot be refreshed stays in service as it is. It knows nothing of Subscriptions.
 */
import type { Catalog } from '../../api/catalog.ts';
import { ReasonedError } from '../../api/errors.ts';
import type { Cluster } from '../../apply/cluster.ts';
import type { CatalogIndex } from '../../catalog/index/open.ts';
import type { Reconcile, Result } from '../../kube/controller.ts';
import type { Informer } from '../../kube/informer.ts';
import type { Registry } from '../../oci/registry.ts';
import type { RecordEvent } from '../events.ts';
import { writeStatus } from '../status.ts';
import type { CatalogContent } from '../catalog-content.ts';
import { intervalSeconds, isPinned, planPoll } from './poll.ts';
import { catalogReference, pullCatalog, resolveCatalog, type CatalogSource } from './pull.ts';
import { pullRepositories, resolveTags, type RepositoryContent } from './repositories.ts';
import type { Registries } from '../registries.ts';
import { summarizeContent, summarizeFailure, summarizeSuspension, type CatalogFindings } from './summarize.ts';

export interface CatalogDeps {
  readonly catalogs: Pick<Informer, 'get'>;
  readonly cluster: Pick<Cluster, 'patch'>;
  readonly content: CatalogContent;
  readonly registries: Registries;
  readonly record: RecordEvent;
  readonly now: () => Date;
}

/** The reconcile function of the controller. */
export function createCatalogReconciler(deps: CatalogDeps): Reconcile {
  return async ({ name }, { signal }) => {
    const catalog = deps.catalogs.get(name) as Catalog | undefined;
    if (catalog === undefined || catalog.metadata.deletionTimestamp !== undefined) return deps.content.drop(name);
    const plan = planPoll(catalog, deps.content.get(name)?.digest, deps.now());
    switch (plan.kind) {
      case 'suspended':
        await writeStatus(deps.cluster, catalog, summarizeSuspension(catalog, deps.now()));
        return undefined;
      case 'wait':
        return plan.seconds === undefined ? undefined : { requeueAfterSeconds: plan.seconds };
      case 'restore':
        if (deps.content.restore(name, plan.digest)) return { requeueAfterSeconds: 0 };
        return refresh(deps, catalog, { digest: plan.digest, signal });
      case 'check':
        return refresh(deps, catalog, { signal });
    }
  };
}

interface RefreshOptions {
  /** What to pull; absent: what the reference stands for now. */
  readonly digest?: string;
  readonly signal: AbortSignal;
}

async function refresh(deps: CatalogDeps, catalog: Catalog, options: RefreshOptions): Promise<Result> {
  try {
    const found = await loadContent(deps, catalog, options);
    await writeStatus(deps.cluster, catalog, summarizeContent(catalog, found, deps.now()));
    tellChange(deps, catalog, found);
    return isPinned(catalog) ? undefined : { requeueAfterSeconds: intervalSeconds(catalog) };
  } catch (error) {
    if (!(error instanceof ReasonedError) || error.reason === 'Conflict') throw error;
    await tellFailure(deps, catalog, error);
    // What cannot be read will not get better by itself, but the tag may be moved to something that can.
    if (error.retry === 'never' && !isPinned(catalog)) return { requeueAfterSeconds: intervalSeconds(catalog) };
    throw error;
  }
}

/** What it takes to have a Catalog's content in service; nothing of it writes to the cluster but the events. */
export type LoadDeps = Pick<CatalogDeps, 'content' | 'registries' | 'record'>;

/** Takes a Catalog's content into service: what is asked for, or what its source stands for now. Throws what a registry throws. */
export async function loadContent(deps: LoadDeps, catalog: Catalog, options: RefreshOptions): Promise<CatalogFindings> {
  const { name } = catalog.metadata;
  const look = await lookAt(deps, catalog, options);
  const served = deps.content.get(name);
  if (served?.digest === look.digest || deps.content.restore(name, look.digest))
    return findingsOf(look.digest, indexOf(deps, name));
  return findingsOf(look.digest, await deps.content.load(name, await look.pull(), options.signal));
}

/** What a Catalog's source stands for now, and how to get it. */
interface Look {
  readonly digest: string;
  readonly pull: () => Promise<CatalogSource>;
}

async function lookAt(deps: LoadDeps, catalog: Catalog, { digest, signal }: RefreshOptions): Promise<Look> {
  const { source, pullSecret } = catalog.spec;
  const registry = deps.registries(pullSecret?.name);
  if (source.repositories !== undefined) return lookAtRepositories(deps, catalog, { registry, signal });
  const found = digest ?? (await resolveCatalog(registry, catalogReference(catalog), signal));
  return { digest: found, pull: () => pullCatalog(registry, found, signal) };
}

async function lookAtRepositories(
  deps: LoadDeps,
  catalog: Catalog,
  { registry, signal }: { readonly registry: Registry; readonly signal: AbortSignal },
): Promise<Look> {
  const tags = await resolveTags(registry, catalog.spec.source.repositories ?? [], signal);
  return {
    digest: tags.digest,
    pull: async () => {
      const served = deps.content.get(catalog.metadata.name)?.index;
      const content = await pullRepositories(registry, tags, { served, signal });
      tellIgnored(deps, catalog, content.ignored);
      return content;
    },
  };
}

function tellIgnored({ record }: LoadDeps, catalog: Catalog, ignored: RepositoryContent['ignored']): void {
  if (ignored.length === 0) return;
  const told = ignored.slice(0, 5).map(({ repository, tag, because }) => `${repository}:${tag} (${because})`);
  const more = ignored.length > told.length ? ` and ${ignored.length - told.length} more` : '';
  const note = `Not offered: ${told.join('; ')}${more}`;
  record(catalog, { type: 'Warning', reason: 'BundleInvalid', action: 'Refresh', note });
}

function indexOf({ content }: LoadDeps, name: string): CatalogIndex {
  const served = content.get(name);
  if (served === undefined) throw new Error(`catalog ${name} was taken out of service while it was looked at`);
  return served.index;
}

function findingsOf(digest: string, { counts }: CatalogIndex): CatalogFindings {
  const { packages, channels, bundles } = counts;
  return { digest, packages, channels, bundles };
}

function tellChange({ record }: CatalogDeps, catalog: Catalog, found: CatalogFindings): void {
  if (catalog.status?.digest === found.digest) return;
  const note = `Serving ${found.digest}: ${found.packages} packages, ${found.bundles} bundles`;
  record(catalog, { type: 'Normal', reason: 'Succeeded', action: 'Refresh', note });
}

async function tellFailure(deps: CatalogDeps, catalog: Catalog, error: ReasonedError): Promise<void> {
  deps.record(catalog, { type: 'Warning', reason: error.reason, action: 'Refresh', note: error.describe() });
  await writeStatus(deps.cluster, catalog, summarizeFailure(catalog, error, deps.now()));
}
