/** Opens the catalogs with which versions in files are compared: those that are named, or those of the cluster. */
import { CATALOG, type Catalog } from '../../../../api/catalog.ts';
import type { Revision } from '../../../../api/revision.ts';
import { failedNames, type BundleAndImage } from '../../../../api/same-bundle.ts';
import { SUBSCRIPTION, type Subscription } from '../../../../api/subscription.ts';
import { formatJson } from '../../../../api/json.ts';
import type { Client } from '../../../../kube/client/client.ts';
import { matchesSelector } from '../../../../resolver/selector.ts';
import type { Environment } from '../../environment.ts';
import { readCatalog } from '../../input/catalog.ts';
import { withCluster, type Connection, type KubeFlags } from '../../input/connection.ts';
import { withIndexes } from '../../input/index.ts';
import type { RegistryFlags } from '../../input/registry.ts';
import { sourceOf } from '../../why/offline.ts';
import { listObjects, revisionsOf, servedKind } from '../objects.ts';
import { readDocuments, type ContentFlags } from '../offers/content.ts';
import type { RaiseFacts } from './decide.ts';

export interface RaiseFlags extends KubeFlags, RegistryFlags, ContentFlags {
  /** Catalogs in place of those of the cluster. */
  readonly catalog?: readonly string[];
  readonly kubernetesVersion?: string;
}

/** The facts about a Subscription of a file. */
export type FactsOf = (subscription: Subscription) => RaiseFacts;

/** Runs `work` with the facts about each Subscription. @throws the errors of the registry, the cluster and the manager */
export function withFacts<Result>(
  environment: Environment,
  { subscriptions, flags }: { readonly subscriptions: readonly Subscription[]; readonly flags: RaiseFlags },
  work: (factsOf: FactsOf) => Result,
): Promise<Result> {
  return flags.catalog === undefined
    ? withClusterFacts(environment, { subscriptions, flags }, work)
    : withNamedCatalogs(environment, { ...flags, catalog: flags.catalog }, work);
}

/** The catalogs that are named first go before the others. */
async function withNamedCatalogs<Result>(
  environment: Environment,
  flags: RaiseFlags & { readonly catalog: readonly string[] },
  work: (factsOf: FactsOf) => Result,
): Promise<Result> {
  const { kubernetesVersion } = flags;
  const names = [...new Set(flags.catalog)];
  const read = await Promise.all(names.map((source) => readCatalog(environment, source, flags)));
  const files = read.map((one) => one.files);
  return withIndexes(environment, files, (indexes) => {
    const catalogs = indexes.map((index, at) => sourceOf(index, names[at] ?? '', -at));
    return work(() => ({ catalogs, quarantined: [], ...(kubernetesVersion !== undefined && { kubernetesVersion }) }));
  });
}

function withClusterFacts<Result>(
  environment: Environment,
  { subscriptions, flags }: { readonly subscriptions: readonly Subscription[]; readonly flags: RaiseFlags },
  work: (factsOf: FactsOf) => Result,
): Promise<Result> {
  const { signal } = environment;
  const packages = [...new Set(subscriptions.map(({ spec }) => spec.package))];
  return withCluster(environment, flags, async (connection) => {
    const { client, namespace } = connection;
    const catalogs = (await listObjects(client, CATALOG, {}, signal)) as unknown as readonly Catalog[];
    const states = await Promise.all(
      subscriptions.map((one) => readState(client, { namespace, ...one.metadata }, signal)),
    );
    const known = new Map(subscriptions.map((one, at) => [one, states[at]!]));
    const files = await Promise.all(catalogs.map((one) => contentOf(connection, one, { packages, flags, signal })));
    return withIndexes(environment, files, (indexes) => {
      const sources = indexes.map((index, at) => {
        const { metadata, spec } = catalogs[at]!;
        return { catalog: catalogs[at]!, source: sourceOf(index, metadata.name, spec.priority) };
      });
      return work((subscription) => ({
        catalogs: sources.filter(({ catalog }) => isSelected(subscription, catalog)).map(({ source }) => source),
        ...known.get(subscription)!,
      }));
    });
  });
}

function isSelected({ spec }: Subscription, { metadata }: Catalog): boolean {
  if (spec.catalog !== undefined && spec.catalog !== metadata.name) return false;
  return matchesSelector(spec.catalogSelector, metadata.labels);
}

type RaiseState = Pick<RaiseFacts, 'quarantined' | 'installed'>;

/** What the cluster knows about a Subscription of a file; nothing if it is not there yet. */
async function readState(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<RaiseState> {
  const found = await client.get({ ...servedKind(SUBSCRIPTION), namespace, name }, signal);
  if (found === undefined) return { quarantined: [] };
  const subscription = found as unknown as Subscription;
  const { installed, quarantined = [] } = subscription.status ?? {};
  const failed = failedBundles(await revisionsOf(client, subscription, signal));
  return {
    quarantined: failedNames([...quarantined, ...failed], installed),
    ...(installed !== undefined && { installed }),
  };
}

/** Bundles whose last Revision failed: another spec has lifted their quarantine, which is no reason to propose them. */
function failedBundles(revisions: readonly Revision[]): readonly BundleAndImage[] {
  const last = new Map(revisions.map((one) => [one.spec.bundle, one]));
  return [...last.values()].flatMap(({ spec, status }) => (status?.failure === undefined ? [] : [spec]));
}

interface WantedContent {
  readonly packages: readonly string[];
  readonly flags: RaiseFlags;
  readonly signal: AbortSignal;
}

const SCHEMAS = ['olm.channel', 'olm.bundle', 'olm.deprecations'] as const;

/** The documents of the packages as a catalog of their own: the manager serves them as lines of JSON. */
async function contentOf(
  connection: Connection,
  { metadata: { name } }: Catalog,
  { packages, flags, signal }: WantedContent,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const queries = packages.flatMap((one) => [
    { schema: 'olm.package', name: one } as const,
    ...SCHEMAS.map((schema) => ({ schema, package: one })),
  ]);
  const documents = await Promise.all(
    queries.map((query) => readDocuments(connection, name, query, { flags, signal })),
  );
  const lines = documents.flat().map((document) => `${formatJson(document)}\n`);
  return new Map([['catalog.json', Buffer.from(lines.join(''))]]);
}
