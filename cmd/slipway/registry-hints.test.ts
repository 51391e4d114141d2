/** The remedies for registries that cannot be reached. */
import { describe, expect, test } from 'vitest';
import { ReasonedError } from '../../api/errors.ts';
import { registryHint } from './registry-hints.ts';
import { useWorkplace } from './testing/slipway.ts';

const failed = (code: string) =>
  new ReasonedError({
    reason: 'RegistryUnavailable',
    retry: 'backoff',
    message: 'registry.example cannot be reached',
    cause: Object.assign(new Error(), { code }),
  });

test.each([
  { code: 'EPROTO', args: [], hint: /add --plain-http/, because: 'it has no TLS' },
  { code: 'ECONNRESET', args: ['--plain-http'], hint: /leave --plain-http out/, because: 'it has TLS' },
  { code: 'HPE_INVALID_CONSTANT', args: ['--plain-http'], hint: /leave --plain-http out/, because: 'it has TLS' },
  { code: 'ECONNRESET', args: [], hint: /^Try again/, because: 'something between has cut the connection' },
  {
    code: 'SELF_SIGNED_CERT_IN_CHAIN',
    args: [],
    hint: /NODE_EXTRA_CA_CERTS/,
    because: 'its authority is a private one',
  },
  {
    code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    args: [],
    hint: /NODE_EXTRA_CA_CERTS/,
    because: 'its authority is a private one',
  },
  { code: 'ENOTFOUND', args: [], hint: /name of the registry/, because: 'its name is unknown' },
  { code: 'ECONNREFUSED', args: [], hint: /port of the registry/, because: 'nothing listens' },
])('the remedy fits a registry that fails with $code: $because', ({ code, args, hint }) => {
  expect(registryHint(failed(code), args)).toMatch(hint);
});

test.each(['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])('trust does not mend %s', (code) => {
  expect(registryHint(failed(code), [])).toBeUndefined();
});

describe('a command names the remedy', () => {
  const workplace = useWorkplace();

  test('of a registry whose name is unknown', async () => {
    const { code, stderr } = await workplace().run('catalog', 'validate', 'registry.invalid/team/catalog:latest');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^slipway: RegistryUnavailable: .*\n {2}Check the name of the registry/);
  });
});
