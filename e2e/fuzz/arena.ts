/**
 * The names that actions of the fuzz can use: namespaces, objects, images, packages, and addresses without a server.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { TestCluster } from '../cluster/cluster.ts';
import { apply, makeNamespaces } from '../lib/writes.ts';
import { packageDocuments, publishCatalogText } from '../lib/publish.ts';
import { publishTiny } from '../lib/tiny-operator.ts';
import { catalogOf } from '../lib/objects.ts';
import { digestOf } from '../../oci/digest.ts';
import { PROPERTY_TYPES, PROPERTY_VALUES } from '../../api/crd/testing/hostile-values.ts';

/** Where hostile objects live; nothing else does. */
export const NAMESPACES = ['fuzz-a', 'fuzz-b'] as const;
/** Offers an operator that can be installed, and bundles with hostile properties. */
export const HOSTILE_CATALOG = 'fuzz-hostile';
export const PACKAGE = 'fuzz-op';
const VERSIONS = ['1.0.0', '1.1.0', '2.0.0'] as const;

/** A Secret that says that it holds manifests, and their digest. */
export interface Garbage {
  readonly secret: string;
  readonly digest: string;
}

export interface Arena extends AsyncDisposable {
  readonly cluster: TestCluster;
  /** Image references: of real bundles, and at ports that take a connection and never answer. */
  readonly images: readonly string[];
  readonly garbage: readonly Garbage[];
}

/** Publishes, makes the namespaces, their Secrets and the Catalog. */
export async function openArena(cluster: TestCluster): Promise<Arena> {
  const { pit, taken } = await openPit();
  const images = await publish(cluster);
  await makeNamespaces(cluster, NAMESPACES);
  for (const namespace of NAMESPACES) await apply(cluster, ...MANIFESTS.map((one) => garbageSecret(one, namespace)));
  await apply(cluster, catalogOf(HOSTILE_CATALOG, `${cluster.registry}/fuzz-catalog:latest`));
  const address = pit.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const unanswered = ['fuzz', 'x/y'].map((name) => `127.0.0.1:${port}/${name}@${digestOf(Buffer.from(name))}`);
  return {
    cluster,
    images: [...images, ...unanswered, `${cluster.registry}/nothing@${digestOf(Buffer.from('nothing'))}`],
    garbage: MANIFESTS.map(({ secret, json }) => ({ secret, digest: digestOf(json) })),
    [Symbol.asyncDispose]: () => {
      for (const socket of taken) socket.destroy();
      return new Promise((resolve) => pit.close(() => resolve()));
    },
  };
}

/** A server that takes connections and never says anything, as a firewall that drops makes of any. */
function openPit(): Promise<Pit> {
  const taken = new Set<Socket>();
  const pit = createServer((socket) => {
    taken.add(socket.unref());
    socket.on('error', () => undefined).on('close', () => taken.delete(socket));
  });
  return new Promise((resolve) => {
    pit.listen(0, '127.0.0.1', () => resolve({ pit: pit.unref(), taken }));
  });
}

interface Pit {
  readonly pit: Server;
  /** Connections that nothing reads, so that their end is not noticed: a close of the server would wait for them. */
  readonly taken: ReadonlySet<Socket>;
}

async function publish({ registry }: TestCluster): Promise<readonly string[]> {
  const images = await Promise.all(
    VERSIONS.map((version) => publishTiny(registry, { name: PACKAGE, version, kind: 'Fuzzling' })),
  );
  const good = VERSIONS.map((version, index) => ({
    version,
    image: images[index] ?? '',
    ...(index > 0 && { replaces: VERSIONS[index - 1] }),
  }));
  const values = PROPERTY_VALUES.filter(isJson);
  const hostile = values.map((_, index) => ({
    version: `1.0.${index}`,
    image: images[0] ?? '',
    properties: PROPERTY_TYPES.slice(0, 7).map((type) => ({ type, value: placeOf(index) })),
  }));
  const documents = [...packageDocuments(PACKAGE, good), ...packageDocuments(`${PACKAGE}-hostile`, hostile)];
  const lines = documents.map((document) => JSON.stringify(document)).join('\n');
  await publishCatalogText(
    // too deep to be written by JSON.stringify
    values.reduce((text, value, index) => text.replaceAll(`"${placeOf(index)}"`, () => value), lines),
    `${registry}/fuzz-catalog:latest`,
  );
  return images;
}

function placeOf(index: number): string {
  return `value-${index}-`;
}

/** A catalog is JSON, so its content must be JSON too. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function objects(...list: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify(list));
}

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fuzz-made' } };

/** Manifests that no bundle renders to: the manager reads them when it applies a Revision that names their Secret. */
const MANIFESTS: readonly { readonly secret: string; readonly json: Buffer }[] = [
  { secret: 'garbage-null', json: Buffer.from('null') },
  { secret: 'garbage-object', json: Buffer.from('{"a":1}') },
  { secret: 'garbage-text', json: Buffer.from('not json') },
  { secret: 'garbage-empty', json: objects() },
  { secret: 'garbage-nulls', json: objects(null, 1, 'x', []) },
  {
    secret: 'garbage-nameless',
    json: objects({ apiVersion: 'v1', kind: 'ConfigMap' }, { kind: 'ConfigMap', metadata: {} }),
  },
  { secret: 'garbage-numbers', json: objects({ apiVersion: 1, kind: 2, metadata: { name: 3 } }) },
  {
    secret: 'garbage-unknown',
    json: objects({ apiVersion: 'nobody.example/v1', kind: 'Ghost', metadata: { name: 'x' } }),
  },
  { secret: 'garbage-unreadable', json: objects({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' } }) },
  { secret: 'garbage-list', json: objects({ apiVersion: 'v1', kind: 'List', items: [CONFIG_MAP] }) },
  { secret: 'garbage-proto', json: Buffer.from('[{"__proto__":{"kind":"Secret"},"apiVersion":"v1","metadata":null}]') },
  { secret: 'garbage-same', json: objects(CONFIG_MAP, CONFIG_MAP) },
  { secret: 'garbage-good', json: objects(CONFIG_MAP) },
  { secret: 'garbage-deep', json: Buffer.from('['.repeat(5000) + ']'.repeat(5000)) },
  { secret: 'garbage-large', json: Buffer.from(`["${'a'.repeat(32 * 1024 * 1024)}"]`) },
];

function garbageSecret({ secret, json }: (typeof MANIFESTS)[number], namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret, namespace },
    type: 'slipway.dev/manifests',
    immutable: true,
    data: { manifests: gzipSync(json).toString('base64') },
  };
}
