import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFakeApi, type FakeApi } from '../testing/fake-api.ts';
import { createFakeCertificate } from '../testing/fake-certificate.ts';
import { createCredentialPlugin, type CredentialPlugin } from '../testing/credential-plugin.ts';
import { isRunning } from '../testing/is-running.ts';
import { clusterEntry, kubeconfigText } from '../testing/kubeconfig-text.ts';
import { createTransport, type Transport } from '../transport/transport.ts';
import { createExecCredentials } from './exec.ts';
import { loadKubeconfig } from './kubeconfig.ts';

const LIST = { method: 'GET', path: '/api/v1/namespaces' } as const;
let folder: string;
let api: FakeApi;
let plugin: CredentialPlugin;
let transport: Transport | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-exec-'));
  api = await startFakeApi();
  plugin = createCredentialPlugin(join(folder, 'bin'));
});
afterEach(async () => {
  transport?.close();
  await api.close();
  rmSync(folder, { recursive: true });
});

async function connect(exec: object = plugin.exec, cluster: object = {}): Promise<Transport> {
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, kubeconfigText({ exec }, { ...clusterEntry(api.config), ...cluster }));
  return (transport = createTransport((await loadKubeconfig(path)).config, { random: () => 0 }));
}

const tokens = (): (string | undefined)[] => api.requests.map(({ headers }) => headers.authorization);
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

function refuse(token: string): void {
  api.fault((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) return false;
    response.writeHead(401).end();
    return true;
  });
}

describe('a credential plugin', () => {
  test.each([
    { because: 'the credentials do not expire', status: { token: 'one' }, runs: 1 },
    { because: 'they expire later', status: { token: 'one', expirationTimestamp: inSeconds(600) }, runs: 1 },
    { because: 'they have expired', status: { token: 'one', expirationTimestamp: inSeconds(-1) }, runs: 3 },
  ])('a credential plugin runs $runs times for three requests: $because', async ({ status, runs }) => {
    plugin.give(status);
    const connected = await connect();
    for (let i = 0; i < 3; i++) await connected.request(LIST);
    expect(tokens()).toEqual(Array.from({ length: 3 }, () => 'Bearer one'));
    expect(plugin.runs()).toBe(runs);
  });

  test('a credential plugin does not run before the first request', async () => {
    await connect();
    expect(plugin.runs()).toBe(0);
  });

  test('a credential plugin runs again when its credentials have expired, before the server sees them', async () => {
    plugin.give({ token: 'old', expirationTimestamp: inSeconds(-1) });
    const connected = await connect();
    await connected.request(LIST);
    plugin.give({ token: 'new', expirationTimestamp: inSeconds(600) });
    await connected.request(LIST);
    expect(tokens()).toEqual(['Bearer old', 'Bearer new']);
  });

  test('a credential plugin runs again after a 401, and the request succeeds', async () => {
    refuse('old');
    plugin.give({ token: 'old', expirationTimestamp: inSeconds(600) });
    const connected = await connect();
    const first = connected.request(LIST).catch((error: unknown) => error);
    expect(await first).toMatchObject({ code: 401 });
    plugin.give({ token: 'new' });
    expect((await connected.request(LIST)).status).toBe(200);
    expect(plugin.runs()).toBe(3);
  });

  test('a credential plugin runs once for concurrent requests', async () => {
    plugin.give({ token: 'one' });
    const connected = await connect();
    await Promise.all(Array.from({ length: 10 }, () => connected.request(LIST)));
    expect(plugin.runs()).toBe(1);
  });

  test('a credential plugin can return a client certificate, and another one after a 401', async () => {
    const [old, next] = [await createFakeCertificate(), await createFakeCertificate()];
    const serialOf = ({ cert }: typeof old): string => new X509Certificate(cert).serialNumber;
    const give = ({ cert, key }: typeof old): void =>
      plugin.give({ clientCertificateData: cert, clientKeyData: key, expirationTimestamp: inSeconds(600) });
    give(old);
    const connected = await connect();
    await connected.request(LIST);
    api.fault((request, response) => {
      if (request.clientSerial !== serialOf(old)) return false;
      give(next);
      response.writeHead(401).end();
      return true;
    });
    await connected.request(LIST);
    expect(api.requests.map(({ clientSerial }) => clientSerial)).toEqual([old, old, next].map(serialOf));
    expect(plugin.runs()).toBe(2);
  });

  test('a credential plugin gets KUBERNETES_EXEC_INFO', async () => {
    plugin.give({ token: 'one' });
    await (await connect()).request(LIST);
    const apiVersion = 'client.authentication.k8s.io/v1';
    expect(plugin.lastInfo()).toEqual({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  });

  test('a credential plugin gets the cluster if the kubeconfig asks for that', async () => {
    plugin.give({ token: 'one' });
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'demo' } }];
    await (await connect({ ...plugin.exec, provideClusterInfo: true }, { extensions })).request(LIST);
    expect(plugin.lastInfo()).toMatchObject({
      spec: {
        cluster: {
          server: api.config.server,
          'certificate-authority-data': btoa(String(api.config.ca)),
          config: { audience: 'demo' },
        },
      },
    });
  });

  test('a credential plugin is found relative to the kubeconfig, and gets its arguments and variables', async () => {
    plugin.become(`echo "{\\"status\\":{\\"token\\":\\"$1 $NAME\\"}}"`);
    const env = [{ name: 'NAME', value: 'lamp' }];
    const exec = { ...plugin.exec, command: `bin/${basename(plugin.command)}`, args: ['first'], env };
    await (await connect(exec)).request(LIST);
    expect(tokens()).toEqual(['Bearer first lamp']);
  });

  test('a credential plugin gets an empty standard input', async () => {
    plugin.become(`cat > /dev/null; echo '{"status":{"token":"one"}}'`);
    await (await connect()).request(LIST);
    expect(tokens()).toEqual(['Bearer one']);
  });
});

describe('the error of a failing credential plugin names it, and no request is sent', () => {
  test.each([
    {
      because: 'it exits with an error',
      script: 'echo "SSO session expired" >&2; exit 3',
      says: ['SSO session expired', '3'],
    },
    { because: 'it prints nothing', script: 'exit 1', says: ['nothing'] },
    { because: 'it is killed', script: 'kill -9 $$', says: ['SIGKILL'] },
    { because: 'it prints no JSON', script: 'echo hello', says: ['ExecCredential'] },
    { because: 'it prints no status', script: 'echo {}', says: ['ExecCredential'] },
    { because: 'it prints null', script: 'echo null', says: ['ExecCredential'] },
    { because: 'it prints neither a token nor a certificate', script: `echo '{"status":{}}'`, says: ['token'] },
  ])('$because', async ({ script, says }) => {
    plugin.become(script);
    const connected = await connect({ ...plugin.exec, installHint: 'Install the demo tool' });
    const error = (await connected.request(LIST).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({
      reason: 'CredentialsUnavailable',
      retry: 'backoff',
      hint: expect.stringContaining('Install the demo tool'),
    });
    for (const part of [`${plugin.command} --cluster demo`, '"u"', join(folder, 'kubeconfig'), ...says])
      expect(error.message).toContain(part);
    expect(api.requests).toEqual([]);
  });

  test('a credential plugin that does not exist is reported', async () => {
    const connected = await connect({ ...plugin.exec, command: 'no-such-plugin' });
    await expect(connected.request(LIST)).rejects.toMatchObject({
      reason: 'CredentialsUnavailable',
      message: expect.stringContaining('no-such-plugin'),
    });
  });

  test('a credential plugin that does not end is killed and reported', async () => {
    plugin.become('exec sleep 600');
    const user = { name: 'u', path: join(folder, 'kubeconfig'), value: {} };
    const cluster = { name: 'c', path: user.path, value: { server: 'https://localhost:1' } };
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin.command };
    const credentials = createExecCredentials({ user, cluster, exec, patienceSeconds: 0.05 });
    await expect(credentials()).rejects.toMatchObject({
      reason: 'CredentialsUnavailable',
      message: expect.stringContaining('in time'),
    });
  });

  const started = (): ReturnType<typeof createExecCredentials> => {
    const user = { name: 'u', path: join(folder, 'kubeconfig'), value: {} };
    const cluster = { name: 'c', path: user.path, value: { server: 'https://localhost:1' } };
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin.command };
    return createExecCredentials({ user, cluster, exec, patienceSeconds: 1 });
  };

  test('it leaves a program behind that holds its output', async () => {
    plugin.become('sleep 20; true');
    const from = performance.now();
    await expect(started()()).rejects.toMatchObject({ message: expect.stringContaining('in time') });
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  test.each([
    { because: 'it does not end in time', script: 'wait' },
    { because: 'it has ended itself, and the other one holds its output', script: 'exit 0' },
    { because: 'it prints without end', script: 'exec yes credentials' },
  ])('a program that it has started ends with it: $because', async ({ script }) => {
    const file = join(folder, 'started');
    plugin.become(`sleep 600 &\necho $! > '${file}'\n${script}`);
    await expect(started()()).rejects.toMatchObject({ reason: 'CredentialsUnavailable' });
    await expect.poll(() => isRunning(readFileSync(file, 'utf8').trim())).toBe(false);
  });

  test('it ends with the process that has started it', async () => {
    const file = join(folder, 'started');
    plugin.become(`echo $$ > '${file}'\nexec sleep 600`);
    const run = `import { startWithin } from ${JSON.stringify(new URL('exec-run.ts', import.meta.url).href)};
      import { existsSync } from 'node:fs';
      startWithin(600, { command: ${JSON.stringify(plugin.command)}, args: [], options: {} });
      setInterval(() => existsSync(${JSON.stringify(file)}) && process.exit(0), 5);`;
    execFileSync(process.execPath, ['--input-type=module', '-e', run]);
    await expect.poll(() => isRunning(readFileSync(file, 'utf8').trim())).toBe(false);
  });

  test.each([
    { because: 'it prints without end', script: 'exec yes credentials' },
    { because: 'it complains without end', script: 'exec yes credentials >&2' },
  ])('$because', async ({ script }) => {
    plugin.become(script);
    await expect(started()()).rejects.toMatchObject({
      reason: 'CredentialsUnavailable',
      message: expect.stringContaining('larger than'),
    });
  });

  test('it once printed no credentials: it is asked again', async () => {
    plugin.print('{"status":{}}');
    const connected = await connect();
    await expect(connected.request(LIST)).rejects.toMatchObject({ reason: 'CredentialsUnavailable' });
    plugin.give({ token: 'one' });
    expect((await connected.request(LIST)).status).toBe(200);
  });

  test.each([
    { because: 'in the argument itself', args: ['login', '--oidc-client-secret=hunter2', '--cluster', 'demo'] },
    { because: 'in the argument behind it', args: ['login', '--client-secret', 'hunter2', '--cluster', 'demo'] },
    { because: 'as a password', args: ['login', '--password=hunter2', '--cluster', 'demo'] },
    { because: 'as a token', args: ['login', '--token', 'hunter2', '--cluster', 'demo'] },
  ])('and a secret among its arguments is not repeated: $because', async ({ args }) => {
    plugin.become('exit 1');
    const connected = await connect({ ...plugin.exec, args });
    const error = (await connected.request(LIST).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).not.toContain('hunter2');
    expect(error.message).toContain('--cluster demo');
  });

  test('a credential plugin that requires a terminal is refused', async () => {
    const connected = await connect({ ...plugin.exec, interactiveMode: 'Always' });
    await expect(connected.request(LIST)).rejects.toMatchObject({ reason: 'KubeconfigInvalid', retry: 'never' });
    expect(plugin.runs()).toBe(0);
  });

  test('requests succeed again once the credential plugin works', async () => {
    plugin.become('exit 1');
    const connected = await connect();
    await expect(connected.request(LIST)).rejects.toMatchObject({ reason: 'CredentialsUnavailable' });
    plugin.give({ token: 'one' });
    expect((await connected.request(LIST)).status).toBe(200);
  });
});
