/** The content of the fake registry, and the specification's endpoints on it, as a function from call to answer. */
import { randomUUID } from 'node:crypto';
import { digestOf, isDigest, matchesDigest } from '../digest.ts';
import type { FakeAnswer, FakeCall } from './fake-call.ts';

export interface FakeRepository {
  readonly blobs: Map<string, Buffer>;
  readonly manifests: Map<string, { readonly bytes: Buffer; readonly mediaType: string }>;
  readonly tags: Map<string, string>;
}

export interface FakeStore {
  readonly repositories: Map<string, FakeRepository>;
  readonly uploads: Map<string, Buffer>;
}

/** How much of the specification is served. */
export interface StoreOptions {
  /** Whether the referrers API is served; else clients fall back to a tag. */
  readonly referrers?: boolean;
  /** Tags per page if the client asks for more. */
  readonly pageSize?: number;
}

interface Place {
  readonly name: string;
  readonly repository: FakeRepository;
  readonly last: string;
}

type Endpoint = (place: Place, call: FakeCall, wiring: Wiring) => FakeAnswer;

interface Wiring {
  readonly store: FakeStore;
  readonly options: StoreOptions;
}

const ENDPOINTS: readonly (readonly [pattern: RegExp, endpoint: Endpoint])[] = [
  [/^\/v2\/(.+)\/blobs\/uploads\/([^/]*)$/, answerUpload],
  [/^\/v2\/(.+)\/blobs\/([^/]+)$/, answerBlob],
  [/^\/v2\/(.+)\/manifests\/([^/]+)$/, answerManifest],
  [/^\/v2\/(.+)\/tags\/(list)$/, answerTags],
  [/^\/v2\/(.+)\/referrers\/([^/]+)$/, answerReferrers],
];

/** Answers a call by the specification. */
export function answerApi(store: FakeStore, options: StoreOptions, call: FakeCall): FakeAnswer {
  if (call.url.pathname === '/v2/') return { status: 200, body: '{}' };
  for (const [pattern, endpoint] of ENDPOINTS) {
    const match = pattern.exec(call.url.pathname);
    if (match?.[1] === undefined) continue;
    const place = { name: match[1], repository: repositoryOf(store, match[1]), last: match[2] ?? '' };
    return endpoint(place, call, { store, options });
  }
  return failure(404, 'NAME_UNKNOWN');
}

/** The repository of a name, created if it does not exist. */
export function repositoryOf(store: FakeStore, name: string): FakeRepository {
  const known = store.repositories.get(name);
  if (known !== undefined) return known;
  const repository: FakeRepository = { blobs: new Map(), manifests: new Map(), tags: new Map() };
  store.repositories.set(name, repository);
  return repository;
}

function answerBlob({ repository, last }: Place, { method, headers }: FakeCall): FakeAnswer {
  const blob = repository.blobs.get(last);
  if (blob === undefined) return failure(404, 'BLOB_UNKNOWN');
  if (method === 'DELETE') {
    repository.blobs.delete(last);
    return { status: 202 };
  }
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  const described = { 'docker-content-digest': last, 'content-type': 'application/octet-stream' };
  if (from === 0) return { status: 200, headers: { ...described, 'content-length': String(blob.length) }, body: blob };
  const range = { 'content-range': `bytes ${from}-${blob.length - 1}/${blob.length}` };
  return { status: 206, headers: { ...described, ...range }, body: blob.subarray(from) };
}

function answerUpload(place: Place, call: FakeCall, { store }: Wiring): FakeAnswer {
  if (place.last === '') return startUpload(place, call, store);
  const received = store.uploads.get(place.last);
  if (received === undefined) return failure(404, 'BLOB_UPLOAD_UNKNOWN');
  const session = { location: call.url.pathname, range: `0-${Math.max(received.length - 1, 0)}` };
  switch (call.method) {
    case 'GET':
      return { status: 204, headers: session };
    case 'DELETE':
      store.uploads.delete(place.last);
      return { status: 204 };
    case 'PATCH': {
      const start = /^(\d+)-\d+$/.exec(call.headers['content-range'] ?? '')?.[1];
      if (start !== undefined && Number(start) !== received.length) return { status: 416, headers: session };
      const whole = Buffer.concat([received, call.body]);
      store.uploads.set(place.last, whole);
      return { status: 202, headers: { ...session, range: `0-${whole.length - 1}` } };
    }
    default:
      store.uploads.delete(place.last);
      return finishUpload(place, call.url.searchParams.get('digest') ?? '', Buffer.concat([received, call.body]));
  }
}

function startUpload(place: Place, call: FakeCall, store: FakeStore): FakeAnswer {
  const { searchParams } = call.url;
  const mount = searchParams.get('mount');
  const mounted = mount === null ? undefined : store.repositories.get(searchParams.get('from') ?? '')?.blobs.get(mount);
  if (mount !== null && mounted !== undefined) return finishUpload(place, mount, mounted);
  const digest = searchParams.get('digest');
  if (digest !== null) return finishUpload(place, digest, call.body);
  const id = randomUUID();
  store.uploads.set(id, Buffer.alloc(0));
  return { status: 202, headers: { location: `/v2/${place.name}/blobs/uploads/${id}?state=x`, range: '0-0' } };
}

function finishUpload({ name, repository }: Place, digest: string, bytes: Buffer): FakeAnswer {
  if (!isDigest(digest) || !matchesDigest(bytes, digest)) return failure(400, 'DIGEST_INVALID');
  repository.blobs.set(digest, bytes);
  return { status: 201, headers: { location: `/v2/${name}/blobs/${digest}`, 'docker-content-digest': digest } };
}

function answerManifest(place: Place, call: FakeCall, { options }: Wiring): FakeAnswer {
  const { repository, last } = place;
  if (call.method === 'PUT') return putManifest(place, call, options);
  const digest = isDigest(last) ? last : (repository.tags.get(last) ?? '');
  const manifest = repository.manifests.get(digest);
  if (manifest === undefined) return failure(404, 'MANIFEST_UNKNOWN');
  if (call.method === 'DELETE') {
    if (isDigest(last)) repository.manifests.delete(last);
    for (const [tag, target] of repository.tags) if (tag === last || target === last) repository.tags.delete(tag);
    return { status: 202 };
  }
  return {
    status: 200,
    headers: {
      'content-type': manifest.mediaType,
      'docker-content-digest': digest,
      'content-length': String(manifest.bytes.length),
      etag: `"${digest}"`,
    },
    body: manifest.bytes,
  };
}

interface ManifestShape {
  readonly config?: { readonly digest: string; readonly mediaType: string };
  readonly layers?: readonly { readonly digest: string }[];
  readonly manifests?: readonly { readonly digest: string }[];
  readonly subject?: { readonly digest: string };
  readonly artifactType?: string;
  readonly annotations?: Record<string, string>;
}

function putManifest(
  { name, repository, last }: Place,
  call: FakeCall,
  { referrers = true }: StoreOptions,
): FakeAnswer {
  const digest = isDigest(last) ? last : digestOf(call.body);
  if (!matchesDigest(call.body, digest)) return failure(400, 'DIGEST_INVALID');
  const shape = JSON.parse(call.body.toString('utf8')) as ManifestShape;
  const blobs = [shape.config, ...(shape.layers ?? [])].filter((blob) => blob !== undefined);
  if (!blobs.every((blob) => repository.blobs.has(blob.digest))) return failure(404, 'MANIFEST_BLOB_UNKNOWN');
  if (!(shape.manifests ?? []).every((entry) => repository.manifests.has(entry.digest))) {
    return failure(404, 'MANIFEST_BLOB_UNKNOWN');
  }
  repository.manifests.set(digest, { bytes: call.body, mediaType: call.headers['content-type'] ?? '' });
  if (!isDigest(last)) repository.tags.set(last, digest);
  const subject = referrers && shape.subject !== undefined ? { 'oci-subject': shape.subject.digest } : {};
  return {
    status: 201,
    headers: { location: `/v2/${name}/manifests/${digest}`, 'docker-content-digest': digest, ...subject },
  };
}

function answerTags({ name, repository }: Place, { url }: FakeCall, { options }: Wiring): FakeAnswer {
  if (repository.tags.size === 0 && repository.manifests.size === 0) return failure(404, 'NAME_UNKNOWN');
  const after = url.searchParams.get('last') ?? '';
  const size = Math.min(Number(url.searchParams.get('n') ?? 1e9), options.pageSize ?? 1e9);
  const rest = [...repository.tags.keys()].sort().filter((tag) => tag > after);
  const page = rest.slice(0, size);
  const next = `</v2/${name}/tags/list?n=${size}&last=${encodeURIComponent(page.at(-1) ?? '')}>; rel="next"`;
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...(rest.length > size && { link: next }) },
    body: JSON.stringify({ name, tags: page }),
  };
}

function answerReferrers({ repository, last }: Place, { url }: FakeCall, { options }: Wiring): FakeAnswer {
  if (options.referrers === false) return failure(404, 'NAME_UNKNOWN');
  const wanted = url.searchParams.get('artifactType');
  const manifests = [...repository.manifests].flatMap(([digest, { bytes, mediaType }]) => {
    const shape = JSON.parse(bytes.toString('utf8')) as ManifestShape;
    const artifactType = shape.artifactType ?? shape.config?.mediaType;
    if (shape.subject?.digest !== last || (wanted !== null && artifactType !== wanted)) return [];
    return [{ mediaType, digest, size: bytes.length, artifactType, annotations: shape.annotations }];
  });
  const mediaType = 'application/vnd.oci.image.index.v1+json';
  return {
    status: 200,
    headers: { 'content-type': mediaType, ...(wanted !== null && { 'oci-filters-applied': 'artifactType' }) },
    body: JSON.stringify({ schemaVersion: 2, mediaType, manifests }),
  };
}

function failure(status: number, code: string): FakeAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ errors: [{ code, message: code.toLowerCase() }] }),
  };
}
