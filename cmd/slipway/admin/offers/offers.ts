/** `slipway list` and `slipway search`: the packages and versions that the Catalogs of the cluster offer. */
import { CATALOG } from '../../../../api/catalog.ts';
import { SUBSCRIPTION, type Subscription } from '../../../../api/subscription.ts';
import { textOf } from '../../../../api/untyped.ts';
import { packageRows, versionRows, type OfferedVersion } from '../../../../report/offers.ts';
import { similarTo } from '../../../../resolver/similar.ts';
import type { Environment } from '../../environment.ts';
import { withCluster, type Connection } from '../../input/connection.ts';
import { invalidInput } from '../../../../api/invalid-input.ts';
import type { Outcome } from '../../outcome.ts';
import { cleanLine } from '../../../../report/clean.ts';
import type { ReadFlags } from '../flags.ts';
import { listObjects } from '../objects.ts';
import { outcomeOf } from '../print.ts';
import { readDocuments, type ContentFlags } from './content.ts';
import { printPackages, printVersions } from './rows.ts';

export interface OfferFlags extends ReadFlags, ContentFlags {
  /** The only Catalog to read. */
  readonly catalog?: string;
}

export async function list(
  environment: Environment,
  packageName: string | undefined,
  flags: OfferFlags,
): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async (connection) => {
    const reading = { flags, signal };
    const subscriptions = await readSubscriptions(connection, signal);
    const offers = await readOffers(connection, packageName, reading);
    const packages = packageRows(offers, subscriptions);
    if (packageName === undefined) return outcomeOf({ packages }, printPackages(packages, columns), flags.output);
    if (packages.length === 0) throw await unknownPackage(connection, packageName, reading);
    const versions = versionRows(offers, subscriptions, packageName);
    return outcomeOf({ package: packageName, versions }, printVersions(versions, columns), flags.output);
  });
}

export async function search(environment: Environment, term: string, flags: OfferFlags): Promise<Outcome> {
  const { signal, columns } = environment;
  return withCluster(environment, flags, async (connection) => {
    const subscriptions = await readSubscriptions(connection, signal);
    const offers = await readOffers(connection, undefined, { flags, signal });
    const packages = packageRows(offers, subscriptions, term);
    const text = packages.length === 0 ? `No package has ${cleanLine(JSON.stringify(term))} in its name or description\n` : printPackages(packages, columns); // prettier-ignore
    return outcomeOf({ packages }, text, flags.output, packages.length === 0 ? 2 : 0);
  });
}

interface OfferReading {
  readonly flags: OfferFlags;
  readonly signal: AbortSignal;
}

/** The documents of the Catalogs: of all packages without bundles, or of one package with them. */
async function readOffers(
  connection: Connection,
  packageName: string | undefined,
  reading: OfferReading,
): Promise<readonly OfferedVersion[]> {
  const catalogs = await catalogNames(connection, reading);
  const [named, ofIt] = packageName === undefined ? [{}, {}] : [{ name: packageName }, { package: packageName }];
  return Promise.all(
    catalogs.map(async (catalog) => {
      const [packages, channels, bundles] = await Promise.all([
        readDocuments(connection, catalog, { schema: 'olm.package', ...named }, reading),
        readDocuments(connection, catalog, { schema: 'olm.channel', ...ofIt }, reading),
        packageName === undefined ? [] : readDocuments(connection, catalog, { schema: 'olm.bundle', ...ofIt }, reading),
      ]);
      return { catalog, packages, channels, bundles };
    }),
  );
}

async function catalogNames({ client }: Connection, { flags, signal }: OfferReading): Promise<readonly string[]> {
  const names = (await listObjects(client, CATALOG, {}, signal)).map(({ metadata }) => metadata.name);
  const { catalog } = flags;
  if (catalog === undefined) {
    if (names.length > 0) return names;
    throw invalidInput('the cluster has no Catalog', 'Create one: docs/tutorial.md');
  }
  if (names.includes(catalog)) return [catalog];
  const [meant = names[0]] = similarTo(catalog, names);
  throw invalidInput(
    `there is no Catalog ${JSON.stringify(catalog)}`,
    meant === undefined ? 'The cluster has none' : `Did you mean ${meant}?`,
  );
}

/** Those that the user may read; a list of packages is useful without them. */
async function readSubscriptions(
  { client, namespace }: Connection,
  signal: AbortSignal,
): Promise<readonly Subscription[]> {
  // prettier-ignore
  try {
    return (await listObjects(client, SUBSCRIPTION, {}, signal)) as unknown as readonly Subscription[];
  } catch {
    signal.throwIfAborted();
    const own = listObjects(client, SUBSCRIPTION, { namespace }, signal);
    return (await own.catch(() => [])) as unknown as readonly Subscription[];
  }
}

async function unknownPackage(connection: Connection, name: string, reading: OfferReading): Promise<Error> {
  const catalogs = await catalogNames(connection, reading);
  const documents = await Promise.all(catalogs.map((one) => readDocuments(connection, one, { schema: 'olm.package' }, reading))); // prettier-ignore
  const meant = similarTo(name, documents.flat().map((one) => textOf(one['name']))); // prettier-ignore
  return invalidInput(
    `no Catalog offers package ${JSON.stringify(name)}`,
    meant.length > 0 ? `Did you mean ${meant.join(' or ')}?` : 'List the packages by `slipway list`',
  );
}
