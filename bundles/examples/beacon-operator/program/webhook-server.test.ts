import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFakeCertificate } from '../../../../kube/testing/fake-certificate.ts';
import { silentLog } from '../../../../kube/log.ts';
import { serveWebhooks, type RunningWebhooks } from './webhook-server.ts';

let folder: string;
let ca: string;
let server: RunningWebhooks;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  const { cert, key } = await createFakeCertificate();
  ca = cert;
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  server = await serveWebhooks({ port: 0, certificates: folder, log: silentLog, lingerMs: 0 });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test('a review is answered over TLS, by the certificate of the folder', async () => {
  const review = { request: { uid: 'u1', object: { kind: 'Beacon', apiVersion: 'x/v2', metadata: {}, spec: {} } } };
  const { status, body } = await post('/validate', JSON.stringify(review));
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ kind: 'AdmissionReview', response: { uid: 'u1', allowed: false } });
});

test.each([
  { path: '/validate', body: 'no JSON', status: 400 },
  { path: '/validate', body: '{}', status: 400 },
  { path: '/elsewhere', body: '{}', status: 404 },
])('$body at $path is refused with $status, and the server goes on', async ({ path, body, status }) => {
  expect((await post(path, body)).status).toBe(status);
});

test('a path in deafTo is not answered, and others are', async () => {
  await using deaf = await serveWebhooks({
    port: 0,
    certificates: folder,
    log: silentLog,
    lingerMs: 0,
    deafTo: ['/validate'],
  });
  const first = Promise.race([post('/validate', '{}', deaf).catch(() => 'ended'), pause(300, 'silence')]);
  expect((await post('/elsewhere', '{}', deaf)).status).toBe(404);
  expect(await first).toBe('silence');
});

test('the server answers while it ends, and keeps no connection', async () => {
  const ending = await serveWebhooks({ port: 0, certificates: folder, log: silentLog, lingerMs: 300 });
  const ended = ending[Symbol.asyncDispose]();
  const answer = await post('/elsewhere', '{}', ending);
  expect(answer).toMatchObject({ status: 404, connection: 'close' });
  await ended;
  // A connection that the kernel took just before the end is reset, not refused, if need be during its handshake.
  await expect(post('/elsewhere', '{}', ending)).rejects.toMatchObject({
    code: expect.stringMatching(/^ECONN(REFUSED|RESET)$/) as string,
  });
});

test('without a certificate there is no server', async () => {
  await expect(serveWebhooks({ port: 0, certificates: join(folder, 'none'), log: silentLog })).rejects.toThrow(
    /ENOENT/,
  );
});

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly connection: string | undefined;
}

function post(path: string, body: string, { port }: RunningWebhooks = server): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, method: 'POST', ca }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          body: Buffer.concat(chunks).toString(),
          connection: response.headers.connection,
        }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}
