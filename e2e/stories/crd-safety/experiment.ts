/**
 * Does the steps of an upgrade on an API server, and reports the outcome for the objects: they are created under the
 * old CRD, the CRD changes, and they are read, written back as they are read, and created again as they were.
 */
import { NEVER } from '../../../api/testing/never.ts';
import { isDangerous } from '../../../apply/crd-safety/compare.ts';
import { guardCrd } from '../../../apply/crd-safety/guard.ts';
import { canonicalJson } from '../../../api/json.ts';
import { type Fields, isRecord } from '../../../api/untyped.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { TestCluster } from '../../cluster/cluster.ts';
import { until } from '../../lib/until.ts';
import {
  attempt,
  change,
  hasStatusIn,
  isEstablished,
  isMarked,
  pathOf,
  specOf,
  versionOf,
  withMarker,
} from './crd-requests.ts';

export interface Pair {
  readonly name: string;
  readonly old: KubeObject;
  readonly next: KubeObject;
  /** What to make under the old CRD, in the namespace `default` if there are namespaces; those that are refused count for nothing. */
  readonly objects: readonly KubeObject[];
}

/** What the API server did to one object: nothing, or in words what. */
export interface Fate {
  readonly object: KubeObject;
  readonly harm?: string;
}

/** Of a pair that cannot be compared on a server, as one of its CRDs is refused, only why. */
export type Outcome =
  | { readonly kind: 'refused'; readonly because: string }
  | { readonly kind: 'seen'; readonly fates: readonly Fate[] };

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export async function seeOutcome(cluster: TestCluster, pair: Pair): Promise<Outcome> {
  const { old, next } = pair;
  const created = await attempt(cluster, 'POST', CRDS, old);
  if (!created.ok) return { kind: 'refused', because: `old: ${created.message}` };
  const path = `${CRDS}/${old.metadata.name}`;
  await until(`${old.metadata.name} is established`, async () => isEstablished(await cluster.read(path)));
  const made = await Promise.all(pair.objects.map((object) => make(cluster, old, object)));
  const before = made.filter((object) => object !== undefined);
  const marker = `m${(markers += 1)}`;
  const changed = await change(cluster, path, withMarker(next, marker));
  if (!changed.ok) return { kind: 'refused', because: `next: ${changed.message}` };
  const [first] = before;
  if (first !== undefined)
    await until(`${marker} is served`, async () => await isMarked(cluster, { crd: next, object: first, marker }));
  return { kind: 'seen', fates: await Promise.all(before.map((object) => fateOf(cluster, next, object))) };
}

let markers = 0;

/** Our own verdict, for the objects as they were before the change. */
export async function judge({ old, next }: Pair, objects: readonly KubeObject[]): Promise<readonly string[]> {
  const listPage = async ({ apiVersion }: { readonly apiVersion: string }): Promise<{ items: KubeObject[] }> => ({
    items: objects.map((object) => ({ ...object, apiVersion })),
  });
  const { findings } = await guardCrd(old, next, { signal: NEVER, listPage });
  return findings
    .filter(isDangerous)
    .map(
      ({ rule, path = '', message, objects: hurt }) =>
        `${rule} ${path}: ${message}${hurt?.because === undefined ? '' : ` (${hurt.because})`}`,
    );
}

/** As it is read after it was made; undefined if the API server takes no such object. */
async function make(cluster: TestCluster, crd: KubeObject, object: KubeObject): Promise<KubeObject | undefined> {
  const path = pathOf(crd, { version: versionOf(object) });
  let made = await attempt(cluster, 'POST', path, object);
  await until('the version is served', async () => {
    if (made.ok || !/404|not found|429/.test(made.message)) return true;
    made = await attempt(cluster, 'POST', path, object);
    return made.ok;
  });
  return made.ok ? made.object : undefined;
}

async function fateOf(cluster: TestCluster, crd: KubeObject, object: KubeObject): Promise<Fate> {
  const { versions } = specOf(crd);
  const own = versions.find(({ name, served }) => name === versionOf(object) && served);
  const stored = versions.find(({ storage }) => storage) ?? versions[0];
  const version = (own ?? (stored?.served === true ? stored : versions.find(({ served }) => served)))?.name ?? '';
  const harm = await harmOf(cluster, { crd, object, version });
  return harm === undefined ? { object } : { object, harm };
}

interface Subject {
  readonly crd: KubeObject;
  /** As it was read before the change. */
  readonly object: KubeObject;
  /** The version that it is read in after the change. */
  readonly version: string;
}

async function harmOf(cluster: TestCluster, { crd, object, version }: Subject): Promise<string | undefined> {
  const path = pathOf(crd, { version, name: object.metadata.name });
  const hasStatus = hasStatusIn(crd, version);
  const lost = (after: KubeObject, when: string): string | undefined => {
    const gone = lossesIn(contentOf(object, hasStatus), contentOf(after, hasStatus), '');
    return gone === undefined ? undefined : `${when}: ${gone} is gone`;
  };
  const read = await attempt(cluster, 'GET', path);
  if (!read.ok) return `read: ${read.message}`;
  const atRead = lost(read.object, 'read');
  if (atRead !== undefined) return atRead;
  const metadata = { ...read.object.metadata, annotations: { ...read.object.metadata.annotations, touched: 'yes' } };
  const written = await attempt(cluster, 'PUT', path, { ...read.object, metadata });
  if (!written.ok) return `update: ${written.message}`;
  const again = await attempt(cluster, 'GET', path);
  if (!again.ok) return `read after the update: ${again.message}`;
  const atUpdate = lost(again.object, 'update');
  if (atUpdate !== undefined) return atUpdate;
  await attempt(cluster, 'DELETE', path);
  const { name, namespace } = object.metadata;
  const anew = {
    ...object,
    apiVersion: `${specOf(crd).group}/${version}`,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
  };
  const made = await attempt(cluster, 'POST', pathOf(crd, { version }), anew);
  if (!made.ok) return `creation: ${made.message}`;
  return lost(made.object, 'creation');
}

/** A status that is a subresource is no part of a request that creates an object. */
function contentOf(object: KubeObject, hasStatus: boolean): Fields {
  const left = new Set(['apiVersion', 'metadata', ...(hasStatus ? ['status'] : [])]);
  return Object.fromEntries(Object.entries(object).filter(([key]) => !left.has(key)));
}

/** The path of the first value that is there before and not after, or is another one. */
function lossesIn(before: unknown, after: unknown, path: string): string | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length > after.length
      ? path
      : firstOf(before.map((item, index) => lossesIn(item, after[index], `${path}[${index}]`)));
  }
  if (isRecord(before) && isRecord(after)) {
    return firstOf(
      Object.entries(before).map(([key, value]) =>
        Object.hasOwn(after, key) ? lossesIn(value, after[key], `${path}.${key}`) : `${path}.${key}`,
      ),
    );
  }
  return canonicalJson(before) === canonicalJson(after) ? undefined : path;
}

function firstOf(paths: readonly (string | undefined)[]): string | undefined {
  return paths.find((path) => path !== undefined);
}
