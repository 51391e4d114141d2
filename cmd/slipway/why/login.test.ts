/** How the command line logs in to a cluster: by a program or an issuer that the kubeconfig names. */
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFakeApi, type FakeApi } from '../../../kube/testing/fake-api.ts';
import { createCredentialPlugin, type CredentialPlugin } from '../../../kube/testing/credential-plugin.ts';
import { startFakeIssuer, type FakeIssuer } from '../../../kube/testing/fake-issuer.ts';
import { clusterEntry, kubeconfigText } from '../../../kube/testing/kubeconfig-text.ts';
import { useWorkplace, type Finished } from '../testing/slipway.ts';

const workplace = useWorkplace();
let api: FakeApi;
let plugin: CredentialPlugin;
let issuer: FakeIssuer;
/** The token that the API server takes. */
let accepted: string;
/** Whether it takes what the issuer gave last in its place. */
let acceptsGiven: boolean;

beforeAll(async () => {
  [api, issuer] = await Promise.all([startFakeApi(), startFakeIssuer()]);
  plugin = createCredentialPlugin(join(workplace().folder, 'bin'));
  api.serve({
    apiVersion: 'slipway.dev/v1alpha1',
    kind: 'Subscription',
    plural: 'subscriptions',
    namespaced: true,
    verbs: [],
    subresources: [],
  });
  const metadata = { name: 'gadget', namespace: 'ops' };
  api.put({ apiVersion: 'slipway.dev/v1alpha1', kind: 'Subscription', metadata, spec: { package: 'gadget' } });
  api.fault(({ headers }, response) => {
    const token = acceptsGiven ? issuer.given.at(-1) : accepted;
    if (headers.authorization === `Bearer ${token}`) return false;
    response.writeHead(401).end();
    return true;
  });
});
afterAll(() => Promise.all([api.close(), issuer[Symbol.asyncDispose]()]));
beforeEach(() => {
  [accepted, acceptsGiven] = ['good', false];
});

function why(user: object): Promise<Finished> {
  workplace().write(new Map([['kubeconfig', kubeconfigText(user, clusterEntry(api.config))]]));
  return workplace().run('why', 'gadget', '--kubeconfig', 'kubeconfig', '--context', 'two');
}

const answered = { code: 2, stdout: expect.stringContaining('Nothing of gadget is chosen'), stderr: '' };

describe('the command line uses a credential plugin', () => {
  test.each([
    { because: 'its token has no end', status: { token: 'good' } },
    { because: 'its token ends later', status: { token: 'good', expirationTimestamp: '2999-01-01T00:00:00Z' } },
    { because: 'its token has ended', status: { token: 'good', expirationTimestamp: '2000-01-01T00:00:00Z' } },
  ])('$because', async ({ status }) => {
    plugin.give(status);
    expect(await why({ exec: plugin.exec })).toEqual(answered);
  });

  test('that fails: the command and its words to stderr are shown, and what to do', async () => {
    plugin.become('echo "the login has expired, run demo login" >&2; exit 7');
    const { code, stdout, stderr } = await why({ exec: plugin.exec });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^slipway: CredentialsUnavailable: .*\n {2}\S/);
    for (const part of [`${plugin.command} --cluster demo`, 'the login has expired, run demo login', '7'])
      expect(stderr).toContain(part);
  });

  test('whose token the API server does not accept', async () => {
    plugin.give({ token: 'wrong' });
    expect(await why({ exec: plugin.exec })).toMatchObject({ code: 1, stderr: expect.stringContaining('Forbidden') });
  });

  test('that colours its words: no text of it makes a terminal act', async () => {
    plugin.become(`printf '\\033[31mred\\n\\033]0;title\\007' >&2; exit 1`);
    const { stderr } = await why({ exec: plugin.exec });
    expect(stderr).toContain('red');
    expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

describe('the command line logs in by OIDC', () => {
  const provider = (changes: object): object => ({
    'auth-provider': {
      name: 'oidc',
      config: {
        'idp-issuer-url': issuer.url,
        'idp-certificate-authority-data': btoa(issuer.ca),
        'client-id': 'slipway',
        'client-secret': 'hush',
        'id-token': issuer.idToken(-60),
        'refresh-token': issuer.refreshToken(),
        ...changes,
      },
    },
  });

  test('with the id-token of the kubeconfig', async () => {
    accepted = issuer.idToken(600);
    expect(await why(provider({ 'id-token': accepted }))).toEqual(answered);
  });

  test('with a new one if that has expired', async () => {
    acceptsGiven = true;
    expect(await why(provider({}))).toEqual(answered);
    expect(issuer.given).toHaveLength(1);
  });

  test('and is refused with the words of the issuer', async () => {
    const { code, stderr } = await why(provider({ 'refresh-token': 'spent' }));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('the session has ended') });
    expect(stderr).toContain(issuer.url);
  });
});
