/**
 * The least that it takes to get a published bundle: its manifest, its configuration and its layers from the registry,
 * each checked against its digest, and every object of its files parsed. Any lifecycle manager has to do this before it can
 * write a record of an installation. Nothing is rendered, and nothing is bounded; no code of the product.
 */
import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { loadAll, YAMLException } from 'js-yaml';
import { Parser } from 'tar';
import { exchange } from './exchange.ts';
import type { BenchOperator } from './operators.ts';
import { publishFirst, type Stage } from './stage.ts';

/** The bytes at a path of a registry; throws if there are none. */
export type GetBytes = (path: string) => Promise<Buffer>;

/** Pulls the bundles of one run of the floor, again with each call. */
export type PullBundles = () => Promise<void>;

/** Publishes the first version of each operator, and pulls that of the warm-up, so that no code runs for the first time later. */
export async function publishBundles(stage: Stage, operators: readonly BenchOperator[]): Promise<PullBundles> {
  const get = openRegistry(stage);
  const [warmUp, ...bundles] = await Promise.all(
    [stage.warmUp, ...operators].map((operator) => publishFirst(stage, operator)),
  );
  const pull = async (references: readonly string[]): Promise<void> => {
    await Promise.all(references.map((reference) => pullBundle(get, reference)));
  };
  await pull(warmUp === undefined ? [] : [warmUp]);
  return () => pull(bundles);
}

function openRegistry({ cluster: { registry }, signal }: Pick<Stage, 'cluster' | 'signal'>): GetBytes {
  const agent = new Agent({ keepAlive: true, scheduling: 'lifo' });
  signal.addEventListener('abort', () => agent.destroy(), { once: true });
  const headers = { accept: 'application/vnd.oci.image.manifest.v1+json, */*' };
  return async (path) => {
    const { status, bytes } = await exchange(new URL(path, `http://${registry}`), { agent, method: 'GET', headers });
    if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${bytes.toString().slice(0, 400)}`);
    return bytes;
  };
}

interface Content {
  readonly digest: string;
}

interface ImageContent {
  readonly config: Content;
  readonly layers: readonly Content[];
}

/**
 * The documents of the manifests and metadata of a bundle, whose reference ends with its digest: `registry/name@sha256:…`.
 *
 * @throws Error if the bytes of a part have another digest
 */
export async function pullBundle(get: GetBytes, reference: string): Promise<readonly unknown[]> {
  const [name = '', digest = ''] = reference.slice(reference.indexOf('/') + 1).split('@');
  const fetch = async (part: string, wanted: string): Promise<Buffer> =>
    checked(await get(`/v2/${name}/${part}/${wanted}`), wanted);
  const image = JSON.parse((await fetch('manifests', digest)).toString()) as ImageContent;
  const [config, layers] = await Promise.all([
    fetch('blobs', image.config.digest),
    Promise.all(image.layers.map(async (layer) => unpack(gunzipSync(await fetch('blobs', layer.digest))))),
  ]);
  const folders = foldersOf(JSON.parse(config.toString()) as ImageConfig);
  const files = layers.flat().filter(({ path }) => folders.some((folder) => path.startsWith(folder)));
  return files.flatMap(parse);
}

function checked(bytes: Buffer, digest: string): Buffer {
  const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (found !== digest) throw new Error(`the registry has sent ${found} for ${digest}`);
  return bytes;
}

interface ImageConfig {
  readonly config: { readonly Labels: Readonly<Record<string, string>> };
}

/** The folders that the labels of a bundle name. */
function foldersOf({ config: { Labels } }: ImageConfig): readonly string[] {
  return ['manifests', 'metadata'].map(
    (part) => Labels[`operators.operatorframework.io.bundle.${part}.v1`] ?? `${part}/`,
  );
}

interface UnpackedFile {
  readonly path: string;
  readonly text: string;
}

async function unpack(archive: Buffer): Promise<readonly UnpackedFile[]> {
  const files: Promise<UnpackedFile>[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      if (entry.type === 'File')
        files.push(entry.concat().then((bytes) => ({ path: entry.path, text: bytes.toString() })));
      else entry.resume();
    },
  });
  parser.on('end', () => resolve());
  parser.on('error', reject);
  parser.end(archive);
  await promise;
  return Promise.all(files);
}

/**
 * By js-yaml itself: the parser of the product, which reads its events, takes as long within a few milliseconds. A published
 * bundle has a file that YAML does not allow and that operator managers take; the time until its fault counts.
 */
function parse({ path, text }: UnpackedFile): readonly unknown[] {
  if (path.endsWith('.json')) return [JSON.parse(text)];
  try {
    return loadAll(text);
  } catch (error) {
    if (error instanceof YAMLException) return [];
    throw error;
  }
}
