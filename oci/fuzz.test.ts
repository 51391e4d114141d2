/** Any answer of a registry, a token service or a folder gives a value, or an error with a reason. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { runsOf } from '../e2e/lib/sample.ts';
import { ReasonedError } from '../api/errors.ts';
import { buildImage } from './build.ts';
import { digestOf } from './digest.ts';
import { retryAfterSeconds } from './errors.ts';
import { type FakeRegistry, startFakeRegistry } from './testing/fake-registry.ts';
import { repositoryOf } from './testing/fake-store.ts';
import { pullFiles } from './image.ts';
import { layoutSource } from './layout.ts';
import { MEDIA_TYPE } from './manifest.ts';
import { type Reference, withDigest } from './reference.ts';
import { createRegistry, type Registry } from './registry.ts';

let fake: FakeRegistry;
let registry: Registry;
let reference: Reference;
let folder: string;

beforeAll(async () => {
  fake = await startFakeRegistry();
  registry = createRegistry({ timeouts: { headersMs: 2000, stallMs: 2000 } });
  reference = fake.reference('org/app:v1');
  folder = await mkdtemp(join(tmpdir(), 'slipway-fuzz-'));
});
afterAll(async () => {
  registry.close();
  await fake.close();
  await rm(folder, { recursive: true, force: true });
});

/** A value that a field could have, right or wrong. */
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, -1, 1e300, '', '\ud800', '__proto__', 'a'.repeat(5000), [], {}, [null], [[]]),
);
/** An object of these fields, each of them there or not. */
const objectOf = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> =>
  fc.oneof(fc.record(fields, { requiredKeys: [] }), odd);
const digest = fc.constantFrom(`sha256:${'0'.repeat(64)}`, 'sha256:short', 'md5:x', '');
const descriptor = objectOf({
  mediaType: fc.oneof(fc.constantFrom<string>(MEDIA_TYPE.ociConfig, MEDIA_TYPE.ociLayerGzip), odd),
  digest: fc.oneof(digest, odd),
  size: fc.oneof(fc.nat(), odd),
  annotations: odd,
});
const text = (value: unknown): string => JSON.stringify(value) ?? '';

async function endsWell(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ReasonedError)) throw error;
  }
}

const RUNS = { numRuns: runsOf(150) };

test('any configuration of an image gives a value or a reason', async () => {
  const config = objectOf({
    os: odd,
    architecture: odd,
    created: fc.oneof(fc.constantFrom('2026-01-01T00:00:00Z', 'yesterday'), odd),
    config: objectOf({ Labels: objectOf({ a: odd, 'operators.operatorframework.io.bundle.manifests.v1': odd }) }),
    rootfs: odd,
  });
  const built = buildImage({ files: new Map([['manifests/a', Buffer.from('a')]]) });
  const { blobs, manifests, tags } = repositoryOf(fake.store, reference.repository);
  for (const { descriptor: one, bytes } of built.layers) blobs.set(one.digest, Buffer.from(bytes));
  const manifest = JSON.parse(Buffer.from(built.manifest.bytes).toString()) as object;
  await fc.assert(
    fc.asyncProperty(config, async (value) => {
      const bytes = Buffer.from(text(value));
      const named = { mediaType: MEDIA_TYPE.ociConfig, digest: digestOf(bytes), size: bytes.length };
      blobs.set(named.digest, bytes);
      const whole = Buffer.from(JSON.stringify({ ...manifest, config: named }));
      manifests.set(digestOf(whole), { bytes: whole, mediaType: MEDIA_TYPE.ociManifest });
      tags.set('v1', digestOf(whole));
      await endsWell(() => pullFiles(registry, reference, { folders: ['manifests'] }));
    }),
    RUNS,
  );
});

const answers: readonly {
  readonly what: string;
  readonly ask: () => Promise<unknown>;
  readonly body: fc.Arbitrary<unknown>;
}[] = [
  {
    what: 'a list of tags',
    ask: () => registry.listTags(reference),
    body: objectOf({ name: odd, tags: fc.oneof(fc.array(odd), odd) }),
  },
  {
    what: 'a list of referrers',
    ask: () => registry.referrers(withDigest(reference, `sha256:${'1'.repeat(64)}`)),
    body: objectOf({ schemaVersion: odd, mediaType: odd, manifests: fc.oneof(fc.array(descriptor), odd) }),
  },
  {
    what: 'a manifest or an index',
    ask: () => registry.pullManifest(reference),
    body: objectOf({
      schemaVersion: fc.oneof(fc.constant(2), odd),
      mediaType: fc.oneof(fc.constantFrom(...Object.values(MEDIA_TYPE)), odd),
      config: descriptor,
      layers: fc.oneof(fc.array(descriptor), odd),
      manifests: fc.oneof(fc.array(descriptor), odd),
      annotations: odd,
    }),
  },
];

const headerText = fc.stringMatching(/^[ -~]{0,60}$/);
const link = fc.oneof(
  headerText,
  fc.constantFrom('</v2/>; rel="next"', '<http://[>; rel=next', '<//elsewhere.example/x>; rel=next', '<>'),
);
const status = fc.constantFrom(200, 200, 200, 206, 301, 307, 400, 404, 429, 500, 503);

test.each(answers)('any answer in place of $what gives a value or a reason', async ({ ask, body }) => {
  await fc.assert(
    fc.asyncProperty(body, status, headerText, link, async (value, code, retryAfter, next) => {
      const headers = { 'retry-after': retryAfter, link: next, location: next, 'content-type': 'application/json' };
      fake.intercept = () => ({ status: code, headers, body: text(value) });
      await endsWell(ask);
    }),
    RUNS,
  );
  fake.intercept = () => undefined;
});

test('any answer of a token service gives a value or a reason', async () => {
  const body = objectOf({ token: odd, access_token: odd, expires_in: odd, issued_at: odd, refresh_token: odd });
  await fc.assert(
    fc.asyncProperty(body, status, headerText, async (value, code, challenge) => {
      const asked = createRegistry({ timeouts: { headersMs: 2000, stallMs: 2000 } });
      fake.intercept = ({ path }) =>
        path.startsWith('/token')
          ? { status: code, headers: { 'content-type': 'application/json' }, body: text(value) }
          : {
              status: 401,
              headers: { 'www-authenticate': `Bearer realm="${fake.url}/token",service="x",scope="${challenge}"` },
            };
      await endsWell(() => asked.pullManifest(reference));
      asked.close();
    }),
    { ...RUNS, numRuns: runsOf(100) },
  );
  fake.intercept = () => undefined;
});

test('any index of a folder gives a value or a reason', async () => {
  const index = objectOf({ schemaVersion: odd, manifests: fc.oneof(fc.array(descriptor), odd) });
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await fc.assert(
    fc.asyncProperty(index, async (value) => {
      await writeFile(join(folder, 'index.json'), text(value));
      await endsWell(() => pullFiles(layoutSource(folder), reference, { folders: ['manifests'] }));
    }),
    RUNS,
  );
});

test('any Retry-After gives a delay or undefined', () => {
  fc.assert(
    fc.property(fc.option(fc.oneof(headerText, fc.double().map(String))), (header) => {
      const seconds = retryAfterSeconds(header ?? undefined, Date.parse('2026-01-01T00:00:00Z'));
      return seconds === undefined || (Number.isFinite(seconds) && seconds >= 0 && seconds <= 3600);
    }),
    RUNS,
  );
});
