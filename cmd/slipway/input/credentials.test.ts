import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFiles } from '../../../bundles/testing/bundle.ts';
import { startFakeRegistry, type FakeRegistry } from '../../../oci/testing/fake-registry.ts';
import { useWorkplace } from '../testing/slipway.ts';

const PASSWORD = 'open-sesame';
const workplace = useWorkplace();
let registry: FakeRegistry;

beforeAll(async () => {
  registry = await startFakeRegistry({ auth: { kind: 'basic', username: 'ada', password: PASSWORD } });
  workplace().write(makeFiles(), 'bundle');
  mkdirSync(join(workplace().folder, 'bin'));
  const answer = JSON.stringify({ ServerURL: registry.host, Username: 'ada', Secret: PASSWORD });
  helper('good', `read -r server; [ "$1 $server" = "get ${registry.host}" ] && echo '${answer}'`);
  helper('counting', `echo asked >>'${asked()}'; echo '${answer}'`);
  helper('blank', `echo '{"ServerURL":"${registry.host}","Username":"","Secret":""}'`);
  helper('empty', `echo 'credentials not found in native keychain'; exit 1`);
  helper('failing', 'exit 3');
  helper('babbling', 'echo no json');
});
afterAll(() => registry.close());

const asked = (): string => join(workplace().folder, 'asked');

function helper(name: string, script: string): void {
  const file = join(workplace().folder, 'bin', `docker-credential-${name}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

const login = (): object => ({
  auths: { [registry.host]: { auth: Buffer.from(`ada:${PASSWORD}`).toString('base64') } },
});
const path = (): string => `${join(workplace().folder, 'bin')}:/usr/bin:/bin`;

/** Pushes with a file of credentials at a place; resolves to the exit code and the output. */
async function push(
  place: string,
  config: object | string,
  variables: Record<string, string> = {},
  ...flags: readonly string[]
) {
  workplace().write(new Map([[place, typeof config === 'string' ? config : JSON.stringify(config)]]));
  const target = `${registry.host}/team/gadget:v1`;
  const finished = await workplace().runWith(
    { variables: { PATH: path(), ...variables } },
    'bundle',
    'push',
    'bundle',
    target,
    ...flags,
  );
  workplace().write(new Map([[place, '{}']]));
  return finished;
}

describe('credentials are found', () => {
  test.each([
    { because: 'docker keeps them there', place: 'home/.docker/config.json', variables: () => ({}), flags: [] },
    {
      because: 'docker is configured with another folder',
      place: 'docker/config.json',
      variables: () => ({ DOCKER_CONFIG: join(workplace().folder, 'docker') }),
      flags: [],
    },
    {
      because: 'podman keeps them there',
      place: 'run/containers/auth.json',
      variables: () => ({ XDG_RUNTIME_DIR: join(workplace().folder, 'run') }),
      flags: [],
    },
    {
      because: 'podman is configured with another file',
      place: 'auth.json',
      variables: () => ({ REGISTRY_AUTH_FILE: join(workplace().folder, 'auth.json') }),
      flags: [],
    },
    {
      because: 'the command says so',
      place: 'mine.json',
      variables: () => ({}),
      flags: ['--registry-config', 'mine.json'],
    },
  ])('in $place: $because', async ({ place, variables, flags }) => {
    expect(await push(place, login(), variables(), ...flags)).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    {
      because: 'a program for this registry',
      config: () => ({ credHelpers: { [registry.host]: 'good' }, credsStore: 'failing' }),
    },
    { because: 'a program for all', config: () => ({ credsStore: 'good', auths: { [registry.host]: {} } }) },
    { because: 'the entry before the program', config: () => ({ ...login(), credsStore: 'failing' }) },
    {
      because: 'settings beside them do no harm',
      config: () => ({ ...login(), psFormat: 'table', currentContext: 'x' }),
    },
  ])('by $because', async ({ config }) => {
    expect(await push('home/.docker/config.json', config())).toMatchObject({ code: 0, stderr: '' });
  });
});

test('a program is asked once by a push, and not before each request', async () => {
  expect(await push('home/.docker/config.json', { credsStore: 'counting' })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(asked(), 'utf8')).toBe('asked\n');
});

test('a program that gives no user is none', async () => {
  const variables = { XDG_RUNTIME_DIR: join(workplace().folder, 'blank') };
  workplace().write(new Map([['home/.docker/config.json', JSON.stringify({ credsStore: 'blank' })]]));
  expect(await push('blank/containers/auth.json', login(), variables)).toMatchObject({ code: 0, stderr: '' });
});

describe('credentials', () => {
  test.each([
    { because: 'there are none', config: {}, reason: 'RegistryDenied' },
    { because: 'the program knows none', config: { credsStore: 'empty' }, reason: 'RegistryDenied' },
    { because: 'the program fails', config: { credsStore: 'failing' }, reason: 'PullSecretInvalid' },
    { because: 'the program says nothing useful', config: { credsStore: 'babbling' }, reason: 'PullSecretInvalid' },
    { because: 'the program is not there', config: { credsStore: 'missing' }, reason: 'PullSecretInvalid' },
    {
      because: 'the name of the program leads elsewhere',
      config: { credsStore: '../../evil' },
      reason: 'PullSecretInvalid',
    },
    { because: 'the file is no JSON', config: '{', reason: 'PullSecretInvalid' },
    { because: 'the file is a list', config: 'null', reason: 'PullSecretInvalid' },
    {
      because: 'its entries make no sense',
      config: { auths: { x: { auth: 'no colon' } } },
      reason: 'PullSecretInvalid',
    },
  ])('are refused or missing: $because', async ({ config, reason }) => {
    const { code, stdout, stderr } = await push('home/.docker/config.json', config);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`slipway: ${reason}: `),
    });
    expect(stderr).not.toMatch(/open-sesame|kubectl|pull secret with/);
  });

  test('that are named must be there', async () => {
    const { code, stderr } = await workplace().run(
      'bundle',
      'inspect',
      `${registry.host}/team/x:v1`,
      '--registry-config',
      'missing.json',
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('PullSecretInvalid') });
  });
});
