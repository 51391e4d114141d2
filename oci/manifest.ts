/**
 * Manifests and indexes as data: bytes in, the necessary fields out. Decides whether an answer is an image or an index,
 * and which platform of an index is taken; fetches nothing.
 */
import * as z from 'zod';
import { isDigest } from './digest.ts';
import { imageInvalid } from './errors.ts';

export const MEDIA_TYPE = {
  ociManifest: 'application/vnd.oci.image.manifest.v1+json',
  ociIndex: 'application/vnd.oci.image.index.v1+json',
  ociConfig: 'application/vnd.oci.image.config.v1+json',
  ociLayerGzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  ociEmpty: 'application/vnd.oci.empty.v1+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerConfig: 'application/vnd.docker.container.image.v1+json',
} as const;

const IMAGE_TYPES: ReadonlySet<string> = new Set([MEDIA_TYPE.ociManifest, MEDIA_TYPE.dockerManifest]);
const INDEX_TYPES: ReadonlySet<string> = new Set([MEDIA_TYPE.ociIndex, MEDIA_TYPE.dockerIndex]);

/** The `Accept` header of every manifest request. */
export const MANIFEST_ACCEPT: string = [...IMAGE_TYPES, ...INDEX_TYPES].join(', ');

const MAX_LAYERS = 512;
const MAX_INDEX_ENTRIES = 4096;
const MAX_ANNOTATIONS = 1024;

const Annotations = z
  .record(z.string(), z.string())
  .refine((record) => Object.keys(record).length <= MAX_ANNOTATIONS, 'too many annotations')
  .transform((record): Readonly<Record<string, string>> => Object.assign(Object.create(null) as object, record));

/** Programs in Go write an empty list or map as null. */
function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

function listOf<Schema extends z.ZodType>(item: Schema, most: number) {
  return z
    .array(item)
    .max(most)
    .nullable()
    .transform((items) => items ?? []);
}

const PlatformPart = z.string().max(64);

/** Parts that an entry leaves out are empty, as for Go: one such entry spoils no other one of its index. */
const Platform = z.object({
  os: PlatformPart.nullish().transform((name) => name ?? ''),
  architecture: PlatformPart.nullish().transform((name) => name ?? ''),
  variant: orNull(PlatformPart).optional(),
});

/** @see https://github.com/opencontainers/image-spec/blob/main/descriptor.md */
const DescriptorSchema = z.object({
  mediaType: z.string().min(1).max(255),
  digest: z.string().refine(isDigest, 'not a sha256 or sha512 digest'),
  size: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  annotations: orNull(Annotations).optional(),
  artifactType: z.string().max(255).optional(),
  platform: orNull(Platform).optional(),
});

const ImageSchema = z.object({
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  artifactType: z.string().max(255).optional(),
  config: DescriptorSchema,
  layers: listOf(DescriptorSchema, MAX_LAYERS),
  subject: orNull(DescriptorSchema).optional(),
  annotations: orNull(Annotations).optional(),
});

const IndexSchema = z.object({
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  artifactType: z.string().max(255).optional(),
  manifests: listOf(DescriptorSchema, MAX_INDEX_ENTRIES),
  subject: orNull(DescriptorSchema).optional(),
  annotations: orNull(Annotations).optional(),
});

export type Descriptor = z.infer<typeof DescriptorSchema>;
export type Platform = z.infer<typeof Platform>;
export type ImageManifest = z.infer<typeof ImageSchema>;
export type ImageIndex = z.infer<typeof IndexSchema>;

export type OciManifest = ({ readonly kind: 'image' } & ImageManifest) | ({ readonly kind: 'index' } & ImageIndex);

/** The origin of bytes: their name in errors, and whether they can ever change. */
export interface Origin {
  readonly what: string;
  readonly byDigest: boolean;
}

/**
 * Parses a manifest or index. The media type inside must be the one that the registry gave outside, and a document
 * that could be read as both kinds is refused.
 *
 * @throws ImageInvalid
 * @see https://github.com/opencontainers/image-spec/blob/main/manifest.md
 */
export function parseManifest(bytes: Uint8Array, contentType: string | undefined, origin: Origin): OciManifest {
  const document = parseJson(bytes, origin);
  const mediaType = agreeOnType(document, contentType, origin);
  if ('layers' in document && 'manifests' in document) {
    throw imageInvalid(`${origin.what} is ambiguous: it has both layers and manifests`, origin.byDigest);
  }
  if (INDEX_TYPES.has(mediaType)) return { kind: 'index', ...read(IndexSchema, document, origin), mediaType };
  if (IMAGE_TYPES.has(mediaType)) return { kind: 'image', ...read(ImageSchema, document, origin), mediaType };
  throw imageInvalid(
    `${origin.what} is of the type ${JSON.stringify(mediaType.slice(0, 100))}, which is not an image`,
    origin.byDigest,
    'Push it again with a current tool, as an OCI or Docker schema 2 image',
  );
}

/**
 * The entry of an index to read. For a platform that the caller names: the first that states exactly this one, else the
 * only one that states none. If the caller names none, the files matter and no program runs: `linux/amd64` is preferred,
 * and any other Linux will do, the first in the index. The choice is the same on every machine.
 *
 * @throws ImageInvalid if there is none.
 */
export function pickEntry(index: ImageIndex, platform: Platform | undefined, origin: Origin): Descriptor {
  const images = index.manifests.filter(
    ({ annotations, artifactType }) => annotations?.[ATTESTED] === undefined && artifactType === undefined,
  );
  const wanted = platform ?? USUAL_PLATFORM;
  const unnamed = images.filter((entry) => entry.platform === undefined);
  const picked =
    images.find((entry) => isFor(entry, wanted)) ??
    (unnamed.length === 1 ? unnamed[0] : undefined) ??
    (platform === undefined
      ? images.find(({ platform: one }) => one?.os === wanted.os && one.architecture !== '')
      : undefined);
  if (picked !== undefined) return picked;
  const missing = platform === undefined ? wanted.os : `${platform.os}/${platform.architecture}`;
  throw imageInvalid(`${origin.what} has no image for ${missing}; it has ${describePlatforms(index)}`, origin.byDigest);
}

const USUAL_PLATFORM: Platform = { os: 'linux', architecture: 'amd64' };

/** Build tools add statements about an image to its index, and mark them by this annotation, or as artifacts. */
const ATTESTED = 'vnd.docker.reference.type';

function isFor({ platform }: Descriptor, { os, architecture, variant }: Platform): boolean {
  if (platform?.os !== os || platform.architecture !== architecture) return false;
  return variant === undefined || platform.variant === variant;
}

function describePlatforms({ manifests }: ImageIndex): string {
  const names = manifests.flatMap(({ platform }) =>
    platform === undefined || platform.os === '' ? [] : [`${platform.os}/${platform.architecture}`],
  );
  return [...new Set(names)].slice(0, 8).join(', ') || 'none';
}

function parseJson(bytes: Uint8Array, { what, byDigest }: Origin): object {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) as unknown;
  } catch {
    throw imageInvalid(`${what} is not JSON`, byDigest);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw imageInvalid(`${what} is not a JSON object`, byDigest);
}

function agreeOnType(document: object, contentType: string | undefined, { what, byDigest }: Origin): string {
  const outside = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const inside: unknown = 'mediaType' in document ? document.mediaType : undefined;
  if (inside === undefined || inside === '') return outside;
  if (inside !== outside) {
    throw imageInvalid(`${what} says it is another type than the registry says`, byDigest);
  }
  return outside;
}

function read<Schema extends z.ZodType>(
  schema: Schema,
  document: object,
  { what, byDigest }: Origin,
): z.output<Schema> {
  const parsed = schema.safeParse(document);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.slice(0, 4).map(String).join('.') ?? '';
  throw imageInvalid(
    `${what} is malformed at ${where === '' ? 'its top' : where}: ${issue?.message ?? 'unknown'}`,
    byDigest,
  );
}
