/** Looks up the names in a cluster that an unfinished command line may mean. */
import { CATALOG } from '../../../api/catalog.ts';
import { REVISION, type Revision } from '../../../api/revision.ts';
import { SUBSCRIPTION, type Subscription } from '../../../api/subscription.ts';
import { textOf } from '../../../api/untyped.ts';
import { kindsOf } from '../admin/get.ts';
import { listObjects, parseTarget } from '../admin/objects.ts';
import { readDocuments } from '../admin/offers/content.ts';
import type { Environment } from '../environment.ts';
import { withCluster, type Connection } from '../input/connection.ts';
import type { Noun, CompletionQuestion } from './question.ts';

/** A shell waits no longer than this for the cluster. */
const WITHIN_MS = 3000;

/** The names of a noun. @throws every failure: a shell that completes has no place for messages */
export function lookUp(
  environment: Environment,
  { given, options, commands, partial }: CompletionQuestion,
  noun: Noun,
): Promise<readonly string[]> {
  // prettier-ignore
  const signal = AbortSignal.any([environment.signal, AbortSignal.timeout(WITHIN_MS)]);
  const [namespace, kubeconfig, context] = ['namespace', 'kubeconfig', 'context'].map((name) => options.get(name));
  const flags = {
    ...(namespace !== undefined && { namespace }),
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  };
  return withCluster(environment, flags, (connection) =>
    LOOKUPS[noun](connection, { given, options, commands, partial, signal, hasNamespace: namespace !== undefined }),
  );
}

interface CompletionRequest extends Pick<CompletionQuestion, 'given' | 'options' | 'commands' | 'partial'> {
  readonly signal: AbortSignal;
  readonly hasNamespace: boolean;
}

type LookUp = (connection: Connection, asked: CompletionRequest) => Promise<readonly string[]>;

const LOOKUPS: Readonly<Record<Noun, LookUp>> = {
  subscription: subscriptionNames,
  object: objectNames,
  catalog: async ({ client }, { signal }) => (await listObjects(client, CATALOG, {}, signal)).map(({ metadata }) => metadata.name), // prettier-ignore
  namespace: async ({ client }, { signal }) =>
    (await client.list({ apiVersion: 'v1', kind: 'Namespace' }, { metadataOnly: true }, signal)).map(({ metadata }) => metadata.name), // prettier-ignore
  package: (connection, asked) => documentNames(connection, 'olm.package', asked),
  channel: channelNames,
  version: versions,
  installed: installedVersions,
};

/** Names of the namespace; with a namespace before the unfinished word, or none of the name, NAMESPACE/NAME of all. */
async function subscriptionNames(
  { client, namespace }: Connection,
  { signal, hasNamespace, partial }: CompletionRequest,
): Promise<readonly string[]> {
  // prettier-ignore
  const isWide = partial.includes('/') || !hasNamespace;
  const all = await listObjects(client, SUBSCRIPTION, isWide ? {} : { namespace }, signal);
  return all.flatMap(({ metadata }) => [
    ...(metadata.namespace === namespace && !partial.includes('/') ? [metadata.name] : []),
    ...(isWide && metadata.namespace !== namespace ? [`${metadata.namespace}/${metadata.name}`] : []),
    ...(partial.includes('/') && metadata.namespace === namespace ? [`${namespace}/${metadata.name}`] : []),
  ]);
}

async function objectNames(
  { client, namespace }: Connection,
  { given, signal }: CompletionRequest,
): Promise<readonly string[]> {
  const kinds = kindsOf(given[0] ?? 'subscriptions');
  const lists = kinds.map((kind) =>
    listObjects(client, kind, kind.scope === 'Namespaced' ? { namespace } : {}, signal),
  );
  return (await Promise.all(lists)).flat().map(({ metadata }) => metadata.name);
}

/** Of all Catalogs, or of the one that is named. */
async function documentNames(
  connection: Connection,
  schema: 'olm.package' | 'olm.channel',
  { options, signal, given }: CompletionRequest,
): Promise<readonly string[]> {
  const managerUrl = options.get('manager-url');
  const flags = { systemNamespace: options.get('system-namespace') ?? 'slipway-system', ...(managerUrl !== undefined && { managerUrl }) }; // prettier-ignore
  const query = { schema, ...(schema === 'olm.channel' && given[0] !== undefined && { package: given[0] }) };
  const named = options.get('catalog');
  const catalogs = await listObjects(connection.client, CATALOG, {}, signal);
  const chosen = catalogs.filter(({ metadata }) => named === undefined || metadata.name === named);
  const documents = chosen.map(({ metadata }) => readDocuments(connection, metadata.name, query, { flags, signal }));
  return (await Promise.all(documents)).flat().map((one) => textOf(one['name']));
}

/** The channels of the package that is to be installed, or that a Subscription has. */
async function channelNames(connection: Connection, asked: CompletionRequest): Promise<readonly string[]> {
  if (asked.commands[0] === 'install') return documentNames(connection, 'olm.channel', asked);
  const one = await subscriptionOf(connection, asked);
  return documentNames(connection, 'olm.channel', { ...asked, given: [one.spec.package] });
}

/** The versions that the status of a Subscription mentions. */
async function versions(connection: Connection, asked: CompletionRequest): Promise<readonly string[]> {
  const { status = {} } = await subscriptionOf(connection, asked);
  const { installed, available, pending, path = [], refused = [] } = status;
  const named = [installed, available, pending].flatMap((one) => one?.version ?? []);
  return [...named, ...path, ...refused.map(({ version }) => version)];
}

async function installedVersions(connection: Connection, asked: CompletionRequest): Promise<readonly string[]> {
  const { metadata } = await subscriptionOf(connection, asked);
  const { namespace = '', name } = metadata;
  const all = (await listObjects(connection.client, REVISION, { namespace }, asked.signal)) as unknown as Revision[];
  return all.filter(({ spec }) => spec.subscription === name).map(({ spec }) => spec.version);
}

/** @throws Error if no Subscription is named yet, or none of that name exists */
async function subscriptionOf(
  { client, namespace }: Connection,
  { given, signal }: CompletionRequest,
): Promise<Subscription> {
  const target = parseTarget(given[0] ?? '', namespace);
  const all = await listObjects(client, SUBSCRIPTION, { namespace: target.namespace }, signal);
  const found = all.find(({ metadata }) => metadata.name === target.name);
  if (found === undefined) throw new Error('no such Subscription');
  return found as unknown as Subscription;
}
